# SPDX-License-Identifier: Apache-2.0
"""Unroll the loops whose counters index a small private array, where that turns all its elements into values, and those
that go through the few elements of a row.

A sorting network, a hash's state or a row of a dynamic program lives in an array that loops of known length walk over.
LLVM unrolls such loops after work-items have become vectors, when the array can no longer be taken apart; here the
array is one work-item's. `for (k = 0; k < 3; k++) d += a[3 * i + k];` is a way to write the members of a structure: as
loads of their own, whole vectors bring them for all lanes (analysis/strides.py). Loops with barriers stay.

A loop of one turn is none: `for (i = 0; i < ROWS; i++)`, where a macro says how many rows a work-item has (OpenCV's
kernels), would be a loop that work-items leave one by one as soon as there is an `if` in it.
"""
from clpy.compiler.analysis.builtin_table import CUT, row_of
from clpy.compiler.analysis.memory import CONSTANT, PRIVATE
from clpy.compiler.analysis.strides import MOST as MOST_MEMBERS
from clpy.llvm.ir import Global, Inst, functions, md_make_distinct, md_node

MOST_TURNS = 64
MOST_BYTES = 1024        # of an array
MOST_CODE = 6000         # instructions of a function, with what unrolling adds
EXACT = ("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "udiv", "urem", "sdiv", "srem", "zext", "sext",
         "trunc")
TAKE_APART = ("loop-simplify,lcssa,loop(loop-unroll-full),sroa,early-cse<memssa>,simplifycfg,"
              "instcombine<max-iterations=1;no-verify-fixpoint>")
COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b,
           "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b}
COMPARE |= {"u" + name[1:]: test for name, test in COMPARE.items() if name[0] == "s"}   # counters are small


class Counted:
    """A loop whose counter `phi` goes from one constant to another: `turns`, or 0 when no test of it ends the loop.
    `steady`: it starts at a constant and changes by one in each turn."""

    def __init__(self, phi, before):
        self.phi, self.header, self.turns, self.steady = phi, phi.block, 0, False
        start = [v for v, _ in phi.incoming if v.is_const_int]
        steps = [(v, b) for v, b in phi.incoming if v.opcode == "add" and v.operand(0) == phi
                 and v.operand(1).is_const_int]
        if len(phi.incoming) != 2 or not start or not steps:
            return
        self.steady = True
        self.next, self.latch = steps[0]
        self.blocks = self.body(before)
        if self.blocks and not any(map(is_cut, self.instructions())):
            self.turns = self.count(start[0].sext, self.next.operand(1).sext)

    def body(self, before):
        """The blocks of the loop, from those `before` each block; none when the latch is reached around the header."""
        found, pending = {self.header}, [self.latch]
        while pending:
            block = pending.pop()
            if block in found:
                continue
            found.add(block)
            if not before.get(block):
                return set()
            pending += before[block]
        return found

    def instructions(self):
        return (inst for block in self.blocks for inst in block.instructions)

    def count(self, value, step):
        """By running it, with the one test that leaves the loop."""
        leaving = [b for b in self.blocks if any(s not in self.blocks for s in b.successors)]
        if len(leaving) != 1 or leaving[0] not in (self.header, self.latch):
            return 0
        branch = leaving[0].terminator
        test = branch.operand(0)
        if branch.opcode != "br" or test.opcode != "icmp" or not test.operand(1).is_const_int:
            return 0
        tested, bound = test.operand(0), test.operand(1).sext
        if tested not in (self.phi, self.next):
            return 0
        stays = branch.successors[0] in self.blocks
        for turn in range(MOST_TURNS + 1):
            if COMPARE[test.predicate](value + (step if tested == self.next else 0), bound) != stays:
                return turn + (leaving[0] == self.latch)
            value += step
        return 0


class Once(Counted):
    """A loop of one turn: what was its counter is true in the header at first, and false behind the latch."""

    def __init__(self, phi, before):
        self.phi, self.header, self.turns, self.steady = phi, phi.block, 0, True
        branch, false = phi.block.terminator, [b for v, b in phi.incoming if v.is_const_int and not v.zext]
        true = [b for v, b in phi.incoming if v.is_const_int and v.zext]
        if len(phi.incoming) != 2 or not false or not true or branch.operand(0) != phi:
            return
        self.latch, = false
        self.blocks = self.body(before)
        if branch.successors[0] in self.blocks and branch.successors[1] not in self.blocks:
            self.turns = int(not any(map(is_cut, self.instructions())))


def is_cut(inst):
    if inst.opcode != "call" or not hasattr(inst.callee, "name"):
        return inst.opcode == "call"
    row = row_of(inst.callee.name)
    return row is not None and row.kind == CUT


def counters_of(index, found, depth=0):
    """Adds the phis that an index is made of, beside constants and what tables of constants have at such indices, to
    the keys of `found`; False when it is made of something else."""
    if index.is_const_int:
        return True
    if not isinstance(index, Inst) or depth > 8:
        return False
    if index.opcode == "phi":
        found[index] = True
        return True
    if index.opcode == "load":
        operands = table_indices(index.operand(0))
    else:
        operands = index.operands if index.opcode in EXACT else []
    return bool(operands) and all(counters_of(v, found, depth + 1) for v in operands)


def table_indices(pointer):
    """The indices of a place in a table of constants; none for any other place."""
    if pointer.opcode != "getelementptr":
        return []
    table = pointer.operand(0)
    known = isinstance(table, Global) and table.address_space == CONSTANT and not table.is_declaration
    return pointer.operands[1:] if known else []


def counters_of_array(array):
    """The phis in the indices of all accesses, in order; None where not all are loads and stores at such indices."""
    found, pending = {}, [array]
    while pending:
        pointer = pending.pop()
        for user in pointer.users:
            op = user.opcode
            if op == "getelementptr":
                if not all(counters_of(v, found) for v in user.operands[1:]):
                    return None
                pending.append(user)
            elif op == "call":
                if not user.callee.name.startswith(("llvm.lifetime.", "llvm.memset.", "llvm.memcpy.")):
                    return None
            elif op not in ("load", "store") or (op == "store" and user.operand(0) == pointer):
                return None
    return found


def loops_to_unroll(function):
    """Loops by their headers: those of all arrays that fit, as long as the code does not grow too much."""
    chosen, before = {}, {}
    for block in function.blocks:
        for following in block.successors:
            before.setdefault(following, []).append(block)
    for phi in function.instructions_of("phi"):
        end = phi.block.terminator
        if phi.type.is_int and phi.type.width == 1 and end.opcode == "br" and end.is_conditional:
            loop = Once(phi, before)
            if loop.turns:
                chosen[loop.header] = loop
    for array in function.instructions_of("alloca"):
        type_ = array.allocated_type
        counters = counters_of_array(array) if type_.is_array and type_.size <= MOST_BYTES else None
        loops = counted_loops(counters or (), before)
        if loops and code_size(function, chosen | loops) <= MOST_CODE:
            chosen |= loops
    for gep in function.instructions_of("getelementptr"):
        loop = row_of_members(gep, before)
        if loop is not None and code_size(function, chosen | {loop.header: loop}) <= MOST_CODE:
            chosen[loop.header] = loop
    return chosen


def row_of_members(gep, before):
    """The loop that goes through a row of elements, of as many as it has turns, `row * turns + counter` or the counter
    in an array of so many; else None."""
    index = gep.operands[-1]
    while index.opcode in ("sext", "zext"):
        index = index.operand(0)
    if index.opcode == "phi":
        members = length_of_array(gep)
        loop = Counted(index, before) if 1 < members <= MOST_MEMBERS else None
        return loop if loop is not None and loop.turns == members else None
    if index.opcode not in ("add", "or"):
        return None
    for phi, row in (index.operands, index.operands[::-1]):
        if phi.opcode == "phi" and row.opcode in ("mul", "shl") and row.operand(1).is_const_int:
            by = row.operand(1).zext
            members = 1 << by if row.opcode == "shl" and by < MOST_MEMBERS else by
            loop = Counted(phi, before) if 1 < members <= MOST_MEMBERS else None
            if loop is not None and loop.turns == members:
                return loop
    return None


def length_of_array(gep):
    """Elements of the array in memory that work-items share, of which `gep` is one: what the addresses that it is made
    of say; else 0."""
    array, element = gep.operand(0), gep.gep_source_type
    if gep.type.address_space == PRIVATE or len(gep.operands) != 2 or array.opcode != "getelementptr":
        return 0
    type_ = array.gep_source_type
    for index in array.operands[2:]:
        type_ = type_.fields[index.zext] if type_.is_struct else type_.element
    return type_.count if type_.is_array and type_.element == element else 0


def counted_loops(counters, before):
    """The loops by their headers; none where one does not end by a counter, or a counter has no steady step."""
    loops = {}
    for phi in counters:
        loop = Counted(phi, before)
        if not loop.steady:
            return {}
        if loop.turns or phi.block not in loops:     # of several counters of a loop one has the test
            loops[phi.block] = loop
    return loops if all(loop.turns for loop in loops.values()) else {}


def code_size(function, loops):
    total = 0
    for block in function.blocks:
        copies = 1
        for loop in loops.values():
            copies *= loop.turns if block in loop.blocks else 1
        total += copies * len(block.instructions)
    return total


def run(module, lowering):
    if not lowering.optimize:
        return
    for function in functions(module):
        if function.is_declaration:
            continue
        loops = loops_to_unroll(function)
        for loop in loops.values():
            full = md_node(module, ["llvm.loop.unroll.full"])
            loop.latch.terminator.set_metadata("llvm.loop", md_make_distinct(md_node(module, [None, full])))
        if loops:
            function.run_passes(TAKE_APART)
