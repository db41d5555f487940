# SPDX-License-Identifier: Apache-2.0
"""Masked stores of bytes and shorts that lie side by side, for processors that have none: before AVX-512.

LLVM makes a branch and a store for each lane, and where masks come from data, as in a search through a graph, every
other branch goes another way than expected. Here all lanes store, those that are not in the mask to a place on the
stack; where all are in it, it is one store.
"""
from clpy.compiler import two_ways
from clpy.llvm.ir import Builder, Types, functions

STORE = "llvm.masked.store."
SIZES = (1, 2)
MOST_BITS = 256             # of registers: where there are longer ones there are such stores
MOST_LANES = 16


class Stores:
    def __init__(self, module):
        self.types, self.b, self.module = Types(module), Builder(module), module

    def replace(self, store):
        value, pointer, mask = store.args[0], store.args[1], store.args[-1]
        b, bits = self.b, two_ways.bits_of(self.b.before(store), self.types, mask)
        _, _, here = two_ways.part(b, store, lambda: two_ways.are_all(b, bits), ("narrow", "apart", "whole"))
        b.store(value, pointer).align = 1
        b.br(here)
        b.before(store)
        self.lane_by_lane(store.function, value, pointer, bits)
        store.erase()

    def lane_by_lane(self, function, value, pointer, bits):
        b, t, element = self.b, self.types, value.type.element
        slot = Builder(self.module).before(function.entry.instructions[0]).alloca(element)
        spare = slot if slot.type == pointer.type else b.cast("addrspacecast", slot, pointer.type)
        for lane in range(value.type.count):
            bit = b.binop("lshr", bits, bits.type.const(lane)) if lane else bits
            place = b.gep(element, pointer, [t.i64.const(lane)], flags=0) if lane else pointer
            place = b.select(b.cast("trunc", bit, t.i1), place, spare)
            b.store(b.extract_element(value, t.i64.const(lane)), place).align = 1


def run(module, lowering):
    if not lowering.optimize or lowering.vector_bits > MOST_BITS:
        return
    stores = Stores(module)
    for function in [f for f in functions(module) if f.name.startswith(STORE)]:
        for call in list(function.users):
            type_ = call.args[0].type
            if type_.element.size in SIZES and type_.count <= MOST_LANES and not call.args[-1].is_constant:
                stores.replace(call)
