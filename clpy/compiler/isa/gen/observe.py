# SPDX-License-Identifier: Apache-2.0
"""What a thread's code tells the sink of its launch: counts of blocks, and in the traced variant its way and what it
touches (include/clpy_wave.h; library/trace.c writes the words)."""


class Observer:
    """Counts."""
    traces = False

    def enter(self, c):
        """At the start of the function."""

    def block(self, c, block):
        running = c.call("llvm.ctpop", c.running())
        for name, more in (("counts", c.number(64, 1)), ("active", c.b.cast("zext", running, c.types.i64))):
            base = c.b.cast("inttoptr", c.fixed(name), c.types.ptr)
            place = c.b.gep(c.types.i64, base, [c.number(64, block.number)])
            c.b.store(c.b.add(c.b.load(c.types.i64, place), more), place)

    def access(self, c, access, kind, size):
        """Lanes are about to go to memory."""

    def block_access(self, c, place, message, kind):
        """A block of memory is about to be moved."""
