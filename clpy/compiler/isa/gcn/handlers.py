# SPDX-License-Identifier: Apache-2.0
"""Which function writes an instruction that is no control flow."""
from . import arithmetic, crossing, images, memory, modes, packed, program_counter, scalar, vector

IGNORED = ("s_waitcnt", "s_nop", "s_sleep", "s_setprio", "s_sethalt", "s_inst_prefetch", "s_icache_inv",
           "s_dcache_", "s_ttracedata", "s_incperflevel", "s_decperflevel", "s_sendmsg", "s_set_gpr_idx_mode",
           "s_setkill", "s_clause", "v_nop", "v_clrexcp", "ds_nop", "s_setvskip")
FENCES = ("buffer_wbinvl1", "buffer_wbl2", "buffer_inv")
_found = {}


def find(form):
    """Function (c, instruction), None for control flow. It is the same for all of a name and an encoding with so many
    operands, with op_sel or without it, and is looked for once."""
    kind = form.name, form.encoding, "op_sel" in form.modifiers, len(form.operands)
    try:
        return _found[kind]
    except KeyError:
        _found[kind] = found = look_for(form)
        return found


def look_for(form):
    name = form.name
    if name.startswith(IGNORED):
        return nothing
    if form.encoding in ("sdwa", "dpp"):
        return crossing.wrapped
    if "op_sel" in form.modifiers and "_pk_" not in name and name in arithmetic.OPERATIONS:
        return of_halves
    found = (HANDLERS.get(name) or packed.handler(form) or vector.handler(form) or images.handler(form)
             or memory.handler(form))
    return found or (fence if name.startswith(FENCES) else None)


def nothing(c, instruction):
    """Of what the host need not do."""


def of_halves(c, instruction):
    vector.operation(c, instruction, packed.Halves(instruction.form))


def fence(c, instruction):
    c.r.flush()
    c.b.fence()


HANDLERS = {**crossing.HANDLERS, **modes.HANDLERS, **program_counter.HANDLERS,
            **dict.fromkeys(scalar.OPERATIONS, scalar.operation),
            "s_cmov_b32": scalar.conditional_move, "s_cmov_b64": scalar.conditional_move}
for _name in scalar.SAVED:
    HANDLERS[f"s_{_name}_saveexec_b64"] = scalar.save_exec
for _name in ("s_movk_i32", "s_cmovk_i32", "s_addk_i32", "s_mulk_i32"):
    HANDLERS[_name] = scalar.with_constant
for _test in scalar.COMPARISONS:
    for _kind in ("i32", "u32", "i64", "u64"):
        HANDLERS[f"s_cmp_{_test}_{_kind}"] = HANDLERS[f"s_cmpk_{_test}_{_kind}"] = scalar.compare
for _name in ("bitcmp0_b32", "bitcmp1_b32", "bitcmp0_b64", "bitcmp1_b64"):
    HANDLERS["s_" + _name] = scalar.compare_bit
