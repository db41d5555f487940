# SPDX-License-Identifier: Apache-2.0
"""docs/accuracy.md from what run.py has found."""
from .table import CORRECT, FUNCTIONS, TYPES

HEAD = """# Accuracy of the math functions

The largest error found of each function, in units of the last place (ulp), the argument that has it, what the
specification allows (OpenCL C, *Relative Error as ULPs*; 0.5 is correctly rounded), and the time that an argument takes
on all cores, beside other platforms in the same run. "all" is every bit pattern there is; other numbers count special
values, random bit patterns, sizes near 1, and for powers exponents that give results of any size.

`make accuracy` measures a sample; `python -m tests.accuracy.run --help` says how everything here is measured, and
`tests/accuracy/measured.json` has the results. Halves and floats are compared in double precision, doubles in
quadruple precision. Some functions of double are made in several ways: of sin, cos, exponentials, logarithms, cbrt,
erf, pow, pown what AVX-512 gets is here, others get smaller errors or libmvec's. Errors were found on a machine with
AVX-512, times on one with AVX2, two threads; `tests/kernels/test_half.py` and `test_builtins_math.py` hold samples to
the same limits with every instruction set.
"""


def count(result):
    return "all" if result["every"] else f"{result['arguments']:,}"


def row(function, name, result, platforms):
    limit = function.limits[TYPES.index(name)]
    allowed = "-" if limit is None else f"{limit:g}"
    at = ", ".join(result.get("at", ())) or "-"
    error = result.get("error", "-")
    if limit == CORRECT and error != "-" and error <= CORRECT:
        at = "-"
    times = [f"{result['ns'][p]:.2f}" if p in result.get("ns", {}) else "-" for p in platforms]
    tried = count(result) if "arguments" in result else "-"
    return "| " + " | ".join([f"`{function.name}`", allowed, str(error), at, tried, *times]) + " |"


def text(results):
    lines = [HEAD]
    for name in [n for n in TYPES if n in results]:
        measured = results[name]
        platforms = sorted({p for r in measured.values() for p in r.get("ns", {})}, key=lambda p: (p != "clpy", p))
        lines += [f"## {name}", "", "| function | allowed | largest error | at | arguments |"
                  + "".join(f" {p}, ns |" for p in platforms), "|---|---|---|---|---|" + "---|" * len(platforms)]
        lines += [row(f, name, measured[f.name], platforms) for f in FUNCTIONS if f.name in measured]
        lines.append("")
    return "\n".join(lines)
