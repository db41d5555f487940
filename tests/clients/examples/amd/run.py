# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of this folder on a platform's CPU device, or on its first GPU. Exit code 1 when a result is wrong
or a program fails; what a device does not have is told and is no failure."""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
TIMEOUT_S = 300

# (file, arguments before the size, the size with --small)
EXAMPLES = (
    ("binary_search.py", (), 1000),
    ("svm_tree.py", ("coarse",), 200),
    ("svm_tree.py", ("fine",), 200),
    ("svm_tree.py", ("atomics",), 200),
    ("pipes.py", (), 4),
    ("program_globals.py", (), 256),
    ("generic_pointers.py", (), 8),
    ("group_functions.py", (), 6),
)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", default="clpy", help="part of the platform's name (default: clpy)")
    parser.add_argument("--gpu", action="store_true", help="on the platform's first GPU")
    parser.add_argument("--small", action="store_true", help="small problems: a quick check")
    parser.add_argument("--only", default="", metavar="TEXT", help="only examples whose file name holds TEXT")
    parser.add_argument("--json", metavar="FILE", help="write the results there as well")
    return parser.parse_args()


def environment(platform):
    env = dict(os.environ)
    vendors = ROOT / "build" / "vendors"
    if platform == "clpy" and "OCL_ICD_VENDORS" not in env and vendors.is_dir():
        env["OCL_ICD_VENDORS"] = str(vendors)
    return env


def run_example(command, env):
    """(row, complaint): what the example says, and what is wrong with it; the row is None when it said nothing."""
    try:
        done = subprocess.run([sys.executable, *command, "--json"], env=env, capture_output=True, text=True,
                              timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None, f"not done after {TIMEOUT_S} s"
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if len(lines) != 1:
        return None, f"exit code {done.returncode} and no result\n{done.stderr.strip()}"
    row = json.loads(lines[0])
    return row, "" if done.returncode == 0 else f"exit code {done.returncode}"


def main():
    args = parse_arguments()
    env, rows, failures = environment(args.platform), [], 0
    chosen = [example for example in EXAMPLES if args.only in example[0]]
    if not chosen:
        sys.exit(f"no example's file name holds {args.only}")
    for file, before, small in chosen:
        command = [str(HERE / file), *before, *([str(small)] if args.small else []), "--platform", args.platform]
        row, complaint = run_example(command + ["--gpu"] * args.gpu, env)
        if row:
            rows.append(row)
            print(f"{row['example']} on {row['device']}: {row['what']}: {row['result']}", flush=True)
        if complaint:
            failures += 1
            print(f"{' '.join([file, *before])} failed: {complaint}", flush=True)
    if args.json:
        Path(args.json).write_text(json.dumps(rows, indent=1) + "\n")
    verified = sum(row["result"] == "verified" for row in rows)
    print(f"{verified} of {len(chosen)} verified" + (f", {failures} FAILED" if failures else ""))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
