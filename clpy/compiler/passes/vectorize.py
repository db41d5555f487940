# SPDX-License-Identifier: Apache-2.0
"""Run a region for all work-items of a group as vectors of work-items that follow each other in one dimension.

Takes the place of work_item_loop for each region it can vectorize; what it cannot is left to that pass, and the report
says why (spmd/vector_region.py).
"""
from clpy.compiler import frame as fr
from clpy.compiler.spmd.doubts import Tried
from clpy.compiler.spmd.forms import PutOff
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.vector_region import VectorRegion
from clpy.llvm.ir import functions


def refuse_hint(info):
    """A kernel whose vec_type_hint is a vector type is written in vectors already (Intel's guide)."""
    if info is not None and info.vec_hint and info.vec_hint[-1].isdigit():
        raise Unsupported(f"vec_type_hint({info.vec_hint})")


def ask_for_groups(info, choice):
    """Of sizes that vectors run well in."""
    info.preferred_multiple = max(info.preferred_multiple, choice.wide)
    info.narrow_multiple = max(info.narrow_multiple, choice.width)
    info.lane_dimension = choice.dimension


def run(module, lowering):
    if lowering.width == 1 or lowering.target.lockstep:
        return
    regions = [r for r in fr.of_role(functions(module), fr.REGION) if r.attribute_text(fr.SUB_GROUPS) is None]
    kernels = [region.attribute_text(fr.KERNEL) for region in regions]
    for region, kernel in zip(regions, kernels, strict=True):
        info = lowering.kernels.get(kernel)
        try:
            refuse_hint(info)
            choice = VectorRegion(module, region, lowering).build()
            lowering.report.append((region.name, choice.width, choice.wide, choice.why))
            if info is not None:
                ask_for_groups(info, choice)
                if choice.step:
                    info.take_whole(choice.dimension, choice.step)
                info.long_rows = choice.once and kernels.count(kernel) == 1
                info.in_doubt |= choice.in_doubt or choice.wide > choice.width
        except Unsupported as why:
            if info is not None and isinstance(why, Tried):
                info.in_doubt |= why.in_doubt
                if why.turns:
                    region.add_attribute(fr.TURNS)
            if info is not None and isinstance(why, PutOff):
                ask_for_groups(info, why.choice)
            lowering.report.append((region.name, 1, 1, str(why)))
