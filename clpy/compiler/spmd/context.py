# SPDX-License-Identifier: Apache-2.0
"""Context memory: where values of a work-item wait while the other work-items run.

Laid out [value][work-item], so that neighbours lie side by side. Value v of work-item i is at
context + offset(v) * items + i * size(v); offsets grow by falling alignment, so each array is aligned when the number
of work-items in a full group, `items`, multiplies them.
"""
from clpy.compiler.spmd import arrays

MAX_ALIGN = 128


class Layout:
    """Offsets for (key, size, align) entries; `bytes` is the sum per work-item. `steps`: element sizes of arrays that
    lie [element][work-item], see arrays.py; `shared`: bytes in front that are not the layout's."""

    def __init__(self, entries, steps=(), shared=0):
        self.size, self.align, self.offset = {}, {}, {}
        self.steps = dict(steps)
        largest = max((min(align, MAX_ALIGN) for _, _, align in entries), default=1)
        self.bytes = -(-shared // largest) * largest
        for key, size, align in sorted(entries, key=lambda e: -min(e[2], MAX_ALIGN)):
            size = max(1, -(-size // align) * align)
            self.size[key], self.align[key], self.offset[key] = size, min(align, MAX_ALIGN), self.bytes
            self.bytes += size

    def __contains__(self, key):
        return key in self.offset

    def address(self, builder, types, frame, linear, key):
        """Address of an entry; `linear` is the work-item's number in the group."""
        i64 = types.i64
        at = builder.mul(linear, i64.const(self.steps.get(key) or self.size[key]), nuw=True, nsw=True)
        base = frame["context"]
        if self.offset[key]:
            start = builder.mul(frame["items"], i64.const(self.offset[key]), nuw=True, nsw=True)
            base = builder.gep(types.i8, base, [start])
        address = builder.gep(types.i8, base, [at])
        if self.steps.get(key):
            arrays.mark(types.module, address, self.steps[key])
        return address
