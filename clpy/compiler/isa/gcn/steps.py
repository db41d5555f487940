# SPDX-License-Identifier: Apache-2.0
"""The static program of a kernel for the models of chips: for each block what its instructions keep busy, and how long.

`rates` are a chip's issue cycles by class; docs of the chip files say which instructions are in each.
"""
import re
from dataclasses import dataclass, field
from functools import cache

from . import memory
from .flow import target

# What a chip without rates of its own has.
DEFAULT_RATES = {
    "valu": 4, "int24_mul": 4, "int32_mul": 16, "fma_f32": 4, "trans_f32": 16, "fp16": 4, "fp64_add": 16,
    "fp64_mul": 16, "fp64_trans": 32, "shift64": 8, "salu": 4, "smem": 4, "branch": 4, "branch_taken": 16,
    "message": 4, "export": 16, "vmem": 4, "vmem_load_b64": 18, "vmem_atomic": 16, "lds_read_b32": 4,
    "lds_read_b64": 8, "lds_read_b128": 16, "lds_write_b32": 8, "lds_write_b64": 12, "lds_write_b128": 20,
    "lds_atomic": 8, "barrier": 4,
    "lds_banks": 32}
ANY = 255
COUNTERS = re.compile(r"(vm|lgkm|exp)cnt\((\d+)\)")
TRANSCENDENTAL = ("v_rcp", "v_rsq", "v_sqrt", "v_exp", "v_log", "v_sin", "v_cos")
FULL_MULTIPLIES = ("v_mul_lo_", "v_mul_hi_", "v_mad_u64", "v_mad_i64")
DOUBLE_MULTIPLIES = ("v_mul_f64", "v_fma_f64", "v_ldexp_f64", "v_div_fmas_f64", "v_div_fixup_f64", "v_div_scale_f64",
                     "v_trig_preop_f64", "v_mad_f64")
MESSAGES = ("s_nop", "s_sleep", "s_sendmsg", "s_setprio", "s_trap", "s_sethalt", "s_icache_inv", "s_dcache_",
            "buffer_wb", "buffer_inv", "s_inst_prefetch", "s_memtime", "s_memrealtime")
BITS = {"u8": 1, "i8": 1, "b8": 1, "u16": 2, "i16": 2, "b16": 2, "b32": 4, "b64": 8, "b96": 12, "b128": 16}


@dataclass
class Step:
    """`count` instructions of a kind that follow each other, `cycles` each. `vm`, `lgkm`, `exp`: of a wait, how many
    may stay under way. `mix`: instructions by class. `at`, `size`: bytes of code, which the instruction cache has to
    have. `gap`: of chips whose code has no waits for its own results, cycles behind those of each instruction.
    `lines`: [line, how many] of instructions, where they are of more than `line`."""
    unit: str
    kind: str = ""
    count: int = 1
    cycles: int = 4
    bytes: int = 0
    vm: int = ANY
    lgkm: int = ANY
    exp: int = ANY
    line: int = 0
    mix: dict = field(default_factory=dict)
    at: int = 0
    size: int = 0
    gap: int = 0
    lines: list = field(default_factory=list)


@dataclass
class WaveProgram:
    """Of one kernel: lists of steps by block, the bytes that a wavefront needs of a group's context memory, and the
    most instructions that it may go through; 0: nobody knows, there are loops."""
    blocks: list
    wave_bytes: int = 0
    suspends: bool = False
    longest: int = 0

    def to_dict(self):
        """Plain data for JSON. dataclasses.asdict() copies each number by itself."""
        return {**vars(self), "blocks": [[dict(vars(step)) for step in block] for block in self.blocks]}

    @staticmethod
    def from_dict(data):
        blocks = [[Step(**step) for step in block] for block in data["blocks"]]
        return WaveProgram(blocks, data["wave_bytes"], data["suspends"], data["longest"])


@cache
def valu_class(name):
    """Class of a vector instruction."""
    if name.startswith(TRANSCENDENTAL):
        return "fp64_trans" if name.endswith("f64") else "trans_f32"
    if "_u24" in name or "_i24" in name:
        return "int24_mul"
    if name.startswith(FULL_MULTIPLIES) and not name.endswith("16"):
        return "int32_mul"
    if name.startswith(DOUBLE_MULTIPLIES):
        return "fp64_mul"
    if "f64" in name:
        return "fp64_add"
    if name.startswith(("v_lshl", "v_lshr", "v_ashr")) and name.endswith("64"):
        return "shift64"
    if name.startswith(("v_fma_f32", "v_fmac_f32")):
        return "fma_f32"
    return "fp16" if name.endswith(("f16", "u16", "i16", "b16")) or "_pk_" in name else "valu"


def vector_kind(form):
    """(kind, bytes a lane) of an instruction that goes to memory."""
    name = form.name
    if name.startswith("image_"):
        words = bin(form.modifiers.get("dmask", 15)).count("1")
        kind = ("image_store" if "store" in name else "image_sample" if "sample" in name or "gather" in name
                else "image_atomic" if "atomic" in name else "image_load")
        return kind, 4 * words
    if "atomic" in name:
        wide = 8 if name.endswith("_x2") else 4
        return ("atomic_return" if form.modifiers.get("glc") else "atomic"), wide
    kind = "store" if "_store" in name else "load"
    if "_format_" in name:
        return f"image_{kind}", 4 * len(name.rpartition("_")[2])
    return kind, BITS[memory.KINDS.get(memory.half_of(name)[0].removesuffix("_d16_hi").rpartition("_")[2], "b32")]


def local_kind(form):
    """(kind, bytes a lane, rate) of an instruction of LDS."""
    name = form.name
    if name.startswith(("ds_swizzle", "ds_permute", "ds_bpermute")):
        return "load", 0, "lds_read_b32"
    size = BITS.get("b" + re.sub(r"\D", "", name.rpartition("_")[2] or "32"), 4) if name[-1].isdigit() else 4
    if name.startswith(("ds_read", "ds_write")):
        total = size * (2 if name.startswith(("ds_read2", "ds_write2")) else 1)
        kind, word = ("load", "read") if name.startswith("ds_read") else ("store", "write")
        return kind, total, f"lds_{word}_b{32 if total <= 4 else 64 if total <= 8 else 128}"
    return ("atomic_return" if "_rtn" in name else "atomic"), size, "lds_atomic"


def goes_to_memory(form):
    """Unit of an instruction that has words of its own in the trace; "" for others."""
    return unit_of(form.name)


@cache
def unit_of(name):
    if name.startswith(MESSAGES):
        return ""
    if name.startswith(("s_load_", "s_buffer_load_")):
        return "smem"
    if name.startswith(("buffer_", "flat_", "global_", "scratch_", "image_", "tbuffer_")):
        return "vmem"
    return "lds" if name.startswith("ds_") and name != "ds_nop" else ""


def wait_of(form):
    step = Step("wait", cycles=4)
    for counter, number in COUNTERS.findall(str(form.operands[0].at)):
        setattr(step, counter, int(number))
    return step


def step_of(form, rates):
    name = form.name
    unit = goes_to_memory(form)
    if unit == "smem":
        return Step(unit, "load", cycles=rates["smem"], bytes=4 * form.operands[0].width)
    if unit == "vmem":
        kind, size = vector_kind(form)
        return Step(unit, kind, cycles=rates["vmem"], bytes=size)
    if unit == "lds":
        kind, size, rate = local_kind(form)
        return Step(unit, kind, cycles=rates[rate], bytes=size)
    if name == "s_waitcnt":
        return wait_of(form)
    if name.startswith(MESSAGES):
        return Step("message", cycles=rates["message"])
    if name == "s_barrier":
        return Step("barrier", cycles=rates["barrier"])
    if name.startswith("s_endpgm"):
        return Step("end")
    if name.startswith(("s_cbranch", "s_branch", "s_setpc", "s_swappc", "s_call")):
        return Step("branch", cycles=rates["branch"])
    if name.startswith("s_"):
        return Step("salu", cycles=rates["salu"])
    kind = valu_class(name)
    return Step("valu", cycles=rates[kind], mix={kind: 1})


def block_steps(block, rates, line_at):
    made = []
    for instruction in block.instructions:
        step = step_of(instruction.form, rates)
        step.line = line_at(instruction.offset)
        step.at, step.size = instruction.offset, instruction.size
        last = made[-1] if made else None
        if (last is not None and step.unit in ("valu", "salu") and (last.unit, last.cycles, last.line, list(last.mix))
                == (step.unit, step.cycles, step.line, list(step.mix))):
            last.count += 1
            last.size += instruction.size
            for kind in last.mix:
                last.mix[kind] += 1
        else:
            made.append(step)
    return made


def line_finder(lines):
    """Function that gives the line for an offset; `lines` are (offset, line), each from there on."""
    import bisect
    offsets = [offset for offset, _ in lines]

    def find(offset):
        index = bisect.bisect_right(offsets, offset)
        return lines[index - 1][1] if index else 0
    return find


def wave_program(flow, rates, lines):
    rates = {**DEFAULT_RATES, **(rates or {})}
    find = line_finder(lines)
    blocks = sorted(flow.blocks.values(), key=lambda block: block.number)
    longest = 0 if any(map(may_go_back, blocks)) else sum(len(block.instructions) for block in blocks)
    return WaveProgram([steps_of(block, rates, find) for block in blocks], longest=longest)


def steps_of(block, rates, line_at):
    if block.steps is None:
        return block_steps(block, rates, line_at)
    for step in block.steps:
        step.line = line_at(step.at)
    return block.steps


def may_go_back(block):
    name = block.last.form.name
    if name.startswith(("s_cbranch_", "s_branch")):
        return target(block.last) <= block.start
    return name.startswith(("s_setpc", "s_swappc", "s_call"))
