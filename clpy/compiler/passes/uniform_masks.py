# SPDX-License-Identifier: Apache-2.0
"""A condition that is the same for all lanes is a mask as wide as what it is put together with.

`distance < limit && charged`, where only the distance is the lane's own, is an `and` of a mask and of one bit in all
lanes. Before AVX-512 LLVM's code generator puts that bit into bytes, packs the other mask into such, and unpacks what
it gets: six instructions for one. As 0 or -1 of the other mask's width it is the `and` alone. And of two vectors one
bit chooses by a branch, which cuts a loop's code into pieces, each with its constants: by a mask it is a blend.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.masks import MASK_REGISTERS, compared_bits, element_bits, is_mask
from clpy.compiler.spmd.arrays import splat, splatted
from clpy.llvm.ir import Builder, Types

WIDTHS = (8, 16, 32, 64)


def bit_in_all(shuffle):
    """The scalar that all lanes of a mask are; None where they are not, or where it is known."""
    scalar = splatted(shuffle) if is_mask(shuffle.type) else None
    return scalar if scalar is not None and not scalar.is_constant else None


def joined_bits(shuffle):
    """Bits of the elements of the masks that it is put together with, 0 where there are none."""
    logic = (user for user in shuffle.users if user.opcode in ("and", "or", "xor", "select") and is_mask(user.type))
    return next((bits for user in logic if (bits := compared_bits(user, 0)) >= 32), 0)


def chosen_bits(select):
    """Bits of the elements of two vectors that one bit chooses from, 0 for other instructions."""
    condition, one, _ = select.operands
    if not select.type.is_vector or condition.type.is_vector or condition.is_constant:
        return 0
    bits = compared_bits(select, 0) if is_mask(select.type) else element_bits(one.type)
    return bits if bits in WIDTHS and not select.type.element.is_pointer else 0


class Masks:
    """Of one function: a mask for each bit and width, where the first one that needs it is."""

    def __init__(self, module, function, has_masks):
        self.types, self.b = Types(module), Builder(module)
        self.function, self.has_masks = function, has_masks

    def run(self):
        for block in self.function.blocks:
            made = {}
            for inst in block.instructions:
                if inst.opcode == "shufflevector" and not self.has_masks:
                    bit = bit_in_all(inst)
                    bits = joined_bits(inst) if bit is not None else 0
                    if bits:
                        self.replace(inst, self.mask(made, inst, bit, bits))
                elif inst.opcode == "select" and (bits := chosen_bits(inst)):
                    inst.set_operand(0, self.mask(made, inst, inst.operand(0), bits))

    def replace(self, shuffle, mask):
        inserted = shuffle.operand(0)
        shuffle.replace_with(mask)
        shuffle.erase()
        if not inserted.users:
            inserted.erase()

    def mask(self, made, before, bit, bits):
        count = before.type.count
        if (bit, bits, count) not in made:
            b = self.b.before(before)
            if self.has_masks:
                mask = splat(b, self.types, bit, count)
            else:
                wide = splat(b, self.types, b.cast("sext", bit, self.types.int(bits)), count)
                mask = b.icmp("slt", wide, wide.type.null)
            made[bit, bits, count] = mask
        return made[bit, bits, count]


def run(module, lowering):
    if not lowering.optimize:
        return
    for function in fr.kernel_functions(module):
        Masks(module, function, lowering.vector_bits >= MASK_REGISTERS).run()
