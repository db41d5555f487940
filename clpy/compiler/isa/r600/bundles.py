# SPDX-License-Identifier: Apache-2.0
"""Bundles of a VLIW chip as instructions of the engine, one after the other. All operations of a bundle read before any
writes: what is written while others of it still have to read goes elsewhere first."""
from clpy.compiler.isa.gcn.decode import Operand
from clpy.compiler.isa.gcn.flow import UnknownInstruction
from clpy.compiler.isa.gcn.steps import Step

from . import local, operations, registers
from .encoding import UNIT_T
from .registers import vector

OMOD = {1: {"mul": 2}, 2: {"mul": 4}, 3: {"div": 2}}
MERGED = frozenset(("valu",))


class Bundles:
    """Of one kernel. `writer` gets the instructions, `layout` has the registers, `constants` gives the operand of a
    constant, `vliw4`: operations that only a fifth unit could do are in several."""

    def __init__(self, kernel, writer, layout, constants, rates, has_t, line_at):
        self.kernel, self.looks = kernel.name, kernel.looks
        self.writer, self.layout, self.rates = writer, layout, rates
        self.constants, self.has_t, self.line_at = constants, has_t, line_at
        self.made = {}              # unit -> operand with what the bundle before made there
        self.queue = []             # numbers of registers: what local memory gave, in the order in which it is taken
        self.queued = 0
        self.new_mask = None

    def out(self, name, *operands, **modifiers):
        self.writer.out(name, *operands, **modifiers)

    def unknown(self, what):
        return UnknownInstruction(what, self.kernel)

    def clause(self, bundles):
        self.made = {}
        for bundle, following in zip(bundles, [*bundles[1:], None], strict=True):
            self.bundle(bundle, following)

    def bundle(self, bundle, following):
        self.writer.at(bundle.at)
        slots = bundle.slots
        if slots[0].name == "GROUP_BARRIER":
            self.tell(bundle)
            self.out("s_barrier")
            self.writer.step(Step("barrier", cycles=self.rates["barrier"], at=bundle.at))
            self.writer.begin()
            return
        wanted = self.wanted_of(following)
        made, moves, self.new_mask = {}, [], None
        for index, slot in enumerate(slots):
            later = slots[index + 1:]
            self.slot(slot, later, wanted, made, moves)
        for target, source in moves:
            self.out("v_mov_b32", target, source)
        self.made = made
        self.tell(bundle)
        if self.new_mask is not None:
            self.out("s_and_b64", registers.EXECUTE, registers.EXECUTE, self.new_mask)
            self.writer.begin()

    def tell(self, bundle):
        """The steps of a bundle: the arithmetic is one, with that of the bundles before it of the same line, each
        access to local memory one more."""
        block = self.writer
        step = Step("valu", cycles=self.rates["bundle"], mix={"bundle": 1, "alu": len(bundle.slots)}, at=bundle.at,
                    size=bundle.size)
        if block.block is None:
            block.begin()
        last = block.block.steps[-1] if block.block.steps else None
        if (last is not None and last.unit in MERGED and last.at + last.size == step.at
                and self.line_at(last.at) == self.line_at(step.at)):
            last.count += 1
            last.size += step.size
            last.mix = {kind: last.mix[kind] + n for kind, n in step.mix.items()}
        else:
            block.step(step)
        for slot in bundle.slots:
            if slot.name.startswith("LDS_"):
                block.step(local.step_of(slot, bundle, self.rates))

    @staticmethod
    def wanted_of(bundle):
        """Units of the bundle before that a bundle looks at."""
        found = set()
        for slot in bundle.slots if bundle is not None else ():
            for source in slot.sources:
                if source.kind in ("pv", "ps"):
                    found.add(UNIT_T if source.kind == "ps" else source.channel)
        return found

    # One operation

    def slot(self, slot, later, wanted, made, moves):
        if slot.name.startswith("LDS_"):
            local.write(self, slot)
            return
        if self.repeats(slot, later):
            return
        sources = [self.source(source, index) for index, source in enumerate(slot.sources)]
        if slot.name.startswith("PRED_SET"):
            self.set_predicate(slot, sources)
            return
        if slot.name == "MOVA_INT":
            kept = vector(self.layout.written[slot.unit])       # others of the bundle still go by what AR was
            self.out("v_mov_b32", kept, sources[0])
            moves.append((vector(self.layout.address), kept))
            return
        if slot.name == "NOP":
            return
        home = self.layout.channel(slot.gpr, slot.channel) if slot.writes and not slot.relative else None
        if home is not None and slot.gpr >= self.layout.gprs:
            raise self.unknown(f"{slot.name} to register {slot.gpr}, of {self.layout.gprs}")
        apart = home is None or slot.predicate or self.is_read(home, slot, later)
        target = vector(self.layout.written[slot.unit]) if apart else home
        self.operate(slot, target, sources)
        if slot.relative:
            self.write_relative(slot, target)
        elif home is not None and apart:
            self.keep(slot, home, target, moves)
        if slot.unit in wanted:
            self.remember(slot, target, home, apart, made, moves)

    def repeats(self, slot, later):
        """Chips without a fifth unit do what it would in several; one of these writes."""
        return not self.has_t and not slot.writes and slot.name in REPEATED and any(
            other.name == slot.name for other in later)

    def operate(self, slot, target, sources):
        modifiers = {**OMOD.get(slot.omod, {}), **({"clamp": True} if slot.clamp else {})}
        if slot.name in ("DOT4", "DOT4_IEEE", "CUBE", "MUL_LIT"):
            raise self.unknown(slot.name)
        if not operations.is_of_floats(slot.name) and any(source.neg or source.abs for source in slot.sources):
            raise self.unknown(f"{slot.name} of a magnitude or a negative")
        if not operations.write(self.out, slot.name, target, sources, modifiers, registers.MASK):
            raise self.unknown(slot.name)

    def write_relative(self, slot, target):
        first, address, last = self.layout.channel(slot.gpr, slot.channel), vector(self.layout.address), (
            4 * self.layout.gprs)
        if slot.predicate:
            before = vector(self.layout.spare[0])
            self.out("v_movrel_lane_read", before, first, address, last=last)
            self.under_predicate(slot, target, before)
        self.out("v_movrel_lane_write", first, target, address, last=last)

    def keep(self, slot, home, target, moves):
        if slot.predicate:
            self.under_predicate(slot, target, home)
        moves.append((home, target))

    def under_predicate(self, slot, target, before):
        """Lanes without the operation's predicate keep what was there before."""
        sides = (before, target) if slot.predicate == "one" else (target, before)
        self.out("v_cndmask_b32", target, *sides, registers.PREDICATE)

    def remember(self, slot, target, home, apart, made, moves):
        """Where the next bundle finds what this operation made: in the register that it was written to, or, where it
        was written to none, in one for that."""
        if home is not None:
            made[slot.unit] = home
            return
        kept = vector(self.layout.previous[slot.unit])
        moves.append((kept, target))
        made[slot.unit] = kept

    def is_read(self, home, slot, later):
        """Whether an operation behind it in the bundle still reads a register."""
        for other in later:
            for source in other.sources:
                if source.kind == "gpr" and (source.relative or 4 * source.at + source.channel == home.at):
                    return True
                if source.kind in ("pv", "ps"):
                    found = self.made.get(UNIT_T if source.kind == "ps" else source.channel)
                    if found is not None and found.at == home.at:
                        return True
            if other.relative:
                return True
        return False

    def source(self, source, index):
        signs = {"neg": source.neg, "abs": source.abs}
        if source.kind == "gpr":
            if source.at >= self.layout.gprs:
                raise self.unknown(f"register {source.at}, of {self.layout.gprs}")
            home = self.layout.channel(source.at, source.channel)
            if source.relative:
                read = vector(self.layout.spare[index])
                self.out("v_movrel_lane_read", read, home, vector(self.layout.address), last=4 * self.layout.gprs)
                home = read
            return home._replace(**signs)
        if source.kind == "constant":
            return self.constants(4 * source.at + source.channel, index)._replace(**signs)
        if source.kind in ("pv", "ps"):
            unit = UNIT_T if source.kind == "ps" else source.channel
            found = self.made.get(unit)
            if found is None:
                raise self.unknown(f"result of unit {'xyzwt'[unit]}, which made none,")
            return found._replace(**signs)
        if source.kind == "oq":
            if not self.queue:
                raise self.unknown("read of the queue of local memory, in which there is nothing,")
            return vector(self.queue.pop(0))._replace(**signs)
        return Operand(source.kind, source.at, **signs)

    def set_predicate(self, slot, sources):
        found = operations.comparison(slot.name)
        if found is None or slot.writes:
            raise self.unknown(slot.name)
        mask = registers.PREDICATE if slot.sets_predicate else registers.MASK
        self.out(found[0], mask, *sources)
        if slot.sets_exec:
            self.new_mask = mask

    def next_of_queue(self):
        number = self.layout.queue[self.queued % registers.QUEUE]
        if number in self.queue:
            raise self.unknown("queue of local memory, of more words than there is room for,")
        self.queue.append(number)
        self.queued += 1
        return vector(number)


REPEATED = frozenset(("MULLO_INT", "MULHI_INT", "MULLO_UINT", "MULHI_UINT", "EXP_IEEE", "LOG_IEEE", "LOG_CLAMPED",
                      "RECIP_IEEE", "RECIP_CLAMPED", "RECIPSQRT_IEEE", "RECIPSQRT_CLAMPED", "SQRT_IEEE", "SIN", "COS",
                      "INT_TO_FLT", "UINT_TO_FLT", "FLT_TO_UINT", "FLT_TO_INT", "RECIP_UINT"))
