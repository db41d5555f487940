# SPDX-License-Identifier: Apache-2.0
"""Program binaries that somebody changed, their checksum made right again: `python -m tests.binaries.run`.

They are tried in processes of their own, one chunk after the other. Each is accepted or refused; a crash, a hang or
another error is a failure. Exit code 0: none; 1: some, with the seed and what was changed; 2: wrong usage.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHUNK = 500


def parser():
    p = argparse.ArgumentParser(prog="python -m tests.binaries.run", description=__doc__.split("\n\n")[0],
                                epilog="example: python -m tests.binaries.run --count 10000 --seed 1")
    p.add_argument("--count", type=positive, default=2000, metavar="N", help="how many binaries (2000)")
    p.add_argument("--seed", type=int, default=1, metavar="S", help="the seed of the first chunk (1); the next has S+1")
    p.add_argument("--device", default="cpu", metavar="NAME", help="whose binaries, as CLPY_DEVICES names it (cpu)")
    p.add_argument("--limit", type=positive, default=120, metavar="S", help="seconds that one may take (120)")
    return p


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("a positive number")
    return number


def follow(process, journal, limit):
    """Wait for the process; False when it stood still for too long and was ended."""
    seen, since = -1, time.monotonic()
    while True:
        try:
            process.wait(timeout=0.5)
            return True
        except subprocess.TimeoutExpired:
            size = journal.stat().st_size
            if size != seen:
                seen, since = size, time.monotonic()
            elif time.monotonic() - since > limit:
                process.kill()
                process.wait()
                return False


def run_chunk(seed, count, limit, break_at=-1, device="cpu"):
    """{"failures": texts, "outcomes": {error: how often}} of one process."""
    with tempfile.TemporaryDirectory(prefix="clpy-binaries-") as folder:
        journal, out, err = (Path(folder) / name for name in ("journal", "out", "err"))
        journal.touch()
        env = dict(os.environ, PYTHONPATH=str(ROOT), PYTHONFAULTHANDLER="1", CLPY_CACHE_DIR=str(Path(folder) / "cache"),
                   OCL_ICD_VENDORS=str(ROOT / "build" / "vendors"), CLPY_DEVICES=device, CLPY_GPU_DETAIL="off")
        command = [sys.executable, "-m", "tests.binaries.child", str(journal), *map(str, (seed, count, break_at))]
        with open(out, "w") as to, open(err, "w") as wrong:
            process = subprocess.Popen(command, env=env, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=to, stderr=wrong)
            in_time = follow(process, journal, limit)
        text = out.read_text()
        row = json.loads(text.splitlines()[-1]) if text.startswith("{") else {"failures": [], "outcomes": {}}
        last = (journal.read_text().splitlines() or ["before the first"])[-1]
        if not in_time:
            row["failures"].append(f"{last}: nothing for {limit} s")
        elif process.returncode < 0:
            row["failures"].append(f"{last}: ended by {signal.Signals(-process.returncode).name}")
        elif process.returncode and not row["failures"]:
            row["failures"].append(f"{last}: exit code {process.returncode}: {err.read_text()[-1500:]}")
        return row


def main():
    args = parser().parse_args()
    begin, done, seed, failed, outcomes = time.monotonic(), 0, args.seed, 0, Counter()
    while done < args.count:
        size = min(CHUNK, args.count - done)
        row = run_chunk(seed, size, args.limit, device=args.device)
        outcomes.update(row["outcomes"])
        for text in row["failures"]:
            failed += 1
            print(f"seed {seed}: {text}\n  again: python -m tests.binaries.run --device {args.device} --seed {seed} "
                  f"--count {size}",
                  flush=True)
        done, seed = done + size, seed + 1
    print(f"binaries: {'FAILED' if failed else 'passed'}: {done} changed binaries, "
          + ", ".join(f"{n} {name}" for name, n in outcomes.most_common()) + f", {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
