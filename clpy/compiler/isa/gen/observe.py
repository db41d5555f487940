# SPDX-License-Identifier: Apache-2.0
"""What a thread's code tells the sink of its launch: counts of blocks, and in the traced variant its way and what it
touches (include/clpy_wave.h; library/gen_trace.c writes the words)."""
from clpy.compiler.isa.gcn import observe
from clpy.compiler.isa.gcn.observe import ATOMIC, KINDS


class Channels:
    """A thread's lanes are its channels."""

    def lanes(self, c):
        return c.b.cast("zext", c.call("llvm.ctpop", c.running()), c.types.i64)


class Observer(Channels, observe.Observer):
    """Counts."""

    def access(self, c, access, kind, size):
        """Lanes are about to go to memory."""

    def block_access(self, c, place, size):
        """So many bytes of memory are about to be moved."""


class Tracer(Channels, observe.Tracer):
    """Tells each thread's way, and what it touches. A thread that has told enough tells no more."""

    def access(self, c, access, kind, size):
        mask = c.word(access.mask)
        lanes = c.number(32, access.m.lanes)
        number = c.number(32, size | KINDS.get(kind, ATOMIC) << 8)

        def tell():
            address = access.offsets() if access.m.space == "local" else access.addresses()
            c.b.store(address, c.in_wave("address")).align = 8
            if access.m.space == "local":
                c.run("trace_gen_local", c.wave, mask, lanes, number)
            else:
                c.run("trace_gen_memory", c.wave, mask, lanes, number, c.number(32, c.kernel.thread_scratch))

        self.while_it_tells(c, tell)

    def block_access(self, c, place, size):
        self.while_it_tells(c, lambda: c.run("trace_gen_block", c.wave, place, c.number(32, size),
                                             c.number(32, c.kernel.thread_scratch)))
