# SPDX-License-Identifier: Apache-2.0
"""The encodings of gfx6 and gfx7, which LLVM writes but does not read, as LLVM would print them.

southern_islands.txt has a line for each instruction: encoding, opcode, name, and the operands as letter and number of
32-bit registers (v2: two vector registers, s1: one scalar register, i: an immediate).
"""
import struct
from functools import cache, lru_cache
from pathlib import Path

SPECIAL = {104: "flat_scratch_lo", 105: "flat_scratch_hi", 106: "vcc_lo", 107: "vcc_hi", 124: "m0", 126: "exec_lo",
           127: "exec_hi", 251: "src_vccz", 252: "src_execz", 253: "src_scc"}
PAIRS = {104: "flat_scratch", 106: "vcc", 126: "exec"}
FLOATS = {240: "0.5", 241: "-0.5", 242: "1.0", 243: "-1.0", 244: "2.0", 245: "-2.0", 246: "4.0", 247: "-4.0"}
OMOD = ("", " mul:2", " mul:4", " div:2")
LITERAL = 255
ONLY_LONG = range(320, 384)     # opcodes of VOP3 that no shorter encoding has


@cache
def table():
    """(encoding, opcode) -> (name, operands)."""
    rows = {}
    for line in (Path(__file__).parent / "southern_islands.txt").read_text().splitlines():
        encoding, opcode, name, *operands = line.split()
        rows[encoding, int(opcode)] = name, tuple(operands)
    return rows


def scalar(code, width=1):
    """Text of a scalar register or of one of a pair, four, ... of them."""
    if code in PAIRS and width == 2:
        return PAIRS[code]
    if code in SPECIAL:
        return SPECIAL[code]
    prefix, first = ("ttmp", code - 112) if 112 <= code < 124 else ("s", code)
    return f"{prefix}{first}" if width == 1 else f"{prefix}[{first}:{first + width - 1}]"


def vector(code, width=1):
    return f"v{code}" if width == 1 else f"v[{code}:{code + width - 1}]"


class Reader:
    """Of one instruction: its first word, and what of the second has been asked for."""

    def __init__(self, code, offset):
        self.code, self.offset, self.size = code, offset, 4
        self.word = self.at(offset)

    def at(self, offset):
        if offset + 4 > len(self.code):
            raise ValueError("the code ends inside an instruction")
        return struct.unpack_from("<I", self.code, offset)[0]

    def bits(self, high, low):
        return self.word >> low & (1 << high - low + 1) - 1

    def second(self):
        self.size = 8
        return self.at(self.offset + 4)

    def source(self, code, shape="v1"):
        """Text of a 9-bit source operand."""
        return f"0x{self.second():x}" if code == LITERAL else source_text(code, shape)


@cache
def source_text(code, shape):
    """Of one that is no literal."""
    width = int(shape[1:] or 1) if shape[0] in "vs" else 1
    if code >= 256:
        return vector(code - 256, width)
    if 128 <= code <= 192:
        return str(code - 128)
    if 193 <= code <= 208:
        return str(192 - code)
    return FLOATS.get(code) or scalar(code, width)


def look_up(encoding, opcode):
    row = table().get((encoding, opcode))
    if row is None:
        raise ValueError(f"no instruction {encoding} {opcode}")
    return row


def signed(value, bits):
    return value - (1 << bits) if value >> bits - 1 else value


def sop1(r):
    name, shape = look_up("SOP1", r.bits(15, 8))
    operands = [scalar(r.bits(22, 16), int(shape[0][1:]))] if shape else []
    if len(shape) > 1:
        operands.append(r.source(r.bits(7, 0), shape[1]))
    if name in ("s_setpc_b64", "s_rfe_b64", "s_cbranch_join"):
        operands = [r.source(r.bits(7, 0), shape[0])]
    return name, operands


def sop2(r):
    name, shape = look_up("SOP2", r.bits(29, 23))
    return name, [scalar(r.bits(22, 16), int(shape[0][1:])), r.source(r.bits(7, 0), shape[1]),
                  r.source(r.bits(15, 8), shape[-1])]


def sopc(r):
    name, shape = look_up("SOPC", r.bits(22, 16))
    return name, [r.source(r.bits(7, 0), shape[0]), r.source(r.bits(15, 8), shape[1])]


def sopk(r):
    name, _ = look_up("SOPK", r.bits(27, 23))
    register, immediate = scalar(r.bits(22, 16)), r.bits(15, 0)
    place = f"hwreg({immediate & 63}, {immediate >> 6 & 31}, {(immediate >> 11) + 1})"
    if name == "s_getreg_b32":
        return name, [register, place]
    if name == "s_setreg_b32":
        return name, [place, register]
    if name == "s_setreg_imm32_b32":
        return name, [place, f"0x{r.second():x}"]
    return name, [register, f"0x{immediate:x}"]


def sopp(r):
    name, shape = look_up("SOPP", r.bits(22, 16))
    immediate = r.bits(15, 0)
    if name == "s_waitcnt":
        return name, [f"vmcnt({immediate & 15}) expcnt({immediate >> 4 & 7}) lgkmcnt({immediate >> 8 & 15})"]
    if name.startswith("s_sendmsg"):
        return name, [f"sendmsg({immediate})"]
    return name, [str(immediate)] if shape else []


def smrd(r):
    name, shape = look_up("SMRD", r.bits(26, 22))
    if not shape:
        return name, []
    target = scalar(r.bits(21, 15), int(shape[0][1:]))
    if len(shape) == 1:
        return name, [target]
    offset = r.bits(7, 0)
    text = f"0x{offset:x}" if r.bits(8, 8) else r.source(offset, "s1")
    return name, [target, scalar(2 * r.bits(14, 9), int(shape[1][1:])), text]


def vop1(r):
    name, shape = look_up("VOP1", r.bits(16, 9))
    if not shape:
        return name, []
    write = scalar if shape[0][0] == "s" else vector
    return name + "_e32", [write(r.bits(24, 17), int(shape[0][1:])), r.source(r.bits(8, 0), shape[1])]


def vop2(r):
    name, shape = look_up("VOP2", r.bits(30, 25))
    write = scalar if shape[0][0] == "s" else vector
    operands = [write(r.bits(24, 17), int(shape[0][1:])), r.source(r.bits(8, 0), shape[-2])]
    second = r.bits(16, 9)
    if name in ("v_madmk_f32", "v_madak_f32"):
        literal = f"0x{r.second():x}"
        operands += [literal, vector(second)] if name == "v_madmk_f32" else [vector(second), literal]
        return name, operands
    if name in ("v_readlane_b32", "v_writelane_b32"):
        return name, [*operands, r.source(second, "s1")]
    operands.append(vector(second))
    if "vcc" in shape:     # v_cndmask_b32 has it behind, additions with carry have it in the middle, and behind too
        if shape[1] == "vcc":
            operands = [write(r.bits(24, 17)), "vcc", r.source(r.bits(8, 0)), vector(second)]
        operands += ["vcc"] if shape[-1] == "vcc" else []
    return name + "_e32", operands


def vopc(r):
    name, shape = look_up("VOPC", r.bits(24, 17))
    return name + "_e32", ["vcc", r.source(r.bits(8, 0), shape[1]), vector(r.bits(16, 9), int(shape[2][1:]))]


def vop3(r):
    opcode = r.bits(25, 17)
    name, shape = look_up("VOP3", opcode)
    second = r.second()
    if not shape:
        return name + "_e64", []
    write = scalar if shape[0][0] == "s" else vector
    operands = [write(r.bits(7, 0), int(shape[0][1:]))]
    sources = list(shape[1:])
    has_mask = sources[:1] == ["vcc"]
    if has_mask:
        operands.append(scalar(r.bits(14, 8), 2))
        sources.pop(0)
    for index, kind in enumerate(sources):
        code = second >> 9 * index & 511
        text = scalar(code, 2) if kind == "vcc" else r.source(code, kind)
        if not has_mask and r.bits(8 + index, 8 + index):
            text = f"|{text}|"
        operands.append("-" + text if second >> 29 + index & 1 else text)
    tail = " clamp" if not has_mask and r.bits(11, 11) else ""
    has_short_form = opcode not in ONLY_LONG and not name.startswith(("v_readlane", "v_writelane"))
    return name + ("_e64" if has_short_form else ""), operands, tail + OMOD[second >> 27 & 3]


def ds(r):
    name, shape = look_up("DS", r.bits(25, 18))
    second = r.second()
    returns = "_rtn" in name or name.startswith(("ds_read", "ds_swizzle", "ds_consume", "ds_append", "ds_ordered"))
    fields = ([24] if returns else []) + [0, 8, 16]
    if name in ("ds_consume", "ds_append"):
        fields = [24]
    operands = [vector(second >> place & 255, int(kind[1:])) for kind, place in zip(shape, fields, strict=False)]
    low, high = r.bits(7, 0), r.bits(15, 8)
    if "2_" in name or "2st64" in name:
        tail = f" offset0:{low} offset1:{high}"
    else:
        tail = f" offset:{low | high << 8}"
    return name, operands, tail + (" gds" if r.bits(17, 17) else "")


def mubuf(r):
    name, shape = look_up("MUBUF", r.bits(24, 18))
    second = r.second()
    if not shape:
        return name, []
    flags = {"offen": r.bits(12, 12), "idxen": r.bits(13, 13), "addr64": r.bits(15, 15)}
    width = 2 if flags["addr64"] or (flags["offen"] and flags["idxen"]) else 1
    address = vector(second & 255, width) if any(flags.values()) else "off"
    tail = "".join(f" {flag}" for flag, on in flags.items() if on)
    for flag, on in (("glc", r.bits(14, 14)), ("slc", second >> 22 & 1), ("tfe", second >> 23 & 1),
                     ("lds", r.bits(16, 16))):
        tail += f" {flag}" if on else ""
    operands = [vector(second >> 8 & 255, int(shape[0][1:])), address, scalar(4 * (second >> 16 & 31), 4),
                r.source(second >> 24, "s1")]
    return name, operands, f"{tail} offset:{r.bits(11, 0)}"


def flat(r):
    name, shape = look_up("FLAT", r.bits(24, 18))
    second = r.second()
    address, glc = vector(second & 255, 2), r.bits(16, 16)
    width = max(int(shape[0][1:]), int(shape[-1][1:])) if "x" in name.rsplit("_", 1)[1] else 1
    tail = " glc" if glc else ""
    if "_load_" in name:
        return name, [vector(second >> 24, int(shape[0][1:])), address], tail
    if "_store_" in name:
        return name, [address, vector(second >> 8 & 255, int(shape[1][1:]) if shape[1] != "v2" else width)], tail
    wide = 2 if name.endswith("_x2") else 1
    data = vector(second >> 8 & 255, wide * 2 if "cmpswap" in name else wide)
    return name, ([vector(second >> 24, wide)] if glc else []) + [address, data], tail


def mimg(r):
    name, _ = look_up("MIMG", r.bits(24, 18))
    second = r.second()
    mask = r.bits(11, 8)
    width = 4 if "gather4" in name else max(1, bin(mask).count("1"))
    operands = [vector(second >> 8 & 255, width), vector(second & 255, 4),
                scalar(4 * (second >> 16 & 31), 8)]
    if "sample" in name or "gather" in name or "lod" in name:
        operands.append(scalar(4 * (second >> 21 & 31), 4))
    tail = f" dmask:0x{mask:x}"
    for flag, on in (("unorm", r.bits(12, 12)), ("glc", r.bits(13, 13)), ("da", r.bits(14, 14)),
                     ("slc", r.bits(25, 25)), ("tfe", r.bits(16, 16)), ("lwe", r.bits(17, 17))):
        tail += f" {flag}" if on else ""
    return name, operands, tail


# (bits, value, reader): the first that fits. The longer patterns come first.
ENCODINGS = ((9, 0b101111101, sop1), (9, 0b101111110, sopc), (9, 0b101111111, sopp), (4, 0b1011, sopk),
             (2, 0b10, sop2), (5, 0b11000, smrd), (7, 0b0111111, vop1), (7, 0b0111110, vopc), (1, 0, vop2),
             (6, 0b110100, vop3), (6, 0b110110, ds), (6, 0b110111, flat), (6, 0b111000, mubuf), (6, 0b111100, mimg))


@cache
def reader_of(top):
    """By the nine upper bits of an instruction."""
    for bits, value, reader in ENCODINGS:
        if top >> 9 - bits == value:
            return reader
    raise ValueError("no encoding")


@lru_cache(65536)
def read(words):
    """(size, text) of an instruction by its bytes; a size of 0 where they are none, or not all of it. What they mean is
    kept, as decode.parse keeps what texts mean."""
    try:
        r = Reader(words, 0)
        name, operands, *tail = reader_of(r.word >> 23)(r)
    except ValueError:
        return 0, ""
    return r.size, f"{name} {', '.join(operands)}{tail[0] if tail else ''}"


class Disassembler:
    """As clpy.llvm.disassembler's, for gfx6 and gfx7."""

    def one(self, code, offset):
        found = read(code[offset:offset + 4])
        return found if found[0] else read(code[offset:offset + 8])
