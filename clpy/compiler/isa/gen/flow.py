# SPDX-License-Identifier: Apache-2.0
"""The control flow of a Gen kernel: blocks, where threads and channels go, and where all channels are together again.

A thread has one place in the code, and channels that are off wait for it somewhere further on: an instruction turns
channels off and says where they go on. So the thread comes to a place where channels meet with all of them, if it came
to where they parted with all of them.
"""
from dataclasses import dataclass, field

from clpy.compiler.isa.gcn.flow import UnknownInstruction

from .decode import MEETING, PARTING

BARRIER = "wait"
ALWAYS_PARTING = ("else", "while", "break", "goto.b")        # without a predicate, too


@dataclass
class Block:
    """`next`: pcs that the thread may go on at; `ways`: those that channels may."""
    start: int
    number: int = 0
    instructions: list = field(default_factory=list)
    next: tuple = ()
    ways: tuple = ()
    steps: list = None

    @property
    def last(self):
        return self.instructions[-1]

    @property
    def parts(self):
        """Whether channels may part behind it."""
        last = self.last
        return last.name in PARTING and (last.predicate is not None or last.name in ALWAYS_PARTING)


@dataclass
class Flow:
    """`blocks` by pc; `meets`: pcs where channels wait; `returns`: pcs behind calls; `converged`: pcs of blocks to
    which a thread comes with all of its channels."""
    blocks: dict
    entry: int
    meets: set
    returns: list
    converged: set = frozenset()


def is_end(instruction):
    return instruction.is_send and "EOT" in instruction.options


def ends_block(instruction):
    return instruction.name in (*PARTING, *MEETING, "jmpi", "call", "ret", BARRIER) or is_end(instruction)


def waits_at(instruction, at):
    """{where: which} channels that an instruction turns off go on: "taken", those of its predicate, or "others"."""
    name, targets = instruction.name, instruction.targets
    if name == "if":
        return {targets[0]: "others"}
    if name == "else":
        return {targets[-1]: "taken"}
    if name == "while":
        return {instruction.end: "others"}
    if name == "break":             # behind the `while` that it names
        return {at[targets[1]].end: "taken"}
    if name == "cont":
        return {targets[1]: "taken"}
    if name == "goto.b":            # backwards: those of the predicate go
        return {instruction.end: "others"}
    if name == "goto":              # forwards: those of the predicate stay
        return {targets[1]: "others"}
    return {targets[1]: "taken"}    # halt


class Explorer:
    def __init__(self, instructions, kernel):
        self.at = {i.pc: i for i in instructions}
        self.entry, self.kernel = kernel.entry, kernel.name
        self.seen, self.leaders, self.meets, self.returns = set(), {kernel.entry}, set(), []

    def where(self, pc):
        found = self.at.get(pc)
        if found is None:
            raise UnknownInstruction(f"a branch to {pc:#x}", self.kernel, "the chip's code:")
        if found.name == "illegal":
            raise UnknownInstruction(f"at {pc:#x}", self.kernel)
        return found

    def explore(self):
        waiting = [self.entry]
        while waiting:
            pc = waiting.pop()
            while pc is not None and pc not in self.seen:
                instruction = self.where(pc)
                self.seen.add(pc)
                following = self.following(instruction)
                if ends_block(instruction):
                    self.leaders.update(following)
                    waiting += following
                    break
                pc = instruction.end
        return self

    def following(self, instruction):
        """Pcs that the thread may go on at."""
        name, targets, end = instruction.name, instruction.targets, instruction.end
        if is_end(instruction):
            return []
        if name in PARTING:
            try:
                self.meets.update(waits_at(instruction, self.at))
            except (KeyError, IndexError):
                raise UnknownInstruction(f"{name} at {instruction.pc:#x}", self.kernel) from None
            self.leaders.update(waits_at(instruction, self.at))
            return list(dict.fromkeys([end, targets[-1] if name == "goto.b" else targets[0]]))
        if name in MEETING:
            self.leaders.add(instruction.pc)
            return list(dict.fromkeys([end, targets[0]]))
        if name in ("jmpi", "call") and not targets:
            raise UnknownInstruction(f"{name} of a register", self.kernel)
        if name == "jmpi":
            return [targets[0]] if instruction.predicate is None else [targets[0], end]
        if name == "call":
            self.returns.append(end)
            return [targets[0], end]
        if name == "ret":
            return []
        return [end]

    def blocks(self):
        made, block = {}, None
        for pc in sorted(self.seen):
            instruction = self.at[pc]
            if block is None or pc in self.leaders or block.last.end != pc or ends_block(block.last):
                block = made[pc] = Block(pc, len(made))
            block.instructions.append(instruction)
        for block in made.values():
            last = block.last
            block.next = tuple(self.following(last)) if ends_block(last) else (last.end,)
            block.ways = self.ways(last, block.next)
        for block in made.values():
            if block.last.name == "ret":
                block.next = block.ways = tuple(self.returns)
            for pc in (*block.next, *block.ways):
                if pc not in made:          # channels would wait where the thread never comes
                    raise UnknownInstruction(f"a branch to {pc:#x}", self.kernel, "the chip's code:")
        return made

    def ways(self, last, following):
        name, targets = last.name, last.targets
        if name in PARTING:
            places = set(waits_at(last, self.at))
            if name in ("while", "goto.b"):
                places.add(targets[-1])
            if name != "else" and not (name in ("break", "cont", "halt") and last.predicate is None):
                places.add(last.end)
            return tuple(sorted(places))
        if name in MEETING:
            return (last.end,)
        if name == "call":
            return (targets[0],)
        return tuple(following)


def read(instructions, kernel):
    """Flow of a kernel's instructions."""
    explorer = Explorer(instructions, kernel).explore()
    blocks = explorer.blocks()
    flow = Flow(blocks, kernel.entry, explorer.meets & set(blocks), explorer.returns)
    flow.converged = converged(flow)
    return flow


# Where all channels are together

def post_dominators(blocks):
    """{pc: the block that all ways from it come through first}, by the ways of channels; None: the end."""
    order = backwards(blocks)
    rank = {pc: i for i, pc in enumerate(order)}
    above = {}
    changed = True
    while changed:
        changed = False
        for pc in order:
            found, some = None, False
            for way in blocks[pc].ways or (None,):
                if way is not None and way not in above:
                    continue
                found, some = (way, True) if not some else (meet(found, way, above, rank), True)
            if some and above.get(pc, 0) != found:
                above[pc] = found
                changed = True
    return above


def backwards(blocks):
    """Pcs, each behind all that it leads to, as far as there are no loops."""
    order, seen = [], set()
    for root in sorted(blocks):
        stack = [(root, iter(blocks[root].ways))] if root not in seen else []
        seen.add(root)
        while stack:
            pc, ways = stack[-1]
            for way in ways:
                if way not in seen:
                    seen.add(way)
                    stack.append((way, iter(blocks[way].ways)))
                    break
            else:
                order.append(pc)
                stack.pop()
    return order


def meet(one, other, above, rank):
    """Where two chains of post-dominators come together."""
    while one != other:
        if one is None or other is None:
            return None
        if rank[one] > rank[other]:
            one = above.get(one)
        else:
            other = above.get(other)
    return one


def converged(flow):
    blocks, tainted = flow.blocks, set()
    if flow.returns:            # a function may be called from anywhere
        return {flow.entry} - flow.meets
    above = post_dominators(blocks)
    while True:
        found, waiting, before = set(), [flow.entry], len(tainted)
        while waiting:
            pc = waiting.pop()
            if pc is None or pc in found or pc in tainted:
                continue
            found.add(pc)
            block = blocks[pc]
            if block.parts:
                tainted |= between(blocks, (*block.ways, *block.next), above.get(pc))
            if block.parts or any(way in tainted for way in block.ways):
                place = above.get(pc)
                while place is not None and place in tainted:
                    place = above.get(place)
                waiting.append(place)
            if not block.parts:
                waiting += block.ways
        if len(tainted) == before:
            return found - tainted


def between(blocks, starts, end):
    """Blocks from some on, to one. A thread may come to more of them than its channels do: on its way to where they all
    wait it is nobody's."""
    found, waiting = set(), list(starts)
    while waiting:
        pc = waiting.pop()
        if pc != end and pc not in found:
            found.add(pc)
            waiting += (*blocks[pc].ways, *blocks[pc].next)
    return found
