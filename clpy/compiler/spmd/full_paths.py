# SPDX-License-Identifier: Apache-2.0
"""A second copy, without a mask, of what a linearized function does under one: for when all lanes take part.

What is guarded by a bound (`if (i < n)`, a stencil's border) is done by all lanes nearly always. Masked stores take
several times as long as plain ones on many processors, go through the caches, and where there are no mask registers
masked loads are slow as well. So a guard `if any lane is in m: body` becomes

    if all lanes are in m: a copy of the body with `true` for m    else if any lane is: the body

The body is the part of the function that the guarded block dominates. A guard inside of it is looked at in the copy; if
a body has no access that gains, the guards inside of it are looked at instead. Growth is bounded.
"""
from clpy.compiler.analysis.access import accessed_type, is_access, is_store, mask_of, pointer_of
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.analysis.pixels import are_words
from clpy.compiler.spmd.clone import copy_blocks
from clpy.llvm.ir import Builder, Types

ANY = "clpy.any"


def is_any(value):
    return value.opcode == "call" and value.callee.name == ANY


class Guard:
    """`block` ends with a branch to the `body` blocks where some lane is in `mask`; `inner`: the guards inside."""

    def __init__(self, block, mask, body):
        self.block, self.mask, self.body = block, mask, body
        self.inner = []

    def own(self):
        """The body's blocks that no guard inside has."""
        inside = {block for guard in self.inner for block in guard.body}
        return [block for block in self.body if block not in inside]

    def in_copy(self, values, copies):
        """The same guard in a copy of what is around it."""
        guard = Guard(copies[self.block], values.get(self.mask, self.mask), [copies[block] for block in self.body])
        guard.inner = [inner.in_copy(values, copies) for inner in self.inner]
        return guard


def guards_of(function):
    """The guards that no other one is around."""
    cfg = laid_out(function)
    outer, around = [], []      # `around`: guards whose bodies the block is in
    for number, block in enumerate(cfg.blocks):
        end = block.terminator
        if end.opcode != "br" or end.n_operands == 1 or end.successors[0] == end.successors[1]:
            continue
        condition, first = end.operand(0), cfg.number[end.successors[0]]
        if not is_any(condition) or cfg.preds[first] != [number]:
            continue
        guard = Guard(block, condition.args[0], cfg.dominated_by(first))
        around = [g for g in around if cfg.dominates(cfg.number[g.body[0]], number)]
        (around[-1].inner if around else outer).append(guard)
        around.append(guard)
    return outer


def is_worth(guard, gains):
    """The body has an access under the guard's own mask that gains."""
    return any(is_access(inst) and mask_of(inst) == guard.mask and gains(inst)
               for block in guard.own() for inst in block.instructions)


def any_worth(guards, gains):
    return any(is_worth(guard, gains) or any_worth(guard.inner, gains) for guard in guards)


class FullPaths:
    """Adds the copies to a linearized function: `gains(inst)` says which accesses are better off without a mask,
    `size(inst)` how much code an instruction is, `room` how much there may be more."""

    def __init__(self, module, function, gains, size, room):
        self.module, self.function = module, function
        self.gains, self.size, self.room = gains, size, room
        self.types, self.b = Types(module), Builder(module)

    def run(self):
        """Whether there are any now."""
        room = self.room
        for guard in guards_of(self.function):
            self.consider(guard)
        if self.room < room:
            self.function.run_passes("instsimplify")
        return self.room < room

    def consider(self, guard):
        room = self.room - sum(self.size(inst) for block in guard.body for inst in block.instructions)
        if room < 0 or guard.mask.is_constant or not is_worth(guard, self.gains):
            for inner in guard.inner:
                self.consider(inner)
            return
        self.room = room
        for inner in self.add(guard):
            self.consider(inner)

    def add(self, guard):
        """Put the copy behind a test of its own. Returns the guards inside of the copy."""
        b, true = self.b, self.types.i1.const(1)
        first, end = guard.body[0], guard.block.terminator
        for phi in first.phis:      # with one way in: what they are is known
            phi.replace_with(phi.incoming[0][0])
            phi.erase()
        head = guard.block.split_before(end, "full")
        values = {guard.mask: true}
        copies = copy_blocks(self.module, guard.body, self.function, values)
        self.leave_too(guard.body, copies, values)
        inner = [g.in_copy(values, copies) for g in guard.inner]
        b.before(head.terminator)
        missing = b.call(end.operand(0).callee, [b.binop("xor", guard.mask, true)])
        b.cond_br(missing, guard.block, copies[first])
        head.terminator.erase()
        return inner

    def leave_too(self, body, copies, values):
        """The blocks behind the body may be reached from the copy."""
        behind = {s for block in body for s in block.successors if s not in copies}
        for block in behind:
            for phi in block.phis:
                for value, before in phi.incoming:
                    if before in copies:
                        phi.add_incoming(values.get(value, value), copies[before])


def moves_words_alone(function, shapes):
    """All that lanes load or store under masks is four words of each, but for what they share."""
    return all(are_words(accessed_type(inst), pointer_of(inst)) or shapes.uniform(pointer_of(inst))
               for inst in function.instructions if inst.opcode == "call" and is_access(inst))


def gains(shapes, strides, moved_by_call=False):
    """Which accesses are better off without a mask: those of places side by side, or a few elements apart. Not where
    shared code stores (`moved_by_call`: it does such for vectors of this width), which looks at the mask itself."""
    def test(inst):
        if moved_by_call and is_store(inst) and inst not in strides.of and \
                are_words(accessed_type(inst), pointer_of(inst)):
            return False
        return inst in strides.of or shapes[pointer_of(inst)] == accessed_type(inst).size
    return test
