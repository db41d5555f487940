# SPDX-License-Identifier: Apache-2.0
"""Reads the kernels of a Gen program, and writes their code."""
from clpy.compiler.isa.gcn.flow import UnknownInstruction
from clpy.compiler.isa.gcn.steps import line_finder

from . import decode, disassembly, flow, observe
from .thread import ThreadFunction


class GenCode:
    """Of a program: `flow(kernel)` gives the Flow of one."""

    def __init__(self, program, rates=None):
        from clpy.compiler.gen import installed
        self.program, self.rates = program, rates
        names = list(program.kernels)
        codes = [program.text[k.entry:k.entry + k.size] for k in program.kernels.values()]
        try:
            texts = disassembly.texts(tuple(codes), program.processor, installed.disassembler())
        except ValueError as why:
            raise UnknownInstruction(f"({why})", names[0], "the chip's code") from None
        self.texts = dict(zip(names, texts, strict=True))

    def flow(self, kernel):
        found = flow.read(decode.parse(self.texts[kernel.name], kernel.name), kernel.name)
        self.add_steps(found, kernel)
        return found

    def add_steps(self, found, kernel):
        """What instructions take of the chip's time."""
        from . import steps
        find = line_finder(self.program.lines)
        for block in found.blocks.values():
            block.steps = steps.block_steps(block, self.rates or {}, lambda pc: find(kernel.entry + pc))


def write(module, program, kernel, code, observer, lines, is_brief=False):
    """The ThreadFunction of a kernel."""
    return ThreadFunction(module, program, kernel, code.flow(kernel), observer, lines, is_brief).write()


def observer_of(traced, rates):
    return observe.Tracer(rates) if traced else observe.Observer()
