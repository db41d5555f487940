# SPDX-License-Identifier: Apache-2.0
"""Run a region for all work-items of a group: three loops over the local ids, dimension 0 innermost.

Interface, and all that a vectorizer has to provide in place of this pass: for each function of role "region",
    i32 or void @R(args, lid.0, lid.1, lid.2, group frame)
define the function of role "foreach" that the driver calls,
    i32 or void @R.foreach(args, group frame)
so that it does what calling @R for each local id does, in any order. All parameters but the three ids are the same for
all work-items. The value of @R is the region that the work-item goes to: with clpy-exits="uniform" all answers are equal;
with "varying" @R.foreach returns the smallest.
Work-items are independent of each other between barriers, except through atomics: their accesses are marked
parallel, which lets LLVM's loop vectorizer work on the inner loop.
"""
from clpy.llvm.ir import Builder, Types, functions, get_function, intrinsic, md_distinct, md_make_distinct, md_node

from . import frame as fr
from .memory import is_private

SUFFIX = ".foreach"


def mark_parallel(module, region):
    """Put the accesses to memory that work-items share into a new access group; returns it, or None if an access
    is left over that is not independent: to private memory, which all iterations have in common."""
    group, alone = md_distinct(module), True
    for inst in region.instructions_of("load", "store", "call"):
        if inst.opcode == "call":
            if not inst.callee.name.startswith(("llvm.memcpy.", "llvm.memset.", "llvm.memmove.")):
                continue
            pointers = [a for a in inst.args if a.type.is_pointer]
        else:
            if inst.is_volatile or inst.is_atomic:
                continue
            pointers = [inst.operand(0 if inst.opcode == "load" else 1)]
        if any(is_private(p) for p in pointers):
            alone = False
        else:
            inst.set_metadata("llvm.access.group", group)
    return group if alone else group


def loop_id(module, group):
    return md_make_distinct(md_node(module, [None, md_node(module, ["llvm.loop.parallel_accesses", group])]))


class ItemLoop:
    def __init__(self, module, region):
        self.module, self.region, self.types = module, region, Types(module)
        self.foreach = get_function(module, region.name + SUFFIX)
        self.builder = Builder(module)
        self.frame = fr.frame_of(self.foreach, fr.GROUP_FRAME)

    def build(self):
        b, t = self.builder, self.types
        self.foreach.set_internal()
        exits = self.region.attribute_text(fr.EXITS)
        entry = self.foreach.append_block("entry")
        blocks = [self.foreach.append_block(n) for n in ("z", "y", "item", "item.next", "y.next", "z.next", "done")]
        z_head, y_head, item, item_next, y_next, z_next, done = blocks
        b.at_end(entry).br(z_head)
        z = self.counter(z_head, "lid.2", entry)
        b.br(y_head)
        y = self.counter(y_head, "lid.1", z_head)
        b.br(item)
        x = self.counter(item, "lid.0", y_head)
        n_args = len(self.foreach.params) - len(fr.GROUP_FRAME)
        args, frame = self.foreach.params[:n_args], self.foreach.params[n_args:]
        least = b.phi(t.i32, "least") if exits == "varying" else None
        answer = b.call(self.region, [*args, x, y, z, *frame])
        if least is not None:
            answer = b.call(intrinsic(self.module, "llvm.umin", [t.i32]), [answer, least])
        b.br(item_next)
        latch = self.step(item_next, x, "lsize.0", item, y_next)
        self.step(y_next, y, "lsize.1", y_head, z_next)
        self.step(z_next, z, "lsize.2", z_head, done)
        if least is not None:
            self.carry_least(least, answer, (z_head, entry, z_next), (y_head, z_head, y_next), (item, y_head, item_next))
        b.at_end(done)
        b.ret(answer if not self.region.value_type.returns.is_void else None)
        latch.set_metadata("llvm.loop", loop_id(self.module, mark_parallel(self.module, self.region)))

    def counter(self, head, name, before):
        """The induction variable of a loop that runs at least once."""
        phi = self.builder.at_end(head).phi(self.types.i64, name)
        phi.add_incoming(self.types.i64.const(0), before)
        return phi

    def step(self, block, phi, size, head, after):
        b = self.builder.at_end(block)
        following = b.add(phi, self.types.i64.const(1), nuw=True, nsw=True)
        phi.add_incoming(following, block)
        return b.cond_br(b.icmp("ult", following, self.frame[size]), head, after)

    def carry_least(self, least, answer, *loops):
        """Thread the smallest answer so far through the three loops."""
        b, value = self.builder, self.types.i32.all_ones
        for head, before, latch in loops[:2]:
            phi = b.before(head.first).phi(self.types.i32, "least")
            phi.add_incoming(value, before)
            phi.add_incoming(answer, latch)
            value = phi
        _, before, latch = loops[2]
        least.add_incoming(value, before)
        least.add_incoming(answer, latch)


def run(module, lowering):
    for region in fr.of_role(functions(module), "region"):
        ItemLoop(module, region).build()
