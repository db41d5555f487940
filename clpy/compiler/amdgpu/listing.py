# SPDX-License-Identifier: Apache-2.0
"""The instructions of a code object as text.

LLVM has no disassembler for the older families, so the code generator writes down what it emits (subtarget feature
"dumpcode") into a section of the object: a line for each instruction with its words, a label before each block. What
it did not know yet, where branches go and what relocations bring, is taken from the linked code. Each word is compared
with the code: a listing that does not fit is refused.
"""
import re
from typing import NamedTuple

SECTION = ".AMDGPU.disasm"
FEATURE = "+dumpcode"
LABEL = re.compile(r"BB(\d+)_(\d+):$")
WORDS = re.compile(r" ; ([0-9A-F]{8}(?: [0-9A-F]{8}){0,4})$")
BRANCHES = ("s_branch", "s_cbranch_", "s_call_b64")
NOP, BRANCH_BITS = 0xBF800000, 0xFFFF0000
INDEXED = "s_set_gpr_idx"
MOVE, MOVE_BITS = 0x7E000200, 0xFE01FE00        # v_mov_b32, but for its operands
SCALARS, LITERAL, VECTORS = 102, 255, 256       # numbers of operands: scalar registers before, vector registers from
ZERO, LARGEST, SMALLEST = 128, 192, 208         # 0 to 64, then -1 to -16
FLOATS = {240: "0.5", 241: "-0.5", 242: "1.0", 243: "-1.0", 244: "2.0", 245: "-2.0", 246: "4.0", 247: "-4.0"}


class Instruction(NamedTuple):
    offset: int         # in .text
    size: int
    text: str           # mnemonic and operands; branches name the offset they go to
    line: int = 0       # of the source, 0: none


def read(text, code, functions, line_at):
    """Instructions of the listing `text`, in order; `functions` are the offsets where functions begin in `code`, and
    `line_at` gives the line for an offset."""
    made, at, is_indexed = [], 0, False
    starts = iter(sorted(functions))
    for row in bytes(text).decode("utf-8", "replace").splitlines():
        label = LABEL.match(row)
        if label:
            if label[2] == "0":
                at = next(starts, None)
                if at is None:
                    raise ValueError("the listing has more functions than the code")
            continue
        words = WORDS.search(row)
        if not words:
            raise ValueError(f"a line of the listing without code: {row.strip()[:100]}")
        listed = [int(word, 16) for word in words[1].split()]
        at = behind_padding(code, at, listed[0])
        if made and made[-1].text.startswith(INDEXED):
            is_indexed = made[-1].text.startswith(INDEXED + "_on")
        while is_indexed and words_at(code, at, 4)[0] != listed[0]:
            made.append(moved(code, at, line_at(at)))
            at += made[-1].size
        size = 4 * len(listed)
        real = words_at(code, at, size)
        made.append(Instruction(at, size, resolved(row[:words.start()].strip(), listed, real, at), line_at(at)))
        at += size
    if next(starts, None) is not None:
        raise ValueError("the code has more functions than the listing")
    return made


def moved(code, at, line):
    """The move of a register that an index tells, on chips that have a mode for it: the listing leaves it out."""
    word = words_at(code, at, 4)[0]
    source = word & 0x1FF
    size, text = 4, None
    if source >= VECTORS:
        text = f"v{source - VECTORS}"
    elif source == LITERAL:
        size, text = 8, f"{words_at(code, at, 8)[1]:#x}"
    elif source < SCALARS:
        text = f"s{source}"
    elif ZERO <= source <= SMALLEST:
        text = str(source - ZERO if source <= LARGEST else LARGEST - source)
    else:
        text = FLOATS.get(source)
    if word & MOVE_BITS != MOVE or text is None:
        raise ValueError(f"the move at {at:#x} is not understood")
    return Instruction(at, size, f"v_mov_b32_e32 v{word >> 17 & 0xFF}, {text}", line)


def words_at(code, at, size):
    if at + size > len(code):
        raise ValueError("the listing is longer than the code")
    return [int.from_bytes(code[i:i + 4], "little") for i in range(at, at + size, 4)]


def behind_padding(code, at, first):
    """Loops are aligned with instructions that do nothing, of which the listing knows nothing."""
    while first != NOP and words_at(code, at, 4)[0] == NOP:
        at += 4
    return at


def resolved(text, listed, real, at):
    """The text with what the code has by now; ValueError where it is another instruction."""
    if text.startswith(BRANCHES):
        if (listed[0] ^ real[0]) & BRANCH_BITS or len(listed) != 1:
            raise ValueError(f"the listing does not fit the code at {at:#x}")
        distance = (real[0] & 0xFFFF ^ 0x8000) - 0x8000
        return f"{text[:text.rfind(' ')]} {at + 4 + 4 * distance:#x}"
    if listed != real and (listed[:-1] != real[:-1] or listed[-1] or len(listed) < 2):
        raise ValueError(f"the listing does not fit the code at {at:#x} (inline assembly is not listed)")
    if "@" not in text and '"' not in text:
        if listed != real:
            raise ValueError(f"an operand at {at:#x} is not understood: {text[:100]}")
        return text
    operands = [f"{real[-1]:#x}" if "@" in operand or '"' in operand else operand for operand in text.split(", ")]
    return ", ".join(operands)
