# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of four words, of each lane, as calls of shared code (builtins/pixel_code.py), where code is made
again. A part of widening (widen.py)."""
from clpy.compiler import library, library_code
from clpy.compiler.analysis import pixels
from clpy.compiler.analysis.access import is_access, is_store
from clpy.compiler.analysis.memory import base_of
from clpy.compiler.analysis.pixels import READ, READ_ROWS, WORDS, WRITE, WRITE_ROWS
from clpy.compiler.analysis.shapes import VARYING
from clpy.compiler.spmd.lanes import Lanes, Part
from clpy.llvm.ir import declare

MASK = 32                    # bits of what is given
READS, WRITES = 1, 2         # LLVM's memory(argmem: read) and (argmem: write)


class Pixels(Part):
    def __init__(self, forms, streams):
        super().__init__(forms)
        self.streams = streams

    def load(self, inst, pointer, mask):
        """Lanes of a value that all lanes in mask load, or None where that is code of its own."""
        place = self.place(inst.type, pointer)
        if place is None or (place[1] is None and mask is None):
            return None
        in_rows = self.is_row(inst)
        made = self.b.call(self.form(READ_ROWS if in_rows else READ), [*self.given(place), self.number(mask)])
        element, parts = inst.type.element, [self.b.extract_value(made, i) for i in range(WORDS)]
        if element != self.t.float:
            parts = [self.b.cast("bitcast", part, self.forms.vec(element)) for part in parts]
        return Lanes(rows=self.forms.concat(parts)) if in_rows else Lanes(parts)

    def is_row(self, inst):
        """It is computed with, or stored, as it lies in memory."""
        return any(user in self.forms.in_rows or (is_access(user) and is_store(user)) for user in inst.users)

    def store(self, value, pointer, mask):
        """Whether it was done."""
        made = self.forms.lanes.get(value)
        place = self.place(value.type, pointer) if made is not None else None
        if place is None:
            return False
        numbers, in_rows = self.forms.vec(self.t.float), made.parts is None
        if mask is None and place[1] is None and (in_rows or base_of(place[0]) in self.streams):
            return False
        parts = self.forms.cut(made.rows, self.width) if in_rows else made.parts
        if parts[0].type != numbers:
            parts = [self.b.cast("bitcast", part, numbers) for part in parts]
        self.b.call(self.form(WRITE_ROWS if in_rows else WRITE), [*self.given(place), *parts, self.number(mask)])
        return True

    def place(self, type_, pointer):
        """(What all lanes share, each lane's index or None where lanes lie side by side) of four words in global memory
        for each lane of a register; else None."""
        if not self.forms.soon or self.width != pixels.lanes_of(self.bits) or not pixels.are_words(type_, pointer):
            return None
        if self.shapes[pointer] == type_.size:
            return self.forms.scalar(pointer), None
        if self.shapes[pointer] != VARYING or pointer.opcode != "getelementptr" or pointer in self.shapes.inside or (
                len(pointer.operands) != 2 or pointer.gep_source_type.size != type_.size or
                not self.shapes.uniform(pointer.operand(0))):
            return None
        base, index = pointer.operands
        if index.opcode == "sext" or (index.opcode == "zext" and index.is_nneg):
            index = index.operand(0)
        if index.type != self.t.i32 or index not in self.forms.lanes:
            return None
        return self.forms.scalar(base), self.forms.part(index)

    def given(self, place):
        base, index = place
        return base, index if index is not None else self.forms.step(self.t.i32, 1)

    def number(self, mask):
        if mask is None:
            return self.t.i32.all_ones
        bits = self.forms.as_bits(mask)
        return bits if bits.type.width == MASK else self.b.cast("zext", bits, self.t.i32)

    def form(self, what):
        name = library_code.name_of(pixels.name_of(what, self.width))
        form = declare(self.module, name, pixels.type_of(self.t, what, self.width))
        library.mark_known(form, READS if what in (READ, READ_ROWS) else WRITES)
        return form
