# SPDX-License-Identifier: Apache-2.0
"""Run regions as lock-step wavefronts: what a GPU does with a work-group, for models of GPUs.

A wavefront is W work-items that follow each other in the group's linear order, dimension 0 first. They go through a
region together under an explicit execution mask: both sides of a divergent branch one after the other, a side that no
work-item takes is left out. All wavefronts of a group run one region before the first runs the next, so a barrier
between wavefronts is the cut that it is for work-items.

A region that cannot be made so (spmd/wave_region.py) runs work-item after work-item, each in its lane's place, and the
report says why.
"""
from clpy.compiler import frame as fr
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.wave_region import OneByOne, WaveRegion
from clpy.llvm.ir import functions


def run(module, lowering):
    width = lowering.target.lockstep
    if not width:
        return
    for region in fr.of_role(functions(module), fr.REGION):
        if region.attribute_text(fr.SUB_GROUPS) is not None:
            continue
        info = lowering.kernels.get(region.attribute_text(fr.KERNEL))
        if info is not None:
            info.preferred_multiple = width
        try:
            wave = WaveRegion(module, region, lowering, width)
            wave.make_forms()
            wave.finish()
            lowering.report.append((region.name, width, width, ""))
        except Unsupported as why:
            if lowering.target.observed:
                OneByOne(module, region, width).run()
            lowering.report.append((region.name, 1, 1, str(why)))
