# SPDX-License-Identifier: Apache-2.0
"""Which programs' kernels may wait for their code until somebody needs it (clpy/core/needed.pyx).

Of programs with many kernels most run a few, and code takes nearly all of a build. Yet whatever is wrong with a program
belongs into its build log, so kernels wait only where no pass and no code generator could refuse them. What is not
sure is compiled in the build, which finds out; and so is what a debugger or a reader is to see, and what kernels share:
variables that they change, and blocks that they enqueue (program.may_be_specialized).
"""
from clpy import config
from clpy.compiler import device_queues, pipeline
from clpy.compiler.analysis.builtin_table import CUT, FENCE, ID, PRINT, TOGETHER, base_name, row_of
from clpy.compiler.analysis.graph import MOST_NESTED
from clpy.compiler.frame import INITIALIZE
from clpy.compiler.metadata import ARG_IMAGE, required_sub_group_size
from clpy.compiler.passes.images import LITERALS, LOOKS_INSIDE

FEWEST = 2                    # kernels: with a single one a build and a launch take what the build took, unless ...
MOST_CONSTANT = 1 << 20       # bytes of constants: each kernel has those that it reaches
OF_CLANG = ("llvm.lifetime.", "llvm.memcpy.", "llvm.memset.", "llvm.memmove.", "llvm.fmuladd.", "llvm.assume",
            "llvm.expect.", "llvm.experimental.noalias.scope.decl", "llvm.dbg.", "llvm.fabs.", "llvm.fma.",
            "llvm.stacksave", "llvm.stackrestore", "llvm.loop.")     # what it makes of OpenCL C by itself
OF_RUNTIME = "__clpy_"        # of the library, by now: a source's own are refused (supported.py)


def kernels_of(module, options):
    """KernelInfo by name, as far as the sources tell, of a module that is linked to nothing yet; {} where its kernels
    must not wait."""
    from clpy.llvm.ir import functions, global_variables
    if options.debug or config.get("DEBUG") >= 3 or device_queues.has_types(module):
        return {}
    for function in functions(module):
        if function.name.startswith("llvm.") and not function.name.startswith(OF_CLANG):
            return {}
    if sum(v.value_type.size for v in global_variables(module)) > MOST_CONSTANT:
        return {}
    kernels = pipeline.read_kernels(module)
    few = len(kernels) < FEWEST and not any(map(reads_images, kernels.values()))
    if few or INITIALIZE in kernels or any(map(required_sub_group_size, kernels.values())):
        return {}
    return kernels


def reads_images(info):
    """... it has images: its code is for the formats of the first launch."""
    return any(arg.kind == ARG_IMAGE for arg in info.args)


def is_sound(module):
    """Whether no kernel of a module that is linked with the library can be refused."""
    from clpy.llvm import kernels, orc
    from clpy.llvm.ir import functions
    for function in functions(module):
        if function.is_declaration and function.has_users and not is_known(function.name, orc.provides):
            return False
    return not kernels.obstacle(module, MOST_NESTED // 2)


def is_known(name, provides):
    """Whether a pass sees to a function without a body, or what machine code may call has it."""
    if name.startswith(("llvm.", OF_RUNTIME)) or base_name(name) in (*LOOKS_INSIDE, *LITERALS):
        return True
    row = row_of(name)
    return (row is not None and row.kind in (ID, CUT, FENCE, PRINT, TOGETHER)) or provides(name)
