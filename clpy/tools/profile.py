# SPDX-License-Identifier: Apache-2.0
"""`clpy profile`: runs a program on the model of a GPU and tells time and counters of each of its launches."""
import json
import os
import sys
import tempfile

from clpy.profile import table
from clpy.tools import compiled, program
from clpy.tools.problem import Problem

COLUMNS = ("VALUBusy", "MemUnitBusy", "CacheHit", "FetchSize", "WriteSize", "LDSBankConflict", "VALUUtilization",
           "KernelOccupancy")
VLIW_COLUMNS = ("ALUBusy", "FetchUnitBusy", "CacheHit", "FetchSize", "WriteSize", "LDSBankConflict", "ALUPacking",
                "PathUtilization", "KernelOccupancy")
GEN_COLUMNS = ("EuActive", "EuStall", "EuThreadOccupancy", "DataPortBusy", "L3Hit", "SlmBankConflict",
               "SimdUtilization", "KernelOccupancy")


def add_arguments(made):
    made.add_argument("--device", default="tahiti", metavar="CHIP", help="whose model (default: tahiti)")
    made.add_argument("--detail", choices=("full", "sample", "off"), default="sample",
                      help="how many groups are followed: all, some, or none (CLPY_GPU_DETAIL)")
    made.add_argument("--json", action="store_true", help="print a JSON array with all counters of each launch")
    made.add_argument("--lines", action="store_true", help="by lines of the source: of the longest launch of each "
                      "kernel, with --json of each launch")
    made.add_argument("--source", metavar="FILE", help="with --lines: what the lines are, if it was made of one file")
    made.add_argument("--counters", action="store_true", help="run nothing, and tell what the counters are: unit, "
                      "basis, meaning, formula (--json)")
    made.add_argument("--output", metavar="FILE", help="write there instead of to standard output")
    made.add_argument("command", nargs="...", metavar="-- PROGRAM ...", help="the program and its arguments")


def profile(args):
    """The program's own exit code."""
    if args.counters:
        program.write(args.output, what_counters_are(args.json))
        return 0
    command = program.given(args, "profile")
    chip, wrong = compiled.ask("clpy.tools.analyze", "one_chip", args.device)
    if wrong:
        raise Problem(wrong)
    source = read_source(args.source)
    program.writable(args.output)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "launches")
        # The model is the only device: a program that asks for any takes it. Whatever else is set, it has a clock.
        status = program.run(command, {"CLPY_DEVICES": f"gpu:{chip}", "CLPY_GPU_DETAIL": args.detail,
                                       "CLPY_GPU_PROFILE": path, "GPU_DEVICE_ORDINAL": "", "CLPY_GPU_CLOCK": "model"})
        rows = read(path)
    if not rows:
        print(f"clpy: the program launched no kernel on gpu:{chip}; it may have chosen another device or "
              "platform", file=sys.stderr)
    program.write(args.output, text(args, rows, source))
    return status


def text(args, rows, source):
    if args.json:
        left_out = () if args.lines else ("lines",)
        return json.dumps([{name: row[name] for name in row if name not in left_out} for row in rows], indent=2)
    return show_lines(rows, source) if args.lines else show(rows)


def what_counters_are(as_json):
    told = compiled.ask("clpy.device.gpu.counters", "DESCRIBED")
    if as_json:
        return json.dumps(told["counters"], indent=2)
    rows = [[row[name] for name in row] for row in told["counters"]]
    return "\n".join([*(line.rstrip() for line in program.columns(rows, left=len(rows[0]))), "",
                      *(f"{name}: {meaning}" for name, meaning in told["symbols"])])


def read_source(path):
    if not path:
        return ""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        return []


def by_kernel(rows):
    """Name -> its longest launch, name -> the times of all."""
    longest, times = {}, {}
    for row in rows:
        name = row["kernel"]
        times.setdefault(name, []).append(row["ns"])
        if row["ns"] >= longest.get(name, row)["ns"]:
            longest[name] = row
    return longest, times


def show_lines(rows, source):
    """A table for each kernel."""
    longest, _ = by_kernel(rows)
    return "\n\n".join(f"{name} on {row['device']}: {row['ns'] / 1e3:.1f} us\n{table(row['lines'], source)}"
                       for name, row in longest.items())


def show(rows):
    """A line for each kernel: launches, how many of them were followed, time in all, and the counters of its longest
    launch."""
    longest, times = by_kernel(rows)
    there = {name for row in rows for name in row["counters"]}
    shown = VLIW_COLUMNS if "ALUPacking" in there else GEN_COLUMNS if "SimdWidth" in there else COLUMNS
    followed = {name: sum(row["kernel"] == name and row["traced_groups"] > 0 for row in rows) for name in times}
    head = ["kernel", "launches", "followed", "us in all", "longest", *shown, "limited by"]
    lines = [head]
    for name in sorted(times, key=lambda each: -sum(times[each])):
        numbers = longest[name]["counters"]
        lines.append([name, str(len(times[name])), str(followed[name]), f"{sum(times[name]) / 1e3:.1f}",
                      f"{max(times[name]) / 1e3:.1f}",
                      *(f"{numbers[column]:.1f}" if column in numbers else "-" for column in shown),
                      str(numbers.get("OccupancyLimiter", "-"))])
    return "\n".join(program.columns(lines))
