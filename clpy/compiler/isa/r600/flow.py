# SPDX-License-Identifier: Apache-2.0
"""The control flow of a VLIW kernel as blocks of the engine.

The chip has a stack of masks; which entry is whose is known from the code alone, so each entry is a pair of scalar
registers. Lanes that leave a loop are taken out of all entries that have been pushed within it; those that go on with
its next turn too, and come back where the turn ends.
"""
from dataclasses import dataclass
from typing import NamedTuple

from clpy.compiler.isa.gcn.decode import Operand
from clpy.compiler.isa.gcn.flow import Flow, UnknownInstruction
from clpy.compiler.isa.gcn.steps import Step, line_finder

from . import memory, registers
from .bundles import Bundles
from .decode import Reader, Unreadable
from .registers import EXECUTE, KERNARG, MASK, Layout, mask_slot
from .writer import Label, Writer

# What a chip without rates of its own has.
RATES = {"bundle": 4, "clause": 40, "fetch": 4, "rat": 4, "lds_read": 4, "lds_write": 8, "lds_atomic": 8, "barrier": 4}


class Entry(NamedTuple):
    """Of the stack. `slot`: the mask; a loop also has `again`, lanes that wait for its next turn, and places."""
    slot: object
    again: object = None


@dataclass
class Loop:
    entry: Entry
    turn: object        # Label of its body's start
    out: object         # Label behind it


class KernelFlow:
    """Writes the blocks of one kernel."""

    def __init__(self, program, kernel, rates):
        self.program, self.kernel, self.rates = program, kernel, rates
        self.writer = Writer(kernel.entry)
        self.layout = Layout(kernel.gprs)
        self.has_t = program.has_t
        self.flows = Reader(program.text, kernel.entry, kernel.size, self.has_t).read()
        self.scalars = self.place_constants()
        self.bundles = Bundles(kernel, self.writer, self.layout, self.constant, rates, self.has_t,
                               line_finder(program.lines))
        self.stack, self.loops = [], []
        self.labels, self.depths = {}, {}

    def unknown(self, what):
        return UnknownInstruction(what, self.kernel.name)

    def out(self, name, *operands, **modifiers):
        return self.writer.out(name, *operands, **modifiers)

    # Constants

    def place_constants(self):
        """{word of the kernel's constants: its scalar register}, those that it looks at, as far as there is room."""
        words = sorted({4 * source.at + source.channel for flow in self.flows if flow.name.startswith("ALU")
                        for bundle in flow.clause for slot in bundle.slots for source in slot.sources
                        if source.kind == "constant"})
        return {word: registers.FIRST_CONSTANT + i for i, word in enumerate(words[:registers.MOST_CONSTANTS])}

    def constant(self, word, index):
        """The operand of a constant, which may have to be loaded first."""
        if word in self.scalars:
            return Operand("s", self.scalars[word])
        spare = Operand("s", registers.SPARE_SCALARS[index])
        self.load_constant(spare, word)
        return spare

    def load_constant(self, register, word):
        if 4 * word + 4 > self.kernel.kernarg_bytes:
            raise self.unknown(f"constant {word} behind the last one")
        self.out("s_load_dword", register, KERNARG, offset=4 * word, untold=True)

    def begin(self):
        """Registers as the chip has them: numbers of work-items in T0, of the group in T1."""
        self.writer.begin()
        if self.layout.gprs > 1:
            for channel in range(3):
                self.out("v_mov_b32", self.layout.channel(1, channel), registers.GROUP_IDS[channel])
        for word, number in self.scalars.items():
            self.load_constant(Operand("s", number), word)

    # The stack

    def push(self, name):
        if len(self.stack) >= registers.MOST_MASKS - 1:
            raise self.unknown(f"{name}: a stack of more than {registers.MOST_MASKS} masks")
        slot = mask_slot(self.depth())
        self.stack.append(Entry(slot))
        self.out("s_mov_b64", slot, EXECUTE)

    def depth(self):
        return sum(2 if entry.again else 1 for entry in self.stack)

    def pop(self, count, name):
        """Leaves the last `count` entries; the mask is that of the first of them."""
        if not count:
            return
        if count > len(self.stack) or any(entry.again for entry in self.stack[-count:]):
            raise self.unknown(f"{name} of what has not been pushed")
        slot = self.stack[-count].slot
        del self.stack[-count:]
        self.out("s_mov_b64", EXECUTE, slot)
        self.writer.begin()

    # Places

    def label(self, number):
        return self.labels.setdefault(number, Label())

    def goes_to(self, number, entries, name):
        """The stack is as high at a place, whichever way it is come to."""
        known = self.depths.setdefault(number, len(entries))
        if known != len(entries):
            raise self.unknown(f"{name} to a place with another stack")
        return self.label(number)

    def jump_if_none(self, target, pops, name):
        """Where no lane is on: to a place, behind so many pops."""
        entries = self.stack[:len(self.stack) - pops] if pops else self.stack
        if pops > len(self.stack) or any(entry.again for entry in self.stack[len(entries):]):
            raise self.unknown(f"{name} of what has not been pushed")
        label = self.goes_to(target, entries, name)
        if not pops:
            self.writer.branch("s_cbranch_execz", label)
            return
        slot, here = self.stack[-pops].slot, Label()
        self.writer.branch("s_cbranch_execnz", here)
        self.out("s_mov_b64", EXECUTE, slot)
        self.writer.branch("s_branch", label)
        self.writer.begin(here)

    # Control flow instructions

    def write(self):
        self.begin()
        for flow in self.flows:
            if flow.number in self.labels:
                self.writer.begin(self.labels[flow.number])
            known = self.depths.setdefault(flow.number, len(self.stack))
            if known != len(self.stack):
                raise self.unknown(f"{flow.name} at a place with another stack")
            self.writer.at(flow.at)
            self.writer.step(Step("branch", cycles=self.rates["clause"], at=flow.at, size=8))
            self.one(flow)
            if flow.ends:
                self.out("s_endpgm")
                self.writer.step(Step("end", at=flow.at))
                self.writer.end()
        if any(label.start is None for label in self.labels.values()):
            raise self.unknown("a jump beyond the end")
        return Flow(self.writer.finish(), {}, [])

    def one(self, flow):
        name = flow.name
        if name.startswith("ALU"):
            self.arithmetic(flow)
        elif name in ("TEX", "VTX"):
            for fetch in flow.clause:
                memory.fetch(self, fetch)
            self.writer.step(Step("wait", cycles=4, vm=0, at=flow.clause[-1].at))
        elif name == "RAT":
            memory.write(self, flow.clause[0])
        elif name in HANDLERS:
            HANDLERS[name](self, flow)
        elif name not in ("NOP", "CF_END"):
            raise self.unknown(name)

    def arithmetic(self, flow):
        if flow.name == "ALU_PUSH_BEFORE":
            self.push(flow.name)
        self.bundles.clause(flow.clause)
        if flow.name == "ALU_POP_AFTER":
            self.pop(1, flow.name)
        elif flow.name == "ALU_POP2_AFTER":
            self.pop(2, flow.name)
        elif flow.name == "ALU_ELSE_AFTER":
            self.turn_over(flow)
        elif flow.name in ("ALU_BREAK", "ALU_CONTINUE"):
            raise self.unknown(flow.name)

    def jump(self, flow):
        self.jump_if_none(flow.target, flow.pops, flow.name)

    def other_side(self, flow):
        self.turn_over(flow)
        self.jump_if_none(flow.target, flow.pops, flow.name)

    def turn_over(self, flow):
        """Lanes that the last entry has and that are not on. What has left the loop meanwhile is in neither."""
        if not self.stack or self.stack[-1].again:
            raise self.unknown(f"{flow.name} without a mask")
        self.out("s_andn2_b64", EXECUTE, self.stack[-1].slot, EXECUTE)
        self.writer.begin()

    def pop_some(self, flow):
        self.pop(flow.pops, flow.name)
        if flow.target != flow.number + 1:
            self.writer.branch("s_branch", self.goes_to(flow.target, self.stack, flow.name))

    def push_alone(self, flow):
        self.push(flow.name)
        if flow.target != flow.number + 1:      # LLVM names the next instruction, where the stack is as high either way
            self.jump_if_none(flow.target, flow.pops, flow.name)

    def loop(self, flow):
        if self.depth() >= registers.MOST_MASKS - 2:
            raise self.unknown(f"{flow.name}: a stack of more than {registers.MOST_MASKS} masks")
        entry = Entry(mask_slot(self.depth()), mask_slot(self.depth() + 1))
        out = self.label(flow.target)
        self.depths.setdefault(flow.target, len(self.stack))
        self.writer.branch("s_cbranch_execz", out)
        self.out("s_mov_b64", entry.slot, EXECUTE)
        self.out("s_mov_b64", entry.again, Operand("int", 0))
        self.stack.append(entry)
        self.loops.append(Loop(entry, Label(), out))
        self.writer.begin(self.loops[-1].turn)

    def end_of_loop(self, flow):
        if not self.loops or self.stack[-1] is not self.loops[-1].entry:
            raise self.unknown(f"{flow.name} of no loop")
        loop = self.loops.pop()
        self.stack.pop()
        self.out("s_or_b64", EXECUTE, EXECUTE, loop.entry.again)
        self.writer.begin()
        self.out("s_mov_b64", loop.entry.again, Operand("int", 0))
        self.writer.branch("s_cbranch_execnz", loop.turn)
        self.out("s_mov_b64", EXECUTE, loop.entry.slot)
        self.writer.begin()

    def leave(self, flow):
        """LOOP_BREAK, CONTINUE: the lanes that are on leave the turn."""
        if not self.loops:
            raise self.unknown(f"{flow.name} of no loop")
        entry = self.loops[-1].entry
        if flow.name == "CONTINUE":
            self.out("s_or_b64", entry.again, entry.again, EXECUTE)
        for inner in self.stack[self.stack.index(entry) + 1:]:
            self.out("s_andn2_b64", inner.slot, inner.slot, EXECUTE)
        self.out("s_mov_b64", EXECUTE, Operand("int", 0))
        self.writer.begin()


HANDLERS = {"JUMP": KernelFlow.jump, "ELSE": KernelFlow.other_side, "POP": KernelFlow.pop_some,
            "PUSH": KernelFlow.push_alone, "LOOP_START_DX10": KernelFlow.loop, "END_LOOP": KernelFlow.end_of_loop,
            "LOOP_BREAK": KernelFlow.leave, "CONTINUE": KernelFlow.leave}
assert MASK.at > registers.FIRST_MASK


class VliwCode:
    """Reads the kernels of a program."""

    def __init__(self, program, rates=None):
        self.program, self.rates = program, {**RATES, **(rates or {})}

    def flow(self, kernel):
        """gcn.flow.Flow, whose blocks have steps."""
        try:
            return KernelFlow(self.program, kernel, self.rates).write()
        except Unreadable as why:
            raise UnknownInstruction(f"({why})", kernel.name, "the chip's code") from None
