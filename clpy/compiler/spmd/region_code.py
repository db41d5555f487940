# SPDX-License-Identifier: Apache-2.0
"""The code of regions and of the driver that runs them, from the plan that region_plan.py makes.

A region function gets the uniform values it needs as parameters `in.*` and leaves those it changes at the addresses
`out.*`; it loads what it needs from context memory at its start and stores what a successor needs at its end.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.allocas import alloca_bytes, element_step, is_lifetime, oversized
from clpy.compiler.analysis.distinct import distinct_indices, led_to
from clpy.compiler.analysis.memory import odd_bits, wider_bits
from clpy.compiler.frame import local_linear_id
from clpy.compiler.spmd.context import Layout
from clpy.llvm.ir import Builder, Inst
from clpy.llvm.variables import MARK, move_variable

END = 0xFFFFFFFF   # in place of a region's number: the work-item is done
FOREACH = ".foreach"


def own_args(item):
    """(name, type) of the kernel's arguments."""
    return [(p.name, p.type) for p in item.params[:len(item.params) - len(fr.ITEM_FRAME)]]


def make_group(module, types, item):
    """The declaration of the driver."""
    args = own_args(item)
    group = fr.new_function(module, f"{item.attribute_text(fr.KERNEL)}.group", fr.GROUP, args, fr.GROUP_FRAME,
                            types.void, item)
    promise(item, group, len(args))
    return group


def promise(item, function, n_args, reached=()):
    """What the language promises of the kernel's arguments (restrict, alignment) holds here too, and what is promised
    between barriers only. Not of those whose memory is also `reached` through pointers that came in another way."""
    for index in range(1, n_args + 1):
        function.copy_attributes(item, index, index)
    for index in distinct_indices(item):
        function.add_attribute("noalias", index=index + 1)
    for index in reached:
        function.remove_attribute("noalias", index + 1)


def move_whole(module, types, item):
    """A kernel without cuts is one region; only private arrays too large for the stack change."""
    allocas = item.instructions_of("alloca")
    large = oversized(allocas)
    layout = Layout([(a, alloca_bytes(a), a.align) for a in large], {a: element_step(a) for a in large})
    item.add_attribute(fr.CONTEXT_BYTES, layout.bytes)
    item.add_attribute(fr.PRIVATE_BYTES, sum(map(alloca_bytes, allocas)))
    name, args = item.attribute_text(fr.KERNEL), own_args(item)
    region = fr.new_function(module, f"{name}.region.0", fr.REGION, args, fr.ITEM_FRAME, types.void, item)
    region.take_blocks(item)
    for old, new in zip(item.params, region.params, strict=True):
        old.replace_with(new)
    region.add_attribute(fr.EXITS, "none")
    promise(item, region, len(args))
    if large:
        move_to_context(module, types, region, layout, large)
    foreach = fr.new_function(module, region.name + FOREACH, fr.FOREACH, args, fr.GROUP_FRAME, types.void, item)
    group = make_group(module, types, item)
    builder = Builder(module).at_end(group.append_block("entry"))
    builder.call(foreach, group.params)
    builder.ret()


def move_to_context(module, types, region, layout, allocas):
    frame = fr.frame_of(region)
    builder = Builder(module).before(region.entry.first)
    linear = local_linear_id(builder, frame)
    # All addresses first: the builder stands before the first instruction, which may be one of the allocas.
    places = [layout.address(builder, types, frame, linear, alloca) for alloca in allocas]
    for alloca, place in zip(allocas, places, strict=True):
        for user in alloca.users:
            if is_lifetime(user):
                user.erase()
        alloca.replace_with(place)
        alloca.erase()


def may_lack(region):
    """Not all work-items go through the region to the same exit: some have ended, or end here."""
    return region.ends or (region.after_end and not region.scalar)


class RegionCode:
    """One region as a function: a copy of its blocks, in which each value comes from the right place."""

    def __init__(self, module, types, plan, region):
        self.module, self.types, self.plan, self.region = module, types, plan, region
        self.blocks = sorted(region.blocks)
        number = region.number
        self.returns_next = region.n_exits > 1 or plan.varying
        self.changed = plan.carried_out(region)
        self.entered_with = set(plan.uniform[number]) | set(plan.remat[number]) | set(plan.stored[number])
        self.ins = self.needed_uniform()
        self.make_functions()

    def needed_uniform(self):
        """Uniform values that come in: those live here that this region uses, directly or to compute others again."""
        plan, number = self.plan, self.region.number
        used = {o for b in self.blocks for i in plan.cfg.blocks[b].instructions for o in i.operands
                if isinstance(o, Inst)}
        wanted = {v for v in plan.uniform[number] if v in used or v in self.changed}
        for value in plan.remat[number]:
            if value in used or plan.defined_in(value, self.region):
                plan.leaves(value, wanted)
        return sorted(wanted, key=plan.live.index.get)

    def make_functions(self):
        item, t = self.plan.item, self.types
        index = self.plan.live.index
        args = own_args(item)
        self.n_own = len(args)
        args = [*args, *((f"in.{index[v]}", v.type) for v in self.ins),
                *((f"out.{index[v]}", t.ptr) for v in self.changed)]
        name = f"{item.attribute_text(fr.KERNEL)}.region.{self.region.number}"
        returns = t.i32 if self.returns_next else t.void
        role = fr.SCALAR if self.region.scalar else fr.REGION
        self.function = fr.new_function(self.module, name, role, args, fr.ITEM_FRAME, returns, item)
        promise(item, self.function, self.n_own, self.plan.leaking | led_to(item, self.pointers_in()))
        parts = self.plan.varying or may_lack(self.region)
        exits = "none" if not self.returns_next else "varying" if parts else "uniform"
        self.function.add_attribute(fr.EXITS, exits)
        self.foreach = None
        if not self.region.scalar:
            self.foreach = fr.new_function(self.module, name + FOREACH, fr.FOREACH, args, fr.GROUP_FRAME, returns, item)
        self.frame = fr.frame_of(self.function)
        params = self.function.params
        self.given = dict(zip(self.ins, params[self.n_own:], strict=False))
        self.out = dict(zip(self.changed, params[self.n_own + len(self.ins):], strict=False))

    def pointers_in(self):
        """Those that do not come from the kernel's arguments in the region's own eyes."""
        return [v for v in (*self.ins, *self.plan.stored[self.region.number]) if v.type.is_pointer]

    # --- the whole

    def emit(self):
        module, function, cfg = self.module, self.function, self.plan.cfg
        self.slots = Builder(module).at_end(function.append_block("entry"))
        self.start = Builder(module).at_end(function.append_block("start"))
        self.code = Builder(module)
        self.map = dict(zip(self.plan.item.params[:self.n_own], function.params, strict=False))
        self.map |= dict(zip(self.plan.item.params[self.n_own:], self.frame.values(), strict=True))
        self.linear, self.again, self.edge_loads = None, {}, {}
        entry_block, start_block = self.slots.block, self.start.block
        copies = {b: function.append_block(cfg.blocks[b].name) for b in self.blocks}
        self.copies = copies
        for b in self.blocks:
            self.map[cfg.blocks[b].as_value] = copies[b].as_value
        self.copy_instructions()
        self.split_values()
        self.connect()
        self.show_variables(self.start.at_end(start_block).br(copies[self.region.head]))
        self.enter(entry_block, start_block)

    def show_variables(self, before):
        """Tell a debugger where the variables are that have places (passes/variables.py)."""
        self.start.before(before)
        for alloca in self.plan.item.instructions_of("alloca"):
            if alloca.metadata(MARK) is not None and (alloca in self.map or alloca in self.plan.layout):
                move_variable(alloca, self.entry_value(alloca), before)

    def enter(self, entry_block, start_block):
        """From the entry to the start; a work-item that is elsewhere, or has ended, is passed over."""
        builder = self.slots.at_end(entry_block)
        varying, region = self.plan.varying, self.region
        if region.number == 0 or region.scalar or not (varying or region.after_end):
            builder.br(start_block)
            return
        linear = local_linear_id(builder, self.frame)
        at = self.plan.layout.address(builder, self.types, self.frame, linear, "state")
        state = builder.load(self.types.i32, at, "state")
        skip = self.function.append_block("elsewhere")
        here = builder.icmp("eq", state, self.types.i32.const(region.number)) if varying else \
            builder.icmp("ne", state, self.types.i32.const(END))
        builder.cond_br(here, start_block, skip)
        builder.at_end(skip).ret(state if self.returns_next else None)

    def copy_instructions(self):
        """Copies that still have the operands of the original; exits and private arrays are not copied."""
        self.fresh, self.phis, self.leaving = [], [], []
        for b in self.blocks:
            self.code.at_end(self.copies[b])
            for inst in self.plan.cfg.blocks[b].instructions:
                op = inst.opcode
                if op == "phi":
                    copy = self.code.phi(inst.type, inst.name)
                    self.phis.append((inst, copy))
                elif op == "alloca" or is_lifetime(inst):
                    continue
                elif op == "ret" or (op == "br" and self.leads_out(b)):
                    self.leaving.append((b, op))
                    continue
                else:
                    copy = self.code.insert(inst.clone())
                    if not inst.is_void:
                        copy.name_like(inst)
                    self.fresh.append(copy)
                if not inst.is_void:
                    self.map[inst] = copy

    def leads_out(self, block):
        succ = self.plan.cfg.succs[block]
        return len(succ) == 1 and succ[0] in self.plan.head_of

    def split_values(self):
        """Values that come in and are also computed here have two sources: a slot each, which SROA makes SSA again."""
        self.slot = {}
        for value in sorted(self.entered_with, key=self.plan.live.index.get):
            if not self.plan.defined_in(value, self.region):
                continue
            copy = self.map.pop(value)
            slot = self.slots.alloca(value.type, "slot")
            self.start.store(self.entry_value(value), slot)
            self.map.pop(value, None)
            following = copy.next
            if copy.opcode == "phi":
                following = copy.block.first_non_phi
            self.put_store(copy, slot, following)
            self.slot[value] = slot

    def put_store(self, value, slot, before):
        """Store before an instruction, or at the end of a block whose exit is not there yet."""
        if before is None:
            self.code.at_end(value.block)
        else:
            self.code.before(before)
        self.code.store(value, slot)

    def connect(self):
        """Give the copies their operands, phis their ways in, and exits their code."""
        for copy in self.fresh:
            for index, operand in enumerate(copy.operands):
                if not operand.is_constant or operand.is_block:
                    self.connect_operand(copy, index, operand)
        for b, op in self.leaving:
            self.code.at_end(self.copies[b])
            self.leave(b, op)
        number = self.plan.cfg.number
        for inst, copy in self.phis:
            for value, block in inst.incoming:
                pred = number[block]
                if pred in self.region.blocks:
                    copy.add_incoming(self.at_edge(value, pred), self.copies[pred])

    def connect_operand(self, copy, index, operand):
        if operand.is_metadata:
            return
        if operand in self.slot:
            self.code.before(copy)
        copy.set_operand(index, self.value(operand))

    def value(self, value):
        """What stands for a value of the work-item function at the position of `code`."""
        if value in self.slot:
            return self.code.load(value.type, self.slot[value])
        if value in self.map or not isinstance(value, Inst):
            return self.map.get(value, value)
        return self.entry_value(value)

    def at_edge(self, value, pred):
        """A phi's operand, at the end of a predecessor; once per predecessor."""
        if value not in self.slot:
            return self.value(value)
        if (value, pred) not in self.edge_loads:
            self.code.before(self.copies[pred].terminator)
            self.edge_loads[value, pred] = self.value(value)
        return self.edge_loads[value, pred]

    # --- values that come in

    def entry_value(self, value):
        """The value at the start of the region, made there once."""
        if value not in self.map:
            if value.opcode == "alloca":
                made = self.private_array(value)
            elif value in self.given:
                made = self.given[value]
            elif value in self.plan.slot_of:
                slot = self.plan.slot_of[value]
                made = self.start.load(self.stored_type(value.type), self.context_address(slot), value.name)
                made.align = self.plan.layout.align[slot]
                if made.type != value.type:
                    made = self.start.cast("trunc", made, value.type)
            else:
                return self.computed_again(value)
            self.map[value] = made
        return self.map[value]

    def computed_again(self, value):
        """A copy of a cheap value's operations at the start. Kept apart from the map: here the same operations may
        also be done later, with other operands."""
        if value not in self.again:
            if not isinstance(value, Inst):
                return self.map.get(value, value)
            if value.opcode == "alloca" or value in self.given:
                return self.entry_array(value) if value.opcode == "alloca" else self.given[value]
            if value in self.plan.slot_of and value in self.entered_with:
                return self.entry_value(value)
            operands = [self.computed_again(o) for o in value.operands]
            copy = self.start.insert(value.clone())
            for index, operand in enumerate(operands):
                copy.set_operand(index, operand)
            self.again[value] = copy
        return self.again[value]

    def entry_array(self, alloca):
        if alloca not in self.map:
            self.map[alloca] = self.private_array(alloca)
        return self.map[alloca]

    def private_array(self, alloca):
        if alloca in self.plan.layout:
            return self.context_address(alloca)
        copy = self.slots.insert(alloca.clone())
        copy.name = alloca.name
        return copy

    def context_address(self, key):
        if self.linear is None:
            self.linear = local_linear_id(self.start, self.frame)
        return self.plan.layout.address(self.start, self.types, self.frame, self.linear, key)

    # --- leaving

    def leave(self, block, op):
        """Store what the next region needs, and say which one it is."""
        if op == "ret":
            target = END
        else:
            target = self.plan.head_of[self.plan.cfg.succs[block][0]]
            self.save(target)
        if self.keeps_state(target):
            self.code.store(self.types.i32.const(target), self.context_address("state"))
        self.code.ret(self.types.i32.const(target) if self.returns_next else None)

    def keeps_state(self, target):
        """Whether a work-item that goes to `target` must say so for the regions to come."""
        plan, region = self.plan, self.region
        first = region.number == 0 and "state" in plan.layout
        return plan.varying or first or (region.ends and target == END)

    def stored_type(self, type_):
        bits = odd_bits(type_)
        if not bits:
            return type_
        wide = self.types.int(wider_bits(bits))
        return self.types.vector(wide, type_.count) if type_.is_vector else wide

    def save(self, target):
        plan = self.plan
        for value in plan.stored[target]:
            if plan.defined_in(value, self.region):
                slot = plan.slot_of[value]
                made, wide = self.value(value), self.stored_type(value.type)
                if wide != value.type:
                    made = self.code.cast("zext", made, wide)
                store = self.code.store(made, self.context_address(slot))
                store.align = plan.layout.align[slot]
        for value in plan.uniform[target]:
            if plan.defined_in(value, self.region):
                self.code.store(self.value(value), self.out[value])


class Driver:
    """Runs region after region for a group. Uniform values that cross cuts are its variables."""

    def __init__(self, module, types, plan, codes):
        self.module, self.types, self.plan, self.codes = module, types, plan, codes
        self.group = make_group(module, types, plan.item)
        self.builder = Builder(module)

    def emit(self):
        builder, group = self.builder, self.group
        entry = group.append_block("entry")
        self.blocks = {c.region.number: group.append_block(f"run.{c.region.number}") for c in self.codes}
        self.done = group.append_block("done")
        builder.at_end(entry)
        values = {v for c in self.codes for v in (*c.ins, *c.changed)}
        self.now, self.new = {}, {}
        for value in sorted(values, key=self.plan.live.index.get):
            self.now[value] = builder.alloca(value.type, "uniform")
            self.new[value] = builder.alloca(value.type, "uniform.new")
        builder.br(self.blocks[0])
        for code in self.codes:
            self.run_region(code)
        builder.at_end(self.done).ret()

    def run_region(self, code):
        b = self.builder.at_end(self.blocks[code.region.number])
        n_frame = len(fr.GROUP_FRAME)
        own, frame = self.group.params[:-n_frame], self.group.params[-n_frame:]
        if self.plan.wide[code.region.number]:
            b.fence()
        ins = [b.load(v.type, self.now[v]) for v in code.ins]
        outs = [self.new[v] for v in code.changed]
        if code.foreach is None:
            ids = [self.types.i64.const(0)] * len(fr.LOCAL_IDS)
            answer = b.call(code.function, [*own, *ins, *outs, *ids, *frame])
        else:
            answer = b.call(code.foreach, [*own, *ins, *outs, *frame])
        if self.plan.varying:
            self.go_anywhere(answer)
        elif code.region.n_exits == 0:
            b.unreachable()
        else:
            self.go_on(code, answer)

    def go_anywhere(self, answer):
        """Work-items may be in different regions: the answer is the first of those."""
        i32 = self.types.i32
        self.builder.switch(answer, self.done, [(i32.const(n), block) for n, block in self.blocks.items()])

    def go_on(self, code, answer):
        """All work-items go to one of the region's exits."""
        source = self.builder.block
        targets = [(e, self.edge(code, e)) for e in code.region.exits]
        if code.region.returns:
            targets.append((END, self.done))
        self.builder.at_end(source)
        if len(targets) == 1:
            self.builder.br(targets[0][1])
        else:
            i32 = self.types.i32
            self.builder.switch(answer, targets[-1][1], [(i32.const(n), block) for n, block in targets[:-1]])

    def edge(self, code, target):
        """Way to a region, on which the changed uniform values become current."""
        values = [v for v in code.changed if v in set(self.plan.uniform[target])]
        if not values:
            return self.blocks[target]
        block = self.group.append_block(f"from.{code.region.number}.to.{target}")
        self.builder.at_end(block)
        for value in values:
            self.builder.store(self.builder.load(value.type, self.new[value]), self.now[value])
        self.builder.br(self.blocks[target])
        return block
