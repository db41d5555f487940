# SPDX-License-Identifier: Apache-2.0
"""What translated code tells the sink of its launch: counts of blocks, and in the traced variant each wavefront's way
(include/clpy_wave.h). The library writes the words (library/trace.c).
"""
from . import steps

KINDS = {"load": 0, "store": 1}
ATOMIC = 2
VLIW_RATES = {"load": "lds_read", "store": "lds_write"}    # of one word, as all of theirs are
NO_REGISTER = (1 << 32) - 1         # library/places.h
WIDE = ("far", "flat")              # forms of addresses of 64 bits a lane


class Observer:
    """Counts; a subclass traces too."""
    traces = False

    def __init__(self, rates=None):
        self.rates = {**steps.DEFAULT_RATES, **(rates or {})}

    def enter(self, c):
        """At the start of the function, whether the wavefront begins or goes on."""

    def block(self, c, block):
        counts, active = (c.b.cast("inttoptr", c.fixed(name), c.types.ptr) for name in ("counts", "active"))
        self.add(c, counts, block.number, c.number(64, 1))
        self.add(c, active, block.number, self.lanes(c))

    def lanes(self, c):
        if c.r.exec.is_full:
            return c.number(64, c.wave_size)
        return c.call("llvm.ctpop", c.r.exec.bits(c))

    def add(self, c, base, number, more):
        place = c.b.gep(c.types.i64, base, [c.number(64, number)])
        c.b.store(c.b.add(c.b.load(c.types.i64, place), more), place)

    def address(self, c, instruction, *addresses):
        """An access of vectors is about to be made."""

    def waiting(self, c, form):
        """What a store that waits is to tell of its access (stores.Store)."""
        return None

    def image(self, c, places, found, is_store):
        """An access to an image is about to be made, to the pixels at `places` (library/trace.c)."""

    def scalar(self, c, address, size):
        """A scalar load is about to be made."""

    def no_memory(self, c, instruction):
        """An instruction of LDS that goes to no memory."""


class Tracer(Observer):
    traces = True

    def enter(self, c):
        c.run("trace_wave", c.wave)

    def block(self, c, block):
        super().block(c, block)
        instructions = c.number(32, len(block.instructions))
        self.while_it_tells(c, lambda: c.run("trace_block", c.wave, c.number(32, block.number), instructions))

    def scalar(self, c, address, size):
        c.r.tell_stores()
        c.run("trace_scalar", c.wave, address, c.number(32, size))

    def address(self, c, instruction, *addresses):
        """All places of one instruction: two for some of LDS."""
        form = instruction.form
        unit = steps.goes_to_memory(form)
        c.r.tell_stores()
        bits = exec_bits(c)
        if any(self.is_pending(c, address) for address in addresses):
            c.r.flush()
        if unit == "lds":
            self.while_it_tells(c, lambda: self.local(c, form, addresses, bits))
        else:
            self.while_it_tells(c, lambda: self.vector(c, form, addresses[0], bits))

    def is_pending(self, c, address):
        """Whether a vector register that the address comes from is not in memory yet: the run that has it has to be
        written first."""
        if address.at is None or self.is_scalar(c, address):
            return False
        return address.at in c.r.run_writes or (address.form in WIDE and address.at + 1 in c.r.run_writes)

    def is_scalar(self, c, address):
        """Whether all that is known of the address is in scalar registers."""
        return c.r.exec.is_full and address.form not in WIDE and (address.at is None or address.at in c.r.uniform)

    def while_it_tells(self, c, write):
        """What `write` writes is for wavefronts that have not told all that is wanted."""
        tells = c.b.icmp("ne", c.b.load(c.types.i32, c.in_wave("tells")), c.number(32, 0))
        telling, behind = (c.function.append_block(name) for name in ("tell", ""))
        c.b.cond_br(tells, telling, behind)
        c.b.at_end(telling)
        write()
        c.b.br(behind)
        c.b.at_end(behind)

    def waiting(self, c, form):
        return exec_bits(c), self.access(c, form)

    def access(self, c, form):
        kind, size = steps.vector_kind(form)
        least = self.least(kind, size)
        return c.number(32, size | KINDS.get(kind, ATOMIC) << 8 | least << 16)

    def vector(self, c, form, address, bits):
        c.run(f"trace_{address.form}", c.wave, bits, *self.lanes_of(c, address), *address.base, self.access(c, form))

    def least(self, kind, size):
        """Cycles of the address unit. A VLIW chip's takes so many addresses a cycle, whatever they are for."""
        if "fetch_address" in self.rates:
            return self.rates["fetch_address"]
        if kind.startswith("atomic"):
            return self.rates["vmem_atomic"]
        return 16 if kind == "store" else self.rates["vmem_load_b64"] if size == 8 else 0

    def lanes_of(self, c, address):
        """The vector register that the lanes' addresses come from, which lies in the wavefront's memory, and what is
        added to it."""
        if address.form in WIDE:
            c.r.single().loaded.update((address.at, address.at + 1))
            return [c.number(32, address.at)]
        if address.at is None or self.is_scalar(c, address):
            more = address.more if address.at is None else c.b.add(c.r.uniform[address.at], address.more)
            return [c.number(32, NO_REGISTER), more]
        c.r.single().loaded.add(address.at)
        return [c.number(32, address.at), address.more]

    def image(self, c, places, found, is_store):
        c.r.tell_stores()
        c.run("trace_image", c.wave, places, exec_bits(c), found, c.number(32, int(is_store)))

    def local(self, c, form, addresses, bits):
        kind, size, rate = steps.local_kind(form)
        rate = VLIW_RATES[kind] if "lds_read" in self.rates and kind in VLIW_RATES else rate
        is_atomic, banks = kind.startswith("atomic"), self.rates["lds_banks"]
        words = max(size // 4 // len(addresses), 1)
        if not is_atomic and all(self.is_scalar(c, address) for address in addresses):
            cycles = max(c.wave_size * words * len(addresses) // banks, self.rates[rate])
            c.run("trace_word", c.wave, c.number(32, cycles << 16))
            return
        cycles = c.number(32, 0)
        for address in addresses:
            more = c.run("local_cycles", c.wave, bits, *self.lanes_of(c, address), c.number(32, words),
                         c.number(32, int(is_atomic)), c.number(32, banks))
            cycles = c.b.add(cycles, more)
        c.run("trace_local", c.wave, bits, cycles, c.number(32, self.rates[rate]), c.number(32, int(is_atomic)))

    def no_memory(self, c, instruction):
        c.r.tell_stores()
        c.run("trace_word", c.wave, c.number(32, self.rates["lds_read_b32"] << 16))


def exec_bits(c):
    return c.number(64, c.everyone) if c.r.exec.is_full else c.r.exec.bits(c)
