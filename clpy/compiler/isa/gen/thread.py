# SPDX-License-Identifier: Apache-2.0
"""One kernel as a function of the host: `wave.NAME(wave, resume) -> where to go on`, for one hardware thread.

Each block of the machine code is written twice, for a thread all of whose channels began and for any other. Channels
that are off wait, in a mask for each place where some do: a thread that comes there turns them on.
"""
from clpy.compiler.isa.gcn.wavefront import BARRIER, MAX_TURNS, PREFIX
from clpy.llvm.ir import add_function

from . import alu, checks, messages, operands, rounding, send
from .code import CONTROL, EXEC, FILE, Code
from .flow import MEETING, PARTING, is_end, waits_at
from .webs import Webs

VECTOR = 256                # bytes of one of the engine's vector registers
KEEPS_DENORMALS = 0x80      # of single precision, in cr0
TURNS, MOST_DEEP = 8, 4     # of a loop, of which nothing is known
MOST_INSTRUCTIONS = 12000   # of a kernel that is written in two versions


def meeting(pc):
    return "meet", pc


class Node:
    """A block in one version."""

    def __init__(self, block, full, entry):
        self.block, self.full, self.entry = block, full, entry
        self.accesses = []          # to the file of registers


class ThreadFunction:
    def __init__(self, module, program, kernel, flow, observe, lines, is_brief):
        self.kernel, self.flow, self.observe = kernel, flow, observe
        self.c = c = Code(module, kernel, program)
        c.observe, c.lines = observe, lines
        t = c.types
        self.function = c.function = add_function(module, PREFIX + kernel.name, t.function(t.i32, [t.ptr, t.i32]))
        self.function.set_internal()
        self.function.add_attribute("nounwind")
        if lines is not None:
            lines.enter(self.function, kernel.name)
        self.function.add_attribute("noalias", index=1)
        c.wave = self.function.params[0]
        c.entry = self.function.append_block("entry")
        self.start = self.function.append_block("start")
        self.at = {i.pc: i for block in flow.blocks.values() for i in block.instructions}
        count = len(self.at)
        self.versions = (False,) if is_brief or count > MOST_INSTRUCTIONS else (True, False)
        c.flushes = not any(map(keeps_denormals, self.at.values()))
        self.nodes, self.waiting, self.stops = {}, [], []
        self.webs = None            # where registers are in the file only
        self.loops = {(to, block.start) for block in flow.blocks.values() for to in block.next if to <= block.start}
        self.spinning = self.loops_that_may_wait()

    def loops_that_may_wait(self):
        """Pcs of blocks that close a loop in which a thread may wait for another one."""
        found = set()
        for to, start in self.loops:
            last = self.flow.blocks[start].last.pc
            if any(self.may_wait(i) for i in self.at.values() if to <= i.pc <= last):
                found.add((start, to))
        return found

    def may_wait(self, instruction):
        message = messages.read(instruction) if instruction.is_send else None
        if message is None:
            return False
        return message.kind in ("atomic", "atomic_return", "fence") or (message.kind == "load" and self.kernel.looks)

    def write(self):
        begin = [self.node(self.flow.entry, full) for full in self.versions]
        while self.waiting:
            self.write_node(self.waiting.pop())
        if not self.c.is_indirect:
            self.webs = Webs(list(self.nodes.values()), self.after, {to for _, to, _ in self.stops}, self.often)
            self.webs.write(self.c)
        places = self.places()
        for stop in self.stops:
            self.write_stop(places, *stop)
        self.write_start(begin, places)
        self.c.b.at_end(self.c.entry)
        self.c.b.br(self.start)
        return self

    def node(self, start, full):
        found = self.nodes.get((start, full))
        if found is None:
            entry = self.function.append_block(f"b{start:x}{'.full' if full else ''}")
            found = self.nodes[start, full] = Node(self.flow.blocks[start], full, entry)
            self.waiting.append(found)
        return found

    def after(self, node):
        found = (self.nodes.get((to, node.full)) for to in node.block.next)
        return [to for to in found if to is not None]

    def often(self, node):
        """How often a block runs, by the loops around it."""
        depth = sum(first <= node.block.start <= last for first, last in self.loops)
        return TURNS ** min(depth, MOST_DEEP)

    # Blocks

    def write_node(self, node):
        c, block = self.c, node.block
        c.b.at_end(node.entry)
        c.accesses = node.accesses
        c.full, c.is_converged, c.rounding = node.full, block.start in self.flow.converged, rounding.NEAREST
        self.arrive(block)
        self.observe.block(c, block)
        for instruction in block.instructions:
            c.comes_from(instruction)
            self.write_instruction(node, instruction)
        if c.b.block.terminator is None:
            self.go(node, block.next[0])

    def arrive(self, block):
        """Channels that wait here run again."""
        c = self.c
        if block.start not in self.flow.meets:
            return
        name = meeting(block.start)
        if not c.is_converged:
            c.set(EXEC, c.b.binop("or", c.get(EXEC), c.get(name)))
        c.set(name, c.number(32, 0))

    def write_instruction(self, node, instruction):
        c, name = self.c, instruction.name
        if instruction.is_send:
            if is_end(instruction):
                c.b.ret(c.number(32, 0))
            else:
                send.write(c, instruction)
        elif name in alu.HANDLERS:
            if not checks.is_possible(instruction):
                raise c.unknown("with such operands")
            alu.HANDLERS[name](c, instruction)
            if instruction.dst is not None and instruction.dst.kind == "cr":
                c.rounding = rounding.after(instruction, c.rounding)
        elif name in PARTING:
            self.part(node, instruction)
        elif name in CONTROL_FLOW:
            CONTROL_FLOW[name](self, node, instruction)
        else:
            raise c.unknown()

    # Where threads go

    def tell_running(self, node):
        """A block whose channels are all there says so to those that ask which are."""
        c = self.c
        if c.is_converged and any(to not in self.flow.converged for to in node.block.next):
            c.set(EXEC, c.begun())

    def go(self, node, to):
        self.tell_running(node)
        self.c.b.br(self.way(node, to))

    def choose(self, node, condition, yes, no):
        self.c.b.cond_br(condition, self.way(node, yes), self.way(node, no))

    def way(self, node, to):
        """LLVM block that goes on at a pc; by a place to give way, where it closes a loop that may wait."""
        c, target = self.c, self.node(to, node.full)
        if (node.block.start, to) not in self.spinning:
            return target.entry
        here = c.b.block
        block, stop = (self.function.append_block(name) for name in ("turn", "give.way"))
        c.b.at_end(block)
        turns = c.b.add(c.b.load(c.types.i32, c.in_wave("turns")), c.number(32, 1))
        c.b.store(turns, c.in_wave("turns"))
        c.b.cond_br(c.b.icmp("ugt", turns, c.number(32, MAX_TURNS)), stop, target.entry)
        self.stops.append((stop, target, 0))
        c.b.at_end(here)
        return block

    def part(self, node, instruction):
        """Some channels go on elsewhere: they are off until the thread comes there."""
        c, name, targets, end = self.c, instruction.name, instruction.targets, instruction.end
        running, which = c.running(), self.which(instruction)
        taken = c.b.binop("and", running, which)
        within = c.number(32, channels(instruction))
        others = c.b.binop("and", c.b.binop("and", running, within),
                           c.b.binop("xor", which, c.number(32, -1)))
        (place, who), = waits_at(instruction, self.at).items()
        off = taken if who == "taken" else others
        here = meeting(place)
        c.set(here, c.b.binop("or", c.get(here), off))
        left = c.b.binop("and", running, c.b.binop("xor", off, c.number(32, -1)))
        c.set(EXEC, left)
        if name in ("while", "goto.b"):
            self.choose(node, self.some(taken), targets[-1], end)
            return
        if name == "else" and end in self.flow.meets:
            left = c.b.binop("or", left, c.get(meeting(end)))
        self.choose(node, self.some(c.b.binop("and", left, within)), end, targets[0])

    def which(self, instruction):
        """i32 of the channels that an instruction's predicate has."""
        c = self.c
        bits = c.predicate(instruction)
        if bits is None:
            return c.number(32, channels(instruction))
        word, first = c.word(bits), instruction.offset % 32
        return c.b.binop("shl", word, c.number(32, first)) if first else word

    def some(self, mask):
        return self.c.b.icmp("ne", mask, self.c.number(32, 0))

    def meet(self, node, instruction):
        """endif, join"""
        c, targets = self.c, instruction.targets
        if c.is_converged or targets[0] in (instruction.pc, instruction.end):
            self.go(node, instruction.end)
        else:
            self.choose(node, self.some(c.get(EXEC)), instruction.end, targets[0])

    def jump(self, node, instruction):
        """jmpi: of the whole thread."""
        c = self.c
        self.tell_running(node)
        bits = c.predicate(instruction)
        if bits is None:
            c.b.br(self.way(node, instruction.targets[0]))
        else:
            self.choose(node, c.b.extract_element(bits, c.number(32, 0)), instruction.targets[0], instruction.end)

    def call(self, node, instruction):
        c = self.c
        dst = instruction.dst._replace(type="ud")
        operands.write(c, dst, c.all(c.types.i32, 1, instruction.end), None)
        self.go(node, instruction.targets[0])

    def come_back(self, node, instruction):
        """ret"""
        c = self.c
        self.tell_running(node)
        source = instruction.sources[0]._replace(type="ud", region=(0, 1, 0))
        where = c.b.extract_element(operands.read(c, source, 1), c.number(32, 0))
        nowhere = self.function.append_block("nowhere")
        cases = [(c.number(32, pc), self.node(pc, node.full).entry) for pc in self.flow.returns]
        c.b.switch(where, nowhere, cases)
        c.b.at_end(nowhere)
        c.b.ret(c.number(32, 0))

    def wait(self, node, instruction):
        """For all threads of the group."""
        self.tell_running(node)
        block = self.function.append_block("barrier")
        self.c.b.br(block)
        self.stops.append((block, self.node(instruction.end, node.full), BARRIER))

    # Stopping and going on

    @property
    def suspends(self):
        return bool(self.stops)

    def places(self):
        """{variable: its offset behind the file of registers}, for threads that stop, and what that takes."""
        c, at, found = self.c, FILE, {}
        for name in sorted(c.variables, key=str):
            found[name] = at
            at += -(-c.variables[name][1].size // 64) * 64
        c.vgprs = -(-at // VECTOR)
        return found

    def write_stop(self, places, block, to, how):
        c = self.c
        c.b.at_end(block)
        for name, place in places.items():
            c.b.store(c.get(name), c.in_wave("v", place))
        if self.webs is not None:
            self.webs.save(c, to)
        c.b.ret(c.number(32, self.number_of(to) | how))

    def number_of(self, node):
        return 1 + 2 * node.block.number + int(node.full)

    def write_start(self, begin, places):
        c, b = self.c, self.c.b
        b.at_end(self.start)
        fresh, again = (self.function.append_block(name) for name in ("fresh", "again"))
        resume = self.function.params[1]
        b.cond_br(b.icmp("eq", resume, c.number(32, 0)), fresh, again)
        b.at_end(fresh)
        self.observe.enter(c)
        for name, (place, type_) in c.variables.items():
            b.store(c.fixed("exec", c.types.i32) if name == EXEC else type_.null, place)
        self.begin(begin)
        b.at_end(again)
        self.observe.enter(c)
        for name, place in places.items():
            b.store(b.load(c.variables[name][1], c.in_wave("v", place)), c.variables[name][0])
        targets = {self.number_of(to): to for _, to, _ in self.stops}
        nowhere = self.function.append_block("nowhere")
        b.switch(resume, nowhere, [(c.number(32, number), self.way_in(to)) for number, to in sorted(targets.items())])
        b.at_end(nowhere)
        b.ret(c.number(32, 0))

    def begin(self, begin):
        c, b = self.c, self.c.b
        if len(begin) == 1:
            b.br(self.way_in(begin[0]))
            return
        lanes = c.fixed("lanes", c.types.i32)
        b.cond_br(b.icmp("eq", lanes, c.number(32, c.simd)), *map(self.way_in, begin))

    def way_in(self, node):
        """LLVM block of a thread that comes from its memory to a node."""
        if self.webs is None:
            return node.entry
        c, here = self.c, self.c.b.block
        block = self.function.append_block("in")
        c.b.at_end(block)
        self.webs.restore(c, node)
        c.b.br(node.entry)
        c.b.at_end(here)
        return block


def channels(instruction):
    """Bits of the channels of an instruction."""
    return ((1 << instruction.width) - 1) << instruction.offset % 32 & 0xFFFFFFFF


def keeps_denormals(instruction):
    return (instruction.dst is not None and instruction.dst.kind == CONTROL[:2] and
            any(op.kind == "imm" and op.value & KEEPS_DENORMALS for op in instruction.sources))


CONTROL_FLOW = {"jmpi": ThreadFunction.jump, "call": ThreadFunction.call, "ret": ThreadFunction.come_back,
                "wait": ThreadFunction.wait, **dict.fromkeys(MEETING, ThreadFunction.meet)}
