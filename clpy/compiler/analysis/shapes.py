# SPDX-License-Identifier: Apache-2.0
"""How each value of a work-item function depends on the work-item: uniform, strided or varying.

A shape is a number k, when the value is base + lid.0 * k (0: uniform, the same for all work-items), or VARYING.
A data-flow fixed point from uniform upwards. A value diverges through its operands, through control (a phi whose
value depends on which way work-items went), and in time (it comes out of a loop that work-items leave at different
times): both of the last are caught by treating as varying each phi between a divergent branch and the point where
all its ways meet again, that point included. Loop-carried values change through phis only, so nothing else can differ.
"""
from clpy.compiler.analysis.builtin_table import JOIN, UNIFORM, find
from clpy.compiler.analysis.cfg import postdominators, reachable
from clpy.compiler.analysis.memory import CONSTANT, PRIVATE, base_of
from clpy.llvm.ir import Function, Inst

VARYING = None
WORK_ITEM = {"lid.0": 1, "lid.1": VARYING, "lid.2": VARYING}  # lanes: all work-items of the group
OPCODES = """fneg add fadd sub fsub mul fmul udiv sdiv fdiv urem srem frem shl lshr ashr and or xor getelementptr
    trunc zext sext fptoui fptosi uitofp sitofp fptrunc fpext ptrtoint ptrtoaddr inttoptr bitcast addrspacecast icmp
    fcmp select extractelement insertelement shufflevector extractvalue insertvalue freeze"""
PURE = frozenset(OPCODES.split())


class Shapes:
    """`stable(load)` says that nothing may write the loaded memory while work-items may read it."""

    def __init__(self, function, graph, stable, seeds=WORK_ITEM):
        self.graph, self.stable = graph, stable
        self.shape = {p: seeds.get(p.name, 0) for p in function.params}
        self.instructions = function.instructions
        self.joined = set()      # phis that diverge by control
        self.divergent = set()   # blocks that end in a divergent branch
        self.above = postdominators(graph.succ)
        self.solve()

    def of(self, value):
        """Constants, globals and functions are uniform."""
        return self.shape.get(value, 0)

    def is_uniform(self, value):
        return self.of(value) == 0

    def solve(self):
        for inst in self.instructions:
            self.shape[inst] = 0
        pending = list(reversed(self.instructions))
        waiting = set(pending)
        while pending:
            inst = pending.pop()
            waiting.discard(inst)
            if inst.opcode in ("br", "switch"):
                changed = self.branch(inst)
            else:
                shape = self.transfer(inst)
                if shape == self.shape[inst]:
                    continue
                self.shape[inst] = shape
                changed = [u for u in inst.users if isinstance(u, Inst)]
            for user in changed:
                if user not in waiting:
                    waiting.add(user)
                    pending.append(user)

    def branch(self, inst):
        """A branch that became divergent: returns the phis that now vary."""
        targets = self.graph.succ[self.graph.number[inst.block]]
        if len(targets) < 2 or self.is_uniform(inst.operand(0)):
            return []
        block = self.graph.number[inst.block]
        if block in self.divergent:
            return []
        self.divergent.add(block)
        meet = self.above[block]
        blocks = reachable(self.graph.succ, targets, {meet})
        if meet != self.graph.exit:
            blocks.add(meet)
        phis = [p for b in blocks for p in self.graph.blocks[b].phis if p not in self.joined]
        self.joined.update(phis)
        return phis

    def transfer(self, inst):
        op = inst.opcode
        if op == "phi":
            return self.join_phi(inst)
        if op == "load":
            uniform = self.is_uniform(inst.operand(0)) and not inst.is_volatile and not inst.is_atomic
            return 0 if uniform and self.stable(inst) else VARYING
        if op == "call":
            return self.call(inst)
        if op not in PURE:
            return VARYING
        shapes = [self.of(o) for o in inst.operands]
        if not any(s != 0 for s in shapes):
            return 0
        return self.stride(inst, op, shapes)

    def stride(self, inst, op, shapes):
        """Of a pure operation with an operand that is not uniform."""
        if VARYING in shapes:
            return VARYING
        if op in ("add", "sub"):
            return shapes[0] + shapes[1] if op == "add" else shapes[0] - shapes[1]
        if op in ("mul", "shl"):
            factor = inst.operand(1)
            if shapes[1] == 0 and factor.is_const_int:
                return shapes[0] * factor.zext if op == "mul" else shapes[0] << min(factor.zext, 63)
            return VARYING
        if op in ("trunc", "bitcast", "addrspacecast", "ptrtoint", "inttoptr", "freeze"):
            return shapes[0]
        if op == "getelementptr" and len(shapes) == 2:
            return shapes[0] + shapes[1] * inst.gep_source_type.size
        return VARYING

    def join_phi(self, phi):
        if phi in self.joined:
            return VARYING
        shapes = {self.of(value) for value, _ in phi.incoming}
        return shapes.pop() if len(shapes) == 1 else VARYING

    def call(self, inst):
        callee = inst.callee
        if not isinstance(callee, Function):
            return VARYING
        all_uniform = all(self.is_uniform(a) for a in inst.args)
        row = find(callee.name)
        if row is not None:
            return 0 if row.shape == UNIFORM or (row.shape == JOIN and all_uniform) else VARYING
        pure = callee.attribute_value("memory") == 0 and not callee.has_attribute("convergent")
        return 0 if pure and all_uniform else VARYING


def is_read_only(load):
    """The memory a load reads is not written during the launch, whatever the kernel does."""
    pointer = load.operand(0)
    if pointer.type.address_space == CONSTANT or load.metadata("invariant.load") is not None:
        return True
    return pointer.type.address_space == PRIVATE and base_of(pointer).is_argument
