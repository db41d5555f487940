# SPDX-License-Identifier: Apache-2.0
"""Code for the formats of images that launches have: what reads and writes others vanishes, and what does so for any
format, for one work-item at a time, becomes a part of the kernel where it is called. Their samplers are known as well.
"""
from clpy.abi_layout import IMAGE
from clpy.compiler.analysis.descriptors import mark_invariant
from clpy.compiler.analysis.graph import Cfg
from clpy.compiler.analysis.memory import CONSTANT
from clpy.compiler.metadata import is_kernel
from clpy.llvm.ir import Types, functions, md_make_distinct, md_node, md_operands

CLEAN = "sroa,early-cse,simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg"
UNROLL = "loop-unroll<O3;no-partial;no-peeling;no-runtime>"
LOOP = "llvm.loop"


def offset_of(gep):
    """Bytes, where they are one constant; else None."""
    index = gep.operands[-1]
    return index.zext if len(gep.operands) == 2 and gep.gep_source_type.size == 1 and index.is_constant else None


def describe(types, view, order, type_, pixel_bytes):
    """Loads of what is known of a descriptor become what it is."""
    known = {IMAGE["channel_order"]: order, IMAGE["channel_type"]: type_, IMAGE["pixel_bytes"]: pixel_bytes,
             IMAGE["is_large"]: 0}
    for gep in [user for user in view.users if user.opcode == "getelementptr" and offset_of(user) in known]:
        for load in [user for user in gep.users if user.opcode == "load" and user.type == types.i32]:
            load.replace_with(types.i32.const(known[offset_of(gep)]))
            load.erase()


def reads_any_format(function):
    """For one work-item: builtins/image_any.cl."""
    return (function.has_attribute("cold") and not function.is_declaration and function.params
            and function.params[0].type.is_pointer and function.params[0].type.address_space == CONSTANT)


def hold_loops(module, kernel):
    """Those of the kernel itself stay as they are. What is said of them is the last operand of what says so."""
    cfg = Cfg(kernel)
    for latch in [cfg.blocks[latch].terminator for loop in cfg.loops for latch in loop.latches]:
        said = latch.metadata(LOOP)
        held = md_node(module, [None, md_node(module, ["llvm.loop.unroll.disable"]), *([said] if said else [])])
        latch.set_metadata(LOOP, md_make_distinct(held))


def release_loops(kernel):
    for terminator in [block.terminator for block in kernel.blocks]:
        held = terminator.metadata(LOOP)
        if held is not None:
            said = md_operands(held)[2:]
            terminator.set_metadata(LOOP, said[0] if said else None)


def let_in(function):
    """It is called by one kernel, for one format each."""
    for attribute in ("noinline", "cold"):
        function.remove_attribute(attribute)
    function.add_attribute("alwaysinline")
    function.set_internal()
    for block in function.blocks:
        block.terminator.set_metadata(LOOP, None)     # which keeps loops: there are few turns of them now


def run(module, lowering):
    if not lowering.formats:
        return
    types = Types(module)
    kernels = [function for function in functions(module) if is_kernel(function)]
    images = {index: known for index, known in lowering.formats.items() if known[2]}
    for kernel in kernels:
        for index, (upper, lower, _) in lowering.formats.items():
            if index not in images:
                kernel.params[index].replace_with(types.i32.const(upper << 16 | lower))

    def describe_all():
        for kernel in kernels:
            for index, known in images.items():
                describe(types, kernel.params[index], *known)

    describe_all()
    for kernel in kernels:
        hold_loops(module, kernel)
        kernel.run_passes(CLEAN)
    module.run_passes("globaldce")       # what reads any format is long, and mostly out of use now
    for function in functions(module):
        if not function.is_declaration and function not in kernels:
            function.run_passes(CLEAN)
    for function in [each for each in functions(module) if reads_any_format(each)]:
        let_in(function)
    module.run_passes("always-inline,globaldce")
    describe_all()
    mark_invariant(module, [kernel.params[index] for kernel in kernels for index in images])
    module.run_passes(f"function({CLEAN},{UNROLL},{CLEAN})")
    for kernel in kernels:
        release_loops(kernel)
