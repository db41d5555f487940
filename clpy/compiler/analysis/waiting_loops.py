# SPDX-License-Identifier: Apache-2.0
"""Loops in which a work-item waits until another work-group has written something. An analysis.

Nothing but what such a loop sees in memory ends it, and it writes nothing itself: it looks by an atomic operation that
changes nothing, or at volatile memory. A sum by compare and exchange, or a lock, is none: who is in its way has begun.
"""

from clpy.compiler.analysis.builtin_table import FENCE, ID, MATH, PURE, row_of
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.llvm.ir import Function, Inst
from clpy.records import record

SAME_WITH_ZERO = ("add", "sub", "or", "xor")       # operations that change nothing with the number 0


@record(frozen=True)
class WaitingLoops:
    """`shared`: address spaces whose memory work-groups may share; `own`: that of a work-item's own memory."""
    shared: tuple
    own: int

    def headers(self, cfg):
        """The blocks with which such loops begin."""
        return [cfg.blocks[loop.header] for loop in cfg.loops if self.waits(cfg, loop)]

    def may_be_in(self, function):
        """Whether it is worth a look."""
        return any(map(self.looks, function.instructions_of("load", "atomicrmw", "cmpxchg")))

    def waits(self, cfg, loop):
        inside = {cfg.blocks[number] for number in loop.blocks}
        ends = [block.terminator for block in inside if any(s not in inside for s in block.successors)]
        if not all(end.opcode in ("br", "switch") and self.depends(end.operand(0), inside) for end in ends):
            return False
        return bool(ends) and not any(self.has_effects(inst) for block in inside for inst in block.instructions)

    def looks(self, inst):
        """It reads what others may have written since, and writes nothing new."""
        op = inst.opcode
        if op not in ("load", "atomicrmw", "cmpxchg") or inst.operand(0).type.address_space not in self.shared:
            return False
        if op == "load":
            return inst.is_atomic or inst.is_volatile
        if op == "cmpxchg":
            return inst.operand(1) == inst.operand(2)
        value = inst.operand(1)
        return inst.rmw_operation in SAME_WITH_ZERO and value.is_const_int and not value.zext

    def depends(self, value, inside):
        """Whether a value comes from a look in these blocks."""
        seen, pending = set(), [value]
        while pending:
            value = pending.pop()
            if not isinstance(value, Inst) or value in seen or value.block not in inside:
                continue
            if self.looks(value):
                return True
            seen.add(value)
            pending += value.operands
        return False

    def has_effects(self, inst):
        """... that another work-item could see."""
        op = inst.opcode
        if op in ("atomicrmw", "cmpxchg"):
            return not self.looks(inst)
        if op != "call":
            return op == "store" and inst.operand(1).type.address_space != self.own
        callee = inst.callee
        if not isinstance(callee, Function):
            return True
        row = row_of(callee.name)
        return not (intrinsic_base(callee.name) or callee.name.startswith("llvm.") or
                    (row is not None and row.kind in (ID, MATH, PURE, FENCE)))
