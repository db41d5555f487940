# SPDX-License-Identifier: Apache-2.0
"""Masks of lanes go from block to block as wide as what they mask.

A vector of bits has no register of its own before AVX-512. Inside a block LLVM makes it as wide as what was compared;
where it goes on to another block, a loop's next turn above all, it is packed as close as its type says, and unpacked
there: eight lanes of 32 bits go through 16 bits each, which takes six instructions one after the other in each turn of
a loop that lanes leave one by one.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.masks import MASK_REGISTERS, compared_bits, is_mask
from clpy.llvm.ir import Builder, Types


class Masks:
    """Those of one function that go from block to block."""

    def __init__(self, module, function, bits):
        self.types, self.b, self.bits = Types(module), Builder(module), bits
        self.phis = [phi for block in function.blocks for phi in block.phis if is_mask(phi.type)]
        self.wide = {}       # mask -> the same as numbers, 0 or -1
        self.here = {}       # (mask, block) -> a copy of it that is made there
        self.function = function

    def run(self):
        for phi in self.phis:
            self.wide[phi] = self.b.before(phi).phi(self.type_for(phi), phi.name)
        others = [inst for block in self.function.blocks for inst in block.instructions
                  if is_mask(inst.type) and inst.opcode != "phi" and any(
                      user.opcode == "phi" or user.block != block for user in inst.users)]
        for inst in others:
            self.wide[inst] = self.numbers(self.b.before(inst.next), inst, self.type_for(inst))
        for phi in self.phis:
            for value, block in phi.incoming:
                self.wide[phi].add_incoming(self.along(value, block, self.wide[phi].type), block)
        for inst in [*self.phis, *others]:
            for user in inst.users:
                if user.opcode != "phi" and user != self.wide[inst] and (
                        inst.opcode == "phi" or user.block != inst.block):
                    self.use(inst, user)
        for phi in self.phis:
            phi.replace_with(phi.type.poison)
            phi.erase()

    def numbers(self, b, mask, type_):
        """The mask as 0 and -1. What only some lanes compare is made wide first, as the comparison is already."""
        if mask.opcode == "select" and is_mask(mask.operand(0).type) and mask.operand(2).is_null:
            return b.select(mask.operand(0), b.cast("sext", mask.operand(1), type_), type_.null)
        return b.cast("sext", mask, type_)

    def along(self, value, block, type_):
        """The mask `value` as numbers of this type at the end of a block."""
        b = self.b.before(block.terminator)
        if value not in self.wide:
            return b.cast("sext", value, type_)
        value = self.wide[value]
        if value.type == type_:
            return value
        return b.cast("sext" if value.type.element.width < type_.element.width else "trunc", value, type_)

    def use(self, mask, user):
        block = user.block
        if (mask, block) not in self.here:
            wide = self.wide[mask]
            self.here[mask, block] = self.b.before(block.first_non_phi).icmp("slt", wide, wide.type.null)
        for n, operand in enumerate(user.operands):
            if operand == mask:
                user.set_operand(n, self.here[mask, block])

    def type_for(self, mask):
        count = mask.type.count
        bits = compared_bits(mask, 0) or max(8, min(64, self.bits // count))
        return self.types.vector(self.types.int(bits), count)


def run(module, lowering):
    if lowering.vector_bits >= MASK_REGISTERS or not lowering.optimize:
        return
    for function in fr.kernel_functions(module):
        if any(is_mask(phi.type) for block in function.blocks for phi in block.phis):
            Masks(module, function, lowering.vector_bits).run()
