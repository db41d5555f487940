# SPDX-License-Identifier: Apache-2.0
"""The compiler's list of passes, in order: from a linked module of kernels to functions that run work-groups.

Each pass is a module of clpy.compiler.passes with `run(module, lowering)`; it changes the module in place. What a
pass finds out for a later one stands in the IR as attributes (compiler/frame.py), so any slice of the list can run
alone on a .ll file: `python -m clpy.compiler.opt --passes a,b FILE.ll`.
"""
from functools import cache
from importlib import import_module

from clpy import config
from clpy.compiler import metadata
from clpy.compiler.lowering import Lowering
from clpy.compiler.options import PARTS
from clpy.compiler.runtime import ends
from clpy.errors import CLError
from clpy.records import replace
from clpy.trace import trace

PASSES = (
    ("division", "integer division by zero and overflow must not trap"),
    ("half_products", "x * y + z of halves rounds twice on every CPU"),
    ("powers", "powers to small constants are products and roots"),
    ("libm_calls", "functions of double are calls of the C library's, where vectors have forms of these"),
    ("printf_calls", "printf's arguments are packed for the runtime"),
    ("blocks", "kernels that are enqueued by kernels become numbers"),
    ("inline", "one function per kernel; recursion is refused"),
    ("element_alignment", "vectors in memory may lie where their elements may"),
    ("images", "images and pipes become descriptors, samplers numbers"),
    ("image_formats", "code for the formats of images that launches have"),
    ("events", "events of async copies carry nothing and vanish"),
    ("initialize_memory", "private and local memory is cleared, where the context asks for it"),
    ("restrict", "a pointer that is restricted is so for one work-item, not across barriers"),
    ("normal_form", "SSA and light cleaning"),
    ("spinning", "kernels that wait in a loop for what other work-groups write"),
    ("variables", "places of variables, for a debugger"),
    ("constants", "what arguments in constant memory lead to does not change"),
    ("truncations", "numbers of double that become integers and numbers again are cut off"),
    ("distinct", "arguments whose memory is distinct, as launches make sure"),
    ("unroll", "loops over small private arrays, whose elements become values"),
    ("repeated_calls", "functions of the library that loops call are inlined after all"),
    ("interchange", "nested loops of a work-item, so that the inner one goes along rows of memory"),
    ("accumulators", "sums that a loop keeps in memory become values"),
    ("exchanges", "what is exchanged in local memory under a condition is written in any case"),
    ("work_items", "ids and sizes become parameters of a work-item function"),
    ("local_memory", "static __local variables become places in the group's local memory"),
    ("observe", "an observer is told of blocks, branches, memory accesses and barriers"),
    ("regions", "cut at barriers: a driver per group that runs region after region"),
    ("vectorize", "regions as vectors of work-items, where that is faster"),
    ("lockstep", "regions as lock-step wavefronts, where the device has them"),
    ("sub_groups", "kernels with functions of sub-groups, as vectors of that size"),
    ("work_item_loop", "every other region as a loop over work-items"),
    ("local_atomics", "a group runs on one thread: atomics on its memory need no lock"),
    ("own_forms", "forms of functions of double for vectors"),
    ("retarget", "triple, data layout and calling convention of the device"),
    ("recurrences", "what a turn of a loop stores for the next one stays in a register"),
    ("vector_math", "the vector forms of libm"),
    ("kernel_abi", "__clpy_kernel.NAME: arguments from the block, a range of groups per call"),
    ("initializers", "objects of the program are constructed before its first kernel"),
    ("generic_spaces", "which memory a generic pointer points to, by its address"),
    ("source_lines", "kernel functions say where in the source they come from"),
    ("masked_loads", "around a fault of LLVM's optimizer"),
    ("constant_offsets", "what a constant adds to an index is added to the address"),
    ("optimize", "LLVM's optimizer for the device"),
    ("element_splats", "around a fault of LLVM's code generator, where nothing is optimized"),
    ("truncated_shuffles", "around a fault of LLVM's code generator"),
    ("half_roundings", "vectors of halves are rounded to whole numbers as floats"),
    ("inverse_roots", "rsqrt of vectors by the processor's estimate"),
    ("uniform_masks", "a condition that is the same for all lanes joins masks as wide as what they compare"),
    ("lane_masks", "masks of lanes go from block to block as wide as what they mask"),
    ("mask_logic", "masks that fill several registers are put together as numbers"),
    ("gather_addresses", "gathers and scatters have a base that lanes share, and indices"),
    ("narrow_loads", "masked loads of bytes and shorts are whole ones, where all of the vector may be read"),
    ("lane_loops", "masked accesses without an instruction are loops over lanes, in code that is made again"),
    ("narrow_stores", "masked stores of bytes and shorts have no branch for each lane"),
    ("narrow_gathers", "gathers and scatters without instructions are loads and stores"),
    ("rare_calls", "calls for rare arguments keep the registers of their callers"),
    ("single_lane_stores", "around a fault of LLVM's code generator"),
    ("zero_tails", "large constants that are mostly zeros get their memory when the code is loaded"),
)


CL_OUT_OF_RESOURCES = -5
# Kernels are right without these, if slower. CLPY_SKIP_PASSES leaves them out, and `clpy bisect` each in turn.
OPTIONAL = ("powers", "libm_calls", "constants", "truncations", "distinct", "unroll", "interchange", "accumulators",
            "exchanges", "vectorize", "local_atomics", "recurrences", "vector_math", "constant_offsets", "optimize",
            "uniform_masks", "lane_masks", "mask_logic", "gather_addresses", "narrow_loads", "lane_loops",
            "narrow_stores", "narrow_gathers", "rare_calls")
# compiler/parts.py: for some kernels
APART = ("masked_loads", "constant_offsets", "optimize", "element_splats", "truncated_shuffles",
         "half_roundings", "inverse_roots", "uniform_masks", "lane_masks", "mask_logic", "gather_addresses",
         "narrow_loads", "lane_loops", "narrow_stores", "narrow_gathers", "rare_calls", "single_lane_stores",
         "zero_tails")


def describe(report):
    """One line a region: how it runs, and why not as vectors."""
    for region, width, wide, why in report:
        if width == 1:
            yield f"{region}: scalar: {why}"
        else:
            several = f", {wide} where there are as many" if wide > width else ""
            yield f"{region}: {width} work-items at a time{several}{f'; not more: {why}' if why else ''}"


def requested_width():
    """What CL_CONFIG_USE_VECTORIZER and CL_CONFIG_CPU_VECTORIZER_MODE ask for."""
    return int(config.get("CPU_VECTORIZER_MODE")) if config.get("USE_VECTORIZER") else 1


def skipped_passes():
    """What CLPY_SKIP_PASSES names, as far as it can be left out; the rest is said once a build at CLPY_DEBUG=3."""
    named = [name.strip() for name in config.get("SKIP_PASSES").split(",") if name.strip()]
    needed = [name for name in named if name not in OPTIONAL]
    if needed:
        trace(3, f"CLPY_SKIP_PASSES: only {', '.join(OPTIONAL)} can be left out, not {', '.join(needed)}")
    return [name for name in named if name in OPTIONAL]


def read_kernels(module):
    from clpy.llvm.ir import functions
    return {f.name: metadata.read_kernel(f) for f in functions(module) if metadata.is_kernel(f)}


@cache
def pass_named(name):
    return import_module(f"clpy.compiler.passes.{name}")


def run(module, lowering, names=None, after_each=None):
    """Run passes by name (all when None); `after_each(name, module)` sees the module after each of them."""
    skipped = skipped_passes()
    for name in names or [n for n, _ in PASSES]:
        if name in skipped:
            continue
        for says_so in ends:
            if says_so():
                raise CLError(CL_OUT_OF_RESOURCES, "the process ends")
        pass_named(name).run(module, lowering)
        if after_each is not None:
            after_each(name, module)


def prepare(module, target, machine, optimize):
    """The Lowering of a module whose kernels have not been touched yet."""
    return Lowering(target, read_kernels(module), optimize, machine.ref, machine.datalayout, target.vector_bits,
                    requested_width() if optimize else 1)


def show(name, module):
    trace(5, f"; IR after {name}\n{module.to_text()}")


def may_be_distinct(target, options):
    """Other code for launches that need it is made of the bitcode, which a binary may lack."""
    return not target.lockstep and "llvmir" in options.parts_of_binary(PARTS)


def lower(module, target, options, notes=None, distinct=True, **launches):
    """Linked module for spir64 in, module for `target` out (the same object), to be finished: a clpy_kernel_fn per
    kernel, named __clpy_kernel.NAME. Returns the Lowering; the list `notes` gets lines for CLPY_DEBUG=3. `distinct` and
    what is known of `launches` (group_size, formats, first): see Lowering; with a group_size that is empty nothing is
    taken for granted of groups."""
    from clpy.llvm import codegen
    optimize = not getattr(options, "opt_disable", False)
    with codegen.machine(target, optimize) as machine:
        lowering = prepare(module, target, machine, optimize)
        distinct = distinct and may_be_distinct(target, options)
        lowering = replace(lowering, distinct=distinct, **launches)
        lowering.whole = lowering.first and distinct and lowering.group_size is None
        lowering.group_size = lowering.group_size or None
        run(module, lowering, [name for name, _ in PASSES if name not in APART], shown())
    if notes is not None:
        notes.extend(describe(lowering.report))
    return lowering


def finish(module, lowering, machine):
    """The last passes, on all of a lowered module or on some of its kernels; `machine` is the caller's."""
    run(module, replace(lowering, machine=machine.ref), APART, shown())


def shown():
    """For `after_each`: the IR at CLPY_DEBUG=5."""
    return show if config.get("DEBUG") >= 5 else None
