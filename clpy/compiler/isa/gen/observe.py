# SPDX-License-Identifier: Apache-2.0
"""What a thread's code tells the sink of its launch: counts of blocks, and in the traced variant its way and what it
touches (include/clpy_wave.h; library/gen_trace.c writes the words)."""

KINDS = {"load": 0, "store": 1}
ATOMIC = 2


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

    def block_access(self, c, place, size):
        """So many bytes of memory are about to be moved."""


class Tracer(Observer):
    """Tells each thread's way, and what it touches. A thread that has told enough tells no more."""
    traces = True

    def enter(self, c):
        c.run("trace_wave", c.wave)

    def block(self, c, block):
        super().block(c, block)
        instructions = c.number(32, len(block.instructions))
        self.while_it_tells(c, lambda: c.run("trace_block", c.wave, c.number(32, block.number), instructions))

    def while_it_tells(self, c, write):
        tells = c.b.icmp("ne", c.b.load(c.types.i32, c.in_wave("tells")), c.number(32, 0))
        telling, behind = (c.function.append_block(name) for name in ("tell", ""))
        c.b.cond_br(tells, telling, behind)
        c.b.at_end(telling)
        write()
        c.b.br(behind)
        c.b.at_end(behind)

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
