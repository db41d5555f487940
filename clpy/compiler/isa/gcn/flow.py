# SPDX-License-Identifier: Apache-2.0
"""The control flow of a kernel: which instructions it can come to, and the blocks they make.

A block ends where control may go elsewhere, before a place that something goes to, behind a barrier, and behind an
instruction that writes EXEC: from there the code is chosen anew by whether all lanes are on.
"""
from dataclasses import dataclass, field
from functools import cache

from .decode import EXEC

END = ("s_endpgm", "s_endpgm_saved")
BRANCHES = ("s_cbranch_", "s_branch")
JUMPS = ("s_setpc_b64", "s_swappc_b64", "s_call_b64")
ADDRESS_REACH = 1 << 32


class UnknownInstruction(ValueError):
    """The kernel has an instruction that is not translated, or something else that is not."""

    def __init__(self, name, kernel, what="the chip's instruction"):
        super().__init__(f"{what} {name} in kernel {kernel} cannot be translated")
        self.name, self.kernel = name, kernel


@dataclass
class Block:
    """Instructions from `start`; where control goes behind them is in the last one and in `next` (None: nowhere)."""
    start: int
    number: int = 0
    instructions: list = field(default_factory=list)
    next: int | None = None
    steps: list | None = None       # of steps.py, where they do not follow from the instructions

    @property
    def last(self):
        return self.instructions[-1]


@dataclass
class Flow:
    """Blocks by the offset where they start; where calls go, by the offset of the call (a list where that is told by
    the register alone); where they return to."""
    blocks: dict
    calls: dict
    returns: list


def target(instruction):
    """Where a branch goes, as an offset."""
    if "to" in instruction.form.modifiers:      # it is the engine's own, not a chip's
        return instruction.form.modifiers["to"]
    distance = instruction.form.operands[-1].at & 0xFFFF
    return instruction.end + 4 * (distance - (1 << 16) if distance & 0x8000 else distance)


def ends_block(form):
    ends = ends_by_name(form.name)
    if ends is None:
        first = form.operands[0] if form.operands else None
        return first is not None and first.kind == "s" and first.at in (EXEC, EXEC + 1)
    return ends


@cache
def ends_by_name(name):
    """Whether a block ends behind an instruction; None: where its result is EXEC."""
    if name in END or name.startswith(BRANCHES) or name in JUMPS or name == "s_barrier":
        return True
    if "saveexec" in name or name.startswith(("v_cmpx", "s_andn1_wrexec", "s_andn2_wrexec")):
        return True
    return None if name.startswith("s_") and not name.startswith(("s_cmp", "s_bitcmp", "s_setpc")) else False


class Addresses:
    """Register pairs that hold places in the program, in a straight run of code: s_getpc and what is added to it."""

    def __init__(self):
        self.known = {}     # first register -> [low, high or None]: offset from the start of the code
        self.carry = None

    def step(self, instruction):
        form = instruction.form
        operands = form.operands
        if form.name == "s_getpc_b64":
            self.known[operands[0].at] = instruction.end
        elif form.name in ("s_add_u32", "s_add_i32") and self.adds(operands):
            low = operands[2].at & 0xFFFFFFFF
            self.known[operands[0].at] = self.known.pop(operands[1].at) + (low - (1 << 32) if low >> 31 else low)
        elif form.name == "s_addc_u32" and operands[0].at - 1 in self.known:
            pass
        elif form.name == "s_mov_b64" and operands[1].kind == "s" and operands[1].at in self.known:
            self.known[operands[0].at] = self.known[operands[1].at]
        elif form.name in ("s_swappc_b64", "s_call_b64"):
            self.known.clear()      # who is called may use the registers for something else
        elif not form.name.startswith(("s_cmp", "s_setpc")):
            # Vector instructions write scalar registers too: v_readlane, comparisons, carries.
            for operand in operands[:2 if form.name.startswith("v_") else 1]:
                if operand.kind == "s":
                    for register in range(operand.at - 1, operand.at + max(operand.width, 1)):
                        self.known.pop(register, None)

    def adds(self, operands):
        return operands[1].kind == "s" and operands[1].at in self.known and operands[2].kind in ("int", "literal")


class Explorer:
    """Follows the code from an entry."""

    def __init__(self, decoder, kernel):
        self.decoder, self.kernel = decoder, kernel
        self.seen = {}
        self.leaders = set()
        self.calls = {}
        self.unknown = []       # calls by a register whose content comes from elsewhere, a spilled one say
        self.places = set()     # addresses of code that the code makes
        self.returns = []

    def explore(self, entry):
        self.follow([(entry, {})])
        # A call by a register may go wherever an address was made of, and more is found there.
        while self.unknown and not self.places <= self.leaders:
            self.follow([(place, {}) for place in self.places - self.leaders])
        for offset in self.unknown:
            if not self.places:
                raise UnknownInstruction("a call of a place that is not known", self.kernel)
            self.calls[offset] = sorted(self.places)

    def follow(self, waiting):
        self.leaders.update(offset for offset, _ in waiting)
        while waiting:
            offset, known = waiting.pop()
            addresses = Addresses()
            addresses.known = dict(known)
            while offset is not None and offset not in self.seen:
                instruction = self.seen[offset] = self.decoder.at(offset)
                following = self.leave(instruction, waiting, addresses)
                if addresses.known or instruction.form.name == "s_getpc_b64":
                    addresses.step(instruction)
                    self.places.update(place for place in addresses.known.values() if place in self.decoder.functions)
                offset = following

    def leave(self, instruction, waiting, addresses):
        """Offset of the next instruction in this run, None at its end."""
        form = instruction.form
        if form.name.startswith("v_") and not ends_by_name(form.name):
            return instruction.end
        if form.name in END:
            return None
        if form.name.startswith(BRANCHES):
            self.leaders.add(target(instruction))
            waiting.append((target(instruction), dict(addresses.known)))
            if form.name == "s_branch":
                return None
        elif form.name in JUMPS:
            if form.name == "s_setpc_b64":
                self.tail_call(instruction, waiting, addresses)
                return None
            self.call(instruction, waiting, addresses)
        if ends_block(form):
            self.leaders.add(instruction.end)
        return instruction.end

    def call(self, instruction, waiting, addresses):
        if instruction.form.name == "s_call_b64":
            place = target(instruction)
        else:
            place = addresses.known.get(instruction.form.operands[1].at)
        self.returns.append(instruction.end)
        if place is None:
            self.unknown.append(instruction.offset)
            return
        self.calls[instruction.offset] = place
        self.leaders.add(place)
        waiting.append((place, {}))

    def tail_call(self, instruction, waiting, addresses):
        """A jump to a place that the code has just made; else it is a return."""
        place = addresses.known.get(instruction.form.operands[0].at)
        if place is not None:
            self.calls[instruction.offset] = place
            self.leaders.add(place)
            waiting.append((place, {}))

    def blocks(self):
        made, block = {}, None
        for offset in sorted(self.seen):
            instruction = self.seen[offset]
            if block is None or offset in self.leaders or block.last.end != offset:
                if block is not None and block.last.end == offset and block.next is None and not stops(block.last):
                    block.next = offset
                block = made[offset] = Block(offset, len(made))
            block.instructions.append(instruction)
            if ends_block(instruction.form):
                block.next = None if stops(instruction) else instruction.end
        return made


def stops(instruction):
    return instruction.form.name in (*END, "s_branch", "s_setpc_b64")


def read(decoder, entry, kernel):
    """Flow of the kernel that begins at `entry`."""
    explorer = Explorer(decoder, kernel)
    explorer.explore(entry)
    return Flow(explorer.blocks(), explorer.calls, explorer.returns)
