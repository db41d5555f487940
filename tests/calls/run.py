# SPDX-License-Identifier: Apache-2.0
"""Calls of any function of the API at random, with valid and invalid arguments: `python -m tests.calls.run`.

They run in processes of their own, one chunk after the other. A chunk fails when it crashes, when a call does not
return in time, when a function returns a code that the specification does not list for it, when an object is left.
Exit code 0: nothing failed; 1: something did, with the seed and the last calls; 2: wrong usage.
"""
import argparse
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .child import SIZE, SLOT, SLOTS

ROOT = Path(__file__).resolve().parents[2]
CHUNK = 20000
DEVICES = ("gpu:vega10,gpu:fiji,cpu", "cpu", "cpu", "cpu", "cpu")        # by the seed, where CLPY_DEVICES says nothing


def parser():
    p = argparse.ArgumentParser(prog="python -m tests.calls.run", description=__doc__.split("\n\n")[0],
                                epilog="example: python -m tests.calls.run --count 1000000 --seed 1 --json calls.json")
    p.add_argument("--count", type=positive, default=100000, metavar="N", help="how many calls (100000)")
    p.add_argument("--seed", type=int, default=1, metavar="S", help="the seed of the first chunk (1); the next has S+1")
    p.add_argument("--chunk", type=positive, default=CHUNK, metavar="N", help=f"calls of one process ({CHUNK})")
    p.add_argument("--threads", type=positive, default=1, metavar="N", help="threads that call at once (1)")
    p.add_argument("--limit", type=positive, default=60, metavar="S", help="seconds that one call may take (60)")
    p.add_argument("--keep-going", action="store_true", help="go on after a chunk that failed")
    p.add_argument("--json", type=Path, metavar="FILE", help="write a summary there")
    p.add_argument("--break-at", type=int, default=0, help=argparse.SUPPRESS)     # dies at this call: tests the report
    return p


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("a positive number")
    return number


def environment(seed):
    """Strings hash alike in each run: the same seed makes the same calls, for the same devices."""
    env = dict(os.environ, PYTHONPATH=str(ROOT), PYTHONFAULTHANDLER="1", PYTHONHASHSEED="0")
    return {"CLPY_DEVICES": DEVICES[seed % len(DEVICES)], **env}


def last_calls(journal):
    memory = Path(journal).read_bytes()
    slots = [memory[4096 + i * SLOT:4096 + (i + 1) * SLOT] for i in range(SLOTS)]
    slots = [(s[:SLOT - 32].rstrip(b"\0").decode(errors="replace"),
              s[SLOT - 32:].rstrip(b"\0").decode(errors="replace")) for s in slots if s[0]]
    slots.sort(key=lambda slot: int(slot[0].split()[0]))
    return [f"{call} {result or '... did not return'}" for call, result in slots]


def calls_made(journal):
    with open(journal, "rb") as file:
        return struct.unpack("<Q", file.read(8))[0]


def follow(process, journal, limit):
    """Wait for the process; False when it stood still for too long and was ended."""
    seen, since = -1, time.monotonic()
    while True:
        try:
            process.wait(timeout=0.5)
            return True
        except subprocess.TimeoutExpired:
            made = calls_made(journal)
            if made != seen:
                seen, since = made, time.monotonic()
            elif time.monotonic() - since > limit:
                process.kill()
                process.wait()
                return False


def run_chunk(seed, count, threads, limit, break_at=0):
    """What happened: the child's own row, with `failures`; and the last calls where there are any."""
    with tempfile.TemporaryDirectory(prefix="clpy-calls-") as folder:
        journal = Path(folder) / "journal"
        journal.write_bytes(bytes(SIZE))
        env = environment(seed)
        command = [sys.executable, "-m", "tests.calls.child", str(journal), *map(str, (seed, count, threads, break_at))]
        with open(Path(folder) / "out", "w+") as out, open(Path(folder) / "err", "w+") as err:
            process = subprocess.Popen(command, env=env, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            in_time = follow(process, journal, limit)
            out.seek(0)
            err.seek(0)
            text, errors = out.read(), err.read().strip()
        row = json.loads(text.splitlines()[-1]) if text.startswith("{") else \
            {"calls": calls_made(journal), "failures": [], "succeeded": [], "successes": 0}
        if not in_time:
            row["failures"].append(f"a call did not return within {limit} s")
        elif process.returncode < 0:
            row["failures"].append(f"ended by {signal.Signals(-process.returncode).name}")
        elif process.returncode and not row["failures"]:
            row["failures"].append(f"exit code {process.returncode}")
        row.update(seed=seed, stderr=errors[-4000:], last=last_calls(journal) if row["failures"] else [])
        return row


def report(row, count, threads):
    print(f"seed {row['seed']}: FAILED after {row['calls']} calls")
    for text in row["failures"]:
        print(f"  {text}")
    died = any(text.startswith(("ended", "a call", "exit")) for text in row["failures"])
    for text in row["last"][-12:] if died else ():
        print(f"    {text[:300]}")
    if row["stderr"]:
        print("  stderr: " + row["stderr"][-1500:].replace("\n", "\n    "))
    more = f" --threads {threads}" if threads > 1 else ""
    print(f"  again: python -m tests.calls.run --seed {row['seed']} --count {count}{more}", flush=True)


def main():
    args = parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="clpy-calls-cache-") as cache:
        os.environ.setdefault("CLPY_CACHE_DIR", cache)
        return run_all(args)


def run_all(args):
    begin, done, rows, seed = time.monotonic(), 0, [], args.seed
    while done < args.count:
        size = min(args.chunk, args.count - done)
        row = run_chunk(seed, size, args.threads, args.limit, args.break_at)
        rows.append(row)
        done += size
        seed += 1
        if row["failures"]:
            report(row, size, args.threads)
            if not args.keep_going:
                break
        spent = time.monotonic() - begin
        print(f"{done} of {args.count} calls, {spent:.0f} s, {sum(bool(r['failures']) for r in rows)} chunks failed",
              file=sys.stderr, flush=True)
    failed = [row for row in rows if row["failures"]]
    made, successes = sum(row["calls"] for row in rows), sum(row["successes"] for row in rows)
    reached = sorted({name for row in rows for name in row["succeeded"]})
    print(f"calls: {'FAILED' if failed else 'passed'}: {made} calls, {successes} successes, "
          f"{len(reached)} functions succeeded at least once, {time.monotonic() - begin:.0f} s")
    if args.json:
        args.json.write_text(json.dumps({"calls": made, "successes": successes, "functions": reached,
                                         "seconds": time.monotonic() - begin, "failed": failed}, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
