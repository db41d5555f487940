# SPDX-License-Identifier: Apache-2.0
"""What instructions learn of where and when they run: the program counter, clocks; and the one that ends there."""
from .operands import write_scalar

ABORT = 2       # the number that LLVM gives s_trap of a trap; others are for debuggers (its AMDGPU usage guide)


def address(c, offset):
    """i64 of a place in the program's image."""
    return c.b.add(c.image(), c.number(64, offset))


def get_program_counter(c, instruction):
    write_scalar(c, instruction.form.operands[0], address(c, instruction.end))


def read_clock(c, instruction):
    """s_memtime, s_memrealtime"""
    from clpy.llvm.ir import intrinsic
    write_scalar(c, instruction.form.operands[0], c.b.call(intrinsic(c.module, "llvm.readcyclecounter", []), []))


def trap(c, instruction):
    """s_trap: the kernel has a fault, as one of the CPU device has."""
    if instruction.form.operands[-1].at == ABORT:
        c.b.call(c.intrinsic("llvm.trap"), [])


HANDLERS = {"s_trap": trap, "s_getpc_b64": get_program_counter, "s_memtime": read_clock,
            "s_memrealtime": read_clock}
