# SPDX-License-Identifier: Apache-2.0
"""A VLIW kernel's machine code as text, as AMD's guides show such code: the control flow program, below each of its
instructions the clause that it starts, of arithmetic a line for each operation with its unit. Names are LLVM's.

    00 ALU: ADDR(9) CNT(4) KCACHE0(CB0:0-31)
          0  t: MULLO_INT   R0.y,  KC0[1].z,  R1.x
          1  w: ADD_INT     ____,  PS0,  R0.x
    01 MEM_RAT_CACHELESS_STORE_RAW: RAT[R1.x], R0.x___
    02 CF_END

PV and PS are what the bundle of that number has made, in a vector unit or in the fifth.
"""
import math
import struct

from clpy.compiler.amdgpu.listing import Instruction

from .decode import WORD

UNITS, CHANNELS = "xyzwt", "xyzw"
FETCH_BYTES, FLOAT = 16, struct.Struct("<f")
OMOD = {0: "", 1: "*2", 2: "*4", 3: "/2"}
PREDICATES = {"": "", "zero": "PRED_SEL_ZERO", "one": "PRED_SEL_ONE"}
JUMPS = ("JUMP", "ELSE", "PUSH", "POP", "LOOP_BREAK", "CONTINUE", "LOOP_START_DX10", "END_LOOP")
NAME_WIDTH = 16


def listing(flows, line_at):
    """listing.Instructions of a kernel, in the order of its control flow; `line_at` gives the source's line for an
    offset. Operations of a bundle have the bundle's line, the last one of them its literals."""
    made, number = [], 0
    for flow in flows:
        made.append(Instruction(flow.at, WORD, f"{flow.number:02} {flow_text(flow)}", line_at(flow.at)))
        if flow.name == "RAT":
            continue
        for part in flow.clause:
            if isinstance(part, tuple):
                made.append(Instruction(part.at, FETCH_BYTES, indented(number, fetch_text(part)), line_at(part.at)))
            else:
                made += bundle_lines(part, number, flow.locks, line_at(part.at))
            number += 1
    return made


def indented(number, text):
    return f"   {'' if number is None else number:>4}  {text}".rstrip()


def bundle_lines(bundle, number, locks, line):
    made = []
    for index, slot in enumerate(bundle.slots):
        is_last = index == len(bundle.slots) - 1
        size = bundle.size - WORD * index if is_last else WORD
        text = f"{UNITS[slot.unit]}: {slot_text(slot, number, locks)}"
        made.append(Instruction(bundle.at + WORD * index, size, indented(None if index else number, text), line))
    return made


# Control flow

def flow_text(flow):
    """A control flow instruction, without its clause."""
    end = " END_OF_PROGRAM" if flow.ends and flow.name != "CF_END" else ""
    if flow.name == "RAT":
        return write_text(flow.clause[0]) + end
    if flow.clause:
        words = sum(bundle.size for bundle in flow.clause) // WORD if flow.locks else len(flow.clause)
        locks = [f"KCACHE{i}(CB{bank}:{first}-{first + count - 1})"
                 for i, (bank, first, count) in enumerate(flow.locks) if count]
        return " ".join([f"{flow.name}: ADDR({flow.target}) CNT({words})", *locks]) + end
    pops = f" POP_CNT({flow.pops})" if flow.pops else ""
    return flow.name + pops + (f" ADDR({flow.target})" if flow.name in JUMPS else "") + end


def write_text(write):
    """A store or an atomic operation: of components of a register, at a word address (of small ones a byte's)."""
    path = "MEM_RAT" if write.cached else "MEM_RAT_CACHELESS"
    returns = "_RTN" if write.returns else ""
    parts = [channel if write.mask >> i & 1 else "_" for i, channel in enumerate(CHANNELS)]
    return f"{path}_{write.name}{returns}: RAT[R{write.index}.x], R{write.data}.{''.join(parts)}"


def fetch_text(fetch):
    """A load; FC is the number of its buffer."""
    parts = "".join(channel if i in fetch.writes else "_" for i, channel in enumerate(CHANNELS))
    offset = f" OFFSET({fetch.offset})" if fetch.offset else ""
    return f"{fetch.name} R{fetch.target}.{parts}, R{fetch.gpr}.{CHANNELS[fetch.channel]}, FC{fetch.buffer}{offset}"


# Operations of a bundle

def slot_text(slot, number, locks):
    """An operation of bundle `number`, without its unit; `locks` as the clause's Flow has them."""
    name = slot.name + OMOD[slot.omod] + ("_sat" if slot.clamp else "")
    operands = [source_text(source, number, locks) for source in slot.sources]
    if slot.name.startswith("LDS_"):
        operands = (["OQAP"] if slot.name.endswith("_RET") else []) + operands
    elif slot.writes:
        operands = [register_text(slot.gpr, slot.channel, slot.relative), *operands]
    elif operands:
        operands = ["____", *operands]
    more = [f"OFFSET({slot.offset})" if slot.offset else "", "UPDATE_EXEC_MASK" if slot.sets_exec else "",
            "UPDATE_PRED" if slot.sets_predicate else "", PREDICATES[slot.predicate]]
    return "  ".join([f"{name:<{NAME_WIDTH}}", ",  ".join(operands), *filter(None, more)]).rstrip()


def register_text(number, channel, relative):
    return f"R[AR.x+{number}].{CHANNELS[channel]}" if relative else f"R{number}.{CHANNELS[channel]}"


def source_text(source, number, locks):
    channel = CHANNELS[source.channel]
    text = {
        "gpr": lambda: register_text(source.at, source.channel, source.relative),
        "constant": lambda: f"{constant_text(source.at, locks)}.{channel}",
        "literal": lambda: f"(0x{source.at:08X}, {float_text(source.at)})",
        "int": lambda: str(source.at),
        "float": lambda: f"{source.at:.1f}f",
        "pv": lambda: f"PV{number - 1}.{channel}",
        "ps": lambda: f"PS{number - 1}",
        "oq": lambda: "OQAP",
    }[source.kind]()
    text = f"|{text}|" if source.abs else text
    return f"-{text}" if source.neg else text


def constant_text(at, locks):
    """A constant by its place in what the clause has locked."""
    for i, (_, first, count) in enumerate(locks):
        if first <= at < first + count:
            return f"KC{i}[{at - first}]"
    raise ValueError(f"constant {at} that the clause has not locked")


def float_text(bits):
    """What the bits are as a number of 32 bits."""
    value, = FLOAT.unpack(bits.to_bytes(4, "little"))
    if not math.isfinite(value):
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    text = f"{value:.9g}"
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"
