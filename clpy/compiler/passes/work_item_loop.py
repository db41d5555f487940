# SPDX-License-Identifier: Apache-2.0
"""Run a region for all work-items of a group: loops over the local ids, dimension 0 innermost.

Interface, and all that a vectorizer has to provide in place of this pass: for each function of role "region",
    i32 or void @R(args, lid.0, lid.1, lid.2, group frame)
define the function of role "foreach" that the driver calls,
    i32 or void @R.foreach(args, group frame)
so that it does what calling @R for each local id does, in any order. All parameters but the three ids are the same for
all work-items. The value of @R is the region that the work-item goes to: with clpy-exits="uniform" all answers are
equal; with "varying" @R.foreach returns the smallest.
Work-items are independent of each other between barriers, except through atomics: their accesses are marked
parallel, which lets LLVM's loop vectorizer work on the inner loop, but where it would put them in a wrong order.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.loop_vectorizer import merges_wrongly
from clpy.compiler.analysis.memory import GLOBAL, LOCAL, PRIVATE, base_of, is_private, space_of
from clpy.compiler.spmd.loop_id import loop_id
from clpy.compiler.spmd.region_code import FOREACH
from clpy.llvm.ir import Builder, Types, functions, get_function, intrinsic, md_distinct, md_node, md_scopes


class Marks:
    """What LLVM is told of a region's accesses: those to memory that work-items share are in the access group of its
    loop, and global, local and context memory do not overlap. Private memory is common to all iterations."""

    def __init__(self, module):
        self.module = module
        names = ("global", "local", "context")
        scopes = dict(zip(names, md_scopes(module, "clpy", names), strict=True))
        self.own = {n: md_node(module, [scopes[n]]) for n in names}
        self.others = {n: md_node(module, [scopes[o] for o in names if o != n]) for n in names}

    def mark(self, region):
        """Returns the access group."""
        group = md_distinct(self.module)
        for inst in region.instructions_of("load", "store", "call"):
            pointers = pointers_of(inst)
            if pointers and not any(is_private(p) for p in pointers):
                inst.set_metadata("llvm.access.group", group)
            if len(pointers) == 1:
                self.mark_memory(inst, pointers[0])
        return group

    def mark_memory(self, inst, pointer):
        space = space_of(pointer)
        name = {GLOBAL: "global", LOCAL: "local"}.get(space)
        if name is None and space == PRIVATE and base_of(pointer).name == "context":
            name = "context"
        if name is not None:
            inst.set_metadata("alias.scope", self.own[name])
            inst.set_metadata("noalias", self.others[name])


def pointers_of(inst):
    """Where an access to memory goes; nothing for volatile and atomic ones, which stay in order."""
    if inst.opcode == "call":
        copies = inst.callee.name.startswith(("llvm.memcpy.", "llvm.memset.", "llvm.memmove."))
        return [a for a in inst.args if a.type.is_pointer] if copies else []
    if inst.is_volatile or inst.is_atomic:
        return []
    return [inst.operand(0 if inst.opcode == "load" else 1)]


class ItemLoop:
    """Two loops: over the rows of the group (dimensions 1 and 2 together) and over the work-items of a row."""

    def __init__(self, module, region, marks):
        self.module, self.region, self.types, self.marks = module, region, Types(module), marks
        self.foreach = get_function(module, region.name + FOREACH)
        self.builder = Builder(module)
        self.frame = fr.frame_of(self.foreach, fr.GROUP_FRAME)
        self.exits = region.attribute_text(fr.EXITS)

    def build(self):
        self.foreach.set_internal()
        entry, row, item, row_end, done = (
            self.foreach.append_block(n) for n in ("entry", "row", "item", "row.end", "done"))
        self.builder.at_end(entry).br(row)
        y, z, row_least = self.row_start(entry, row)
        self.builder.br(item)
        answer = self.items(row, item, row_end, y, z, row_least)
        self.row_step(row, row_end, done, y, z)
        if row_least is not None:
            row_least.add_incoming(answer, row_end)
        self.builder.at_end(done)
        self.builder.ret(None if self.region.value_type.returns.is_void else answer)

    def row_start(self, entry, row):
        """The ids in dimensions 1 and 2, and the smallest answer so far where that is asked for."""
        b, i64 = self.builder.at_end(row), self.types.i64
        y, z = b.phi(i64, "lid.1"), b.phi(i64, "lid.2")
        for phi in (y, z):
            phi.add_incoming(i64.const(0), entry)
        if self.exits != "varying":
            return y, z, None
        least = b.phi(self.types.i32, "least")
        least.add_incoming(self.types.i32.all_ones, entry)
        return y, z, least

    def items(self, row, item, row_end, y, z, row_least):
        """The work-items of a row; returns the region's answer."""
        b, i64 = self.builder.at_end(item), self.types.i64
        x = b.phi(i64, "lid.0")
        x.add_incoming(i64.const(0), row)
        least = None
        if row_least is not None:
            least = b.phi(self.types.i32, "least")
            least.add_incoming(row_least, row)
        n_args = len(self.foreach.params) - len(fr.GROUP_FRAME)
        args, frame = self.foreach.params[:n_args], self.foreach.params[n_args:]
        answer = b.call(self.region, [*args, x, y, z, *frame])
        if least is not None:
            answer = b.call(intrinsic(self.module, "llvm.umin", [self.types.i32]), [answer, least])
            least.add_incoming(answer, item)
        following = b.add(x, i64.const(1), nuw=True, nsw=True)
        x.add_incoming(following, item)
        latch = b.cond_br(b.icmp("ult", following, self.frame["lsize.0"]), item, row_end)
        group = self.marks.mark(self.region)
        parallel = [] if merges_wrongly(self.region) else [("llvm.loop.parallel_accesses", group)]
        latch.set_metadata("llvm.loop", loop_id(self.module, *parallel))
        return answer

    def row_step(self, row, row_end, done, y, z):
        b, i64 = self.builder.at_end(row_end), self.types.i64
        following = b.add(y, i64.const(1), nuw=True, nsw=True)
        wrap = b.icmp("uge", following, self.frame["lsize.1"])
        y.add_incoming(b.select(wrap, i64.const(0), following), row_end)
        z_next = b.select(wrap, b.add(z, i64.const(1), nuw=True, nsw=True), z)
        z.add_incoming(z_next, row_end)
        latch = b.cond_br(b.icmp("ult", z_next, self.frame["lsize.2"]), row, done)
        latch.set_metadata("llvm.loop", loop_id(self.module))


def run(module, lowering):
    regions = [r for r in fr.of_role(functions(module), fr.REGION)
               if get_function(module, r.name + FOREACH).is_declaration]
    if regions:
        marks = Marks(module)
        for region in regions:
            ItemLoop(module, region, marks).build()
