# SPDX-License-Identifier: Apache-2.0
"""Gen instructions, from the text that IGA makes of them (disassembly.py)."""
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from clpy.compiler.isa.gcn.flow import UnknownInstruction

LINE = re.compile(r"/\* \[([0-9A-F]+)\]\s*\*/ (.*)$")
HEAD = re.compile(r"(?:\((?P<mask>[^)]*)\))?\s*(?P<name>[a-z][a-z0-9_.]*)\s*"
                  r"(?:\((?P<width>\d+)\|M(?P<offset>\d+)\))?\s*"
                  r"(?:\((?P<condition>[a-z]+)\)(?P<flag>f\d\.\d))?\s*(?P<rest>.*)$")
OPERAND = re.compile(r"(?P<neg>-)?(?P<inv>~)?(?P<abs>\(abs\))?(?P<sat>\(sat\))?"
                     r"(?P<kind>acc|null|ip|cr|sr|tm|dbg|ce|sp|tdr|r|f|a|n)"
                     r"(?P<number>\d*)(?:\.(?P<sub>\d+|nomme|mme\d))?"
                     r"(?:\[a0\.(?P<index>\d+)(?:,\s*(?P<more>-?\d+))?\])?"
                     r"(?:<(?P<region>[^>]*)>)?(?::(?P<type>[a-z]+))?$")
LITERAL = re.compile(r"(?P<value>[^:]+):(?P<type>[a-z]+)$")
SIZES = {"b": 1, "ub": 1, "w": 2, "uw": 2, "hf": 2, "d": 4, "ud": 4, "f": 4, "q": 8, "uq": 8, "df": 8}
FLOATS = ("f", "hf", "df")
VECTOR_LITERALS = ("v", "uv", "vf")
GRF = 32                    # bytes of a register
PARTING = ("if", "else", "while", "break", "cont", "goto", "goto.b", "halt")
MEETING = ("endif", "join")
BRANCHES = (*PARTING, *MEETING, "jmpi", "call", "ret")
CALLS = ("call", "calla")
NO_DESTINATION = ("wait", "nop")


class Operand(NamedTuple):
    """Of a register: `number` and `sub`, in elements of `type`; `region`: (vertical stride, width, horizontal stride)
    of a source, (stride,) of a destination, None where there is none. `index`: the part of a0 that is added, and
    `more` bytes. Of a literal: `value`, an int of its bits."""
    kind: str
    number: int = 0
    sub: int = 0
    region: tuple = None
    type: str = ""
    value: int = 0
    neg: bool = False
    abs: bool = False
    inv: bool = False
    sat: bool = False
    mme: str = ""
    index: int = -1
    more: int = 0

    @property
    def size(self):
        return SIZES[self.type]

    @property
    def byte(self):
        """Its place in the file of registers."""
        return self.number * GRF + self.sub * SIZES.get(self.type, 4)

    @property
    def is_scalar(self):
        """A source that is the same for all channels."""
        return self.kind == "imm" or self.region in ((0, 1, 0), (0, 0), (0,))

    def offsets(self, width):
        """Places of the channels' elements, in elements from the first one on."""
        r = self.region or (1,)
        if len(r) == 3:
            vertical, row, horizontal = r
            if self.index >= 0 and row == 0:
                row = width
            return [i // row * vertical + i % row * horizontal for i in range(width)]
        if len(r) == 2:             # of three sources: <2;1> is one after the other
            return [0] * width if r == (0, 0) else list(range(width))
        return [i * r[0] for i in range(width)]


@dataclass
class Instruction:
    pc: int
    size: int
    name: str
    width: int = 1
    offset: int = 0             # first channel
    nomask: bool = False        # channels that are off take part
    predicate: tuple = None     # (inverted, "f0.0", "any16h" or "")
    condition: tuple = None     # ("gt", "f0.0")
    dst: Operand = None
    sources: list = field(default_factory=list)
    options: frozenset = frozenset()
    desc: int = None            # of a message; None: it is in a0
    exdesc: int = None
    targets: tuple = ()

    @property
    def end(self):
        return self.pc + self.size

    @property
    def saturates(self):
        return self.dst is not None and self.dst.sat

    @property
    def is_send(self):
        return self.name.startswith("send")


def rows_of(text):
    """[(place in the code, the instruction's text)], in order."""
    return [(int(found[1], 16), found[2]) for found in map(LINE.match, text.splitlines()) if found]


def parse(rows, kernel):
    """Instructions of a kernel; ones that IGA cannot read are "illegal". Their places are those in the program."""
    made, behind = [], [pc for pc, _ in rows[1:]] + [kernel.size]
    for (pc, row), end in zip(rows, behind, strict=True):
        if row.lstrip().startswith("illegal"):
            made.append(Instruction(pc, end - pc, "illegal"))
        else:
            made.append(instruction(pc, end - pc, row, kernel.name))
    for one in made:
        one.pc += kernel.entry
        one.targets = tuple(target + kernel.entry for target in one.targets)
    return made


def instruction(pc, size, row, kernel):
    body, _, _ = row.partition("//")
    body, _, options = body.partition("{")
    found = HEAD.match(body.strip())
    if not found:
        raise UnknownInstruction(row.strip(), kernel)
    name = found["name"]
    made = Instruction(pc, size, name, int(found["width"] or 1), int(found["offset"] or 0),
                       options=frozenset(options.rstrip(" }\n").split(",")) - {""})
    nomask, predicate = mask(found["mask"])
    made.nomask, made.predicate = nomask, predicate
    if found["condition"]:
        made.condition = found["condition"], found["flag"]
    words = found["rest"].split()
    try:
        fill(made, words)
    except (ValueError, KeyError, IndexError):
        raise UnknownInstruction(" ".join(row.split()), kernel) from None
    return made


def mask(text):
    """(nomask, predicate)"""
    if not text:
        return False, None
    nomask, _, rest = text.partition("&") if text.startswith("W") else ("", "", text)
    if not rest:
        return bool(nomask), None
    inverted = rest.startswith("~")
    parts = rest.lstrip("~").split(".")
    return bool(nomask), (inverted, ".".join(parts[:2]), parts[2] if len(parts) > 2 else "")


def fill(made, words):
    """Operands."""
    if made.is_send:
        made.dst, *words = operand(words[0]), *words[1:]
        made.desc, made.exdesc = descriptor(words.pop()), descriptor(words.pop())
        made.sources = [operand(word) for word in words]
        return
    if made.name in BRANCHES:
        targets = [word for word in words if re.fullmatch(r"L(_N)?\d+", word)]
        if any("_N" in target for target in targets):
            raise ValueError("a place before the kernel")
        made.targets = tuple(int(target[1:]) for target in targets)
        words = [word for word in words if word not in targets]
        if made.name in CALLS:
            made.dst, words = operand(words[0]), words[1:]
        made.sources = [operand(word) for word in words]
        return
    if made.name not in NO_DESTINATION:
        made.dst, words = operand(words[0]), words[1:]
    made.sources = [operand(word) for word in words]


def descriptor(word):
    return int(word, 16) if word.startswith("0x") else None


@lru_cache(maxsize=4096)
def operand(word):
    found = OPERAND.match(word)
    if not found:
        return literal(word)
    sub, mme = found["sub"] or "0", ""
    if not sub.isdigit():
        sub, mme = "0", sub
    region = None
    if found["region"] is not None:
        region = tuple(int(part) for part in re.split("[;,]", found["region"]))
        if found["index"] and len(region) == 2 and "," in found["region"]:
            region = (-1, *region)              # r[a0.0]<1,0>: each row of channels has an address of its own
    kind = found["kind"]
    return Operand(kind, int(found["number"] or 0), int(sub), region, found["type"] or "", 0, bool(found["neg"]),
                   bool(found["abs"]), bool(found["inv"]), bool(found["sat"]), mme,
                   int(found["index"]) if found["index"] else -1, int(found["more"] or 0))


def literal(word):
    negative = word.startswith("-(")
    found = LITERAL.match(word.strip("()") if not negative else word[2:].replace(")", ""))
    if not found:
        raise ValueError(word)
    type_, text = found["type"], found["value"]
    return Operand("imm", type=type_, value=number(text, type_), neg=negative)


def number(text, type_):
    if type_ in FLOATS and not text.startswith("0x"):
        import struct
        if text.startswith(("qnan", "snan", "-qnan", "-snan")):
            payload = int(re.search(r"\((0x[0-9a-fA-F]+)\)", text)[1], 16)
            top, quiet = {"f": (0xFF << 23, 1 << 22), "df": (0x7FF << 52, 1 << 51), "hf": (0x1F << 10, 1 << 9)}[type_]
            sign = 1 << 8 * SIZES[type_] - 1 if text.startswith("-") else 0
            return top | (quiet if "q" in text else 0) | payload | sign
        code = {"f": "<f", "df": "<d", "hf": "<e"}[type_]
        return int.from_bytes(struct.pack(code, float(text)), "little")
    value = int(text, 0)
    if type_ in VECTOR_LITERALS:
        return value & 0xFFFFFFFF
    return value & (1 << 8 * SIZES[type_]) - 1
