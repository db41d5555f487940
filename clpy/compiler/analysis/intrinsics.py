# SPDX-License-Identifier: Apache-2.0
"""Functions of LLVM whose result is a plain function of the arguments."""
from functools import lru_cache

PURE_INTRINSICS = (
    "abs", "ceil", "copysign", "ctlz", "ctpop", "cttz", "exp", "exp2", "fabs", "floor", "fma", "fmuladd", "fshl",
    "fshr", "is.fpclass", "ldexp",
    "log", "log10", "log2", "maximum", "maxnum", "minimum", "minnum", "nearbyint", "pow", "powi",
    "rint", "round", "roundeven", "sadd.sat", "smax", "smin", "sqrt", "ssub.sat", "trunc", "uadd.sat", "umax", "umin",
    "usub.sat", "bitreverse", "bswap", "sin", "cos", "exp10", "tan", "fptosi.sat", "fptoui.sat", "sadd.with.overflow",
    "uadd.with.overflow", "ssub.with.overflow", "usub.with.overflow", "smul.with.overflow", "umul.with.overflow",
    "sshl.sat", "ushl.sat", "minimumnum", "maximumnum", "canonicalize",
    "vector.reduce.add", "vector.reduce.mul", "vector.reduce.and", "vector.reduce.or", "vector.reduce.xor",
    "vector.reduce.smax", "vector.reduce.smin", "vector.reduce.umax", "vector.reduce.umin", "vector.reduce.fmax",
    "vector.reduce.fmin", "vector.reduce.fadd", "vector.reduce.fmul")

# Those of the C library, whose vectors may get other last bits.
INEXACT = ("exp", "exp2", "exp10", "log", "log10", "log2", "pow", "powi", "sin", "cos", "tan")

ALLOW_RECIPROCAL = 16      # a flag of an instruction, that its fast_math has


@lru_cache(maxsize=4096)
def intrinsic_base(name):
    """'fma' for llvm.fma.f32 and llvm.fma.v4f32; '' for other names and unknown intrinsics."""
    if not name.startswith("llvm."):
        return ""
    parts = name[5:].split(".")
    for n in (3, 2, 1):
        base = ".".join(parts[:n])
        if base in PURE_INTRINSICS:
            return base
    return ""
