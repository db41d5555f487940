# SPDX-License-Identifier: Apache-2.0
"""What instructions learn of where and how they run: the program counter, modes, clocks."""
import re

from .operands import scalar32, write_scalar

MODE = 1
PLACE = re.compile(r"hwreg\((\w+)(?:,\s*(\d+),\s*(\d+))?\)")
NAMES = {"HW_REG_MODE": MODE}


def address(c, offset):
    """i64 of a place in the program's image."""
    return c.b.add(c.image(), c.number(64, offset))


def get_program_counter(c, instruction):
    write_scalar(c, instruction.form.operands[0], address(c, instruction.end))


def read_clock(c, instruction):
    """s_memtime, s_memrealtime"""
    from clpy.llvm.ir import intrinsic
    write_scalar(c, instruction.form.operands[0], c.b.call(intrinsic(c.module, "llvm.readcyclecounter", []), []))


def get_register(c, instruction):
    """s_getreg_b32: bits of a register of the chip's, of which only the modes have a value here."""
    target, place = instruction.form.operands
    match = PLACE.match(str(place.at))
    value = 0
    if match and (NAMES.get(match[1]) == MODE or match[1] == str(MODE)):
        d = c.kernel.descriptor
        value = (d.get("float_round_mode_32", 0) | d.get("float_round_mode_16_64", 0) << 2
                 | d.get("float_denorm_mode_32", 0) << 4 | d.get("float_denorm_mode_16_64", 0) << 6)
        first, size = int(match[2] or 0), int(match[3] or 32)
        value = value >> first & (1 << size) - 1
    write_scalar(c, target, c.number(32, value))


def set_register(c, instruction):
    """s_setreg_b32: modes stay as the kernel's descriptor has them. The compiler changes them around divisions only,
    which are right without."""
    value = instruction.form.operands[1]
    if value.kind == "s":
        scalar32(c, value)


HANDLERS = {"s_getpc_b64": get_program_counter, "s_memtime": read_clock, "s_memrealtime": read_clock,
            "s_getreg_b32": get_register, "s_setreg_b32": set_register, "s_setreg_imm32_b32": set_register}
