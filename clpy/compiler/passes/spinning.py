# SPDX-License-Identifier: Apache-2.0
"""Kernels that go around in a loop until another work-group has written something.

The language promises no group that others run meanwhile, yet programs for GPUs count on it, as long as all groups of a
launch find room there: barriers of all groups, flags that each group raises for the next. Nothing but what a loop sees
in memory ends it, and it writes nothing itself: an atomic operation that changes nothing, or a volatile access. The
runtime then sees to it that such groups are not the only ones that run, and is called in each turn, so that those that
wait leave the processor to others (clpy/device/host/gang.pyx).
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.builtin_table import FENCE, ID, MATH, PURE, row_of
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import GENERIC, GLOBAL, PRIVATE, space_of
from clpy.llvm.ir import SPIR_KERNEL, Builder, Function, Inst, Types, declare, functions

SPIN = "__clpy_spin"
SHARED = (GLOBAL, GENERIC)                         # by work-groups
SAME_WITH_ZERO = ("add", "sub", "or", "xor")       # operations that change nothing with the number 0


def looks(inst):
    """It reads what others may have written since, and writes nothing new."""
    op = inst.opcode
    if op == "load":
        return (inst.is_atomic or inst.is_volatile) and space_of(inst.operand(0)) in SHARED
    if op == "atomicrmw":
        value = inst.operand(1)
        return inst.rmw_operation in SAME_WITH_ZERO and value.is_const_int and not value.zext and \
            space_of(inst.operand(0)) in SHARED
    return op == "cmpxchg" and inst.operand(1) == inst.operand(2) and space_of(inst.operand(0)) in SHARED


def has_effects(inst):
    """... that another work-item could see."""
    op = inst.opcode
    if op in ("atomicrmw", "cmpxchg"):
        return not looks(inst)
    if op != "call":
        return op == "store" and space_of(inst.operand(1)) != PRIVATE
    callee = inst.callee
    if not isinstance(callee, Function):
        return True
    row = row_of(callee.name)
    return not (intrinsic_base(callee.name) or callee.name.startswith("llvm.") or
                (row is not None and row.kind in (ID, MATH, PURE, FENCE)))


def depends_on_looks(value, inside):
    seen, pending = set(), [value]
    while pending:
        value = pending.pop()
        if not isinstance(value, Inst) or value in seen or value.block not in inside:
            continue
        if looks(value):
            return True
        seen.add(value)
        pending += value.operands
    return False


def spins(cfg, loop):
    """Only what others write ends it."""
    inside = {cfg.blocks[number] for number in loop.blocks}
    ends = [block.terminator for block in inside if any(s not in inside for s in block.successors)]
    if not all(end.opcode in ("br", "switch") and depends_on_looks(end.operand(0), inside) for end in ends):
        return False
    return bool(ends) and not any(has_effects(inst) for block in inside for inst in block.instructions)


def may_look(kernel):
    return any(looks(inst) for inst in kernel.instructions_of("load", "atomicrmw", "cmpxchg"))


def turn(module, header):
    types = Types(module)
    spin = declare(module, SPIN, types.function(types.void, []))
    spin.add_attribute("nounwind")
    spin.add_attribute("cold")         # of many work-items one after the other, in a loop
    Builder(module).before(header.first_non_phi).call(spin, [])


def run(module, lowering):
    for kernel in functions(module):
        if kernel.call_conv != SPIR_KERNEL or kernel.is_declaration or not may_look(kernel):
            continue
        cfg = laid_out(kernel)
        waiting = [cfg.blocks[loop.header] for loop in cfg.loops if spins(cfg, loop)]
        for header in waiting:
            turn(module, header)
        if waiting:
            kernel.add_attribute(fr.SPINS, "")
            lowering.kernels[kernel.name].spins = True
