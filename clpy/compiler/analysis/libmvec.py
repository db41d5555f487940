# SPDX-License-Identifier: Apache-2.0
"""The vector forms of libm's functions: in glibc's libmvec, which builtin_table lists, and the library's own."""
from clpy.compiler.analysis.builtin_table import LIBMVEC_1, LIBMVEC_2

ISA_BITS = (("b", 128), ("d", 256), ("e", 512))
# Functions of double that builtins/vectors_512.cl has for vectors of so many bits, and of so many lanes.
OWN = ("exp", "exp2", "exp10", "log", "log2", "log10", "pow", "cbrt", "sin", "cos", "erf")
OWN_BITS, OWN_LANES = 512, 8
OWN_SYMBOLS = {name: f"__clpy_{name}_{OWN_LANES}" for name in OWN}


def variants(name, args, lane_bits, vector_bits):
    """(vector symbol, lanes) of a libm function, for registers of up to `vector_bits`."""
    for isa, bits in ISA_BITS:
        lanes = bits // lane_bits
        if bits <= vector_bits and lanes > 1:
            yield f"_ZGV{isa}N{lanes}{'v' * args}_{name}", lanes


def libm_variants(vector_bits):
    """(name, width) -> (vector function, its lanes), the widest that fits; None when there is none."""
    one, two = set(LIBMVEC_1), set(LIBMVEC_2)

    def variant(name, width):
        if name in OWN_SYMBOLS and vector_bits >= OWN_BITS and width >= OWN_LANES:
            return OWN_SYMBOLS[name], OWN_LANES
        is_float = name.endswith("f") and name[:-1] in one | two
        base = name[:-1] if is_float else name
        if base not in one | two:
            return None
        for isa, bits in reversed(ISA_BITS):
            lanes = bits // (32 if is_float else 64)
            if bits <= vector_bits and 1 < lanes <= width:
                return f"_ZGV{isa}N{lanes}{'v' if base in one else 'vv'}_{name}", lanes
        return None
    return variant
