# SPDX-License-Identifier: Apache-2.0
"""What functions of a vendor's extension cost on the CPU device, beside the same in plain OpenCL C.

usage: functions.py FOLDER [--rounds N] [--json FILE] [--table]   FOLDER: vendor_ext/VENDOR/NAME, with tests/plain.cl

plain.cl has rows `// name | types` of the result and the arguments, and for each name_of_it a function plain_of_it. A
work-group's work-items call the function in a loop, with values that change in each turn; beside them others call the
plain one. The results are compared first; the best time of all rounds counts.

With --table it does so for each set of instructions, and counts what the loop is made of: nanoseconds of the function
and of the plain one, their ratio, the instructions of both loops, and whether these are the same, each as often.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyopencl as cl
from hot_loops import ISAS, MARK, mnemonics, of_each

GROUP, TURNS = 256, 1024
ROW = re.compile(r"// (\w+) \| ([\w ]+)")
# What an argument is in a turn: all its bits are new, and the sum of the results goes into no argument. A number of
# floating point is no whole one, whose conversion there and back would be nothing.
ARGUMENT = {"uint": "h * {0}u + j", "int": "(int)(h * {0}u + j)", "float": "((h ^ j) * {0}u & 0xFFFF) * 0.5f",
            "ulong": "(ulong)(h * {0}u + j) << 32 | (h ^ j)", "uint4": "h * {0}u + (uint4)(j, j * 3, j * 5, j * 7)",
            "float4": "convert_float4((h + (uint4)(j, j * 3, j * 5, j * 7)) & 511u) * 0.5f"}
FACTORS = (2654435761, 2246822519, 3266489917)


def kernel(context, plain, function, types):
    given = ", ".join(ARGUMENT[t].format(factor) for t, factor in zip(types[1:], FACTORS, strict=False))
    sum_type = "uint" if types[0] == "float" else types[0]
    value = f"{function}({given})"
    value = f"as_uint({value})" if types[0] == "float" else value
    source = f"""{plain}
        kernel void k(global {sum_type} *out) {{
            uint h = get_global_id(0) * 40503u;
            {sum_type} sum = 0;
            for (uint j = 0; j < {TURNS}; j++) sum += {value};
            out[get_global_id(0)] = sum;
        }}"""
    return cl.Program(context, source).build(["-cl-std=CL3.0"]).k


def times(queue, plain, name, types, rounds):
    """(nanoseconds of an element with the function, with the plain expression)"""
    out = cl.Buffer(queue.context, 0, 8 * GROUP)
    pair, found = [], []
    for function in (name, "plain_" + name.partition("_")[2]):
        pair.append(kernel(queue.context, plain, function, types))
        pair[-1](queue, (GROUP,), (GROUP,), out)
        found.append(np.empty(GROUP, np.uint64 if types[0] == "ulong" else np.uint32))
        cl.enqueue_copy(queue, found[-1], out)
    if (found[0] != found[1]).any():
        raise SystemExit(f"{name}: not what the plain expression makes")
    best = [1e30, 1e30]
    for _ in range(rounds):
        for n, each in enumerate(pair):         # in turns: the machine changes its pace
            start = time.perf_counter_ns()
            each(queue, (GROUP,), (GROUP,), out)
            queue.finish()
            best[n] = min(best[n], time.perf_counter_ns() - start)
    return [each / GROUP / TURNS for each in best]


def build_all(context, plain):
    """For --table: tells before each build what follows."""
    for name, types in ROW.findall(plain):
        for function in (name, "plain_" + name.partition("_")[2]):
            print(f"{MARK}{function} {types}", file=sys.stderr, flush=True)
            kernel(context, plain, function, types.split())


def times_of(folder, rounds, isa):
    """{name and types: [nanoseconds, plain]} with these instructions."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([sys.executable, "-W", "ignore", __file__, str(folder), "--rounds", str(rounds), "--json",
                        file.name], env=os.environ | {"CLPY_CPU_ISA": isa}, stdout=subprocess.DEVNULL, check=True)
        return json.loads(Path(file.name).read_text())


def print_table(folder, plain, rounds):
    """The table of the extension's page."""
    isas = [(times_of(folder, rounds, isa), of_each(__file__, [str(folder), "--build"], isa, dict(os.environ)))
            for isa in ISAS]
    print(f"| function | {' | '.join(ISAS)} |\n|---|{'---|' * len(ISAS)}")
    for name, types in ROW.findall(plain):
        cells = []
        for ns, loops in isas:
            own, other = (loops[f"{x} {types}"] for x in (name, "plain_" + name.partition("_")[2]))
            mine, others = ns[f"{name} {types}"]
            same = ", the same" if mnemonics(own) == mnemonics(other) else ""
            cells.append(f"{mine:.2f} of {others:.2f}: **{mine / others:.2f}** ({len(own)} of {len(other)}{same})")
        print(f"| `{name}`, {types.split()[0]} | {' | '.join(cells)} |")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("folder", type=Path, metavar="FOLDER")
    p.add_argument("--rounds", type=int, default=150)
    p.add_argument("--json", type=Path, metavar="FILE")
    p.add_argument("--table", action="store_true", help="times and instructions with SSE4.2, AVX2 and AVX-512")
    p.add_argument("--build", action="store_true", help=argparse.SUPPRESS)
    args = p.parse_args()
    plain = (args.folder / "tests" / "plain.cl").read_text()
    device = next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]
    queue = cl.CommandQueue(cl.Context([device]))
    if args.build:
        return build_all(queue.context, plain)
    if args.table:
        return print_table(args.folder, plain, args.rounds)
    found = {}
    print("| function | ns | plain, ns | ratio |\n|---|---|---|---|")
    for name, types in ROW.findall(plain):
        own, other = times(queue, plain, name, types.split(), args.rounds)
        found[f"{name} {types}"] = own, other
        print(f"| `{name}`, {types.split()[0]} | {own:.3f} | {other:.3f} | {own / other:.2f} |", flush=True)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
