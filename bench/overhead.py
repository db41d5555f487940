# SPDX-License-Identifier: Apache-2.0
"""What the calls of the host cost, beside other platforms in the same run: enqueues with events, chains of commands,
user events with callbacks, maps, arguments, reference counts, making and releasing buffers.

usage: overhead.py [NAME=LIBRARY[:FOLDER] ...] [--rounds N] [--turns N] [--only TEXT] [--json FILE]

The platforms take turns, each in a process of its own; the best counts. `worst` is clpy's time by the best peer's:
above 1 a peer is faster. Exit code 1 when that is so by more than --allow (5 %), or when clpy fails.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def compile_driver(name):
    binary = ROOT / "build" / name
    binary.parent.mkdir(exist_ok=True)
    subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-Wall", "-std=gnu11", str(HERE / f"{name}.c"), "-o",
                    str(binary), "-lOpenCL", "-lpthread"], check=True)
    return binary


def run_driver(binary, library, folder, arguments):
    """What the driver prints on that platform, {} and why on stderr where it fails."""
    with tempfile.TemporaryDirectory() as vendors:
        (Path(vendors) / "one.icd").write_text(library + "\n")
        env = dict(os.environ, OCL_ICD_VENDORS=vendors)
        if folder:
            env["LD_LIBRARY_PATH"] = f"{folder}:{env.get('LD_LIBRARY_PATH', '')}"
        result = subprocess.run([str(binary), *arguments], env=env, capture_output=True, text=True)
    if not result.stdout.startswith("{"):
        print(f"{library}: exit code {result.returncode} {result.stderr.strip()[-300:]}", file=sys.stderr)
        return {}
    return json.loads(result.stdout)


def platform(text):
    name, equal, rest = text.partition("=")
    if not equal:
        raise argparse.ArgumentTypeError(f"{text}: NAME=LIBRARY is needed")
    library, _, folder = rest.partition(":")
    return name, library, folder


def measure(args, platforms):
    binary, results = compile_driver("overhead"), {name: {} for name, _, _ in platforms}
    for turn in range(args.turns):
        for name, library, folder in platforms:
            print(f"turn {turn + 1} of {args.turns}: {name}", file=sys.stderr, flush=True)
            for key, value in run_driver(binary, library, folder, [str(args.rounds), *args.only]).items():
                old = results[name].get(key)
                results[name][key] = value if old is None or key == "device" else min(old, value)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", type=platform, metavar="NAME=LIBRARY[:FOLDER]")
    parser.add_argument("--rounds", type=int, default=5, help="in one process (5)")
    parser.add_argument("--turns", type=int, default=3, help="processes per platform (3)")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="operations whose name holds TEXT")
    parser.add_argument("--allow", type=float, default=5, metavar="PERCENT")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    platforms = [("clpy", str(ROOT / "clpy" / "libclpy.so"), ""), *args.peers]
    results = measure(args, platforms)
    names = [name for name, _, _ in platforms]
    for name in names:
        print(f"# {name}: {results[name].pop('device', 'failed')}")
    print(f"{'ns per operation':<32}{''.join(f'{name:>12}' for name in names)}{'worst':>9}")
    slower = []
    for key, own in results["clpy"].items():
        peers = [results[name][key] for name in names[1:] if key in results[name]]
        ratio = own / min(peers) if peers else 0
        if ratio > 1 + args.allow / 100:
            slower.append(key)
        cells = "".join(f"{results[name].get(key, float('nan')):>12.1f}" for name in names)
        print(f"{key:<32}{cells}{f'{ratio:.2f}' if peers else '-':>9}")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")
    if slower:
        print("slower than a peer: " + "; ".join(slower))
    return 1 if slower or not results["clpy"] else 0


if __name__ == "__main__":
    sys.exit(main())
