# SPDX-License-Identifier: Apache-2.0
"""The static program of a Gen kernel for the models of chips: what each block's instructions keep busy, and where a
thread waits.

The code does not say that; the hardware keeps a mark for each register that has a result to come. So what is written
here follows from the registers: between instructions of a block how long a thread that is alone waits for its own
results (Step.gap), and for messages a step that waits, before the first instruction that wants what one brings. Of
those what may be under way at the begin of a block comes from all blocks before it. Messages of a kind come back in
order.
"""
from clpy.compiler.isa.gcn.steps import ANY, Step, WaveProgram, line_finder

from . import messages
from .decode import GRF, SIZES
from .flow import BARRIER, MEETING, PARTING, is_end

FLOW = (*PARTING, *MEETING, "jmpi", "call", "ret")
MATH = {"pow": "pow", "fdiv": "pow", "idiv": "int_div", "iqot": "int_div", "irem": "int_div"}
PRODUCTS = ("mul", "mad", "mac", "mach", "macl")
WORDS = ("d", "ud")
HALF = "hf"
PORT = 64                   # bytes of local memory a cycle
MOST_MERGED = 8             # instructions of a step: others of the EU have their turn between steps
MOST_UNDER_WAY = 24         # that are told apart
KINDS = {"load": "load", "block_load": "load", "scratch_load": "load", "store": "store", "block_store": "store",
         "scratch_store": "store", "atomic": "atomic", "atomic_return": "atomic_return", "image_load": "image_load",
         "image_store": "image_store", "image_sample": "image_sample", "media_load": "image_load",
         "media_store": "image_store"}
BLOCKS = {"block_load": 16, "block_store": 16, **dict.fromkeys(("scratch_load", "scratch_store", "media_load",
                                                               "media_store"), GRF)}      # bytes of each
FLAGLESS = ("sel", "csel")          # their condition chooses, and is written nowhere
ADDRESS = "a0"


# Registers

def of_operand(operand, width):
    """Registers that an instruction of so many channels reads or writes of an operand."""
    if operand is None or operand.kind not in ("r", "a"):
        return ()
    if operand.kind == "a":
        return (ADDRESS,)
    if operand.index >= 0:          # somewhere
        return (ADDRESS,)
    size = SIZES.get(operand.type, 4)
    last = operand.byte + operand.offsets(width)[-1] * size + size - 1
    return range(operand.number, last // GRF + 1)


def touched(ins, message):
    """(registers that it reads, those that it writes); flags are among them by name."""
    reads, writes = [], []
    if message is None:
        for source in ins.sources:
            reads += of_operand(source, ins.width)
        writes += of_operand(ins.dst, ins.width)
        if ins.dst is not None and ins.dst.index >= 0:
            reads.append(ADDRESS)
            writes.remove(ADDRESS)
    else:
        for source, n in zip(ins.sources, (message.length, message.more), strict=False):
            if source.kind == "r":
                reads += range(source.number, source.number + n)
        if ins.desc is None or ins.exdesc is None:
            reads.append(ADDRESS)
        if ins.dst is not None and ins.dst.kind == "r":
            writes += range(ins.dst.number, ins.dst.number + message.response)
    if ins.predicate is not None:
        reads.append(ins.predicate[1])
    if ins.condition is not None and ins.name not in FLAGLESS:
        writes.append(ins.condition[1])
    return reads, writes


def is_indirect(ins):
    return any(operand is not None and operand.index >= 0 for operand in (ins.dst, *ins.sources))


# What is under way

class UnderWay:
    """Messages that have not come back: for each kind, "vm" or "lgkm", the registers of each, the latest first."""

    def __init__(self, of=((), ())):
        self.of = {"vm": list(of[0]), "lgkm": list(of[1])}

    def state(self):
        return tuple(self.of["vm"]), tuple(self.of["lgkm"])

    def send(self, kind, registers):
        row = self.of[kind]
        row.insert(0, frozenset(registers))
        if len(row) > MOST_UNDER_WAY:
            oldest = row.pop()
            row[-1] |= oldest

    def wanted(self, registers, everything):
        """{kind: how many may stay under way} where somebody wants these registers; then that many are left."""
        found = {}
        for kind, row in self.of.items():
            for younger, to_come in enumerate(row):
                if everything or not to_come.isdisjoint(registers):
                    found[kind] = younger
                    del row[younger:]
                    break
        return found


def joined(one, other):
    """States of two ways to a block: the latest of both are the latest then."""
    made = []
    for first, second in zip(one, other, strict=True):
        most = max(len(first), len(second))
        rows = [(*row, *[frozenset()] * (most - len(row))) for row in (first, second)]
        made.append(tuple(a | b for a, b in zip(*rows, strict=True)))
    return tuple(made)


def states_at(blocks):
    """{start of each block: what may be under way there}"""
    nothing = (), ()
    found = {start: nothing for start in blocks}
    waiting = sorted(blocks)
    while waiting:
        block = blocks[waiting.pop(0)]
        under_way = UnderWay(found[block.start])
        for ins in block.instructions:
            go_past(ins, message_of(ins), under_way)
        for following in block.next:
            state = joined(found[following], under_way.state())
            if state != found[following]:
                found[following] = state
                if following not in waiting:
                    waiting.append(following)
    return found


def go_past(ins, message, under_way):
    """{kind: how many may stay under way} before an instruction, which may send another message."""
    reads, writes = touched(ins, message)
    wanted = under_way.wanted({*reads, *writes}, is_indirect(ins))
    if message is not None and message.response and message.kind in KINDS:
        under_way.send("lgkm" if message.space == "local" else "vm", writes)
    return wanted


# Steps

def message_of(ins):
    """None of what is no message, or of one that nobody knows."""
    return messages.read(ins) if ins.is_send else None


def bytes_of(ins, message):
    """That a message moves for all its lanes."""
    if message.kind in BLOCKS:
        return BLOCKS[message.kind] * message.count
    return message.bytes * len(message.elements) * min(ins.width, message.lanes)


def width_of(blocks):
    """Work-items of a thread, by the widest that its code is."""
    return max((ins.offset + ins.width for block in blocks for ins in block.instructions if not ins.nomask), default=8)


def class_of(ins):
    """Of arithmetic: the key of the chip's cycles."""
    name, _, function = ins.name.partition(".")
    if name == "math":
        return MATH.get(function, "math")
    types = [operand.type for operand in (ins.dst, *ins.sources) if operand is not None and operand.type]
    if any(SIZES.get(type_) == 8 for type_ in types):
        return "wide"
    if name in PRODUCTS and sum(source.type in WORDS for source in ins.sources) >= 2:
        return "wide"
    return "half" if HALF in types and "f" not in types else "alu"


def registers_of(ins):
    """How many registers the widest operand is."""
    sizes = [SIZES.get(operand.type, 4) for operand in (ins.dst, *ins.sources)
             if operand is not None and operand.type and operand.kind != "imm"]
    return max(-(-ins.width * max(sizes, default=4) // GRF), 1)


def arithmetic(ins, rates):
    """(step, cycles from its begin to its result)"""
    kind = class_of(ins)
    unit = "salu" if ins.name.startswith("math") else "valu"
    result = "mad" if kind == "alu" and ins.name == "mad" else "alu" if kind == "half" else kind
    latency = rates["flag_latency" if ins.condition is not None else f"{result}_latency"]
    return Step(unit, cycles=rates[kind] * registers_of(ins), mix={kind: 1}), latency


def message_step(ins, message, rates, width):
    """`width`: of the thread, whose messages may be for a part of its work-items each."""
    if message is not None and message.kind in KINDS:
        is_local = message.space == "local"
        bytes_ = bytes_of(ins, message)
        cycles = max(-(-bytes_ // PORT), rates["lds_atomic"]) if is_local else rates["send"]
        return Step("lds" if is_local else "vmem", KINDS[message.kind], cycles=cycles, bytes=max(bytes_ // width, 1))
    if message is not None and message.kind == "fence":
        return Step("wait", exp=0, cycles=rates["fence"])
    return Step("message", cycles=rates["send"])


class Block:
    """Makes the steps of a block. `now`: cycles of a thread that is alone; `ready`: when registers have results."""

    def __init__(self, rates, line_at, width):
        self.rates, self.line_at, self.width = rates, line_at, width
        self.steps, self.now, self.ready = [], 0, {}

    def wait_for_messages(self, wanted, line):
        """What was computed before is there by then."""
        if wanted:
            self.steps.append(Step("wait", cycles=0, line=line, **{"vm": ANY, "lgkm": ANY, **wanted}))
            self.ready.clear()

    def wait_for_results(self, registers, line):
        gap = max((self.ready.get(register, 0) for register in registers), default=0) - self.now
        if gap <= 0:
            return
        self.now += gap
        last = self.steps[-1] if self.steps else None
        if last is not None and last.unit in ("valu", "salu"):
            last.gap = gap
        else:
            self.steps.append(Step("message", cycles=gap, line=line))

    def put(self, ins, under_way):
        message, line = message_of(ins), self.line_at(ins.pc)
        reads, writes = touched(ins, message)
        self.wait_for_messages(go_past(ins, message, under_way), line)
        self.wait_for_results([*reads, *writes], line)
        step, latency = self.step_of(ins, message)
        step.line, step.at, step.size = line, ins.pc, ins.size
        self.steps.append(step)
        for register in writes if latency else ():
            self.ready[register] = self.now + latency
        self.now += self.rates["send"] if step.unit in ("vmem", "lds") else step.cycles

    def step_of(self, ins, message):
        if is_end(ins):
            return Step("end"), 0
        if ins.is_send:
            return message_step(ins, message, self.rates, self.width), 0
        if ins.name == BARRIER:
            return Step("barrier", cycles=self.rates["barrier"]), 0
        if ins.name in FLOW:
            return Step("branch", cycles=self.rates["flow"]), 0
        if ins.name in ("nop", "sync", "illegal"):
            return Step("message", cycles=1), 0
        return arithmetic(ins, self.rates)


def merged(steps):
    """Arithmetic of a kind that follows each other is one step, whatever lines it is of: these change no times."""
    made = []
    for step in steps:
        last = made[-1] if made else None
        if (last is not None and step.unit in ("valu", "salu") and last.count < MOST_MERGED
                and (last.unit, last.cycles, last.gap, list(last.mix))
                == (step.unit, step.cycles, step.gap, list(step.mix))):
            note_line(last, step.line)
            last.count += 1
            last.size += step.size
            last.mix = {kind: count + 1 for kind, count in last.mix.items()}
        else:
            made.append(step)
    return made


def note_line(step, line):
    """Of one more instruction of a step."""
    if step.lines or line != step.line:
        counts = dict(step.lines or [(step.line, step.count)])
        counts[line] = counts.get(line, 0) + 1
        step.lines = [[*row] for row in counts.items()]


def block_steps(block, rates, line_at, width, state=((), ())):
    """Steps of a block of threads of so many work-items. `state`: what may be under way at its begin."""
    made, under_way = Block(rates, line_at, width), UnderWay(state)
    for ins in block.instructions:
        made.put(ins, under_way)
    return merged(made.steps)


def wave_program(flow, rates, lines):
    """The WaveProgram of a kernel; `lines` are (offset, line), each from there on."""
    find = line_finder(lines)
    states = states_at(flow.blocks)
    blocks = sorted(flow.blocks.values(), key=lambda block: block.number)
    goes_back = any(following <= block.start for block in blocks for following in block.next)
    longest = 0 if goes_back or flow.returns else sum(len(block.instructions) for block in blocks)
    width = width_of(blocks)
    return WaveProgram([block_steps(block, rates, find, width, states[block.start]) for block in blocks],
                       longest=longest)
