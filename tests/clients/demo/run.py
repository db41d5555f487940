# SPDX-License-Identifier: Apache-2.0
"""The demo: builds the programs of this folder, runs them on a platform's CPU device, or on its GPU (together.c: on
both), through the system loader, and ends with a table. Exit code 1 when a result is wrong, a program fails or a row
is missing."""
import argparse
import json
import os
import shlex
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TIMEOUT_S = 600


@dataclass(frozen=True)
class Program:
    source: str
    rows: int      # result lines it must print
    size: int      # its argument
    small: int     # the argument with --small


PROGRAMS = (
    Program("fill.c", 1, 1 << 24, 1 << 16),
    Program("saxpy.cpp", 1, 1 << 24, 1 << 16),
    Program("minimum.c", 2, 1 << 24, 1 << 18),
    Program("vadd.c", 1, 1 << 24, 50_000),
    Program("matmul.c", 5, 1000, 120),
    Program("reduce.c", 1, 1 << 24, 1 << 16),
    Program("together.c", 1, 1 << 20, 1 << 14),
    Program("arrays.py", 4, 1 << 22, 1 << 14),
)


def compile_program(source, out_dir):
    """The executable of one C or C++ source, built when a source of this folder is newer."""
    binary = out_dir / source.replace(".", "_")
    newest = max((HERE / name).stat().st_mtime for name in (source, "demo.h"))
    if binary.exists() and binary.stat().st_mtime > newest:
        return binary
    is_c = source.endswith(".c")
    compiler = shlex.split(os.environ.get("CC", "gcc") if is_c else os.environ.get("CXX", "g++"))
    subprocess.run([*compiler, "-O2", "-Wall", "-Wno-deprecated-declarations", "-std=gnu11" if is_c else "-std=c++17",
                    f'-DDEMO_SOURCES="{HERE}"', str(HERE / source), "-o", str(binary), "-lOpenCL", "-lm"], check=True)
    return binary


class Ticker:
    """Shows on a terminal that a long step is alive."""

    def __init__(self, label):
        self.label, self.stop = label, threading.Event()
        self.thread = threading.Thread(target=self.tick, daemon=True)

    def __enter__(self):
        if sys.stderr.isatty():
            self.thread.start()
        return self

    def tick(self):
        start = time.monotonic()
        while not self.stop.wait(1):
            print(f"\r{self.label} {time.monotonic() - start:.0f} s ", end="", file=sys.stderr, flush=True)

    def __exit__(self, *exc):
        self.stop.set()
        if self.thread.is_alive():
            self.thread.join()
            print("\r" + " " * (len(self.label) + 10) + "\r", end="", file=sys.stderr, flush=True)


def run_program(program, argument, env, out_dir):
    """(rows, complaint): the result lines of one program; complaint is empty when it did all it should."""
    name = program.source
    command = [sys.executable, str(HERE / name)] if name.endswith(".py") else [str(compile_program(name, out_dir))]
    child = subprocess.Popen([*command, str(argument)], env=env, stdout=subprocess.PIPE, text=True)
    timer = threading.Timer(TIMEOUT_S, child.kill)
    timer.start()
    rows = []
    try:
        for line in child.stdout:
            if not line.startswith("{"):
                print(line, end="")
                continue
            rows.append(json.loads(line))
            print(f"      {format_row(rows[-1])}", flush=True)
        code = child.wait()
    finally:                     # also when nobody reads what is printed
        timer.cancel()
        child.kill()
    return rows, complaint(program, rows, code)


def complaint(program, rows, code):
    if code != 0 and all(row["verified"] for row in rows):
        return f"{program.source} ended with exit code {code} after {len(rows)} of {program.rows} results"
    if len(rows) != program.rows:
        return f"{program.source} gave {len(rows)} of {program.rows} results"
    wrong = [row["program"] for row in rows if not row["verified"]]
    return f"wrong result: {', '.join(wrong)}" if wrong else ""


def format_time(seconds):
    return f"{seconds * 1e3:.3f} ms" if seconds < 1 else f"{seconds:.3f} s"


def format_row(row):
    return (f"{row['program']:<34}{row['size']:>18}{format_time(row['seconds']):>14}"
            f"{row['rate']:>10.2f} {row['unit']:<8} {'yes' if row['verified'] else 'WRONG'}")


def format_table(rows):
    head = f"{'program':<34}{'problem size':>18}{'time':>14}{'rate':>10} {'':<8} verified"
    lines = []
    for device in dict.fromkeys(row["device"] for row in rows):
        lines += [f"device: {device}", head, "-" * len(head)]
        lines += [format_row(row) for row in rows if row["device"] == device]
    return "\n".join(lines)


def environment(platform, device):
    env = dict(os.environ, DEMO_PLATFORM=platform, DEMO_DEVICE=device)
    vendors = ROOT / "build" / "vendors"
    if platform == "clpy" and "OCL_ICD_VENDORS" not in env and vendors.is_dir():
        env["OCL_ICD_VENDORS"] = str(vendors)
    return env


def list_platforms(env):
    """Step (a): what the loader sees."""
    try:
        listing = subprocess.run(["clinfo", "-l"], env=env, capture_output=True, text=True, timeout=TIMEOUT_S)
    except FileNotFoundError:
        return "clinfo is not installed"
    print(listing.stdout, end="", flush=True)
    if listing.returncode != 0 or env["DEMO_PLATFORM"] not in listing.stdout:
        return f"clinfo -l does not list a platform called {env['DEMO_PLATFORM']} {listing.stderr.strip()}"
    return ""


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", default="clpy", help="part of the platform's name (default: clpy)")
    parser.add_argument("--gpu", action="store_const", const="gpu", default="cpu", dest="device",
                        help="on the platform's first GPU")
    parser.add_argument("--small", action="store_true", help="small problems: a quick check, no useful times")
    parser.add_argument("--only", default="", metavar="TEXT", help="only programs whose file name holds TEXT")
    parser.add_argument("--json", metavar="FILE", help="write the rows there as well")
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build" / "demo", help="where executables go")
    return parser.parse_args(argv)


def main(argv=None):
    args = parse_arguments(argv)
    args.build_dir.mkdir(parents=True, exist_ok=True)
    env = environment(args.platform, args.device)
    chosen = [program for program in PROGRAMS if args.only in program.source]
    print(f"[1/{len(chosen) + 1}] clinfo -l", flush=True)
    complaints, all_rows = [list_platforms(env)], []
    for step, program in enumerate(chosen, 2):
        label = f"[{step}/{len(chosen) + 1}] {program.source}"
        print(label, flush=True)
        with Ticker(label):
            rows, problem = run_program(program, program.small if args.small else program.size, env, args.build_dir)
        all_rows += rows
        complaints.append(problem)
    complaints = [text for text in complaints if text]
    if args.json:
        Path(args.json).write_text(json.dumps(all_rows, indent=1) + "\n")
    print(f"\n{format_table(all_rows)}\n" if all_rows else "")
    for text in complaints:
        print(text)
    print("demo: FAILED" if complaints else f"demo: {len(all_rows)} results, all verified")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
