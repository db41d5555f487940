# SPDX-License-Identifier: Apache-2.0
"""The regions of a work-item function that is cut at barriers, and what becomes of each value that lives across a cut.

Uniform values are variables of the driver, values that are cheap to compute again are computed again, the rest goes to
context memory. region_code.py makes the code.
"""
from functools import partial

from clpy.compiler import frame as fr
from clpy.compiler.analysis.allocas import alloca_bytes, element_step, is_lifetime, oversized, pointer_uses
from clpy.compiler.analysis.builtin_table import ANY, COLLECTIVE, OBSERVE, TOGETHER, UNIFORM, row_of
from clpy.compiler.analysis.distinct import is_distinct, leaking
from clpy.compiler.analysis.graph import Cfg, postdominators, reachable
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.liveness import Liveness
from clpy.compiler.analysis.memory import GENERIC, GLOBAL, LOCAL, PRIVATE, STEPS, base_of, stored_size
from clpy.compiler.analysis.parting import Apart
from clpy.compiler.analysis.shapes import VARYING, Shapes, is_read_only
from clpy.compiler.analysis.transfer import PURE
from clpy.compiler.spmd.context import Layout
from clpy.compiler.spmd.region_steps import take_apart
from clpy.llvm.ir import Function, Inst

CHEAP = PURE - {"udiv", "sdiv", "urem", "srem", "fdiv", "frem"}
SCALAR = PURE | {"phi", "load", "call"}  # may be done by the driver, when uniform
CHEAP_CALLS = ("abs", "smax", "smin", "umax", "umin")     # places held inside bounds, above all
REMAT_LIMIT = 6        # operations worth doing again instead of a store and a load
PLACE_LIMIT = 16       # and those of a place: sums of ids, which are one number for all lanes of a vector
TOO_MANY = 1000
SUMS = {"add", "sub", "mul", "shl", "or", "trunc", "sext", "zext", "getelementptr"}
STATE = "state"        # key of a work-item's next region in the context layout
SHARED_SPACES = {GLOBAL, LOCAL}
OWN_MEMORY = (OBSERVE, COLLECTIVE, TOGETHER)   # kinds of functions that write no memory of the program's


def share_slots(stored):
    """Value -> slot of context memory. Values of one size share a slot when no region needs both at its start: a region
    loads what it needs before it stores anything."""
    conflicts, slots, taken = {}, {}, {}
    for values in stored:
        for value in values:
            conflicts.setdefault(value, []).append(values)
    for value, groups in conflicts.items():
        kind = stored_size(value.type)
        busy = {slots[other] for values in groups for other in values if other in slots}
        free = next((s for s in taken.setdefault(kind, []) if s not in busy), None)
        if free is None:
            free = (*kind, len(taken[kind]))
            taken[kind].append(free)
        slots[value] = free
    return slots


def work_item_ids(item):
    """Shapes of the parameters that differ between the work-items of a group."""
    shapes = {"lid.0": 1, "lid.1": VARYING, "lid.2": VARYING}
    return {p: shapes[p.name] for p in item.params if p.name in shapes}


def has_effect(inst):
    """A call that gives nothing back, but for those that all work-items of a group make as one."""
    if inst.opcode != "call" or not inst.is_void:
        return False
    row = row_of(inst.callee.name)
    return row is None or row.shape != UNIFORM


def is_place(inst):
    """Where a work-item stands in its sub-group: the same wherever it asks."""
    row = row_of(inst.callee.name) if inst.opcode == "call" else None
    return row is not None and row.kind == TOGETHER and row.mask == ANY


def is_cheap(inst):
    """To be computed again as it is, at any time."""
    if inst.opcode == "call":
        return is_place(inst) or intrinsic_base(inst.callee.name) in CHEAP_CALLS
    return inst.opcode in CHEAP


def space_of_object(one):
    return one if isinstance(one, int) else one.type.address_space


def meet(a, b):
    """Whether two sets of address spaces, and of objects that lie in these, have memory in common."""
    return bool(a & b) or any(space in one and space in map(space_of_object, other)
                              for space in SHARED_SPACES for one, other in ((a, b), (b, a)))


class Region:
    def __init__(self, number, head, cfg, heads):
        self.number, self.head = number, head
        inner = reachable(cfg.succs, cfg.succs[head], heads) if cfg.succs[head] else set()
        self.blocks = inner | {head}
        self.exits = sorted({heads[s] for b in self.blocks for s in cfg.succs[b] if s in heads})
        self.returns = any(not cfg.succs[b] and cfg.blocks[b].terminator.opcode == "ret" for b in self.blocks)

        self.scalar = False   # runs once for the whole group
        self.ends = False     # some work-items may end here while others go on
        self.after_end = False   # some may have ended before

    @property
    def n_exits(self):
        return len(self.exits) + self.returns


class RegionPlan:
    """The regions of a work-item function, and what happens to each value that crosses a cut."""

    def __init__(self, item, heads):
        self.item = item
        frame = fr.frame_of(item)
        self.context = frame["context"]
        self.objects = self.find_objects(frame)
        self.cfg = cfg = Cfg(item)
        self.head_of = {0: 0} | {cfg.number[b]: i for i, (b, _) in enumerate(heads, start=1)}
        self.wide = [False] + [wide for _, wide in heads]
        self.regions = [Region(number, head, cfg, self.head_of) for head, number in self.head_of.items()]
        self.drop_unreachable()
        self.written = [self.spaces_written(r) for r in self.regions]
        self.find_partings()
        for region in self.regions[1:]:
            region.scalar = not self.varying and all(map(self.is_scalar, region.blocks))

    def find_objects(self, frame):
        """Argument -> what stands for its memory: those in local memory, and those that are distinct, have their own;
        others in global memory may have some in common, and the last of them stands for all."""
        shared = {p: n for n, p in enumerate(self.item.params)
                  if p.type.is_pointer and p.type.address_space in SHARED_SPACES and p != frame["local"]}
        own = {p: p for p, n in shared.items() if p.type.address_space == LOCAL or is_distinct(self.item, n)}
        rest = [p for p in shared if p not in own]
        return own | dict.fromkeys(rest, rest[-1] if rest else None)

    def with_values(self):
        """The same plan, with what becomes of values."""
        self.live = Liveness(self.cfg)
        self.choose_allocas()
        self.costs = {}
        self.leaking = leaking(self.item)
        self.sort_values()
        return self

    def drop_unreachable(self):
        """Regions that no way leads to keep their number but get no code."""
        links = [r.exits for r in self.regions]
        self.links = links
        self.used = reachable(links, [0])

    def spaces_written(self, region):
        """Address spaces, or objects in them, that a region may write; private memory set aside."""
        out = set()
        for number in region.blocks:
            for inst in self.cfg.blocks[number].instructions:
                op = inst.opcode
                if op in ("store", "atomicrmw", "cmpxchg"):
                    out |= self.spaces_of(inst.operand(1 if op == "store" else 0))
                elif op == "call":
                    out |= self.spaces_of_call(inst)
        return out

    def spaces_of(self, pointer):
        space = pointer.type.address_space
        if base_of(pointer) == self.context:
            return set()
        if space == GENERIC or (space == PRIVATE and not isinstance(base_of(pointer), Inst)):
            return SHARED_SPACES
        if space == PRIVATE:
            return set() if base_of(pointer).opcode == "alloca" else SHARED_SPACES
        return {self.object_of(pointer) if space in SHARED_SPACES else space}

    def object_of(self, pointer):
        """The local variable or argument that a pointer leads to, its address space where that is not seen."""
        space = pointer.type.address_space
        while isinstance(pointer, Inst) and pointer.opcode in STEPS:
            if pointer.metadata(fr.VARIABLE) is not None:
                return pointer
            pointer = pointer.operand(0)
        return self.objects.get(pointer, space)

    def spaces_of_call(self, call):
        callee = call.callee
        if isinstance(callee, Function):
            if callee.name.startswith(("llvm.memcpy.", "llvm.memset.", "llvm.memmove.")):
                return self.spaces_of(call.operand(0))
            row = row_of(callee.name)
            if row is not None and row.kind in OWN_MEMORY:
                return set()
            if callee.intrinsic or callee.attribute_value("memory") == 0:
                return set()
        return SHARED_SPACES

    def is_stable(self, load):
        """Every region that holds the load leaves the memory it reads alone."""
        if is_read_only(load):
            return True
        spaces = self.spaces_of(load.operand(0))
        number = self.cfg.number[load.block]
        return bool(spaces) and not any(
            meet(spaces, written) for region, written in zip(self.regions, self.written, strict=True)
            if number in region.blocks)

    def find_partings(self):
        """Whether work-items keep together at barriers. `varying`: they may come to different ones, and each has a
        state and values of its own. Otherwise those that have not ended are at the same one, with uniform values."""
        ids = work_item_ids(self.item)
        self.shapes = Shapes(self.cfg, ids, partial(Apart, cuts=self.head_of), self.is_stable)
        ways = [self.parted_exits(r) if r.n_exits > 1 else set() for r in self.regions]
        self.varying = any(len(heads) > 1 for heads in ways)
        if self.varying:
            self.shapes = Shapes(self.cfg, ids, Apart, self.is_stable)
            return
        for region, heads in zip(self.regions, ways, strict=True):
            region.ends = bool(heads) and region.number in self.used
        behind = reachable(self.links, [e for r in self.regions if r.ends for e in r.exits])
        for number in behind:
            self.regions[number].after_end = True

    def parted_exits(self, region):
        """The barriers that work-items may go to while others go elsewhere, all from one branch: the ways from it do
        not meet inside the region. Of the branch that has most of them."""
        nodes = {b: i for i, b in enumerate(sorted(region.blocks))}
        ends = {h: len(nodes) + i for i, h in enumerate(region.exits)}
        succ = [[nodes[s] if s not in self.head_of else ends[self.head_of[s]] for s in self.cfg.succs[b]]
                for b in sorted(region.blocks)] + [[] for _ in ends]
        above = postdominators(succ)
        parting = [nodes[b] for b in region.blocks & self.shapes.divergent if above[nodes[b]] == len(succ)]
        return max((reachable(succ, succ[b]) & set(ends.values()) for b in parting), key=len, default=set())

    # --- what the whole group does

    def is_scalar(self, number):
        """The block computes uniform values only, has no effect, and all work-items leave it the same way."""
        for inst in self.cfg.blocks[number].instructions:
            op = inst.opcode
            if op in ("br", "switch"):
                if number in self.shapes.divergent:
                    return False
            elif op != "ret" and (not self.shapes.uniform(inst) or op not in SCALAR or has_effect(inst)):
                return False
        return True

    def scalar_frontier(self):
        """Where regions that begin with scalar blocks go on with others. If these blocks are cuts too, loop counters
        and conditions of barriers in loops are computed once, by the driver. Loops without a barrier stay whole: cut
        up, all work-items would go through memory once per iteration."""
        out = set()
        for region in self.regions[1:]:
            seen, pending = set(), [region.head]
            while pending:
                number = pending.pop()
                if number in seen:
                    continue
                seen.add(number)
                if number in reachable(self.cfg.succs, self.cfg.succs[number], self.head_of):
                    continue
                if self.is_scalar(number):
                    pending += [s for s in self.cfg.succs[number] if s not in self.head_of]
                elif number not in self.head_of:
                    out.add(number)
        return [self.cfg.blocks[n] for n in sorted(out)]

    # --- private arrays

    def choose_allocas(self):
        """Which allocas become context memory: those that may live across a cut, and those too large for the stack."""
        allocas = self.item.instructions_of("alloca")
        again = {r.number for r in self.regions if r.number in reachable(self.links, self.links[r.number])}
        self.in_context = set()
        for alloca in allocas:
            uses, escapes = pointer_uses(alloca)
            blocks = {self.cfg.number[u.block] for u in uses if not is_lifetime(u)}
            touching = {r.number for r in self.regions if blocks & r.blocks}
            if escapes or len(touching) > 1 or touching & again:
                self.in_context.add(alloca)
        self.in_context.update(oversized([a for a in allocas if a not in self.in_context]))
        self.private_bytes = sum(map(alloca_bytes, allocas))

    # --- values

    def cost(self, value, room):
        """Operations to compute a value again from parameters, uniform values and addresses of private arrays;
        TOO_MANY or more when there are more than `room`, or when it cannot be done."""
        if not isinstance(value, Inst) or value.opcode == "alloca" or self.is_driver_value(value):
            return 0
        if value in self.costs:
            return self.costs[value]
        if room <= 0 or not is_cheap(value):
            return TOO_MANY
        cost = 1
        for operand in value.operands:
            cost += self.cost(operand, room - 1)
            if cost > room:
                return TOO_MANY
        self.costs[value] = cost
        return cost

    def is_place(self, value, depth=0):
        """A sum of ids, uniform values and multiples, or an address made of such."""
        if not isinstance(value, Inst) or value.opcode == "alloca" or self.is_driver_value(value):
            return True
        return value.opcode in SUMS and depth < PLACE_LIMIT and all(
            self.is_place(v, depth + 1) for v in value.operands)

    def is_computed_again(self, value):
        """Doing so is worth it: what is read from context memory is a number of each lane's own, which none knows."""
        cost = self.cost(value, PLACE_LIMIT)
        return cost <= REMAT_LIMIT or (cost <= PLACE_LIMIT and self.is_place(value))

    def is_driver_value(self, value):
        return not self.varying and self.shapes.uniform(value)

    def leaves(self, value, out):
        """The uniform instructions that computing `value` again needs."""
        if isinstance(value, Inst) and value.opcode != "alloca":
            if self.is_driver_value(value):
                out.add(value)
            else:
                for operand in value.operands:
                    self.leaves(operand, out)

    def sort_values(self):
        """For each region: the values live at its start that are uniform, recomputed, or in context memory."""
        self.uniform, self.remat, self.stored = [], [], []
        for region in self.regions:
            uniform, remat, stored = set(), [], []
            for value in self.live.at(region.head) if region.number else ():
                if value.opcode == "alloca":
                    continue
                if self.is_driver_value(value):
                    uniform.add(value)
                elif self.is_computed_again(value):
                    remat.append(value)
                    self.leaves(value, uniform)
                else:
                    stored.append(value)
            self.uniform.append(sorted(uniform, key=self.live.index.get))
            self.remat.append(remat)
            self.stored.append(stored)
        self.layout = self.make_layout()

    def make_layout(self):
        self.slot_of = share_slots(self.stored)
        entries = {slot: (slot, *stored_size(v.type)) for v, slot in self.slot_of.items()}
        entries = [*entries.values()]
        entries += [(a, alloca_bytes(a), a.align) for a in sorted(self.in_context, key=self.live.index.get)]
        if self.varying or any(r.ends for r in self.regions):
            entries.append((STATE, 4, 4))
        # An address loaded from context memory is not known to be one of an array: its distances are plain bytes.
        kept = {base_of(v) for v in self.slot_of if v.type.is_pointer}
        shared = int(self.item.attribute_text(fr.SHARED_BYTES) or 0)
        return Layout(entries, {a: element_step(a) for a in self.in_context - kept}, shared)

    def defined_in(self, value, region):
        return self.live.home[value] in region.blocks

    def carried_out(self, region):
        """Uniform values that a region may change and some successor needs."""
        out = {v for e in region.exits for v in self.uniform[e] if self.defined_in(v, region)}
        return sorted(out, key=self.live.index.get)


def make_plan(module, item, heads):
    """The plan with as many regions as pay off: first the barriers', then those behind scalar blocks."""
    plan = RegionPlan(item, heads)
    if not plan.varying and take_apart(module, plan):
        plan = RegionPlan(item, heads)
    frontier = [] if plan.varying else plan.scalar_frontier()
    if not frontier:
        return plan.with_values()
    for block in frontier:  # phis belong to the way in
        block.split_before(block.first_non_phi, "part")
    finer = RegionPlan(item, heads + [(block, False) for block in frontier])
    return (RegionPlan(item, heads) if finer.varying else finer).with_values()
