# SPDX-License-Identifier: Apache-2.0
"""Whether an instruction is one that there may be: code is bytes of a file, and LLVM ends the process for operations on
operands that it does not have them for."""
from .decode import FLOATS, SIZES
from .operands import type_of

ANY, FLOAT, INT = "any", "float", "int"
# Instructions: how many sources, of which kind.
SHAPES = {
    "mov": (1, ANY), "smov": (2, ANY), "add": (2, ANY), "mul": (2, ANY), "mad": (3, ANY), "sel": (2, ANY),
    "cmp": (2, ANY), "cmpn": (2, ANY), "csel": (3, FLOAT), "lrp": (3, FLOAT), "madm": (3, FLOAT), "not": (1, INT),
    **dict.fromkeys(("and", "or", "xor", "shl", "shr", "asr", "addc", "subb", "mach", "avg", "bfi1"), (2, INT)),
    **dict.fromkeys(("bfe", "bfi2"), (3, INT)),
    **dict.fromkeys(("lzd", "cbit", "bfrev", "fbl", "fbh"), (1, INT)),
    **dict.fromkeys(("rndd", "rndu", "rnde", "rndz", "frc"), (1, FLOAT)),
    **dict.fromkeys(("math.inv", "math.log", "math.exp", "math.sqt", "math.rsqt", "math.sin", "math.cos", "math.rsqtm"),
                    (1, FLOAT)),
    **dict.fromkeys(("math.fdiv", "math.pow", "math.invm"), (2, FLOAT)),
    **dict.fromkeys(("math.iqot", "math.irem"), (2, INT)), "nop": (0, ANY)}
WORDS = ("addc", "subb", "mach", "bfe", "bfi1", "bfi2")       # of 32 bits and no other size
INTEGER_RESULTS = ("math.iqot", "math.irem", "mach", "addc", "subb")
TESTS = ("eq", "ne", "lt", "le", "gt", "ge", "eo")
WIDTHS = (1, 2, 4, 8, 16, 32)
CONDITION_NEEDED = ("cmp", "cmpn", "csel")


def is_possible(ins):
    count, kind = SHAPES[ins.name]
    sources = [op for op in ins.sources if op.kind != "null"] if ins.name.startswith("math.") else ins.sources
    if len(sources) != count or ins.width not in WIDTHS or ins.offset % 32 + ins.width > 32:
        return False
    types = [type_of(op) for op in sources]
    if any(type_ not in SIZES for type_ in types) or (count and not is_target(ins, types)):
        return False
    floats = [type_ in FLOATS for type_ in types]
    if (kind == FLOAT and not all(floats)) or (kind == INT and any(floats)):
        return False
    if ins.name in WORDS and any(SIZES[type_] > 4 for type_ in types):
        return False
    return has_condition(ins)


def is_target(ins, types):
    """Numbers of one kind do not come of those of the other, but by a move."""
    dst = ins.dst
    if dst is None or (dst.kind != "null" and dst.type not in SIZES):
        return False
    if dst.kind == "null" or ins.name in ("mov", "smov", "cmp", "cmpn"):
        return True
    return ins.name not in INTEGER_RESULTS or dst.type not in FLOATS


def has_condition(ins):
    if ins.condition is None:
        return ins.name not in CONDITION_NEEDED and (ins.name != "sel" or ins.predicate is not None)
    test, flag = ins.condition
    return test in TESTS and (test != "eo" or ins.name in ("math.invm", "math.rsqtm")) and flag[1] in "01"
