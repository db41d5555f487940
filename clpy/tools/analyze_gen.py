# SPDX-License-Identifier: Apache-2.0
"""What `clpy analyze` tells of a kernel on a Gen chip: its rows have columns of their own."""
import re

from clpy.tools.analyze_tables import Table

COLUMNS = {
    "kernel": "kernel", "device": "device", "simd": "SIMD", "grfs": "GRFs", "lds_bytes": "SLM",
    "scratch_bytes": "scratch", "code_bytes": "code", "waves_per_simd": "threads", "limiter": "limit", "fpu": "FPU",
    "math": "math", "loads": "loads", "stores": "stores", "atomics": "atomics", "slm": "SLM m.", "flow": "flow",
    "other": "other",
}
TABLE = Table(COLUMNS, ("processor", "group_size", "occupancy", "wave_slots", "local_arguments"), ("atomics", "math"))
LABEL = re.compile(r"\bL(\d+)\b")
KINDS = ("fpu", "math", "loads", "stores", "atomics", "slm", "flow", "other")


def row_of(chip, program, kernel, size):
    """A row's own cells of a kernel in groups of `size` work-items; ValueError for code that cannot be read."""
    from clpy.compiler.isa.gcn.flow import UnknownInstruction
    from clpy.compiler.isa.gcn.steps import line_finder
    from clpy.compiler.isa.gen import decode, disassembly
    from clpy.device.gpu.occupancy import occupancy
    code = bytes(program.text[kernel.entry:kernel.entry + kernel.size])
    rows = decode.rows_of(disassembly.text_of(code, program.processor))
    try:
        instructions = [ins for ins in decode.parse(rows, kernel) if ins.name != "illegal"]
    except UnknownInstruction as why:
        raise ValueError(str(why)) from None
    found = occupancy(chip, kernel.grfs, 0, kernel.lds_bytes, size, kernel.simd, kernel.barriers > 0)
    return {
        "table": TABLE, "simd": kernel.simd, "grfs": kernel.grfs, "scratch_bytes": kernel.thread_scratch,
        "occupancy": found, "limiter": found.limiter, **count(instructions),
        "isa": listing(rows, instructions, kernel, line_finder(kernel.lines)),
    }


def count(instructions):
    """{kind: number} of what a kernel's code consists of; a loop's instructions are counted once."""
    made = dict.fromkeys(KINDS, 0)
    for ins in instructions:
        made[kind_of(ins)] += 1
    return made


def kind_of(ins):
    from clpy.compiler.isa.gen import steps
    if ins.is_send:
        message = steps.message_of(ins)
        kind = "" if message is None else steps.KINDS.get(message.kind, "")
        if kind and message.space == "local":
            return "slm"
        return ("atomics" if kind.startswith("atomic") else "stores" if kind.endswith("store") else
                "loads" if kind else "other")
    if ins.name in steps.FLOW:
        return "flow"
    if ins.name in (steps.BARRIER, "nop", "sync"):
        return "other"
    return "math" if ins.name.startswith("math") else "fpu"


def listing(rows, instructions, kernel, line_at):
    """listing.Instructions: as IGA writes them, without what fills the end; jumps name the offset that they go to."""
    from clpy.compiler.amdgpu.listing import Instruction
    texts = {kernel.entry + at: " ".join(text.split()) for at, text in rows}

    def text_of(ins):
        return LABEL.sub(lambda found: f"{kernel.entry + int(found[1]):x}", texts[ins.pc]) if ins.targets else texts[
            ins.pc]
    return [Instruction(ins.pc, ins.size, text_of(ins), line_at(ins.pc)) for ins in instructions]
