# SPDX-License-Identifier: Apache-2.0
"""How launches spread over 1, 2, 4 ... N processors, beside other platforms in the same run: groups that take long or
next to nothing, after a pause or back to back, a heavy last group, neighbours that write side by side, and host threads
that launch on their own queues.

usage: scaling.py [NAME=LIBRARY[:FOLDER] ...] [--threads 1,16] [--rounds N] [--turns N] [--only TEXT] [--json FILE]

Each process may use so many processors alone, by its affinity. N of a row's name is their number, times are of
one launch to its end in microseconds: of the middle round, the best process; in brackets `ideal`, what groups of such
times need. The platforms take turns. `worst` is clpy's time by the best peer's: above 1 a peer is faster.
"""
import argparse
import json
import os
import sys
from pathlib import Path

from overhead import ROOT, compile_driver, platform, run_driver

IDEAL = {"N of 1 ms, after a pause": 1000, "N of 1 ms": 1000, "N of 200 us": 200, "4 N of 0.5 us": 2, "4 N of 2 us": 8,
         "16 N of 1 us": 16, "64 N of 20 us": 1280, "4 N of 50 us, last 1 ms": 1000}


def counts(most):
    """1, 2, 4 ... and the number itself."""
    return sorted({1 << i for i in range(most.bit_length())} | {most})


def numbers(text):
    found = [int(part) for part in text.split(",")]
    if not all(1 <= n <= len(os.sched_getaffinity(0)) for n in found):
        raise argparse.ArgumentTypeError(f"{text}: this process may use {len(os.sched_getaffinity(0))} processors")
    return found


def on_processors(n, *call):
    """The call, with the first n processors of this process for what it starts."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:n])
    try:
        return run_driver(*call)
    finally:
        os.sched_setaffinity(0, before)


def measure(args, binary, platforms):
    """{threads: {platform: {row: [best, middle]}}}"""
    results = {n: {name: {} for name, _, _ in platforms} for n in args.threads}
    for turn in range(args.turns):
        for n in args.threads:
            print(f"turn {turn + 1} of {args.turns}: {n} processors", file=sys.stderr, flush=True)
            for name, library, folder in platforms:
                seen = on_processors(n, binary, library, folder, [str(n), str(args.rounds), *args.only])
                for row, value in seen.items():
                    old = results[n][name].get(row)
                    results[n][name][row] = (value if old is None or row == "device"
                                             else [min(pair) for pair in zip(old, value, strict=True)])
    return results


def show(results, names):
    for n, found in results.items():
        print(f"{f'microseconds, {n} processors':<40}{''.join(f'{name:>12}' for name in names)}{'worst':>9}")
        for row, own in found["clpy"].items():
            peers = [found[name][row][1] for name in names[1:] if row in found[name]]
            label = f"{row} [{IDEAL[row]}]" if row in IDEAL else row
            cells = "".join(f"{found[name][row][1] if row in found[name] else float('nan'):>12.2f}" for name in names)
            print(f"  {label:<38}{cells}{f'{own[1] / min(peers):.2f}' if peers else '-':>9}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", type=platform, metavar="NAME=LIBRARY[:FOLDER]")
    parser.add_argument("--threads", type=numbers, default=counts(len(os.sched_getaffinity(0))), metavar="N,N,...")
    parser.add_argument("--rounds", type=int, default=20, help="in one process (20)")
    parser.add_argument("--turns", type=int, default=2, help="processes per platform (2)")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="rows whose name holds TEXT")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    platforms = [("clpy", str(ROOT / "clpy" / "libclpy.so"), ""), *args.peers]
    results = measure(args, compile_driver("scaling"), platforms)
    names = [name for name, _, _ in platforms]
    for name in names:
        print(f"# {name}: {[results[n][name].pop('device', 'failed') for n in results][-1]}")
    show(results, names)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if all(found["clpy"] for found in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
