# SPDX-License-Identifier: Apache-2.0
"""Runs a command once per vector width and instruction set, with the vectorizer off, and in lock-step.

    python tests/widths.py [--only NAME,...] [--json FILE] COMMAND ...

example: python tests/widths.py --only off,8 .venv/bin/python -m pytest -q tests/kernels
Exit code 1 when the command fails in one of them. An instruction set that the machine lacks is its best one again.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

WIDTHS = {
    "chosen": {},
    "16": {"CL_CONFIG_CPU_VECTORIZER_MODE": "16"},
    "4": {"CL_CONFIG_CPU_VECTORIZER_MODE": "4"},
    "avx2": {"CLPY_CPU_ISA": "avx2"},
    "8": {"CL_CONFIG_CPU_VECTORIZER_MODE": "8"},
    "sse4.2": {"CLPY_CPU_ISA": "sse4.2"},
    "1": {"CL_CONFIG_CPU_VECTORIZER_MODE": "1"},
    "off": {"CL_CONFIG_USE_VECTORIZER": "0"},
    "lockstep64": {"CLPY_LOCKSTEP": "64"},
}


def names(text):
    wrong = [name for name in text.split(",") if name not in WIDTHS]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]}: not one of {', '.join(WIDTHS)}")
    return text.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=names, default=list(WIDTHS), metavar="NAME,...",
                        help="of: " + ", ".join(WIDTHS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write exit codes and seconds there")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if not given.command:
        parser.error("what is to be run?")
    results = {}
    for name in given.only:
        print(f"== {name}: {' '.join(f'{k}={v}' for k, v in WIDTHS[name].items()) or 'as it is'}", flush=True)
        start = time.monotonic()
        code = subprocess.run(given.command, env={**os.environ, **WIDTHS[name]}).returncode
        results[name] = {"exit": code, "seconds": round(time.monotonic() - start)}
    for name, result in results.items():
        print(f"{name}: {'passed' if not result['exit'] else 'FAILED'}, {result['seconds']} s")
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")
    return 1 if any(result["exit"] for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
