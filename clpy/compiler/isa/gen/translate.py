# SPDX-License-Identifier: Apache-2.0
"""Reads the kernels of a Gen program, and writes their code."""
from clpy.compiler.isa.gcn.flow import UnknownInstruction

from . import decode, disassembly, flow, observe, steps
from .thread import ThreadFunction

KEEPS_VALUES = True         # of LLVM's, in place of registers


class GenCode:
    """Of a program: `flow(kernel)` gives the Flow of one."""

    def __init__(self, program):
        self.program = program

    def flow(self, kernel):
        code = bytes(self.program.text[kernel.entry:kernel.entry + kernel.size])
        try:
            rows = decode.rows_of(disassembly.text_of(code, self.program.processor))
        except ValueError as why:
            raise UnknownInstruction(f"({why})", kernel.name, "the chip's code") from None
        return flow.read(decode.parse(rows, kernel), kernel)


def write(module, program, kernel, code, observer, lines, is_brief=False):
    """The ThreadFunction of a kernel."""
    return ThreadFunction(module, program, kernel, code.flow(kernel), observer, lines, is_brief).write()


def observer_of(traced, rates):
    return (observe.Tracer if traced else observe.Observer)(rates)


wave_program = steps.wave_program
