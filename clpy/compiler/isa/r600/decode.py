# SPDX-License-Identifier: Apache-2.0
"""A kernel's machine code as control flow instructions, each with the clause that it starts. Nothing of the bytes is
trusted: Unreadable is all that may come of them.

Addresses of clauses and jumps are in words of 64 bits, from the kernel's first.
"""
from dataclasses import dataclass, field
from typing import NamedTuple

from . import encoding as e

WORD = 8
MOST_WORDS = 128                # of a clause of arithmetic
FETCHES = ("TEX", "VTX")


class Unreadable(ValueError):
    """Bytes that are no instruction."""


class Source(NamedTuple):
    """kind: gpr (register `at`), constant (`at` in 128 bits, of the kernel's constants), literal (32 bits in `at`), int
    or float (a number in `at`), pv, ps (what the bundle before has made), oq (what local memory gave). `channel`: 0 to
    3; `relative`: AR is added to the register's number."""
    kind: str
    at: object
    channel: int = 0
    neg: bool = False
    abs: bool = False
    relative: bool = False


@dataclass
class Slot:
    """One of the operations of a bundle, in `unit` 0 to 4 (x, y, z, w, t). `predicate`: "", "zero" or "one": only lanes
    with that predicate write."""
    name: str
    unit: int
    sources: list
    gpr: int = 0
    channel: int = 0
    writes: bool = False
    relative: bool = False
    omod: int = 0
    clamp: bool = False
    predicate: str = ""
    sets_exec: bool = False
    sets_predicate: bool = False
    offset: int = 0             # of an access to local memory
    last: bool = False


@dataclass
class Bundle:
    """Operations of one cycle: all read before any writes. `at`, `size`: bytes of the code."""
    slots: list
    at: int
    size: int


class Fetch(NamedTuple):
    """A load of `words` words (`kind` as memory.KINDS has it) at gpr.channel + offset of buffer `buffer`; component i
    of the result goes to channel i of `target` if it is in `writes`."""
    name: str
    kind: str
    words: int
    target: int
    writes: tuple
    gpr: int
    channel: int
    offset: int
    buffer: int
    at: int


class Write(NamedTuple):
    """A store or an atomic operation: components of `data` in `mask` at the word address index.x."""
    name: str
    data: int
    index: int
    mask: int
    returns: bool
    cached: bool
    at: int


@dataclass
class Flow:
    """A control flow instruction, number `number` of the kernel. `target` is a number too; of an instruction with a
    clause it is the clause's first word, and `count` how many words or fetches it says that the clause has. `locks`:
    [(bank, first constant, how many)] of the two sets that it locks."""
    name: str
    number: int
    at: int
    target: int = 0
    pops: int = 0
    clause: list = field(default_factory=list)      # of Bundles or Fetches, or one Write
    ends: bool = False
    count: int = 0
    locks: list = field(default_factory=list)


class Reader:
    """Of one kernel: `text` is the program's code, the kernel is `size` bytes at `entry`."""

    def __init__(self, text, entry, size, has_t):
        self.text, self.entry, self.size, self.has_t = text, entry, size, has_t
        self.sets = []                  # of the clause: where the constants of each set begin
        self.starts = set()             # where clauses of arithmetic begin

    def word(self, number):
        at = self.entry + WORD * number
        if not 0 <= WORD * number <= self.size - WORD or at + WORD > len(self.text):
            raise Unreadable(f"code beyond the kernel's end at word {number}")
        return int.from_bytes(self.text[at:at + WORD], "little")

    def read(self):
        """[Flow] up to the last that can be come to."""
        made, furthest, number = [], 0, 0
        while True:
            flow = self.flow(number)
            made.append(flow)
            if flow.name in ("JUMP", "ELSE", "POP", "LOOP_BREAK", "LOOP_START_DX10"):
                furthest = max(furthest, flow.target)
            if flow.ends and number >= furthest:
                break
            number += 1
        self.starts = {flow.target for flow in made if flow.locks} | {self.size // WORD}
        for flow in made:
            if flow.locks:
                self.sets = flow.locks
                flow.clause = self.bundles(flow.target, self.real_count(flow))
            elif flow.count:
                flow.clause = self.fetches(flow.target, flow.count)
        return made

    def real_count(self, flow):
        """Words of a clause of arithmetic. LLVM makes some of more words than the seven bits of the count say: then it
        is the count modulo 128, and the clause reaches to where the next one begins, or to the kernel's end."""
        end = flow.target + flow.count
        following = min((start for start in self.starts if start >= end), default=end)
        return flow.count if (following - end) % MOST_WORDS else following - flow.target

    def flow(self, number):
        """A control flow instruction, without its clause; but that of a RAT is part of it."""
        word = self.word(number)
        low, high = word & 0xFFFFFFFF, word >> 32
        at = self.entry + WORD * number
        alu = e.field(high, 26, 4)
        if alu >= e.ALU:
            if alu not in e.CLAUSES:
                raise Unreadable(f"control flow instruction {alu} at 0x{at:x}")
            return Flow(e.CLAUSES[alu], number, at, e.field(low, 0, 22), count=e.field(high, 18, 7) + 1,
                        locks=self.locked(low, high))
        kind, ends = e.field(high, 22, 8), bool(high >> 21 & 1)
        if kind in (e.MEM_RAT, e.MEM_RAT_CACHELESS):
            return Flow("RAT", number, at, clause=[self.write(low, high, kind == e.MEM_RAT, at)], ends=ends)
        if kind not in e.FLOW:
            raise Unreadable(f"control flow instruction {kind} at 0x{at:x}")
        name = e.FLOW[kind]
        return Flow(name, number, at, e.field(low, 0, 24), e.field(high, 0, 3), ends=ends or name == "CF_END",
                    count=e.field(high, 10, 6) + 1 if name in FETCHES else 0)

    @staticmethod
    def locked(low, high):
        """[(bank, first constant, how many)] of the two sets that a clause has locked."""
        rows = ((e.field(low, 22, 4), e.field(low, 30, 2), e.field(high, 2, 8)),
                (e.field(low, 26, 4), e.field(high, 0, 2), e.field(high, 10, 8)))
        return [(bank, line * e.LINE_CONSTANTS, min(mode, 2) * e.LINE_CONSTANTS) for bank, mode, line in rows]

    # Clauses

    def bundles(self, first, count):
        made, number, end = [], first, first + count
        while number < end:
            bundle = self.bundle(number)
            made.append(bundle)
            number += bundle.size // WORD
        if number != end:
            raise Unreadable(f"a clause that ends within a bundle at word {number}")
        return made

    def bundle(self, first):
        words, number = [], first
        while True:
            words.append(self.word(number))
            number += 1
            if words[-1] >> 31 & 1:
                break
            if len(words) == 5:
                raise Unreadable(f"a bundle without an end at word {first}")
        literals = Literals()
        slots = [self.slot(word, literals) for word in words]
        self.place(slots)
        more = -(-literals.count // 2)
        values = [self.word(number + i // 2) >> 32 * (i % 2) & 0xFFFFFFFF for i in range(literals.count)]
        for slot in slots:
            slot.sources = [s._replace(at=values[s.channel], channel=0) if s.kind == "literal" else s
                            for s in slot.sources]
        return Bundle(slots, self.entry + WORD * first, WORD * (len(words) + more))

    def place(self, slots):
        """Units: that of the result's channel, the fifth where it is taken or nothing else can do it."""
        taken = set()
        for slot in slots:
            if self.has_t and (slot.unit == e.UNIT_T or slot.channel in taken):
                slot.unit = e.UNIT_T
            else:
                slot.unit = slot.channel
            if slot.unit in taken:
                raise Unreadable(f"two operations {slot.name} in one unit")
            taken.add(slot.unit)

    def slot(self, word, literals):
        low, high = word & 0xFFFFFFFF, word >> 32
        is_three = e.field(high, 15, 3) != 0
        code = e.field(high, 13, 5) if is_three else e.field(high, 7, 11)
        name = (e.THREE if is_three else e.TWO).get(code)
        if name is None:
            raise Unreadable(f"operation {code:#x} of {3 if is_three else 2} sources")
        if is_three and code == e.LDS:
            return self.local(low, high, literals)
        predicate = {0: "", 2: "zero", 3: "one"}.get(e.field(low, 29, 2))
        if predicate is None or e.field(low, 26, 3) not in (0, 4):
            raise Unreadable(f"a mode of {name} that is not known")
        rows = [(e.field(low, 0, 9), low >> 9 & 1, e.field(low, 10, 2), low >> 12 & 1),
                (e.field(low, 13, 9), low >> 22 & 1, e.field(low, 23, 2), low >> 25 & 1)]
        if is_three:
            rows.append((e.field(high, 0, 9), high >> 9 & 1, e.field(high, 10, 2), high >> 12 & 1))
        magnitudes = (0, 0, 0) if is_three else (high & 1, high >> 1 & 1)
        rows = rows[:needed(name, len(rows))]
        made = Slot(name, 0, [self.source(*row, bool(abs_), literals)
                              for row, abs_ in zip(rows, magnitudes, strict=False)],
                    gpr=e.field(high, 21, 7), channel=e.field(high, 29, 2), relative=bool(high >> 28 & 1),
                    clamp=bool(high >> 31), writes=True, predicate=predicate)
        if not is_three:
            made.sets_exec, made.sets_predicate = bool(high >> 2 & 1), bool(high >> 3 & 1)
            made.writes, made.omod = bool(high >> 4 & 1), e.field(high, 5, 2)
        if self.has_t and not is_three and code in e.TRANSCENDENTAL:
            made.unit = e.UNIT_T
        return made

    def local(self, low, high, literals):
        code = e.field(high, 21, 6)
        name = e.LOCAL.get(code)
        if name is None:
            raise Unreadable(f"operation {code} of local memory")
        count = 1 if "_READ_" in name else 3 if "CMPST" in name else 2
        rows = [(e.field(low, 0, 9), low >> 9 & 1, e.field(low, 10, 2), 0),
                (e.field(low, 13, 9), low >> 22 & 1, e.field(low, 23, 2), 0),
                (e.field(high, 0, 9), high >> 9 & 1, e.field(high, 10, 2), 0)][:count]
        offset = sum((word >> bit & 1) << i for i, (word, bit) in enumerate(
            ((high, 27), (high, 12), (high, 28), (high, 31), (low, 12), (low, 25))))
        predicate = {0: "", 2: "zero", 3: "one"}.get(e.field(low, 29, 2), "")
        return Slot(name, 0, [self.source(*row, False, literals) for row in rows], channel=e.field(high, 29, 2),
                    offset=offset, predicate=predicate)

    def source(self, number, relative, channel, neg, abs_, literals):
        signs = {"neg": bool(neg), "abs": abs_}
        if number < e.GPRS:
            return Source("gpr", number, channel, relative=bool(relative), **signs)
        for first, which in e.CONSTANTS:
            if first <= number < first + 32:
                bank, start, count = self.sets[which]
                if bank or relative or number - first >= count:
                    raise Unreadable(f"constant {number} that the clause has not locked")
                return Source("constant", start + number - first, channel, **signs)
        if number in e.INLINE:
            return Source(*e.INLINE[number], **signs)
        if number == e.LITERAL:
            literals.count = max(literals.count, channel + 1)
            return Source("literal", 0, channel, **signs)
        if number == e.PREVIOUS_VECTOR:
            return Source("pv", 0, channel, **signs)
        if number == e.PREVIOUS_SCALAR:
            return Source("ps", 0, **signs)
        if number == e.OQ_POP:
            return Source("oq", 0, **signs)
        raise Unreadable(f"source {number}")

    def fetches(self, first, count):
        return [self.fetch(first + 2 * i) for i in range(count)]

    def fetch(self, number):
        a, b = self.word(number), self.word(number + 1)
        kind, fetch_type = e.field(a, 0, 5), e.field(a, 5, 2)
        form = e.FORMATS.get(e.field(a >> 32, 22, 6))
        if kind or fetch_type != e.FETCH_VTX or form is None:
            raise Unreadable(f"fetch instruction {kind} at word {number}")
        high = a >> 32
        places = [e.field(high, 9 + 3 * i, 3) for i in range(4)]
        if any(place not in (i, e.MASKED) for i, place in enumerate(places)) or a >> 23 & 1 or high >> 7 & 1:
            raise Unreadable(f"a fetch of another order at word {number}")
        writes = tuple(i for i, place in enumerate(places) if place != e.MASKED)
        if not writes or writes[-1] >= form[2]:
            raise Unreadable(f"a fetch of more than there is at word {number}")
        return Fetch(*form, target=e.field(high, 0, 7), writes=writes, gpr=e.field(a, 16, 7),
                     channel=e.field(a, 24, 2), offset=e.field(b, 0, 16), buffer=e.field(a, 8, 8),
                     at=self.entry + WORD * number)

    def write(self, low, high, cached, at):
        code = e.field(low, 4, 6)
        returns = code >= e.RETURNS
        name = "ATOMIC_XCHG_INT" if code == e.XCHG_RETURNS else e.RAT.get(code - e.RETURNS if returns else code)
        if name is None or low >> 22 & 1 or e.field(high, 16, 4):
            raise Unreadable(f"memory operation {code} at 0x{at:x}")
        return Write(name, e.field(low, 15, 7), e.field(low, 23, 7), e.field(high, 12, 4), returns, cached, at)


@dataclass
class Literals:
    """How many words behind a bundle it looks at."""
    count: int = 0


ONE_SOURCE = frozenset(("FRACT", "TRUNC", "CEIL", "RNDNE", "FLOOR", "MOV", "NOT_INT", "FLT_TO_INT", "BFREV_INT",
                        "EXP_IEEE", "LOG_CLAMPED", "LOG_IEEE", "RECIP_CLAMPED", "RECIP_IEEE", "RECIPSQRT_CLAMPED",
                        "RECIPSQRT_IEEE", "SQRT_IEEE", "SIN", "COS", "RECIP_UINT", "FLT_TO_UINT", "INT_TO_FLT",
                        "UINT_TO_FLT", "FLT32_TO_FLT16", "FLT16_TO_FLT32", "BCNT_INT", "FFBH_UINT", "FFBL_INT",
                        "FFBH_INT", "MOVA_INT"))
NO_SOURCE = frozenset(("NOP", "GROUP_BARRIER"))


def needed(name, most):
    """How many sources an operation has."""
    return 0 if name in NO_SOURCE else 1 if name in ONE_SOURCE else most
