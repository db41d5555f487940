# SPDX-License-Identifier: Apache-2.0
"""Machine code as instructions: names without the word for the encoding, operands as registers and numbers."""
import re
from functools import lru_cache
from typing import NamedTuple

from clpy.llvm.disassembler import Disassembler

from . import southern_islands

VCC, M0, EXEC, FLAT_SCRATCH, XNACK_MASK = 106, 124, 126, 102, 104     # as numbers of scalar registers
TRAP = 108
NAMED = {"vcc": VCC, "vcc_lo": VCC, "vcc_hi": VCC + 1, "exec": EXEC, "exec_lo": EXEC, "exec_hi": EXEC + 1, "m0": M0,
         "flat_scratch": FLAT_SCRATCH, "flat_scratch_lo": FLAT_SCRATCH, "flat_scratch_hi": FLAT_SCRATCH + 1,
         "xnack_mask": XNACK_MASK, "xnack_mask_lo": XNACK_MASK, "xnack_mask_hi": XNACK_MASK + 1}
WIDE_NAMES = ("vcc", "exec", "flat_scratch", "xnack_mask")
REGISTER = re.compile(r"(s|v|ttmp)(?:(\d+)|\[(\d+):(\d+)\])$")
LITERAL = re.compile(r"(?:lit(?:64)?\()?(0x[0-9a-f]+)\)?$")
SPLIT = re.compile(r",\s*(?![^\[(]*[\])])")
MODIFIER = re.compile(r"[a-z_][\w.]*(?::(?:\[[^\]]*\]|swizzle\([^)]*\)|\S+))?")
ENCODING = re.compile(r"_(e32|e64|sdwa|dpp|e64_dpp)$")
UNREADABLE = ("gfx6", "gfx7")


class Operand(NamedTuple):
    """kind: s or v (a register: number `at`, of `width` registers), int, float (a number in `at`), literal (a number of
    32 bits in the code), name (a word)."""
    kind: str
    at: object
    width: int = 1
    neg: bool = False
    abs: bool = False
    sext: bool = False


class Form(NamedTuple):
    """What an instruction says, wherever it stands."""
    name: str
    encoding: str
    operands: tuple
    modifiers: dict


class Instruction(NamedTuple):
    offset: int
    size: int
    form: Form

    @property
    def end(self):
        return self.offset + self.size


@lru_cache(65536)
def operand(text):
    neg = magnitude = sext = False
    if text.startswith("sext("):
        text, sext = text[5:-1], True
    if text.startswith("neg("):
        text, neg = text[4:-1], True
    if text.startswith("-") and not text[1:2].isdigit():
        text, neg = text[1:], True
    if text.startswith("|"):
        text, magnitude = text[1:-1], True
    elif text.startswith("abs("):
        text, magnitude = text[4:-1], True
    return base_operand(text)._replace(neg=neg, abs=magnitude, sext=sext)


def base_operand(text):
    match = REGISTER.match(text)
    if match:
        first = int(match[2] or match[3])
        width = 1 if match[2] else int(match[4]) - first + 1
        if match[1] == "ttmp":
            return Operand("s", TRAP + first, width)
        return Operand(match[1], first, width)
    if text in NAMED:
        return Operand("s", NAMED[text], 2 if text in WIDE_NAMES else 1)
    match = LITERAL.match(text)
    if match:
        return Operand("literal", int(match[1], 0))
    try:
        return Operand("int", int(text, 0))
    except ValueError:
        pass
    try:
        return Operand("float", float(text))
    except ValueError:
        return Operand("name", text)


def modifier(text):
    """(name, value): True for one that is only there or not."""
    name, colon, value = text.partition(":")
    if not colon:
        return name, True
    try:
        return name, int(value, 0)
    except ValueError:
        return name, value


@lru_cache(65536)
def parse(text):
    """The Form that LLVM's text of an instruction means."""
    text = text.strip()
    name, _, rest = text.partition(" ")
    match = ENCODING.search(name)
    encoding = match[1] if match else ""
    base = name[:match.start()] if match else name
    if base in ("s_waitcnt", "s_sendmsg", "s_sendmsghalt"):
        return Form(base, encoding, (Operand("name", rest.strip()),), {})
    operands, modifiers = [], {}
    for piece in SPLIT.split(rest.strip()) if rest.strip() else []:
        piece = piece.strip()
        first, _, tail = piece.partition(" ") if not piece.startswith("hwreg") else (piece, "", "")
        if (":" in first and "[" not in first.partition(":")[0]) or first in FLAGS:
            tail = piece
        else:
            operands.append(operand(first))
        modifiers.update(modifier(word) for word in MODIFIER.findall(tail))
    return Form(base, encoding, tuple(operands), modifiers)


FLAGS = {"offen", "idxen", "addr64", "glc", "slc", "lds", "tfe", "gds", "clamp", "unorm", "da", "lwe", "done", "vm"}


class Unreadable(ValueError):
    """Bytes that are no instruction."""


def disassembler(processor):
    return southern_islands.Disassembler() if processor.startswith(UNREADABLE) else Disassembler(processor)


class Decoder:
    """Of one program; instructions are read once, in whatever order they are asked for. `functions` are offsets at
    which calls may go on."""

    def __init__(self, processor, text, functions=()):
        self.text, self.functions = text, frozenset(functions)
        self.read = disassembler(processor).one
        self.known = {}

    def at(self, offset):
        found = self.known.get(offset)
        if found is None:
            size, text = self.read(self.text, offset)
            if not size:
                raise Unreadable(f"no instruction at 0x{offset:x}")
            found = self.known[offset] = Instruction(offset, size, parse(text))
        return found
