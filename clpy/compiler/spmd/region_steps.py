# SPDX-License-Identifier: Apache-2.0
"""What work-items carry around a loop with barriers, a step further each time, as where each began and how far all are.

A tiled product has `A += 4 * lda` at the end of its loop. The pointer is each work-item's own, and would wait in
context memory at the barriers, whence it comes back as an address of which nobody knows that its neighbours' are beside
it. Where it began can be computed again behind each barrier (RegionPlan.is_computed_again), and the steps are the same
for all: one number of the driver.
"""
from clpy.compiler.spmd.arrays import byte_offset
from clpy.llvm.ir import Builder, Inst, Types

STEPS = {"getelementptr": 1, "add": 2, "sub": 1}     # how many of the operands may be what goes on


class Carried:
    """The phis of one loop. `plan`: a RegionPlan of the function."""

    def __init__(self, module, plan, loop):
        self.plan, self.loop = plan, loop
        self.b, self.t = Builder(module), Types(module)

    def run(self):
        """Whether any phi was taken apart."""
        cfg = self.plan.cfg
        header = cfg.blocks[self.loop.header]
        inside = {cfg.blocks[number] for number in self.loop.blocks}
        return any([self.take_apart(phi, inside) for phi in header.instructions_of("phi")])

    def take_apart(self, phi, inside):
        began = [value for value, block in phi.incoming if block not in inside]
        latches = [(value, block) for value, block in phi.incoming if block in inside]
        if len(began) != 1 or not self.is_worth_it(phi, began[0]):
            return False
        ways = [self.steps_to(value, phi) for value, _ in latches]
        if None in ways:
            return False
        how_far = self.b.before(phi).phi(self.t.i64 if phi.type.is_pointer else phi.type, "far")
        made = {phi: how_far}
        for way in ways:
            for inst, base in way:
                if inst not in made:
                    made[inst] = self.step(inst, base, made[base])
        for value, block in phi.incoming:
            how_far.add_incoming(made[value] if block in inside else how_far.type.null, block)
        phi.replace_with(self.sum(began[0], how_far, phi.block.first_non_phi))
        phi.erase()
        return True

    def is_worth_it(self, phi, began):
        plan = self.plan
        return ((phi.type.is_pointer or phi.type.is_int) and not plan.shapes.uniform(phi)
                and plan.is_computed_again(began))

    def steps_to(self, value, phi):
        """The instructions that lead from the phi to a value by what is the same for all work-items, each with the one
        before it; None if it is not so."""
        way, uniform = [], self.plan.shapes.uniform
        while value != phi:
            if not isinstance(value, Inst) or value.opcode not in STEPS or value.type != phi.type:
                return None
            own = [v for v in value.operands if not uniform(v)]
            if len(own) != 1 or own[0] not in value.operands[:STEPS[value.opcode]]:
                return None
            way.append((value, own[0]))
            value = own[0]
        return way[::-1]

    def step(self, inst, base, far):
        b = self.b.before(inst)
        if inst.opcode == "getelementptr":
            return b.add(far, byte_offset(b, self.t, inst))
        other = inst.operand(1) if inst.operand(0) == base else inst.operand(0)
        return b.binop(inst.opcode, far, other)

    def sum(self, began, far, place):
        b = self.b.before(place)
        return b.gep(self.t.i8, began, [far], flags=0) if far.type != began.type else b.add(began, far)


def take_apart(module, plan):
    """Whether a loop that has a barrier had such. `plan` has to be made anew then."""
    plan.costs = {}
    return any([Carried(module, plan, loop).run() for loop in plan.cfg.loops
                if any(number in plan.head_of for number in loop.blocks)])
