# SPDX-License-Identifier: Apache-2.0
"""Blocks of the engine's instructions, in the order in which they are written, with what they take of the chip's
time."""
from clpy.compiler.isa.gcn.decode import Form, Instruction, Operand
from clpy.compiler.isa.gcn.flow import Block


class Label:
    """A place that code goes to, perhaps before it is written."""

    def __init__(self):
        self.start = None


class Writer:
    """The first block is at the kernel's entry, all others where nothing else is."""

    def __init__(self, entry):
        self.blocks = {}
        self.block = None
        self.offset = entry
        self.branches = []          # (form, label)
        self.lines = []             # (number of an instruction, the chip's offset from there on)

    def at(self, offset):
        """What is written from here on is the chip's instruction at an offset."""
        if not self.lines or self.lines[-1][1] != offset:
            self.lines.append((self.offset, offset))

    def out(self, name, *operands, **modifiers):
        if self.block is None:
            self.begin()
        form = Form(name, "", operands, modifiers)
        self.block.instructions.append(Instruction(self.offset, 1, form))
        self.offset += 1
        return form

    def begin(self, label=None):
        """A block begins here; what comes before goes on to it, unless it has ended."""
        if self.block is not None:
            if not self.block.instructions:
                self.out("s_nop", Operand("int", 0))
            self.block.next = self.offset
        self.block = self.blocks[self.offset] = Block(self.offset, len(self.blocks), steps=[])
        if label is not None:
            label.start = self.offset

    def end(self):
        """Nothing goes on from here."""
        self.block = None

    def step(self, step):
        if self.block is None:
            self.begin()
        self.block.steps.append(step)

    def branch(self, name, label):
        """A branch, behind which a block begins; nothing does behind s_branch."""
        self.branches.append((self.out(name, Operand("int", 0), to=None), label))
        if name == "s_branch":
            self.end()
        else:
            self.begin()

    def finish(self):
        if self.block is not None and not self.block.instructions:
            self.out("s_endpgm")
        for form, label in self.branches:
            form.modifiers["to"] = label.start
        return self.blocks
