# SPDX-License-Identifier: Apache-2.0
"""Masks of lanes that fill several registers are put together as numbers.

Before AVX-512 a comparison leaves 0 or -1 in each lane, as wide as what it compares. Where those of all lanes fill
several registers, LLVM's code generator packs masks into one for each `and` of two, and unpacks what it gets for the
values that are masked: half of the instructions of a loop that lanes leave one by one. As numbers of that width they
stay what they are.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.masks import MASK_REGISTERS, compared_bits, element_bits, is_mask
from clpy.llvm.ir import Builder, Function, Types

WIDTHS = (32, 64)        # bits of elements; narrower ones are packed already
OPCODES = ("and", "or", "xor", "select")       # of logic


def is_logic(inst):
    """A mask made of masks, lane by lane."""
    if not is_mask(inst.type):
        return False
    if inst.opcode == "select":
        condition, one, other = inst.operands
        return is_mask(condition.type) and (other.is_null or is_all(one))
    return inst.opcode in ("and", "or", "xor")


def is_all(mask):
    return mask.is_constant and mask == mask.type.all_ones


def is_wide_logic(inst):
    """Lanes of a mask as numbers, where another mask has them: what lane_masks makes."""
    return (inst.opcode == "select" and inst.type.is_vector and is_mask(inst.operand(0).type)
            and is_widened(inst.operand(1)) and inst.operand(2).is_null)


def is_widened(value):
    return value.opcode == "sext" and is_mask(value.operand(0).type)


def is_number_mask(phi):
    """A vector of 0 and -1 for certain."""
    is_vector = phi.type.is_vector and phi.type.element.is_int
    return is_vector and all(v.is_null or (v.is_constant and v == v.type.all_ones) or is_widened(v)
                                         or is_wide_logic(v) for v, _ in phi.incoming)


class Logic:
    """The masks of one function."""

    def __init__(self, module, function, bits):
        self.function, self.bits, self.types, self.b = function, bits, Types(module), Builder(module)
        self.wide = {}       # mask -> the same as numbers, in this block

    def run(self):
        numbers = {phi for block in self.function.blocks for phi in block.phis if is_number_mask(phi)}
        for block in self.function.blocks:
            self.wide = {}
            logic = [inst for inst in block.instructions if is_logic(inst) or is_wide_logic(inst)]
            chosen = {inst: type_ for inst in logic if (type_ := self.type_for(inst)) is not None}
            if not any(is_mask(inst.type) for inst in chosen):
                continue
            for inst, type_ in chosen.items():
                self.wide[inst] = self.put_together(inst, type_, numbers)
            for inst in chosen:
                self.replace(inst, chosen)
            for inst in reversed(list(chosen)):
                inst.erase()

    def type_for(self, inst):
        """None where the mask is in one register."""
        if not is_mask(inst.type):
            type_ = inst.type
            return type_ if type_.element.is_int and type_.element.width * type_.count > self.bits else None
        bits, count = compared_bits(inst, 0), inst.type.count
        return self.types.vector(self.types.int(bits), count) if bits in WIDTHS and bits * count > self.bits else None

    def put_together(self, inst, type_, numbers):
        b = self.b.before(inst)

        def wide(mask):
            return self.numbers(mask, type_, numbers)
        if inst.opcode != "select":
            return b.binop(inst.opcode, *map(wide, inst.operands))
        condition, one, other = inst.operands
        if not is_mask(inst.type):
            return b.binop("and", wide(condition), wide(one.operand(0)))
        if other.is_null:
            return b.binop("and", wide(condition), wide(one))
        return b.binop("or", wide(condition), wide(other))

    def numbers(self, mask, type_, numbers):
        """The mask as 0 and -1 of this type, before the instruction that is made."""
        if mask not in self.wide:
            if mask.is_constant:
                return self.b.cast("sext", mask, type_)
            is_theirs = mask.opcode == "icmp" and mask.predicate == "slt" and (
                mask.operand(0) in numbers and mask.operand(1).is_null)
            self.wide[mask] = mask.operand(0) if is_theirs else self.b.cast("sext", mask, type_)
        return self.as_wide(self.wide[mask], type_)

    def as_wide(self, value, type_):
        if value.type == type_:
            return value
        return self.b.cast("sext" if value.type.element.width < type_.element.width else "trunc", value, type_)

    def replace(self, inst, chosen):
        """Those that use a mask get it of the width of what they mask."""
        wide, narrow = self.wide[inst], {}
        if not is_mask(inst.type):
            inst.replace_with(wide)
            return
        for user in dict.fromkeys(inst.users):      # in their order: code must be the same each time
            if user in chosen:
                continue
            self.b.before(inst)
            if user.opcode == "sext":
                user.replace_with(self.as_wide(wide, user.type))
                user.erase()
                continue
            bits = masked_bits(user, inst) or wide.type.element.width
            if bits not in narrow:
                numbers = self.as_wide(wide, self.types.vector(self.types.int(bits), inst.type.count))
                narrow[bits] = self.b.icmp("slt", numbers, numbers.type.null)
            for n, operand in enumerate(user.operands):
                if operand == inst:
                    user.set_operand(n, narrow[bits])


def masked_bits(user, mask):
    """Bits of the elements that the user masks; 0 where they are none of WIDTHS, or there are none."""
    if user.opcode == "select":
        masked = user.type
    elif user.opcode == "call" and isinstance(user.callee, Function) and user.callee.name.startswith("llvm.masked."):
        masked = user.args[0].type if user.is_void else user.type
    else:
        return 0
    if not masked.is_vector or masked.count != mask.type.count or masked.element.is_pointer:
        return 0
    bits = element_bits(masked)
    return bits if bits in WIDTHS else 0


def run(module, lowering):
    if lowering.vector_bits >= MASK_REGISTERS or not lowering.optimize:
        return
    for function in fr.kernel_functions(module):
        if any(is_logic(inst) or is_wide_logic(inst) for inst in function.instructions_of(*OPCODES)):
            Logic(module, function, lowering.vector_bits).run()
