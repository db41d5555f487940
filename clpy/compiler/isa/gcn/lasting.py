# SPDX-License-Identifier: Apache-2.0
"""Which vector registers are wanted again behind each instruction, told from the instructions alone: for code that is
written once, without a draft that would tell it better (liveness.py). Sets of registers are those of liveness.py.

Lanes that are off keep what they have, so that nothing is over with a block: EXEC may be another in the next one. In a
block it stays, and there what an instruction writes takes the place of what was in the register, as long as nothing
looks at other lanes.
"""
from . import images, memory, packed, vector
from .arithmetic import OPERATIONS
from .crossing import HANDLERS as CROSSING
from .flow import END, JUMPS, target
from .liveness import ALL_VECTORS, vectors

MOST_COORDINATES = max(images.COORDINATES.values())
INDEXED = ("v_movrel", "s_set_gpr_idx")     # registers are found by a number
LOADS = (memory.vector_load, memory.local_load)
MEMORY = (*LOADS, memory.vector_store, memory.local_store, memory.vector_atomic, memory.local_atomic)
MOST_KNOWN = 1 << 15
_known = {}         # id of a Form, which programs share (decode.parse) -> the Form, and its effect


def behind(flow):
    """{offset of an instruction: the registers that it names, and those that are wanted behind it}; all where registers
    are found by a number."""
    blocks = {start: [(i, effect(i.form)) for i in block.instructions] for start, block in flow.blocks.items()}
    forms = (i.form for block in flow.blocks.values() for i in block.instructions)
    if any(form.name.startswith(INDEXED) for form in forms):
        return dict.fromkeys((i.offset for block in flow.blocks.values() for i in block.instructions), ALL_VECTORS)
    live = wanted_from(flow, {start: backward(instructions, 0, {}) for start, instructions in blocks.items()})
    found = {}
    for start, instructions in blocks.items():
        out = 0
        for to in following(flow, flow.blocks[start]):
            out |= live[to]
        backward(instructions, out, found)
    return found


def effect(form):
    """(registers that it reads, that it writes in each lane that is on, of which it sees lanes that are off)"""
    found = _known.get(id(form))
    if found is None or found[0] is not form:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        found = _known[id(form)] = form, work_out(form)
    return found[1]


def work_out(form):
    if form.name.startswith("s_"):
        return 0, 0, 0
    named = [vectors(range(op.at, op.at + op.width)) if op.kind == "v" else 0 for op in form.operands]
    if images.handler(form) is not None:     # its text names the first of its coordinates alone
        named[1] = vectors(range(form.operands[1].at, min(form.operands[1].at + MOST_COORDINATES, 256)))
    every = 0
    for bits in named:
        every |= bits
    if in_lanes(form):
        kinds = OPERATIONS[form.name][1] if form.name in OPERATIONS else ""
        return every if kinds.endswith("o") else joined(named[1:]), named[0], 0
    handler = memory.handler(form) if form.name not in CROSSING else None
    if handler in LOADS and memory.half_of(form.name)[1] is None and "lds" not in form.modifiers:
        return joined(named[1:]), named[0], 0
    return every, 0, 0 if handler in MEMORY else every


def joined(sets):
    found = 0
    for bits in sets:
        found |= bits
    return found


def in_lanes(form):
    """Each lane works for itself, and writes all of its result."""
    return (form.encoding not in ("sdwa", "dpp") and "op_sel" not in form.modifiers and form.name not in CROSSING
            and packed.handler(form) is None and vector.handler(form) is not None)


def backward(instructions, live, found):
    """What is wanted where a block begins, if `live` is where it ends; into `found` what is behind each instruction."""
    seen = 0            # whose lanes that are off something looks at further on
    for instruction, (reads, writes, crosses) in reversed(instructions):
        found[instruction.offset] = live | reads | writes
        seen |= crosses
        live = live & ~(writes & ~seen) | reads
    return live


def wanted_from(flow, taken):
    """For each block what is wanted where it begins; `taken`: what it takes itself."""
    before = {start: [] for start in taken}
    for start, block in flow.blocks.items():
        for to in following(flow, block):
            before[to].append(start)
    live, waiting = dict(taken), dict.fromkeys(taken)
    while waiting:
        start, _ = waiting.popitem()
        for way in before[start]:
            if live[start] & ~live[way]:
                live[way] |= live[start]
                waiting[way] = None
    return live


def following(flow, block):
    """Where control may go behind a block."""
    last = block.last
    name = last.form.name
    if name in END:
        return []
    if name in JUMPS:
        places = flow.calls.get(last.offset, flow.returns)
        return places if isinstance(places, list) else [places]
    if name.startswith("s_cbranch_"):
        return [target(last), block.next]
    return [target(last)] if name.startswith("s_branch") else [block.next]
