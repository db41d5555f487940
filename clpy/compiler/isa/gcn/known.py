# SPDX-License-Identifier: Apache-2.0
"""Are all instructions of a program known? Where kernels are translated when somebody needs them, the build asks that
before: an instruction is written once in each form that occurs, into a module that nobody wants."""
from clpy.compiler.isa import shared

from . import observe, scalar, translate, wavefront
from .registers import Registers

_known = set()          # (processor, form) of what has been written


def refuse_unknown(program, images):
    """UnknownInstruction of the first one that cannot be translated; `images`: kernels have some."""
    decoder = translate.decoder_of(program)
    module = shared.declarations(images)
    for kernel in program.kernels.values():
        Trial(module, program, kernel, decoder.flow(kernel), observe.Observer(), True).write()


class Trial(wavefront.WaveFunction):
    """A kernel's instructions one behind the other, each form once in a process. Branches, calls and barriers are not
    written: flow.read() knows where they go, or refuses them itself."""

    def write(self):
        c = self.c
        c.b.at_end(self.start)
        c.r = Registers(c, self.frame, False)
        for start in sorted(self.flow.blocks):
            for instruction in self.flow.blocks[start].instructions:
                self.try_one(instruction)
        return self

    def try_one(self, instruction):
        c, form = self.c, instruction.form
        if form.name in wavefront.CONTROL:
            return
        shape = c.processor, c.indexed and c.indexed[1], shape_of(form)
        if shape in _known:
            # A mode that an index is added in is one of those behind it, too.
            if form.name.startswith("s_set_gpr_idx"):
                self.write_instruction(None, instruction)
            return
        c.name = form.name
        if form.name.startswith("s_cbranch_"):
            scalar.condition(c, form)
        else:
            self.write_instruction(None, instruction)
        _known.add(shape)


def shape_of(form):
    """What of an instruction its translation depends on: not which registers or numbers it has."""
    operands = tuple((op.kind, op.at if op.kind == "name" else op.kind in ("int", "literal") and bool(op.at), op.width,
                      op.neg, op.abs, op.sext) for op in form.operands)
    return form.name, form.encoding, operands, tuple(sorted((key, str(is_)) for key, is_ in form.modifiers.items()))
