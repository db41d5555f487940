# SPDX-License-Identifier: Apache-2.0
"""Instructions through which lanes see each other: reading and writing one lane, permutations, DPP, and SDWA, which
takes and gives parts of a register.
"""
import re

from . import vector
from .decode import EXEC, M0
from .lanes import LANES, PARTS, WAVE
from .operands import as_kind, changed, scalar32, source, write_scalar, write_vector
from .registers import Mask


def read_first_lane(c, instruction):
    """v_readfirstlane_b32: of the lowest lane that is on; lane 0 if none is."""
    target, given = instruction.form.operands[:2]
    if given.kind != "v":
        write_scalar(c, target, scalar32(c, given))
        return
    parts = c.r.wave(given.at)
    if c.r.exec.is_full:
        write_scalar(c, target, c.b.extract_element(parts[0], c.number(32, 0)))
        return
    bits = c.r.exec.bits(c)
    lane = c.b.call(c.intrinsic("llvm.cttz", c.types.i64), [bits, c.number(1, 0)])
    lane = c.b.binop("and", c.b.cast("trunc", lane, c.types.i32), c.number(32, WAVE - 1))
    write_scalar(c, target, one_lane(c, parts, lane))


def one_lane(c, parts, lane):
    """i32 of a lane that is an i32."""
    if lane.is_const_int:
        at = lane.zext % WAVE
        return c.b.extract_element(parts[at // LANES], c.number(32, at % LANES))
    return c.run("read_lane", *parts, c.b.binop("and", lane, c.number(32, WAVE - 1)))


def read_lane(c, instruction):
    target, given, lane = instruction.form.operands[:3]
    write_scalar(c, target, one_lane(c, c.r.wave(given.at), scalar32(c, lane)))


def write_lane(c, instruction):
    """v_writelane_b32, whatever EXEC says."""
    target, given, lane = instruction.form.operands[:3]
    value, lane = scalar32(c, given), scalar32(c, lane)
    parts = c.r.wave(target.at)
    if lane.is_const_int:
        at = lane.zext % WAVE
        changed_part = c.b.insert_element(parts[at // LANES], value, c.number(32, at % LANES))
        c.r.set_vector(target.at, at // LANES, changed_part)
        return
    lane = c.b.binop("and", lane, c.number(32, WAVE - 1))
    for k in range(PARTS):
        here = c.b.icmp("eq", c.row(32, range(LANES * k, LANES * k + LANES)), c.splat(lane))
        c.r.set_vector(target.at, k, c.b.select(here, c.splat(value), parts[k]))


def permuted(c, parts, indices):
    """Four vectors with the lanes that `indices` (64 numbers; None: zero) name."""
    made = []
    for k in range(PARTS):
        wanted = indices[LANES * k:LANES * k + LANES]
        home = {i // LANES for i in wanted if i is not None} or {k}
        value = None
        for part in sorted(home):
            row = [i % LANES if i is not None and i // LANES == part else LANES for i in wanted]
            moved = c.b.shuffle(parts[part], c.i32.null, c.row(32, row))
            value = moved if value is None else c.b.binop("or", value, moved)
        made.append(value)
    return made


def swizzle_indices(pattern):
    """Of ds_swizzle_b32, by its offset."""
    if pattern & 0x8000:
        if pattern >> 8 == 0xC0 or pattern & 0xE000 == 0xC000:
            return rotation(pattern)
        return [(lane & ~3) | (pattern >> 2 * (lane & 3)) & 3 for lane in range(WAVE)]
    keep, put, flip = pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31
    return [(lane & 32) | (((lane & 31 & keep) | put) ^ flip) for lane in range(WAVE)]


def rotation(pattern):
    """gfx9: rotate by bits 5 to 9, to the right or (bit 10) to the left; bits 0 to 4 are kept of the lane's number."""
    count, keep = pattern >> 5 & 31, pattern & 31
    count = count if pattern >> 10 & 1 == 0 else -count
    return [(lane & 32) | (lane & keep) | ((lane & 31) + count & 31 & ~keep) for lane in range(WAVE)]


SWIZZLE = re.compile(r"swizzle\((\w+),(.*)\)$")


def swizzle_pattern(value):
    """The 16 bits of what LLVM writes for them."""
    if isinstance(value, int):
        return value
    match = SWIZZLE.match(value.replace(" ", ""))
    mode, rest = match[1], match[2]
    if mode == "BITMASK_PERM":
        keep = put = flip = 0
        for letter in rest.strip('"'):
            keep, put, flip = 2 * keep + (letter in "pi"), 2 * put + (letter == "1"), 2 * flip + (letter == "i")
        return keep | put << 5 | flip << 10
    numbers = [int(part, 0) for part in rest.split(",")]
    if mode == "QUAD_PERM":
        return 0x8000 | sum(number << 2 * i for i, number in enumerate(numbers))
    if mode == "SWAP":
        return 31 | numbers[0] << 10
    if mode == "REVERSE":
        return 31 | numbers[0] - 1 << 10
    if mode == "BROADCAST":
        return 32 - numbers[0] | numbers[1] << 5
    return 0xC000 | numbers[0] << 10 | numbers[1] << 5 | (numbers[2] if len(numbers) > 2 else 0)


def swizzle(c, instruction):
    form = instruction.form
    c.observe.no_memory(c, instruction)
    target, given = form.operands[:2]
    indices = swizzle_indices(swizzle_pattern(form.modifiers.get("offset", 0)))
    write_wave(c, target, permuted(c, off_lanes_zero(c, c.r.wave(given.at)), indices))


def off_lanes_zero(c, parts):
    if c.r.exec.is_full:
        return parts
    return [c.b.select(c.r.exec.part(c, k), parts[k], c.i32.null) for k in range(PARTS)]


def write_wave(c, target, values, mask=None):
    for k in range(PARTS):
        c.r.set_vector(target.at, k, values[k], mask or c.r.exec)


def swap(c, instruction):
    """v_swap_b32 of gfx9: where a lane is off, both keep their values."""
    first, second = instruction.form.operands[:2]
    values = c.r.wave(first.at)
    write_wave(c, first, c.r.wave(second.at))
    write_wave(c, second, values)


def permute(c, instruction):
    """ds_bpermute_b32 (pull) and ds_permute_b32 (push): the lane is the address / 4."""
    form = instruction.form
    c.observe.no_memory(c, instruction)
    target, address, given = form.operands[:3]
    offset = c.all(32, form.modifiers.get("offset", 0))
    lanes = [c.b.add(part, offset) for part in c.r.wave(address.at)]
    values = off_lanes_zero(c, c.r.wave(given.at))
    place = c.transfer(4)
    bits = c.r.exec.bits(c)
    c.run("permute_back" if "bpermute" in form.name else "permute", place, *lanes, *values, bits)
    write_wave(c, target, [c.b.load(c.i32, c.word_of(place, k)) for k in range(PARTS)])


# SDWA

SELECT = {"BYTE_0": (0, 8), "BYTE_1": (8, 8), "BYTE_2": (16, 8), "BYTE_3": (24, 8), "WORD_0": (0, 16),
          "WORD_1": (16, 16), "DWORD": (0, 32)}


def taken(c, value, place, signed):
    """Part of a register, extended to 32 bits."""
    first, bits = SELECT[place]
    if bits == 32:
        return value
    if signed:
        value = c.b.binop("shl", value, c.all(32, 32 - first - bits))
        return c.b.binop("ashr", value, c.all(32, 32 - bits))
    value = c.b.binop("lshr", value, c.all(32, first)) if first else value
    return c.b.binop("and", value, c.all(32, (1 << bits) - 1))


class SubDword:
    """SDWA of one instruction: sources and result are parts of registers."""

    def __init__(self, form):
        self.selects = [form.modifiers.get(f"src{i}_sel", "DWORD") for i in (0, 1)]
        self.to = form.modifiers.get("dst_sel", "DWORD")
        self.unused = form.modifiers.get("dst_unused", "UNUSED_PAD")
        self.index = 0

    def source(self, c, op, kind):
        place = self.selects[self.index]
        self.index += 1
        return source(c, op, kind, extract=lambda value: taken(c, value, place, op.sext))

    def write(self, c, target, value, k, mask):
        first, bits = SELECT[self.to]
        if bits < 32:
            from .operands import to_registers
            value = to_registers(c, value)
            ones = (1 << bits) - 1
            if self.unused == "UNUSED_SEXT":
                value = c.b.binop("shl", value, c.all(32, 32 - bits))
                value = c.b.binop("ashr", value, c.all(32, 32 - bits - first)) if first + bits < 32 else value
                if first:
                    value = c.b.binop("and", value, c.all(32, -1 << first))
            else:
                value = c.b.binop("and", value, c.all(32, ones))
                value = c.b.binop("shl", value, c.all(32, first)) if first else value
            if self.unused == "UNUSED_PRESERVE":
                old = c.b.binop("and", c.r.vector(target.at, k), c.all(32, ~(ones << first)))
                value = c.b.binop("or", old, value)
        write_vector(c, target, value, k, mask)


# DPP


def dpp_index(modifiers, lane):
    """The lane that a lane takes its first source from; None: there is none."""
    row, at = lane & ~15, lane & 15
    if "quad_perm" in modifiers:
        order = [int(n) for n in modifiers["quad_perm"].strip("[]").split(",")]
        return (lane & ~3) | order[lane & 3]
    for name, step in (("row_shl", 1), ("row_shr", -1)):
        if name in modifiers:
            other = at + step * modifiers[name]
            return row + other if 0 <= other < 16 else None
    if "row_ror" in modifiers:
        return row + (at - modifiers["row_ror"] & 15)
    if "row_mirror" in modifiers:
        return row + 15 - at
    if "row_half_mirror" in modifiers:
        return (lane & ~7) + 7 - (lane & 7)
    for name, step, wraps in (("wave_shl", 1, False), ("wave_rol", 1, True), ("wave_shr", -1, False),
                              ("wave_ror", -1, True)):
        if name in modifiers:
            other = lane + step
            return other % WAVE if wraps or 0 <= other < WAVE else None
    if modifiers.get("row_bcast") == 15:
        return row - 1 if row else None
    if modifiers.get("row_bcast") == 31:
        return 31 if lane >= 32 else None
    return lane


class DataParallel:
    """DPP of one instruction: the first source comes from other lanes; lanes without one keep their result, or take 0
    where bound_ctrl says so."""

    def __init__(self, c, form):
        modifiers = form.modifiers
        self.indices = [dpp_index(modifiers, lane) for lane in range(WAVE)]
        self.zero = "bound_ctrl" in modifiers
        rows, banks = modifiers.get("row_mask", 15), modifiers.get("bank_mask", 15)
        self.on = [bool(rows >> (lane >> 4) & 1 and banks >> (lane >> 2 & 3) & 1) for lane in range(WAVE)]
        self.first, self.alive = True, None

    def source(self, c, op, kind):
        if not self.first or op.kind != "v":
            self.first = False
            return source(c, op, kind)
        self.first = False
        parts = c.r.wave(op.at)
        values = permuted(c, parts, self.indices)
        lost = self.lost(c)
        if lost is not None:
            values = [c.b.binop("and", values[k], lost[k]) for k in range(PARTS)]
            self.alive = c.r.kept(lost)
        take = c.r.kept(values)
        return lambda k: changed(c, as_kind(c, take(k), kind), op, kind)

    def lost(self, c):
        """A source lane that is off counts as none: the mask of such lanes, None if all are on."""
        if c.r.exec.is_full:
            return None
        on = [c.b.cast("sext", c.r.exec.part(c, k), c.i32) for k in range(PARTS)]
        return permuted(c, on, self.indices)

    def write(self, c, target, value, k, mask):
        from .operands import to_registers
        value = to_registers(c, value)
        written = [self.on[lane] and (self.zero or self.indices[lane] is not None) for lane in range(WAVE)]
        if not all(written):
            bits = Mask(c.number(64, sum(on << lane for lane, on in enumerate(written))))
            value = c.b.select(bits.part(c, k), value, c.r.vector(target.at, k))
        if self.alive is not None and not self.zero:
            value = c.b.select(c.b.icmp("ne", self.alive(k), c.i32.null), value, c.r.vector(target.at, k))
        write_vector(c, target, value, k, mask)


def wrapped(c, instruction):
    """A vector instruction in one of these encodings."""
    form = instruction.form
    found = vector.handler(form)
    if found is None:
        raise c.unknown()
    found(c, instruction, SubDword(form) if form.encoding == "sdwa" else DataParallel(c, form))


# Registers that are found by a number in M0

INDEXED = {"gpr_idx(SRC0)": 1, "gpr_idx(DST)": 8}      # modes, as M0 has them


def move_relative(c, instruction):
    """v_movrels_b32, v_movreld_b32: the index in M0 is added to the source's or the result's number."""
    form = instruction.form
    move_by_index(c, form, c.r.scalar(M0), form.name.startswith("v_movreld"))


def index_on(c, instruction):
    """s_set_gpr_idx_on: moves add an index to a register's number, until s_set_gpr_idx_off. M0 keeps index and mode."""
    given, mode = instruction.form.operands
    if mode.at not in INDEXED:
        raise c.unknown(mode.at)
    index = c.b.binop("and", scalar32(c, given), c.number(32, 0xFF))
    kept = c.b.binop("and", c.r.scalar(M0), c.number(32, 0xFFFF0F00))
    c.r.set_scalar(M0, c.b.binop("or", kept, c.b.binop("or", index, c.number(32, INDEXED[mode.at] << 12))))
    c.indexed = index, mode.at


def index_off(c, instruction):
    c.indexed = None


def indexed(c, instruction):
    """An instruction of vectors while a mode is on."""
    if instruction.form.name != "v_mov_b32":
        raise c.unknown("of a register with an index")
    index, mode = c.indexed
    move_by_index(c, instruction.form, index, mode == "gpr_idx(DST)")


def move_by_index(c, form, index, is_target):
    """The registers lie beside each other in the wavefront's memory. What would be beyond the last of them is the one
    that the instruction names."""
    target, given = form.operands[:2]
    named = target if is_target else given
    numbers = range(named.at, c.vgprs)
    c.r.flush()                 # all of them are in memory now
    index = c.b.select(c.b.icmp("ult", index, c.number(32, len(numbers))), index, c.number(32, 0))
    first = c.b.binop("shl", c.b.cast("zext", index, c.types.i64), c.number(64, 2))     # of four vectors each
    r, mask = c.r, c.r.exec

    def place(k):
        return c.b.gep(c.i32, r.frame.vector(named.at, k), [first])

    take = source(c, given, "u")

    def write(k):
        r.steps[-1].loaded.update(numbers)
        if not is_target:
            write_vector(c, target, c.b.load(c.i32, place(k)), k, mask)
            return
        value = take(k)
        if not mask.is_full:
            value = c.b.select(mask.part(c, k), value, c.b.load(c.i32, place(k)))
        c.b.store(value, place(k))

    r.later(write)
    r.flush()


def scalar_move_relative(c, instruction):
    """s_movrels_b32, s_movreld_b64, ..."""
    form = instruction.form
    target, given = form.operands
    index, wide = c.r.scalar(M0), form.name.endswith("64")
    step = 2 if wide else 1
    read = c.r.pair if wide else c.r.scalar
    write = c.r.set_pair if wide else c.r.set_scalar
    if form.name.startswith("s_movreld"):
        from .operands import scalar64
        value = scalar64(c, given) if wide else scalar32(c, given)
        for number in range(target.at, min(c.sgprs, 102), step):
            here = c.b.icmp("eq", index, c.number(32, number - target.at))
            write(number, c.b.select(here, value, read(number)))
        return
    value = read(given.at)
    for number in range(given.at + step, min(c.sgprs, 102), step):
        here = c.b.icmp("eq", index, c.number(32, number - given.at))
        value = c.b.select(here, read(number), value)
    write(target.at, value)


def lane_register(c, instruction):
    """v_movrel_lane_read, v_movrel_lane_write, of the engine: each lane has an index of its own, of registers of four
    words; `last` is the number of the one behind them."""
    form = instruction.form
    target, given, index = form.operands
    is_read = form.name.endswith("_read")
    first, last = (given.at if is_read else target.at), form.modifiers["last"]
    c.r.flush()                 # all of them are in memory now
    r, mask, numbers = c.r, c.r.exec, range(first % 4, last, 4)
    takes, value = source(c, index, "u"), source(c, given, "u")
    limits = c.number(32, first), c.number(32, last)

    def write(k):
        r.steps[-1].loaded.update(numbers)
        if is_read:
            room = c.transfer(1)
            c.run("register_read", room, c.wave, *limits, takes(k), c.part_number(k))
            write_vector(c, target, c.b.load(c.i32, room), k, mask)
        else:
            c.run("register_write", c.wave, *limits, takes(k), value(k), mask.part(c, k), c.part_number(k))

    r.later(write)
    r.flush()


HANDLERS = {"v_movrel_lane_read": lane_register, "v_movrel_lane_write": lane_register,
            "v_readfirstlane_b32": read_first_lane, "v_readlane_b32": read_lane, "v_writelane_b32": write_lane,
            "v_swap_b32": swap,
            "ds_swizzle_b32": swizzle, "ds_bpermute_b32": permute, "ds_permute_b32": permute,
            "v_movrels_b32": move_relative, "v_movreld_b32": move_relative,
            "s_set_gpr_idx_on": index_on, "s_set_gpr_idx_off": index_off,
            "s_movrels_b32": scalar_move_relative, "s_movreld_b32": scalar_move_relative,
            "s_movrels_b64": scalar_move_relative, "s_movreld_b64": scalar_move_relative}
assert EXEC == 126
