# SPDX-License-Identifier: Apache-2.0
"""Kernels whose work-items do things together with others of their sub-group run as vectors of just that size.

A sub-group is a wavefront of the lock-step kind (spmd/wave_region.py), as wide as the registers, whatever else is asked
of the vectorizer: what its size is, programs can see. Where one region of a kernel cannot be made so, work-items run
one after the other, and each is a sub-group of its own: that is right at any place of any program, and the runtime
answers so for the kernel (KernelInfo.sub_group_size). A kernel may ask for another size, or call what needs one, and
then has that or does not build.
"""
from clpy.compiler import frame as fr
from clpy.compiler.lowering import LoweringError, sub_group_sizes
from clpy.compiler.metadata import required_sub_group_size
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.region_code import FOREACH
from clpy.compiler.spmd.sub_groups import Alone, needed_size, settle_size, size_of
from clpy.compiler.spmd.wave_region import WaveRegion
from clpy.llvm.ir import functions, get_function


def as_vectors(module, regions, lowering, size):
    """(Why not all regions could be made so, and nothing is changed; "" where they are. Whether groups must be whole
    vectors then.)"""
    waves = [WaveRegion(module, region, lowering, size, give_way=True) for region in regions]
    for n, wave in enumerate(waves):
        try:
            wave.make_forms()
        except Unsupported as why:
            for made in waves[:n]:
                made.forget()
            lowering.report.append((wave.region.name, 1, 1, str(why)))
            return str(why), False
    for wave in waves:
        wave.finish()
        get_function(module, wave.region.name + FOREACH).add_attribute(fr.VECTORS)
        lowering.report.append((wave.region.name, size, size, ""))
    return "", any(wave.whole for wave in waves)


def required_sizes(lowering):
    """{name of a kernel that asks for a size: the size}"""
    found = {name: required_sub_group_size(info) for name, info in lowering.kernels.items()}
    able = sub_group_sizes(lowering.vector_bits)
    for name, size in found.items():
        if size and size not in able:
            raise LoweringError(f"kernel {name}: no sub-groups of {size} work-items: the device has those of "
                                f"{', '.join(map(str, able))}")
    return {name: size for name, size in found.items() if size}


def require_needed(required, kernel, functions):
    """What a kernel calls may be for one size alone."""
    needed = needed_size(functions)
    if needed and required.setdefault(kernel, needed) != needed:
        raise LoweringError(f"kernel {kernel}: asks for sub-groups of {required[kernel]} work-items, but calls "
                            f"functions that there are for those of {needed} only")


def run(module, lowering):
    required = required_sizes(lowering)
    for name, size in required.items():
        lowering.kernels[name].sub_group_size = size
    together = [f for f in functions(module) if f.attribute_text(fr.SUB_GROUPS) is not None]
    for kernel in dict.fromkeys(f.attribute_text(fr.KERNEL) for f in together):
        of_kernel = [f for f in together if f.attribute_text(fr.KERNEL) == kernel]
        require_needed(required, kernel, [f for f in of_kernel if not f.is_declaration])
        regions, size = fr.of_role(of_kernel, fr.REGION), required.get(kernel, size_of(lowering))
        why_not, whole = as_vectors(module, regions, lowering, size)
        if why_not and kernel in required:
            raise LoweringError(f"kernel {kernel}: cannot have sub-groups of {size} work-items: {why_not}")
        if why_not:
            size = 1
            for region in regions:
                Alone(module, region).run()
        settle_size(module, [f for f in of_kernel if not f.is_declaration], size)
        info = lowering.kernels.get(kernel)
        if info is not None:
            info.sub_group_size = size
            info.preferred_multiple = max(info.preferred_multiple, size)
            if whole:
                info.take_whole(0, size)
