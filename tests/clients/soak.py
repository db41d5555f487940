# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs soak.c: many threads at once, at random. Fails on a wrong result, a live object at the end, or
a resident size that still grows in the last third of the time."""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# New programs, and arenas of the C library that fill up, make the size wander; a leak of one small object per round
# would pass this bound within the minute.
GROWTH, SLACK_MIB = 1.10, 16


def compile_soak(folder):
    binary = Path(folder) / "soak"
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    subprocess.run([*compiler, "-O2", "-Wall", "-Wno-deprecated-declarations", "-std=gnu11", str(HERE / "soak.c"),
                    "-o", str(binary), "-lOpenCL", "-lpthread"], check=True)
    return binary


def run_soak(seconds, threads=8, seed=1, *extra):
    """(row, complaints, stderr) of one run; the row is what soak.c prints."""
    with tempfile.TemporaryDirectory(prefix="clpy-soak-") as folder:
        env = dict(os.environ, CLPY_CACHE_DIR=folder, CLPY_LEAKS="1")
        env.setdefault("OCL_ICD_VENDORS", str(ROOT / "build" / "vendors"))
        command = [str(compile_soak(folder)), str(seconds), str(threads), str(seed), *extra]
        result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=seconds * 2 + 120)
    if not result.stdout.startswith("{"):
        return {}, [f"exit code {result.returncode}, no result"], result.stderr
    row = json.loads(result.stdout)
    complaints = [f"exit code {result.returncode}"] if result.returncode else []
    if row["wrong"]:
        complaints.append(f"{row['wrong']} wrong results")
    if row["callbacks_seen"] != row["callbacks_due"]:
        complaints.append("callbacks are missing")
    if seconds >= 5 and row["rss_end_mib"] > row["rss_middle_mib"] * GROWTH + SLACK_MIB:
        complaints.append("the resident size grows")
    if "not released" in result.stderr:
        complaints.append("objects live at the end")
    return row, complaints, result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(f"{args.threads} threads, {args.seconds:.0f} s ...", flush=True)
    row, complaints, errors = run_soak(args.seconds, args.threads, args.seed)
    print(json.dumps(row, indent=1))
    for text in [*complaints, errors.strip()[-2000:]]:
        if text:
            print(text)
    print("soak: FAILED" if complaints else "soak: passed")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
