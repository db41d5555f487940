# SPDX-License-Identifier: Apache-2.0
"""Which line of the source translated code comes from: the lines of the chip's code, for a fault to be told by."""
from bisect import bisect_right

from clpy.compiler.amdgpu.dwarf_lines import SOURCE
from clpy.llvm.lines import Places

END = 1 << 64


class Lines:
    """Of a program that knows its places; one of assembly may not."""

    def __init__(self, module, program):
        self.places = Places(module, SOURCE) if program.places else None
        self.rows, self.offsets = program.places, [offset for offset, _, _ in program.places]
        self.last = None
        self.range = 0, 0           # offsets that are the same place

    def enter(self, function, kernel):
        if self.places is not None:
            self.places.enter(function, kernel, SOURCE)
            self.last, self.range = None, (0, 0)

    def at(self, builder, offset):
        """What is made from here on is the instruction at that offset of the chip's code."""
        if self.places is None or self.range[0] <= offset < self.range[1]:
            return
        n = bisect_right(self.offsets, offset)
        self.range = self.offsets[n - 1] if n else 0, self.offsets[n] if n < len(self.offsets) else END
        header, line = self.rows[n - 1][1:] if n else ("", 0)
        if (header, line) != self.last:
            self.last = header, line
            self.places.at(builder, header or SOURCE, line)

    def finish(self):
        if self.places is not None:
            self.places.finish()
