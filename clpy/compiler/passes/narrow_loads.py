# SPDX-License-Identifier: Apache-2.0
"""Masked loads of bytes and shorts that lie side by side, for processors that have none: before AVX-512.

LLVM makes a branch and a load for each lane. Where all of the vector lies on one page, and some lane reads there, the
whole of it may be read: what other lanes get is not looked at. Across the end of a page, and where no lane reads, it
stays as it is.
"""
from clpy.compiler import two_ways
from clpy.llvm.ir import Builder, Types, functions

LOAD = "llvm.masked.load."
SIZES = (1, 2)
MOST_BITS = 256             # of registers: where there are longer ones there are such loads
PAGE = 4096                 # bytes of the smallest pages


class Loads:
    def __init__(self, module):
        self.types, self.b = Types(module), Builder(module)

    def replace(self, load):
        pointer, mask, other = load.args[0], load.args[-2], load.args[-1]
        b, type_ = self.b, load.type
        apart, near, here = two_ways.part(
            b, load, lambda: self.is_near(pointer, mask, type_.count * type_.element.size), ("narrow", "apart", "near"))
        whole = b.load(type_, pointer)
        whole.align = 1
        kept = whole if other.is_undef else b.select(mask, whole, other)
        b.br(here)
        either = b.before(here.instructions[0]).phi(type_)
        load.replace_with(either)
        either.add_incoming(load, apart)
        either.add_incoming(kept, near)

    def is_near(self, pointer, mask, size):
        """All of it lies on a page that some lane reads."""
        b, i64 = self.b, self.types.i64
        place = b.binop("and", b.cast("ptrtoint", pointer, i64), i64.const(PAGE - 1))
        bits = two_ways.bits_of(b, self.types, mask)
        return b.binop("and", b.icmp("ule", place, i64.const(PAGE - size)), b.icmp("ne", bits, bits.type.null))


def run(module, lowering):
    if not lowering.optimize or lowering.vector_bits > MOST_BITS:
        return
    loads = Loads(module)
    for function in [f for f in functions(module) if f.name.startswith(LOAD)]:
        for call in list(function.users):
            if call.type.element.size in SIZES and not call.args[-2].is_constant:
                loads.replace(call)
