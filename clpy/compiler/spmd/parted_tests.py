# SPDX-License-Identifier: Apache-2.0
"""A branch by several conditions, of which some are the same for all lanes, becomes two: by these, then by the rest.

`if (y < h && x < w)` parts the lanes by x alone. As one condition, that of y would become a vector as well, which is
joined with the other and looked at again for each row. As two, a row is inside or it is not, and the mask of x stays
the same for all rows. In a loop that ends by a counter or by what a lane finds, the counter's test stays a branch.
"""
from clpy.llvm.ir import Builder, Types

MOST = 16        # conditions of one branch


class PartedTests:
    """Of the function for one lane that `shapes` are of."""

    def __init__(self, module, shapes):
        self.b, self.types, self.shapes = Builder(module), Types(module), shapes

    def run(self):
        """Whether something was changed; the control flow is another one then."""
        changed = False
        for number in sorted(self.shapes.divergent):
            block = self.shapes.cfg.blocks[number]
            parts = self.parts(number, block)
            if parts is not None:
                self.part(block, *parts)
                changed = True
        return changed

    def parts(self, number, block):
        """(Whether all conditions must hold or one of them, those that are uniform, the others), else None."""
        end, cfg = block.terminator, self.shapes.cfg
        if end.opcode != "br" or not end.is_conditional or end.successors[0] == end.successors[1]:
            return None
        for all_of in (True, False):
            found = []
            self.collect(end.operand(0), all_of, False, found)
            uniform = [each for each in found if self.shapes.uniform(each[0])]
            rest = [each for each in found if each not in uniform]
            if uniform and rest and len(found) <= MOST:
                twice = cfg.number[end.successors[all_of]]
                return None if twice <= number else (all_of, uniform, rest)      # a loop has one latch
        return None

    def collect(self, value, all_of, guarded, found):
        """Conditions, in order, each with whether it may be poison where one before it decides."""
        constant = self.types.i1.const(0 if all_of else 1)
        if value.opcode == ("and" if all_of else "or"):
            first, second, also = *value.operands, guarded
        elif value.opcode == "select" and value.operand(2 if all_of else 1) == constant:
            first, second, also = value.operand(0), value.operand(1 if all_of else 2), True
        else:
            found.append((value, guarded))
            return
        self.collect(first, all_of, guarded, found)
        self.collect(second, all_of, also, found)

    def part(self, block, all_of, uniform, rest):
        b, end = self.b, block.terminator
        condition, yes, no = end.operand(0), *end.successors
        then = block.function.append_block("parted")
        b.before(end)
        first = self.joined([(b.freeze(value) if guarded else value, False) for value, guarded in uniform], all_of)
        b.cond_br(first, *((then, no) if all_of else (yes, then)))
        end.erase()
        b.at_end(then)
        b.cond_br(self.joined(rest, all_of), yes, no)
        if not condition.users:
            condition.erase()
        twice, once = (no, yes) if all_of else (yes, no)
        self.lead(once, block, then, also=False)
        self.lead(twice, block, then, also=True)

    def joined(self, conditions, all_of):
        value = conditions[0][0]
        for condition, guarded in conditions[1:]:
            if not guarded:
                value = self.b.binop("and" if all_of else "or", value, condition)
            elif all_of:
                value = self.b.select(value, condition, self.types.i1.const(0))
            else:
                value = self.b.select(value, self.types.i1.const(1), condition)
        return value

    def lead(self, target, block, then, also):
        """What came to `target` from `block` comes from `then`, too or instead."""
        for phi in target.phis:
            new = self.b.before(phi).phi(phi.type, phi.name)
            for value, before in phi.incoming:
                if before != block or also:
                    new.add_incoming(value, before)
                if before == block:
                    new.add_incoming(value, then)
            if phi in self.shapes.of:
                self.shapes.of[new] = self.shapes[phi]
            phi.replace_with(new)
            phi.erase()
