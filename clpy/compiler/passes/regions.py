# SPDX-License-Identifier: Apache-2.0
"""Cut work-item functions at barriers (continuation-based synchronization).

Each cut starts a region: the blocks reachable from it without crossing another cut. `kernel.item` becomes a function
per region, `kernel.region.K`, and a driver, `kernel.group`, that runs region after region for the whole group through
`kernel.region.K.foreach` (see work_item_loop). A region that only computes uniform values runs once. All work-items
come to the same barrier, so any of them tells the next region. Where that is not proved, because a branch that may
differ decides it, work-items keep a state: one that returned early is skipped, and the group goes on with the others
instead of hanging (RegionPlan.find_partings).

What lives across a cut: uniform values are scalars of the driver, values that are cheap to compute again are
computed again, the rest goes to context memory.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.builtin_table import CUT, row_of
from clpy.compiler.spmd.arrays import interleave, spell_out_clears
from clpy.compiler.spmd.region_code import Driver, RegionCode, move_whole
from clpy.compiler.spmd.region_plan import make_plan
from clpy.llvm.ir import Function, Types, functions


def cuts_of(item):
    for call in item.instructions_of("call"):
        callee = call.callee
        if isinstance(callee, Function) and callee.is_declaration:
            row = row_of(callee.name)
            if row is not None and row.kind == CUT:
                yield call


def is_wide(cut):
    """The barrier orders memory for work-items outside the group too: its scope is more than the group, or unknown."""
    args = cut.args
    return len(args) > 1 and not (args[1].is_const_int and args[1].zext <= 1)


def split_at_cuts(item):
    """Make every cut an edge: erases the calls; returns (block after the cut, whether it is wide) pairs."""
    cuts, heads = list(cuts_of(item)), []
    for number in range(len(cuts), 0, -1):  # the last first: a block keeps its end when it is split
        cut = cuts[number - 1]
        block = cut.block
        block.split_before(cut, f"cut.{number}")
        heads.append((block, is_wide(cut)))
        cut.erase()
    return heads[::-1]


def record_sizes(function, plan_bytes, private_bytes):
    function.add_attribute(fr.CONTEXT_BYTES, plan_bytes)
    function.add_attribute(fr.PRIVATE_BYTES, private_bytes)


def run(module, lowering):
    types = Types(module)
    for item in fr.of_role(functions(module), fr.ITEM):
        spell_out_clears(module, item)
        heads = split_at_cuts(item)
        if not heads:
            move_whole(module, types, item)
        else:
            plan = make_plan(module, item, heads)
            record_sizes(item, plan.layout.bytes, plan.private_bytes)
            codes = [RegionCode(module, types, plan, r) for r in plan.regions if r.number in plan.used]
            for code in codes:
                code.emit()
            Driver(module, types, plan, codes).emit()
        item.erase()
    for region in fr.of_role(functions(module), fr.REGION):
        interleave(module, region, fr.frame_of(region)["items"])
