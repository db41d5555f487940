# SPDX-License-Identifier: Apache-2.0
"""What the operations cost that the choice of a width counts with (clpy/compiler/spmd/width.py), measured on this
machine beside the numbers there.

usage: costs.py [--isa ISA] [--rounds N] [--json FILE]

Each row is a kernel with an operation in a loop beside the same kernel without it, on one thread, with data that fits
the caches; the best of all rounds counts. The difference is shown in products and sums of a register that wait for
nothing, and scaled so that a gather's lane is what width.py says: of its numbers only the ratios matter.
"""
import argparse
import json
import time
from pathlib import Path

import numpy as np

from clpy import config
from clpy.compiler import cpu, program
from clpy.compiler.spmd import width
from tests.kernels.differential import launch

TURNS, GROUP, GROUPS, PLACES = 64, 256, 16, 1 << 20
EASY = "s = s * 0.5f + 1; t = t * 0.5f + 2; u = u * 0.5f + 3; v = v * 0.5f + 4;"
MORE = str.maketrans("stuv", "wxyz")
SPREAD = "((h + j * 2654435) & 4095)"
COLUMN, CLAMPED, ROW = "(j * 1040 + i)", "min(i + j, 4 * n - 1)", "(i % 512 * n + j)"
# Constant -> what it is of; the operation, and what is there without it; vectors? per lane?
ROWS = {
    "GATHER": ("a lane of a gather", f"a[{SPREAD}]", SPREAD, True, True),
    "SCATTER": ("a lane of a scatter", f"(b[{SPREAD}] = j)", SPREAD, True, True),
    "USUAL": ("a register of what turns out to be neighbours", f"a[{CLAMPED}]", CLAMPED, True, False),
    "WALK": ("a register of rows, read in blocks", f"a[{ROW}]", ROW, True, False),
    "FAR": ("a scalar load down a column, beside one along a row", f"a[{COLUMN}]", "a[i % 512 + j]", False, True),
    "EFFECT": ("an atomic operation", f"atomic_add(b + {SPREAD}, 1)", SPREAD, False, True),
    "LOCAL_EFFECT": ("an atomic operation on local memory", f"atomic_add(l + ({SPREAD} & 255), 1)",
                     f"({SPREAD} & 255)", False, True),
    "LIBM_SCALAR": ("a call of libm", f"sin({SPREAD} * 0.001f)", f"({SPREAD} * 0.001f)", False, True),
    "LIBM_VECTOR": ("a call of libmvec, for a register", f"sin({SPREAD} * 0.001f)", f"({SPREAD} * 0.001f)", True,
                    False),
}
GUARDED = ("a lane of an effect under a mask, beside the effect", *ROWS["EFFECT"][1:3], True, True)


def source(body):
    """A kernel that does `body` in a loop."""
    return f"""kernel void k(global const float *a, global int *b, global float *out, int n, local int *l) {{
        int i = get_global_id(0), h = i * 40503;
        l[get_local_id(0)] = i;
        float s = i, t = 1, u = 2, v = 3, w = i, x = 5, y = 6, z = 7;
        for (int j = 0; j < {TURNS}; j++) {{ {body} }}
        out[i] = s + t + u + v + w + x + y + z + l[get_local_id(0)];
    }}""".encode()


class Bench:
    def __init__(self, isa, rounds):
        self.target, self.rounds = cpu.CpuTarget(isa=isa), rounds
        self.lanes = self.target.vector_bits // 32
        self.data = [np.ones(PLACES, np.float32), np.zeros(PLACES, np.int32), np.zeros(GROUP * GROUPS, np.float32),
                     np.int32(1040), 4 * GROUP]

    def kernel(self, body, vectors):
        """A function that runs the kernel once."""
        mode = {4: "4", 8: "8", 16: "16"}[self.lanes] if vectors else "1"
        with config.override(CPU_VECTORIZER_MODE=mode, CACHE=False):
            made = program.build(source(body), program.parse_options("-cl-std=CL3.0"), self.target)
        loaded = program.load(made, self.target)
        return lambda: launch(made, loaded, "k", self.data, (GROUP * GROUPS,), (GROUP,))

    def cost(self, body, without, vectors, per_lane):
        """Nanoseconds of what `body` has and `without` lacks: of a register of lanes, or of one of them."""
        pair = [self.kernel(text if ";" in text else f"s = s * 0.5f + {text};", vectors) for text in (body, without)]
        best = [1e9, 1e9]
        for _ in range(self.rounds):
            for n, run in enumerate(pair):      # in turns: the machine changes its pace
                start = time.perf_counter_ns()
                run()
                best[n] = min(best[n], time.perf_counter_ns() - start)
        times = GROUP * GROUPS * TURNS / (self.lanes if vectors and not per_lane else 1)
        return max(0.0, best[0] - best[1]) / times

    def costs(self):
        """{constant: in simple operations}"""
        # eight chains of a product and a sum beside four: eight operations that need not wait for each other
        unit = self.cost(EASY + EASY.replace("0.5f", "0.25f").translate(MORE), EASY, True, False) / 8
        found = {name: self.cost(*row[1:]) / (unit or 1) for name, row in ROWS.items()}
        found["GUARDED"] = max(0.0, self.cost(*GUARDED[1:]) / (unit or 1) - found["EFFECT"])
        return found


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--isa", default="native", choices=["native", *cpu.ISA_LEVEL])
    p.add_argument("--rounds", type=int, default=200)
    p.add_argument("--json", type=Path, metavar="FILE")
    args = p.parse_args()
    bench = Bench(args.isa, args.rounds)
    found = bench.costs()
    print(f"{bench.target.cpu}, {bench.lanes} lanes of 32 bits")
    print(f"{'constant':14}{'width.py':>9}{'scaled':>8}{'operations':>12}  of")
    for name, row in [*ROWS.items(), ("GUARDED", GUARDED)]:
        scaled = found[name] * width.GATHER / (found["GATHER"] or 1)
        print(f"{name:14}{getattr(width, name):9}{scaled:8.1f}{found[name]:12.1f}  {row[0]}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
