# SPDX-License-Identifier: Apache-2.0
"""Which line of the source translated code comes from: the lines of the chip's code, for a fault to be told by."""
from bisect import bisect_right

from clpy.llvm.lines import Places

SOURCE = "<source>"         # as the front end calls it


class Lines:
    """Of a program that knows its places; one of assembly may not."""

    def __init__(self, module, program):
        self.places = Places(module, SOURCE) if program.places else None
        self.rows, self.offsets = program.places, [offset for offset, _, _ in program.places]
        self.last = None

    def enter(self, function, kernel):
        if self.places is not None:
            self.places.enter(function, kernel, SOURCE)
            self.last = None

    def at(self, builder, offset):
        """What is made from here on is the instruction at that offset of the chip's code."""
        if self.places is None:
            return
        n = bisect_right(self.offsets, offset)
        header, line = self.rows[n - 1][1:] if n else ("", 0)
        if (header, line) != self.last:
            self.last = header, line
            self.places.at(builder, header or SOURCE, line)

    def finish(self):
        if self.places is not None:
            self.places.finish()
