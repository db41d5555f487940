# SPDX-License-Identifier: Apache-2.0
"""Private variables that are volatile. A part of widening (widen.py).

No other work-item sees such a variable, so the order of accesses counts within each work-item alone: one for all lanes
keeps it, and their number. It stays volatile: a program that waits in a loop, or has a sum of floats rounded at a
place, means it. No masked access of LLVM can be volatile. Lanes that do not take part read their own variable, which
is there, and write what is in it.
"""
from clpy.compiler.analysis.access import accessed_type, is_store, pointer_of
from clpy.compiler.spmd.lanes import Lanes, Part


class Volatile(Part):
    def access(self, inst):
        """A clpy.mload.volatile or clpy.mstore.volatile."""
        at = self.forms.scalar(pointer_of(inst))
        if not is_store(inst):
            self.forms.lanes[inst] = Lanes([self.load(accessed_type(inst), at)])
            return
        value, _, mask, _ = inst.args
        made, mask = self.forms.part(value), self.forms.mask_of(mask)
        if mask is not None:
            made = self.b.select(mask, made, self.load(value.type, at))
        self.volatile(self.b.store(made, at))

    def load(self, type_, at):
        return self.volatile(self.b.load(self.forms.vec(type_), at))

    def volatile(self, made):
        """The lanes' variables begin where a cache line does."""
        made.is_volatile = True
        return made
