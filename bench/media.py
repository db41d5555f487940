# SPDX-License-Identifier: Apache-2.0
"""What the functions of cl_amd_media_ops and cl_amd_media_ops2 cost on the CPU device, beside plain OpenCL C.

usage: media.py [--rounds N] [--json FILE]

Each row is a work-group whose work-items call the function in a loop, with words that change in each turn, beside one
that calls what bench/media.cl has for it: the expression of the extension's text, or, where it has words, what one
would write. The results are compared first; the best time of all rounds counts.
"""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import pyopencl as cl

GROUP, TURNS = 256, 1024
PLAIN = Path(__file__).with_suffix(".cl")
# name -> types of the result and the arguments
THREE = {f"amd_{name}3 {t}": (t, t, t, t) for name in ("min", "max", "median") for t in ("int", "uint", "float")}
FUNCTIONS = {
    "amd_pack": ("uint", "float4"),
    **{f"amd_unpack{i}": ("float", "uint") for i in range(4)},
    **{f"amd_{name}": ("uint",) * 4 for name in ("bitalign", "bytealign", "lerp", "sad", "sadhi")},
    "amd_sad4": ("uint", "uint4", "uint4", "uint"),
    **{f"amd_{name}": ("uint",) * 4 for name in ("msad", "sadw", "sadd")},
    "amd_qsad": ("ulong", "ulong", "uint", "ulong"), "amd_mqsad": ("ulong", "ulong", "uint", "ulong"),
    "amd_bfm": ("uint", "uint", "uint"),
    "amd_bfe uint": ("uint", "uint", "uint", "uint"), "amd_bfe int": ("int", "int", "uint", "uint"),
    **THREE,
}
# What an argument is in a turn: all its bits are new, and the sum of the results goes into no argument.
ARGUMENT = {"uint": "h * {0}u + j", "int": "(int)(h * {0}u + j)", "float": "((h ^ j) * {0}u & 0xFFFF) * 0.5f",
            "ulong": "(ulong)(h * {0}u + j) << 32 | (h ^ j)", "uint4": "h * {0}u + (uint4)(j, j * 3, j * 5, j * 7)",
            "float4": "convert_float4((h + (uint4)(j, j * 3, j * 5, j * 7)) & 255u)"}
FACTORS = (2654435761, 2246822519, 3266489917)


def kernel(context, name, function, types):
    given = ", ".join(ARGUMENT[t].format(factor) for t, factor in zip(types[1:], FACTORS, strict=False))
    sum_type = "uint" if types[0] == "float" else types[0]
    value = f"{function}({given})"
    value = f"as_uint({value})" if types[0] == "float" else value
    source = f"""{PLAIN.read_text()}
        kernel void k(global {sum_type} *out) {{
            uint h = get_global_id(0) * 40503u;
            {sum_type} sum = 0;
            for (uint j = 0; j < {TURNS}; j++) sum += {value};
            out[get_global_id(0)] = sum;
        }}"""
    return cl.Program(context, source).build(["-cl-std=CL3.0"]).k


def row(queue, name, rounds):
    """(nanoseconds of an element with the function, with the plain expression)"""
    types, short = FUNCTIONS[name], name.split()[0]
    out = cl.Buffer(queue.context, 0, 8 * GROUP)
    pair, found = [], []
    for function in (short, short.replace("amd_", "plain_")):
        pair.append(kernel(queue.context, name, function, types))
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


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--rounds", type=int, default=300)
    p.add_argument("--json", type=Path, metavar="FILE")
    args = p.parse_args()
    device = next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]
    queue = cl.CommandQueue(cl.Context([device]))
    found = {}
    print("| function | ns | plain, ns | ratio |\n|---|---|---|---|")
    for name in FUNCTIONS:
        found[name] = row(queue, name, args.rounds)
        print(f"| `{name}` | {found[name][0]:.3f} | {found[name][1]:.3f} | {found[name][0] / found[name][1]:.2f} |",
              flush=True)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
