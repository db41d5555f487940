# SPDX-License-Identifier: Apache-2.0
r"""Divergent control flow becomes masks: afterwards every branch is uniform and every side effect has its mask.

In: a function for one work-item as vector_region.NORMAL leaves it, with a parameter `active` (i1): whether this lane
takes part. Out: the same function for one lane of a vector; the mask is an i1 that the widening pass turns into a
vector. What differs from plain LLVM IR are calls of declared functions:
  clpy.mload.*(pointer, mask, align), clpy.mstore.*(value, pointer, mask, align)    memory access of the lanes in mask
  clpy.mload.volatile.*, clpy.mstore.volatile.*     likewise, of a volatile variable of the work-item's own
  clpy.guarded.N(args, mask)    any other side effect, once for each lane in mask; the function's body is the effect
  clpy.any(mask)                whether a lane is in mask: uniform
Partial linearization (Moll and Hack, PLDI 2018): blocks are laid out in a topological order; an edge of a divergent
branch whose target is not next is deferred; uniform branches stay. A loop that lanes leave in different iterations runs
while a lane is live; its exits lead to the latch. SSA form is given up for the time of the surgery: phis, masks and
values that lose their dominator live in slots, which mem2reg takes away again.

A divergent branch. Each edge notes which lanes go along it; B follows A, and C has the mask of the branch again:

        if x                    m = active; a = m and x; b = m and not x
        /  \                    any(a)? --no--.
       A    B      becomes      A under a     |
        \  /                    any(b)? <-----'  --no--.
         C                      B under b              |
                                C under m <------------'    a phi of C: select(a, from A, from B)

A loop that lanes leave one by one. `live` are the lanes still in it; what they leave with is blended when they leave:

       H <---.                  live = active
       |     |                  H under live <----------.
     if leave                   go = live and not leave |
      / \    |     becomes      out = select(live and leave, value, out)
     X   B --'                  B under go              |
                                live = go; any(live)? --'
                                X under active

If H leaves for all lanes alike, it branches to X, and what they leave with is blended on the way.
"""
from clpy.compiler.analysis.access import accessed_type, always_there, pointer_of
from clpy.compiler.analysis.allocas import is_own_variable
from clpy.compiler.analysis.builtin_table import ANY, MASK, row_of
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import odd_bits
from clpy.compiler.analysis.transfer import VARYING
from clpy.compiler.spmd import fresh_slots
from clpy.compiler.spmd.layout import Layout, Unsupported
from clpy.llvm.ir import Builder, Function, Types, add_function, const_splat, declare, used_elsewhere

ENTRY = ("entry",)
LOAD, STORE = ("clpy.mload.", "clpy.mload.volatile."), ("clpy.mstore.", "clpy.mstore.volatile.")
CLEAN = "instsimplify,early-cse,instsimplify"


def is_straight(cfg):
    """Nothing branches: the function is a block that returns."""
    return len(cfg.blocks) == 1 and not cfg.succs[0]


class Linearizer:
    def __init__(self, module, function, shapes):
        self.module = module
        self.function = function
        self.shapes = shapes
        self.cfg = cfg = shapes.cfg
        self.types = Types(module)
        self.b = Builder(module)
        self.active = next(p for p in function.params if p.name == "active")
        for loop in cfg.loops:
            if len(loop.latches) != 1:
                raise Unsupported("a loop has several latches")
        if is_straight(cfg):
            self.rep = [ENTRY]
        else:
            self.lay_out(shapes)
        self.slots = {}        # ("mask", block) or ("live", header) -> alloca
        self.slot_places = set()   # the allocas in `slots`
        self.phi_slots = {}
        self.phi_load = {}     # phi -> the load at the start of its block that takes its place
        self.incoming_at = {}  # phi -> block -> which of its values comes from there
        self.mask_value = {}

    # --- analysis

    def lay_out(self, shapes):
        """Lay the blocks out; a uniform loop that may be entered with no lane at all ends like a divergent one."""
        cfg, divergent = self.cfg, set(shapes.divergent_loops)
        while True:
            self.layout = Layout(cfg, shapes, divergent)
            self.rep = self.mask_owners()
            self.layout = Layout(cfg, shapes, divergent, frozenset(
                b for b in range(len(cfg.blocks)) if self.rep[b] == ("slot", b) and self.worth_a_guard(b)))
            self.rep = self.mask_owners()
            more = {lp.header for lp in cfg.loops if lp.header not in self.layout.divergent_loops
                    and not self.nonempty(lp.header)}
            if not more:
                return
            divergent |= more

    def worth_a_guard(self, b):
        """The block or what it dominates touches memory, calls or loops."""
        cfg = self.cfg
        part, cost = {b}, 0
        for x in range(b, len(cfg.blocks)):
            if x != b and cfg.idom[x] not in part:
                break
            part.add(x)
            if cfg.loop_of[x] is not None and cfg.loop_of[x].header == x:
                return True
            for inst in cfg.blocks[x].instructions:
                if inst.opcode in ("load", "store", "atomicrmw", "cmpxchg", "fence"):
                    return True
                if inst.opcode == "call" and not inst.callee.name.startswith("llvm."):
                    return True
                cost += 1
        return cost > 24

    def direct(self, p, s):
        """The edge is still there as it was, and only taken by lanes that all take it."""
        layout = self.layout
        return layout.target.get((p, s)) == s and s not in layout.deferred[p] and (p, s) not in layout.leaves

    def arrivals(self):
        """New control flow: how many edges lead to each block."""
        count = [0] * len(self.cfg.blocks)
        for t in [*self.layout.target.values(), *self.layout.next.values(), *self.layout.out.values(),
                  *self.layout.guard.values()]:
            count[t] += 1
        return count

    def mask_owners(self):
        """Which blocks have the same mask as an earlier one."""
        cfg, arrivals = self.cfg, self.arrivals()
        rep = [None] * len(cfg.blocks)
        for b in range(len(cfg.blocks)):
            loop = cfg.loop_of[b]
            is_header = loop is not None and loop.header == b
            if b == 0:
                rep[b] = ENTRY
            elif is_header and b in self.layout.divergent_loops:
                rep[b] = ("live", b)
            else:
                rep[b] = self.inherited(b, [p for p in cfg.preds[b] if p < b], arrivals[b] - (1 if is_header else 0),
                                        rep, loop.parent if is_header else loop) or ("slot", b)
        return rep

    def inherited(self, b, preds, arrivals, rep, level):
        cfg = self.cfg
        if arrivals == len(preds) and all(self.direct(p, b) for p in preds) and len({rep[p] for p in preds}) == 1 \
                and all(self.crosses_no_live_loop(p, b) for p in preds):
            return rep[preds[0]]
        d = cfg.idom[b]
        while True:
            inner = cfg.loop_of[d]
            if inner is level:
                break
            if inner is None:
                return None
            while inner.parent is not level and inner.parent is not None:
                inner = inner.parent
            if inner.parent is not level:
                return None
            d = cfg.idom[inner.header]
        return rep[d] if cfg.together(d, b) else None

    def crosses_no_live_loop(self, p, b):
        loop = self.cfg.loop_of[p]
        while loop is not None and b not in loop.blocks:
            if loop.header in self.layout.divergent_loops:
                return False
            loop = loop.parent
        return True

    # --- slots

    def slot(self, key, type_, name):
        if key not in self.slots:
            entry = self.cfg.blocks[0]
            self.slots[key] = self.b.before(entry.first).alloca(type_, name)
            self.slot_places.add(self.slots[key])
        return self.slots[key]

    def reset_level(self, b):
        """Header of the loop whose iterations begin with fresh slots for block b; None: the function's entry."""
        loop = self.cfg.loop_of[b]
        if loop is not None and loop.header == b:
            loop = loop.parent
        return None if loop is None else loop.header

    def slots_by_level(self):
        """Block -> (slot, first value) of those that are made fresh where it begins."""
        cfg, levels = self.cfg, {}
        for x in range(len(cfg.blocks)):
            level = self.reset_level(x) or 0
            if self.rep[x] == ("slot", x):
                levels.setdefault(level, []).append((self.slots["slot", x], self.types.i1.null))
            for phi in cfg.blocks[x].phis if x != level else ():
                if phi in self.phi_slots and not self.is_header(x):
                    levels.setdefault(level, []).append((self.phi_slots[phi], phi.type.poison))
        return levels

    # --- surgery

    def run(self):
        cfg = self.cfg
        self.make_slots()
        self.fresh = self.slots_by_level()
        self.many = len(self.slots) > fresh_slots.MANY
        for b in range(len(cfg.blocks)):
            self.load_state(b)
        self.ends = [list(block.successors) for block in cfg.blocks]
        guards = {b: self.new_guard(b) for b in self.layout.guard}
        entry_of = [guards.get(b, block) for b, block in enumerate(cfg.blocks)]
        for b in range(len(cfg.blocks)):
            self.guard_effects(b)
        for b in range(len(cfg.blocks)):
            self.rewrite_end(b, entry_of)
        for b, block in guards.items():
            any_ = self.any_of(self.b.at_end(block), self.load_mask_in(b))
            self.b.cond_br(any_, cfg.blocks[b], entry_of[self.layout.guard[b]])
        if self.many:
            fresh_slots.store_late(self.function, self.b, self.cfg, self.fresh)
        self.repair_dominance()
        self.function.run_passes("mem2reg,instsimplify,simplifycfg<no-sink-common-insts;no-hoist-common-insts>,"
                                 "early-cse,instsimplify")

    def run_straight(self):
        """The same, of a function that is one block: all that needs the mask has it."""
        self.guard_effects(0)
        self.function.run_passes(f"mem2reg,{CLEAN}" if self.function.instructions_of("alloca") else CLEAN)

    def make_slots(self):
        cfg, t = self.cfg, self.types
        for b in range(len(cfg.blocks)):
            kind = self.rep[b]
            if kind in (("slot", b), ("live", b)):
                self.slot(kind, t.i1, f"mask.{b}")
            for n, phi in enumerate(cfg.blocks[b].phis):
                self.phi_slots[phi] = self.slot(("phi", b, n), phi.type, f"phi.{b}")

    def load_state(self, b):
        """Masks and phis are loaded where the block begins; slots are made fresh where an iteration begins."""
        cfg, t = self.cfg, self.types
        block = cfg.blocks[b]
        phis = block.phis
        at = block.first_non_phi
        if b == 0:
            at = next(i for i in block.instructions if i.opcode != "alloca")
        self.b.before(at)
        loads = [self.b.load(phi.type, self.phi_slots[phi]) for phi in phis]
        if self.rep[b] in (("slot", b), ("live", b)):
            self.mask_value[b] = self.b.load(t.i1, self.slots[self.rep[b]], f"m.{b}")
        if not self.many:
            for slot, value in self.fresh.get(b, ()):
                self.b.store(value, slot)
        for phi, load in zip(phis, loads, strict=True):
            self.phi_load[phi] = load

    def is_header(self, b):
        loop = self.cfg.loop_of[b]
        return loop is not None and loop.header == b

    def mask(self, b):
        kind = self.rep[b]
        return self.active if kind == ENTRY else self.mask_value[kind[1]]

    def load_mask_in(self, b):
        """The mask of block b as seen by its guard."""
        return self.b.load(self.types.i1, self.slots["slot", b])

    def new_guard(self, b):
        return self.function.append_block(f"guard.{b}")

    def any_of(self, builder, mask):
        any_ = declare(self.module, "clpy.any", self.types.function(self.types.i1, [self.types.i1]))
        return builder.call(any_, [mask])

    def both(self, mask, cond):
        """mask && cond, where cond may be poison in lanes outside of mask."""
        return self.b.select(mask, cond, self.types.i1.null)

    def negate(self, cond):
        return self.b.binop("xor", cond, self.types.i1.const(1))

    def rewrite_end(self, b, entry_of):
        """Note what goes along each edge, then branch as the layout says."""
        cfg, layout = self.cfg, self.layout
        block = cfg.blocks[b]
        end = block.terminator
        if end.opcode in ("ret", "unreachable"):
            return
        if end.opcode != "br":
            raise Unsupported(f"terminator {end.opcode}")
        condition = end.operand(0) if end.n_operands > 1 else None
        succs = [cfg.number[s] for s in self.ends[b]]
        if len(set(succs)) == 1:
            condition, succs = None, succs[:1]
        incoming = {s: self.values_along(b, s) for s in succs}
        stays = b not in layout.next and b not in layout.out
        arms = {}
        for n, s in enumerate(succs):
            if stays and condition is not None and (self.direct(b, s) or (b, s) in layout.leaves):
                arm = self.function.append_block(f"edge.{b}.{s}")
                self.b.at_end(arm)
                self.note(b, s, self.mask(b), incoming[s])
                self.b.br(entry_of[s])
                arms[s] = arm
                continue
            self.b.before(end)
            edge = self.mask(b)
            if condition is not None:
                edge = self.both(edge, condition if n == 0 else self.negate(condition))
            self.note(b, s, edge, incoming[s])
        self.b.before(end)
        if b in layout.out:
            live = self.b.load(self.types.i1, self.slots["live", cfg.loop_of[b].header])
            self.b.cond_br(self.any_of(self.b, live), cfg.blocks[cfg.loop_of[b].header], entry_of[layout.out[b]])
        elif b in layout.next:
            self.b.br(entry_of[layout.next[b]])
        elif condition is None:
            self.b.br(entry_of[layout.target[b, succs[0]]])
        else:
            targets = [arms.get(s) or entry_of[layout.target[b, s]] for s in succs]
            self.b.cond_br(condition, *targets)
        end.erase()

    def values_along(self, b, s):
        """(phi of s, value from b) pairs; a phi of b itself is read where it was loaded."""
        block, out = self.cfg.blocks[b], []
        for phi in self.cfg.blocks[s].phis:
            if phi not in self.incoming_at:        # of a switch, thousands of blocks ask
                self.incoming_at[phi] = {p: n for n, (_, p) in reversed(list(enumerate(phi.incoming)))}
            value = phi.operand(self.incoming_at[phi][block])
            out.append((phi, self.phi_load.get(value, value)))
        return out

    def note(self, b, s, edge, incoming):
        """At the builder: lanes in `edge` go from b to s."""
        t = self.types
        loop = self.cfg.loop_of[s]
        header = loop is not None and loop.header == s
        if header and self.rep[s] == ("live", s):
            # from the latch: these lanes go on; from outside: these lanes begin
            self.b.store(edge, self.slots["live", s])
        elif self.rep[s] == ("slot", s) and not (header and b in loop.blocks):
            slot = self.slots["slot", s]
            self.b.store(self.b.select(edge, t.i1.const(1), self.b.load(t.i1, slot)), slot)
        plain = header or self.direct(b, s)
        for phi, value in incoming:
            slot = self.phi_slots[phi]
            if not plain:
                value = self.b.select(edge, value, self.b.load(phi.type, slot))
            self.b.store(value, slot)

    def repair_dominance(self):
        """Phis become their loads; values used where their block no longer dominates go through a slot."""
        for phi, load in self.phi_load.items():
            phi.replace_with(load)
        for phi in list(self.phi_load):
            phi.erase()
        cfg = laid_out(self.function)
        for b, inst, users in used_elsewhere(cfg.blocks):
            lost = dict.fromkeys(user for user, there in users if not cfg.dominates(b, there))
            if not lost or (inst.opcode == "alloca" and b == 0):
                continue
            slot = self.b.before(cfg.blocks[0].first).alloca(inst.type, "lost")
            self.b.before(inst.next).store(inst, slot)
            for user in lost:
                value = self.b.before(user).load(inst.type, slot)
                for n, operand in enumerate(user.operands):
                    if operand == inst:
                        user.set_operand(n, value)

    # --- side effects

    def nonempty(self, b):
        """Some lane is in the mask whenever the block runs."""
        kind = self.rep[b]
        if kind[0] == "live":
            return all(self.nonempty(p) for p in self.cfg.preds[kind[1]] if p < kind[1])
        return kind == ENTRY or kind[1] in self.layout.guard

    def guard_effects(self, b):
        for inst in self.cfg.blocks[b].instructions:
            op = inst.opcode
            if op == "load" and is_masked(inst):
                self.guard_load(b, inst)
            elif op == "store" and is_masked(inst):
                self.guard_store(b, inst)
            elif op in ("load", "store", "atomicrmw", "cmpxchg") or (op == "call" and self.has_effect(inst)):
                self.outline(b, inst)
            elif op in ("udiv", "sdiv", "urem", "srem"):
                self.guard_division(b, inst)
            elif op == "call" and takes_mask(inst.callee):
                inst.set_operand(inst.n_args - 1, self.mask(b))

    def guard_division(self, b, inst):
        """Lanes that do not take part divide by 1: what is known of the divisor need not hold there."""
        divisor = inst.operand(1)
        if divisor.is_constant or (self.shapes.uniform(divisor) and self.shapes.uniform(inst.operand(0))
                                   and self.nonempty(b)):
            return
        self.b.before(inst)
        one = const_splat(inst.type, 1)
        inst.set_operand(1, self.b.freeze(self.b.select(self.mask(b), divisor, one)))

    def guard_load(self, b, inst):
        pointer = inst.operand(0)
        if pointer in self.slot_places or (self.shapes.uniform(pointer) and (
                self.nonempty(b) or always_there(inst, self.function))):
            return
        t = self.types
        name = f"{LOAD[inst.is_volatile]}{mangle(inst.type)}.p{pointer.type.address_space}"
        f = declare(self.module, name, t.function(inst.type, [pointer.type, t.i1, t.i32]))
        call = self.b.before(inst).call(f, [pointer, self.mask(b), t.i32.const(inst.align)])
        self.replace(inst, call)

    def guard_store(self, b, inst):
        value, pointer = inst.operands
        uniform = self.shapes.uniform(pointer) and self.shapes.uniform(value)
        if pointer in self.slot_places or (uniform and self.nonempty(b)):
            return
        t = self.types
        name = f"{STORE[inst.is_volatile]}{mangle(value.type)}.p{pointer.type.address_space}"
        f = declare(self.module, name, t.function(t.void, [value.type, pointer.type, t.i1, t.i32]))
        self.b.before(inst).call(f, [value, pointer, self.mask(b), t.i32.const(inst.align)])
        inst.erase()

    def replace(self, inst, new):
        for phi, load in self.phi_load.items():
            if load == inst:
                self.phi_load[phi] = new
        self.shapes.of[new] = self.shapes[inst]
        inst.replace_with(new)
        inst.erase()

    def has_effect(self, inst):
        name = inst.callee.name
        if name.startswith("clpy.") or intrinsic_base(name):
            return False
        if name.startswith(("llvm.lifetime", "llvm.assume", "llvm.dbg", "llvm.experimental.noalias")):
            return False
        row = row_of(name)
        return row is None or row.mask not in (ANY, MASK)

    def outline(self, b, inst):
        """An effect of its own kind becomes a function of its operands, called lane by lane."""
        t, module = self.types, self.module
        operands = [v for v in inst.operands if not v.is_constant and not v.is_metadata]
        operands = list(dict.fromkeys(operands))
        guarded = add_function(module, "clpy.guarded", t.function(inst.type, [v.type for v in operands] + [t.i1]))
        guarded.set_internal()
        guarded.add_attribute("alwaysinline")
        if inst.opcode == "call" and is_rare(inst.callee):
            guarded.add_attribute("cold")
        call = self.b.before(inst).call(guarded, [*operands, self.mask(b)])
        block = guarded.append_block("")
        new = self.b.at_end(block).insert(inst.clone())
        for n, operand in enumerate(inst.operands):
            if operand in operands:
                new.set_operand(n, guarded.params[operands.index(operand)])
        self.b.at_end(block)
        if inst.is_void:
            self.b.ret()
        else:
            self.b.ret(new)
            self.shapes.of[call] = VARYING
            inst.replace_with(call)
        inst.erase()


def is_masked(inst):
    """A load or store that vectors make with a mask. The order of volatile ones counts within a work-item alone where
    they are of a variable that no other can see."""
    if inst.is_atomic or not inst.is_volatile:
        return not inst.is_atomic
    type_ = accessed_type(inst)
    return not odd_bits(type_) and is_own_variable(pointer_of(inst), type_)


def is_rare(callee):
    """A call of the function is not worth vectors, nor much code."""
    return isinstance(callee, Function) and callee.has_attribute("cold")


def takes_mask(callee):
    row = row_of(callee.name)
    return row is not None and row.mask == MASK


def mangle(type_):
    return str(type_).replace(" ", "").replace("<", "v").replace(">", "").replace("*", "p")


def linearize(module, function, shapes):
    """Give every side effect of `function` its mask and make every branch uniform."""
    linearizer = Linearizer(module, function, shapes)
    if is_straight(shapes.cfg):
        linearizer.run_straight()
    else:
        linearizer.run()
