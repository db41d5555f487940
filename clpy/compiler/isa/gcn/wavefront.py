# SPDX-License-Identifier: Apache-2.0
"""One kernel as a function of the host: `wave.NAME(wave, resume) -> where to go on`, for one wavefront.

Each block of the machine code is written up to twice, for a wavefront that is all on and for any other. Behind what
changes EXEC the code asks which it is.
"""
from clpy.llvm.ir import add_function

from . import crossing, handlers, lasting, liveness, memory, modes, program_counter, scalar
from .decode import EXEC, M0, VCC
from .flow import UnknownInstruction, target
from .lanes import Lanes
from .operands import scalar32
from .registers import SCC, Frame, Registers

PREFIX = "wave."            # of the function's name
BARRIER = 1 << 31           # in what the function returns (library/launch.c)
NEWEST = 9                  # generation whose instructions code of other families is made of
MAX_TURNS = 1 << 16         # of a loop that may wait for another wavefront, before it gives way (library/wave.h)
SHORT_LOOP = 16             # instructions of a loop that may do nothing but wait
MOST_VERSIONED = 6000       # instructions of a kernel that is written in two versions
EXEC_LIVES = liveness.scalars([EXEC])
# Offsets in `struct wave` (library/wave.h), which test_layout compares.
WAVE = {"exec": 0, "vcc": 8, "local": 16, "scratch": 24, "launch": 32, "image": 40, "group": 48, "index": 60,
        "lanes": 64, "resume": 68, "m0": 72, "scc": 76, "turns": 80, "tells": 84, "s": 96, "sink": 608, "counts": 616,
        "active": 624, "kernarg": 632, "address": 672, "v": 1216}


class Code(Lanes):
    """What instructions are written with. `r` is the registers of the block that is being written."""

    def __init__(self, module, kernel, processor, is_brief=False):
        super().__init__(module, is_brief, kernel.wave_size)
        self.kernel, self.processor = kernel, processor
        self.generation = int(processor[3:-2]) if processor.startswith("gfx") else NEWEST
        self.vgprs, self.sgprs = max(kernel.vgprs, 3), max(kernel.sgprs, 32)
        self.r = self.wave = self.entry = self.function = self.observe = None
        self.transfers = {}
        self.name, self.form = "", None         # of the instruction that is being written
        self.offset, self.lines = 0, None       # the instruction's place in the code; places.Lines
        self.flushes = False        # 32-bit denormal numbers are zeros, unless the code changes the mode
        self.indexed = None         # (index, mode) while moves add an index to a register's number
        self.has_scratch = bool(kernel.scratch_bytes or kernel.uses_dynamic_stack)

    def comes_from(self, offset):
        """What is written from here on is the instruction at an offset of the chip's code."""
        self.offset = offset
        if self.lines is not None:
            self.lines.at(self.b, offset)

    def unknown(self, more=""):
        return UnknownInstruction(f"{self.name} {more}".strip(), self.kernel.name)

    def in_wave(self, name, offset=0):
        place = WAVE[name] + offset
        return self.b.gep(self.types.i8, self.wave, [self.number(64, place)]) if place else self.wave

    def at_entry(self, make):
        """What `make` writes, in the first block."""
        here = self.b.block
        self.b.at_end(self.entry)
        value = make()
        self.b.at_end(here)
        return value

    def fixed(self, name):
        """An i64 of the wavefront that never changes."""
        key = "fixed", name
        if key not in self.transfers:
            self.transfers[key] = self.at_entry(lambda: self.b.load(self.types.i64, self.in_wave(name)))
        return self.transfers[key]

    def local(self):
        return self.fixed("local")

    def scratch(self):
        return self.fixed("scratch")

    def image(self):
        return self.fixed("image")

    def buffer_memory(self):
        """What buffer instructions without addr64 reach."""
        if self.generation > 6:
            return "private"
        return "either" if self.has_scratch else "near"

    def transfer(self, words, name="to"):
        """Room for so many vectors, through which the library gives and takes them."""
        key = name, words
        if key not in self.transfers:
            type_ = self.types.array(self.i32, words)
            self.transfers[key] = self.at_entry(lambda: self.b.alloca(type_))
        return self.transfers[key]

    def room(self):
        """Room for a vector register."""
        return self.at_entry(lambda: self.b.alloca(self.types.array(self.i32, self.parts)))

    def word_of(self, place, word):
        return self.b.gep(self.i32, place, [self.number(64, word)]) if word else place


class Node:
    """A block in one version: `full` for a wavefront that is all on."""

    def __init__(self, block, full, entry):
        self.block, self.full, self.entry = block, full, entry
        self.next = []              # nodes
        self.loaded, self.stored = set(), set()
        self.steps = []             # of its vector registers
        self.wanted = None          # behind each step
        self.live = 0               # registers with a value that is still wanted, where the node begins (liveness.py)
        self.is_place = False       # where a stopped wavefront goes on


class WaveFunction:
    """The function of one kernel. `observe` tells a sink of blocks and memory (observe.py). It is
    written twice: the first time tells which values of vector registers the code wants again (`wanted`). `is_brief`:
    once, in one version, for any wavefront. `lines`: a places.Lines."""

    def __init__(self, module, program, kernel, flow, observe, is_brief, wanted=None, lines=None):
        self.kernel, self.flow, self.observe, self.wanted = kernel, flow, observe, wanted
        self.c = c = Code(module, kernel, program.processor, is_brief)
        c.vgprs = max(c.vgprs, registers_in(flow))      # of a VLIW chip those of the engine
        c.observe, c.flushes = observe, modes.flushes(kernel, flow)
        t = c.types
        self.function = c.function = add_function(module, PREFIX + kernel.name, t.function(t.i32, [t.ptr, t.i32]))
        self.function.set_internal()
        self.function.add_attribute("nounwind")
        c.lines = lines
        if lines is not None:
            lines.enter(self.function, kernel.name)
        self.function.add_attribute("noalias", index=1)
        c.wave = self.function.params[0]
        c.entry = self.function.append_block("entry")
        self.start = self.function.append_block("start")
        self.frame = Frame(c, c.entry)
        self.nodes, self.waiting, self.stops = {}, [], []
        count = sum(len(block.instructions) for block in self.flow.blocks.values())
        self.versions = (False,) if is_brief or count > MOST_VERSIONED else (True, False)
        self.spinning = self.loops_that_may_wait()
        self.lasting = lasting.behind(flow) if is_brief else {}

    def write_nodes(self):
        begin = [self.node(self.kernel.entry, full) for full in self.versions]
        while self.waiting:
            self.write_node(self.waiting.pop())
        liveness.work_out(list(self.nodes.values()))
        return begin

    def write(self):
        begin = self.write_nodes()
        for stop in self.stops:
            self.write_stop(*stop)
        self.write_start(begin)
        self.c.b.at_end(self.c.entry)
        self.c.b.br(self.start)
        return self

    def node(self, start, full):
        full = full and True in self.versions
        found = self.nodes.get((start, full))
        if found is None:
            entry = self.function.append_block(f"b{start:x}{'.full' if full else ''}")
            found = self.nodes[start, full] = Node(self.flow.blocks[start], full, entry)
            self.waiting.append(found)
        return found

    # Blocks

    def write_node(self, node):
        c = self.c
        c.b.at_end(node.entry)
        wanted = self.wanted[node.block.start, node.full] if self.wanted is not None else None
        c.r = Registers(c, self.frame, node.full, wanted)
        self.observe.block(c, node.block)
        for instruction in node.block.instructions:
            c.name = instruction.form.name
            c.comes_from(instruction.offset)
            c.r.lasting = self.lasting.get(instruction.offset, -1)
            self.write_instruction(node, instruction)
        if c.b.block.terminator is None:
            self.leave(node, [node.block.next])
        node.loaded, node.stored, node.steps = c.r.loaded, c.r.stored, c.r.steps

    def write_instruction(self, node, instruction):
        form = self.c.form = instruction.form
        moved = self.moved(form)
        self.write_one(node, instruction)
        if (moved or self.c.r.uniform) and not form.name.startswith("s_"):
            self.c.r.uniform = {**self.still_uniform(form), **moved}

    def still_uniform(self, form):
        """What is left of Registers.uniform behind a vector instruction."""
        uniform = self.c.r.uniform
        if not uniform:
            return uniform
        reads, writes, crosses = lasting.effect(form)
        if crosses or "tfe" in form.modifiers:
            return {}
        touched = writes or reads           # where it is not known what it writes, all that it names
        return {number: value for number, value in uniform.items() if not touched >> number & 1}

    def moved(self, form):
        """The vector register that gets a scalar value in all lanes, and that; for those who trace."""
        c = self.c
        if (not self.observe.traces or form.name != "v_mov_b32" or form.encoding in ("sdwa", "dpp") or c.indexed
                or not c.r.exec.is_full or form.operands[1].kind == "v"):
            return {}
        return {form.operands[0].at: scalar32(c, form.operands[1])}

    def write_one(self, node, instruction):
        c, form = self.c, instruction.form
        name = form.name
        found = handlers.find(form)
        if c.indexed and name.startswith("v_") and found is not handlers.nothing:
            crossing.indexed(c, instruction)
        elif found is not None:
            found(c, instruction)
        elif name in CONTROL:
            CONTROL[name](self, node, instruction)
        elif name.startswith("s_cbranch_"):
            self.branch(node, instruction)
        else:
            raise c.unknown()

    def leave(self, node, starts, condition=None):
        """Go to one place, or to the first of two if the condition is met."""
        c = self.c
        exec_mask = c.r.masks.get(EXEC)
        changed = EXEC in c.r.changed
        bits = None
        if changed:
            c.r.flush()
            bits = c.r.pair(EXEC)
        elif exec_mask is not None and exec_mask.is_full:
            changed = False
        c.r.finish()
        ways = [self.way(node, start, bits) for start in starts]
        if len(ways) == 1:
            c.b.br(ways[0])
        else:
            c.b.cond_br(condition, *ways)

    def way(self, node, start, bits):
        """Block that goes on at `start`: at the version for EXEC, of which `bits` is a new value, None the old one."""
        c = self.c
        if bits is None or True not in self.versions:
            to = self.node(start, node.full)
            node.next.append(to)
            return self.turn(node, to)
        full, other = self.node(start, True), self.node(start, False)
        node.next += [full, other]
        if bits.is_const_int:
            return (full if bits.zext == c.everyone else other).entry
        here = c.b.block
        block = self.function.append_block("version")
        c.b.at_end(block)
        c.b.cond_br(c.b.icmp("eq", bits, c.number(64, c.everyone)), self.turn(node, full), self.turn(node, other))
        c.b.at_end(here)
        return block

    def turn(self, node, to):
        """The way to a node; by a place to give way, where it closes a loop that may wait for other wavefronts."""
        if to.block.start > node.block.start or to.block.start not in self.spinning:
            return to.entry
        c = self.c
        here = c.b.block
        block = self.function.append_block("turn")
        stop = self.function.append_block("give.way")
        c.b.at_end(block)
        turns = c.b.add(c.b.load(c.types.i32, c.in_wave("turns")), c.number(32, 1))
        c.b.store(turns, c.in_wave("turns"))
        c.b.cond_br(c.b.icmp("ugt", turns, c.number(32, MAX_TURNS)), stop, to.entry)
        self.stop(stop, to, 0)
        c.b.at_end(here)
        return block

    def branch(self, node, instruction):
        c = self.c
        condition = scalar.condition(c, instruction.form)
        self.leave(node, [target(instruction), node.block.next], condition)

    def jump(self, node, instruction):
        self.leave(node, [target(instruction)])

    def end(self, node, instruction):
        c = self.c
        c.r.flush()
        c.b.ret(c.number(32, 0))

    def barrier(self, node, instruction):
        self.c.r.finish()
        to = self.node(node.block.next, node.full)
        node.next.append(to)
        block = self.function.append_block("barrier")
        self.c.b.br(block)
        self.stop(block, to, BARRIER)

    # Calls

    def call(self, node, instruction):
        """s_swappc_b64, s_call_b64"""
        c, operands, places = self.c, instruction.form.operands, self.flow.calls[instruction.offset]
        by_register = isinstance(places, list)
        where = c.r.pair(operands[1].at) if by_register else None
        c.r.set_pair(operands[0].at, program_counter.address(c, instruction.end))
        if by_register:
            self.jump_to_one_of(node, where, places)
        else:
            self.leave(node, [places])

    def jump_back(self, node, instruction):
        """s_setpc_b64: a return, to behind one of the calls; or a call in place of a return."""
        c = self.c
        if instruction.offset in self.flow.calls:
            self.leave(node, [self.flow.calls[instruction.offset]])
            return
        self.jump_to_one_of(node, c.r.pair(instruction.form.operands[0].at), self.flow.returns)

    def jump_to_one_of(self, node, address, places):
        c = self.c
        where = c.b.sub(address, c.image())
        c.r.finish()
        nowhere = self.function.append_block("nowhere")
        cases = []
        for start in places:
            to = self.node(start, node.full)
            node.next.append(to)
            cases.append((c.number(64, start), to.entry))
        c.b.switch(where, nowhere, cases)
        c.b.at_end(nowhere)
        c.b.unreachable()

    # Stopping and going on

    def stop(self, block, to, flag):
        to.is_place = True
        self.stops.append((block, to, flag))

    def place(self, key):
        """(place in the frame, place in the wavefront's memory, type) of a scalar register."""
        c = self.c
        if key == SCC:
            return self.frame.place(SCC), c.in_wave("scc"), c.types.i1
        names = {EXEC: ("exec", 0), VCC: ("vcc", 0), M0: ("m0", 0)}
        name, offset = names[key] if key in names else ("s", 4 * key)
        return self.frame.place(key), c.in_wave(name, offset), self.frame.type_of(key)

    def write_stop(self, block, to, flag):
        c = self.c
        c.b.at_end(block)
        for key in liveness.scalars_in(to.live | EXEC_LIVES):
            place, saved, type_ = self.place(key)
            c.b.store(c.b.load(type_, place), saved)
        if not flag:
            c.b.store(c.number(32, 0), c.in_wave("turns"))
        c.b.ret(c.number(32, place_of(to.block) | flag))

    def write_start(self, begin):
        """The first block: registers as the dispatcher set them, or as they were when the wavefront stopped."""
        c = self.c
        fresh = self.function.append_block("fresh")
        cases = []
        for start in sorted({node.block.start for node in self.nodes.values() if node.is_place}):
            block = self.function.append_block(f"resume{start:x}")
            c.b.at_end(block)
            self.go_on(start)
            cases.append((c.number(32, place_of(self.flow.blocks[start])), block))
        c.b.at_end(fresh)
        self.clear()
        given = self.kernel.descriptor.get("user_sgpr_count", 0) + 5
        self.restore([*range(min(given, 104)), EXEC])
        if len(begin) == 2:
            bits = c.b.load(c.types.i64, c.in_wave("exec"))
            c.b.cond_br(c.b.icmp("eq", bits, c.number(64, c.everyone)), begin[0].entry, begin[1].entry)
        else:
            c.b.br(begin[0].entry)
        c.b.at_end(self.start)
        self.observe.enter(c)
        c.b.switch(self.function.params[1], fresh, cases)

    def go_on(self, start):
        """With a block, in the version for EXEC: what stopped may have been code with one version."""
        c = self.c
        nodes = [node for full in (True, False) if (node := self.nodes.get((start, full))) is not None]
        self.clear()
        live = EXEC_LIVES
        for node in nodes:
            live |= node.live
        self.restore(liveness.scalars_in(live))
        if len(nodes) == 1:
            c.b.br(nodes[0].entry)
            return
        bits = c.b.load(c.types.i64, self.frame.place(EXEC))
        c.b.cond_br(c.b.icmp("eq", bits, c.number(64, c.everyone)), nodes[0].entry, nodes[1].entry)

    def clear(self):
        for key, place in list(self.frame.places.items()):
            self.c.b.store(self.frame.type_of(key).null, place)

    def restore(self, keys):
        for key in keys:
            if key in self.frame.places:
                place, saved, type_ = self.place(key)
                self.c.b.store(self.c.b.load(type_, saved), place)

    @property
    def suspends(self):
        return bool(self.stops)

    def loops_that_may_wait(self):
        """Starts of loops in which memory is read that others may change. Nothing tells of a load from LDS that it is
        volatile: of loops that only read there, the short ones may wait."""
        found, blocks, before, sums = set(), self.flow.blocks, {}, (0, 0, 0)
        for start in sorted(blocks):        # instructions, reads and what may wait, before and behind a block
            before[start] = sums
            inside = [instruction.form for instruction in blocks[start].instructions]
            sums = (sums[0] + len(inside), sums[1] + sum(form.name.startswith("ds_read") for form in inside),
                    sums[2] + sum(map(may_wait, inside)))
            block = blocks[start]
            if block.last.form.name.startswith(("s_cbranch_", "s_branch")) and target(block.last) <= start:
                n, reads, waits = (now - then for now, then in zip(sums, before[target(block.last)], strict=True))
                if waits or (reads and n <= SHORT_LOOP):
                    found.add(target(block.last))
        return found


def registers_in(flow):
    """Vector registers that the code names: what its metadata says may be less."""
    operands = (operand for block in flow.blocks.values() for i in block.instructions for operand in i.form.operands)
    return max((operand.at + operand.width for operand in operands if operand.kind == "v"), default=0)


def place_of(block):
    """Number of the place where a stopped wavefront goes on: the same in all versions of a kernel's code."""
    return 1 + block.number


def may_wait(form):
    return ("atomic" in form.name or bool(form.modifiers.get("glc")) or form.name == "s_sleep"
            or form.name.startswith(memory.LOCAL_ATOMICS))


CONTROL = {"s_endpgm": WaveFunction.end, "s_branch": WaveFunction.jump, "s_barrier": WaveFunction.barrier,
           "s_swappc_b64": WaveFunction.call, "s_call_b64": WaveFunction.call, "s_setpc_b64": WaveFunction.jump_back}


def write(module, program, kernel, decoder, observe, lines, is_brief=False):
    """The WaveFunction of a kernel."""
    flow = decoder.flow(kernel)
    if is_brief:        # what a draft saves to compile is less than what the draft takes
        return WaveFunction(module, program, kernel, flow, observe, is_brief, lines=lines).write()
    draft = WaveFunction(module, program, kernel, flow, observe, is_brief=False)
    draft.write_nodes()
    wanted = {key: node.wanted for key, node in draft.nodes.items()}
    draft.function.erase()
    return WaveFunction(module, program, kernel, flow, observe, False, wanted, lines).write()
