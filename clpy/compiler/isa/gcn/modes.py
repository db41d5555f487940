# SPDX-License-Identifier: Apache-2.0
"""Modes of arithmetic: what the chip does with denormal numbers.

The host has one mode for floats of 32 and of 64 bits, the chip has two, and compilers want 64-bit denormals always. So
32-bit ones become zero where the chip's would and the kernel does no arithmetic on 64 bits; else they are kept. Code
changes the mode around divisions that have to be right in the last bit, and the host's mode with it.
"""
import re

from clpy.llvm.ir import intrinsic

from .operands import scalar32, write_scalar

MODE = 1
PLACE = re.compile(r"hwreg\((\w+)(?:, *(\d+))?(?:, *(\d+))?\)")
NAMES = {"HW_REG_MODE": MODE}
DENORMALS_32 = 4                    # the lowest of two bits of the register; 0 there flushes
KEEPS, FLUSHES = 0x1F80, 0x9FC0     # the host's MXCSR


def flushes(kernel, flow):
    """Whether a kernel begins with 32-bit denormal numbers as zeros."""
    names = (instruction.form.name for block in flow.blocks.values() for instruction in block.instructions)
    return kernel.descriptor.get("float_denorm_mode_32", 3) == 0 and not any("f64" in name for name in names)


def write_mode(module, builder, place, value):
    """Set the host's mode; `place` is room for its 32 bits."""
    builder.store(value, place)
    builder.call(intrinsic(module, "llvm.x86.sse.ldmxcsr", []), [place])


def field(operand):
    """(lowest bit, bits) of the mode register that an operand names; None for another register."""
    match = PLACE.match(str(operand.at))
    if not match or (NAMES.get(match[1]) != MODE and match[1] != str(MODE)):
        return None
    return int(match[2] or 0), int(match[3] or 32)


def get_register(c, instruction):
    """s_getreg_b32: bits of a register of the chip's, of which only the modes have a value here."""
    target, place = instruction.form.operands
    found, value = field(place), 0
    if found:
        d = c.kernel.descriptor
        value = (d.get("float_round_mode_32", 0) | d.get("float_round_mode_16_64", 0) << 2
                 | d.get("float_denorm_mode_32", 0) << 4 | d.get("float_denorm_mode_16_64", 0) << 6)
        value = value >> found[0] & (1 << found[1]) - 1
    write_scalar(c, target, c.number(32, value))


def set_register(c, instruction):
    """s_setreg_b32. Modes of rounding stay as they are; compilers do not change them."""
    place, given = instruction.form.operands
    found, value = field(place), scalar32(c, given)
    if not c.flushes or not found or not found[0] <= DENORMALS_32 < found[0] + found[1]:
        return
    c.r.flush()
    bits = c.b.binop("and", c.b.binop("lshr", value, c.number(32, DENORMALS_32 - found[0])), c.number(32, 3))
    keeps = c.b.icmp("ne", bits, c.number(32, 0))
    write_mode(c.module, c.b, c.transfer(1, "mode"), c.b.select(keeps, c.number(32, KEEPS), c.number(32, FLUSHES)))


HANDLERS = {"s_getreg_b32": get_register, "s_setreg_b32": set_register, "s_setreg_imm32_b32": set_register}

