# SPDX-License-Identifier: Apache-2.0
"""The vector forms of libm's functions: in glibc's libmvec, which builtin_table lists, and the library's own."""
from clpy.compiler.analysis.builtin_table import LIBMVEC_1, LIBMVEC_2, library_name

ISA_BITS = (("b", 128), ("d", 256), ("e", 512))
# Functions of double that builtins/vectors_512.cl has for vectors of so many bits, and of so many lanes.
OWN = ("exp", "exp2", "exp10", "log", "log2", "log10", "pow", "cbrt", "sin", "cos", "erf")
OWN_BITS, OWN_LANES = 512, 8
OWN_SYMBOLS = {name: f"__clpy_{name}_{OWN_LANES}" for name in OWN}
# Functions that the library has as arithmetic, for a number and for vectors of up to 16. First code calls them
# (passes/inline.py). An attribute says by what name vectors do, another one that there is machine code of them which
# all programs share (library_code.py).
ARITHMETIC = ("exp", "exp2", "exp10", "log", "log2", "log10", "pow", "cbrt", "sin", "cos")
ARITHMETIC_OF_FLOAT = (
    *ARITHMETIC, "expm1", "log1p", "sinh", "cosh", "tanh", "asin", "acos", "atan", "atan2", "erf", "erfc")
OF_TWO = ("pow", "atan2")
FORMS, SHARED = "clpy-forms", "clpy-shared"
REPEATED = "clpy-repeated"     # such a function, called in a loop that may be unrolled (passes/repeated_calls.py)
MOST_GROWTH = 500        # instructions that copies may add in such code where nothing is shared
# Functions of the C library that the library calls for rare arguments and for nothing else (builtins/math_exp_log.cl,
# math_hyperbolic.cl, math_power.cl).
RARE_CALLS = ("expf", "exp2f", "exp10f", "expm1f", "logf", "log2f", "log10f", "log1pf", "sinhf", "coshf", "powf")
RARE_FORMS = tuple(f"_{name}" for name in RARE_CALLS)
WORTH_A_CALL = 16        # instructions of a function that is shared
MOST_LANES = 16


def forms_of(function):
    """The name of the vector forms of one of the library's functions of a float or a double, "" where it has none: with
    the lanes to be put in."""
    name, type_ = library_name(function), str(function.value_type.returns)
    params = [str(param) for param in function.value_type.params]
    names = {"float": ARITHMETIC_OF_FLOAT, "double": ARITHMETIC}.get(type_, ())
    if name not in names or params != [type_] * (2 if name in OF_TWO else 1):
        return ""
    return f"_Z{len(name)}{name}Dv{{}}_{type_[0]}{'S_' * (len(params) - 1)}"


def apart(function, width, vector_bits):
    """(vector symbol, lanes) of a function that is kept apart, None where it is none."""
    name = function.attribute_text(FORMS)
    if not name:
        return None
    lanes = min(vector_bits // (function.value_type.returns.size * 8), width, MOST_LANES)
    return name.format(lanes), lanes


def shape_of(symbol):
    """(Lanes, "f" or "d", number of parameters) of one of the library's forms, by its name."""
    for name, own in OWN_SYMBOLS.items():
        if symbol == own:
            return OWN_LANES, "d", 2 if name == "pow" else 1
    length, rest = number_in(symbol.removeprefix("_Z"))
    lanes, params = 1, rest[length:]                                # f, ff, Dv4_f or Dv4_fS_
    if params.startswith("Dv"):
        lanes, rest = number_in(params.removeprefix("Dv"))
        params = rest.removeprefix("_")
    return lanes, params[0], 2 if params[1:] else 1


def number_in(text):
    """(The number that the text begins with, what follows it.)"""
    rest = text.lstrip("0123456789")
    return int(text[:len(text) - len(rest)]), rest


def is_form(function):
    """One of libmvec's."""
    return function.is_declaration and function.name.startswith("_ZGV")


def variants(name, args, lane_bits, vector_bits):
    """(vector symbol, lanes) of a libm function, for registers of up to `vector_bits`."""
    for isa, bits in ISA_BITS:
        lanes = bits // lane_bits
        if bits <= vector_bits and lanes > 1:
            yield f"_ZGV{isa}N{lanes}{'v' * args}_{name}", lanes


def libm_variants(vector_bits):
    """(function, width) -> (vector function, its lanes), the widest that fits; None when there is none."""
    one, two = set(LIBMVEC_1), set(LIBMVEC_2)

    def variant(function, width):
        name = function.name
        if function.has_attribute(FORMS):
            return apart(function, width, vector_bits)
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
