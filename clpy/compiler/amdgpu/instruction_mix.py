# SPDX-License-Identifier: Apache-2.0
"""Which unit of a compute unit runs an instruction, by its mnemonic."""

# Kind -> what it is, in the order in which it is shown.
KINDS = {
    "valu": "vector arithmetic",
    "salu": "scalar arithmetic",
    "vmem_load": "vector memory: loads, images too",
    "vmem_store": "vector memory: stores",
    "vmem_atomic": "vector memory: atomics",
    "smem": "scalar loads",
    "lds": "local memory",
    "branch": "branches, calls, the end",
    "export": "exports",
    "other": "waits, barriers, messages",
}
# Beginnings of mnemonics, the first that fits counts.
SCALAR = (
    (("s_load", "s_buffer_load", "s_store", "s_buffer_store", "s_scratch", "s_atomic", "s_memtime", "s_memrealtime",
      "s_dcache"), "smem"),
    (("s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_endpgm"), "branch"),
    (("s_waitcnt", "s_barrier", "s_sendmsg", "s_nop", "s_sleep", "s_set_gpr_idx", "s_setprio", "s_sethalt", "s_trap",
      "s_icache", "s_inst_prefetch", "s_ttrace"), "other"),
    (("s_",), "salu"),
)
VECTOR_MEMORY = ("buffer_", "tbuffer_", "image_", "flat_", "global_", "scratch_")


def kind_of(text):
    """The kind of an instruction."""
    name = text.split(" ", 1)[0]
    if name.startswith("v_"):
        return "valu"
    if name.startswith("s_"):
        return next(kind for beginnings, kind in SCALAR if name.startswith(beginnings))
    if name.startswith("ds_"):
        return "lds"
    if name.startswith(VECTOR_MEMORY):
        if "_atomic" in name:
            return "vmem_atomic"
        return "vmem_store" if "_store" in name else "vmem_load"
    return "export" if name == "exp" else "other"


def count(listing):
    """{kind: number of instructions}, all kinds."""
    counts = dict.fromkeys(KINDS, 0)
    for instruction in listing:
        counts[kind_of(instruction.text)] += 1
    return counts
