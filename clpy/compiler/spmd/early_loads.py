# SPDX-License-Identifier: Apache-2.0
"""What a loop loads from the same place in each turn is loaded once before it.

LLVM's LICM leaves such a load in a loop that has its test at the beginning, as it may not be made at all. It is made if
the first test says so, which can be asked before the loop. As vectors these loads matter most in loops that lanes leave
one by one: their masks change with each turn, and what is done next waits for the loaded value.
"""
from clpy.compiler.analysis.access import pointer_of
from clpy.compiler.analysis.builtin_table import ID, MATH, PURE, row_of
from clpy.compiler.analysis.distinct import may_alias
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import CONSTANT, GLOBAL, LOCAL, space_of
from clpy.compiler.analysis.transfer import PURE as ARITHMETIC
from clpy.llvm.ir import Builder

DEEP = 6
MOST = 6          # loads from a loop: each takes a register of it


def may_write(inst):
    op = inst.opcode
    if op in ("atomicrmw", "cmpxchg", "fence"):
        return True
    if op in ("load", "store"):
        return op == "store" or inst.is_atomic or inst.is_volatile
    if op != "call" or inst.callee.name.startswith("llvm.dbg"):
        return False
    row = row_of(inst.callee.name)
    return not intrinsic_base(inst.callee.name) and (row is None or row.kind not in (ID, MATH, PURE))


class EarlyLoads:
    """Of the function for one lane that `shapes` are of."""

    def __init__(self, module, shapes):
        self.b, self.shapes, self.cfg = Builder(module), shapes, shapes.cfg

    def run(self):
        """Whether something was changed; the control flow is another one then."""
        changed = False
        for loop in self.cfg.loops:
            found = self.entered(loop)
            loads = self.loads(loop, found[1]) if found is not None else []
            if loads:
                order = []
                if self.collect(found[2], loop, order):
                    self.move(loads[:MOST], loop, found[0], found[2:], order)
                    changed = True
        return changed

    def entered(self, loop):
        """(The block before a loop, the first one behind its test, the test, what it is for the loop), else None."""
        cfg = self.cfg
        header = cfg.blocks[loop.header]
        end = header.terminator
        before = [cfg.blocks[p] for p in cfg.preds[loop.header] if p not in loop.blocks]
        if len(before) != 1 or len(before[0].successors) != 1 or end.opcode != "br" or not end.is_conditional:
            return None
        inside = [cfg.number[s] in loop.blocks for s in header.successors]
        body = header.successors[inside.index(True)]
        if sum(inside) != 1 or body == header or len(cfg.preds[cfg.number[body]]) != 1:
            return None
        return before[0], body, end.operand(0), inside[0]

    def loads(self, loop, body):
        """Those that are made whenever the loop is entered, of what stays the same. What all lanes load from one place
        would not be the same for them any more where only some enter the loop."""
        parts = loop.header in self.shapes.divergent
        found = [i for i in body.instructions if i.opcode == "load" and not i.is_atomic and not i.is_volatile
                 and not (parts and self.shapes.uniform(pointer_of(i)))
                 and not self.cfg.changes(pointer_of(i), loop) and self.collect(pointer_of(i), loop, [])
                 and space_of(pointer_of(i)) in (GLOBAL, LOCAL, CONSTANT)]
        if not found:
            return []
        writes = [i for b in loop.blocks for i in self.cfg.blocks[b].instructions if may_write(i)]
        if any(i.opcode != "store" or i.is_volatile or i.is_atomic for i in writes):
            return []
        return [load for load in found if not any(
            may_alias(self.cfg.function, pointer_of(load), pointer_of(store)) for store in writes)]

    def collect(self, value, loop, order, depth=0):
        """Whether the value can be computed from the loop's phis and what is known before it; `order` gets how."""
        if not self.cfg.is_inside(value, loop) or value in order:
            return True
        if value.opcode == "phi":
            return self.cfg.number[value.block] == loop.header
        if value.opcode not in ARITHMETIC or depth > DEEP:
            return False
        if not all(self.collect(v, loop, order, depth + 1) for v in value.operands):
            return False
        order.append(value)
        return True

    def move(self, loads, loop, before, test, order):
        """Into a block of their own between `before` and the loop, which is gone through if the loop is entered."""
        header, function, b = self.cfg.blocks[loop.header], self.cfg.function, self.b
        first, start = function.append_block("early"), function.append_block("start")
        condition, positive = test
        values = {phi: v for phi in header.phis for v, block in phi.incoming if block == before}
        b.before(before.terminator)
        self.copy(order, values)
        b.cond_br(values.get(condition, condition), *((first, start) if positive else (start, first)))
        before.terminator.erase()
        for phi in header.phis:
            new = b.before(phi).phi(phi.type, phi.name)
            for value, block in phi.incoming:
                new.add_incoming(value, start if block == before else block)
            phi.replace_with(new)
            phi.erase()
        same = {}
        for load in loads:
            order = []
            self.collect(pointer_of(load), loop, order)
            b.at_end(first)
            copy = self.copy([inst for inst in order if inst not in same] + [load], same)
            once = b.at_end(start).phi(load.type, "once")
            once.add_incoming(copy, first)
            once.add_incoming(load.type.poison, before)
            load.replace_with(once)
            load.erase()
        b.at_end(first).br(start)
        b.at_end(start).br(header)

    def copy(self, insts, values):
        """Put copies of instructions here; `values` gets them. Returns the last."""
        new = None
        for inst in insts:
            values[inst] = new = self.b.insert(inst.clone())
            for n, operand in enumerate(inst.operands):
                new.set_operand(n, values.get(operand, operand))
        return new
