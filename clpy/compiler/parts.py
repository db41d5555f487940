# SPDX-License-Identifier: Apache-2.0
"""LLVM's part of a build, which is the larger one: the kernels of a large program are optimized and compiled apart, on
several threads.

The lowered code of a kernel needs nothing of another kernel but variables of the program. So a part is a module with
some of the kernels in an LLVM context of its own, and its result an object of its own, as long as there are no such
variables that kernels may change.
"""
import os

from clpy import background, config
from clpy.compiler import frame, pipeline
from clpy.llvm import codegen
from clpy.trace import trace

WORTH_A_THREAD = 2500        # instructions before LLVM's optimizer: a tenth of a second or so of its work
MOST_THREADS = 8
PARTS_PER_THREAD = 2         # to even out what kernels take that have as many instructions


def compile_kernels(module, lowering, target):
    """Native objects with the kernels of the lowered module, which is of no further use."""
    n = threads()
    groups = divide(module, n * PARTS_PER_THREAD) if lowering.optimize and n > 1 else []
    if len(groups) < 2:
        return [compile_part(module, lowering, target)]
    data = module.to_bitcode()
    return at_once([lambda kept=set(group): compile_part(extract(data, kept), lowering, target) for group in groups],
                   min(n, len(groups)))


def threads():
    """How many a build may use; one where what the compiler does is to be read."""
    if config.get("DEBUG") >= 5:
        return 1
    return min(config.get("NUM_THREADS") or len(os.sched_getaffinity(0)), MOST_THREADS)


def divide(module, most):
    """Names of the kernel functions, in up to `most` groups of about as many instructions. Those that LLVM optimizes
    with the same passes stay together. A single group, or none, where more would not pay or not be right."""
    from clpy.llvm.ir import global_variables
    kernels = sorted(frame.kernel_functions(module), key=lambda f: f.has_attribute(frame.VECTORS))
    sizes = sizes_of(module, kernels)
    most = min(most, sum(sizes) // WORTH_A_THREAD)
    if most < 2 or any(not v.is_fixed and v.has_users for v in global_variables(module)):
        return []
    groups, room = [[]], sum(sizes) / most
    for kernel, size in zip(kernels, sizes, strict=True):
        if groups[-1] and size / 2 > room:
            groups.append([])
            room += sum(sizes) / most
        groups[-1].append(kernel.name)
        room -= size
    return groups


def sizes_of(module, kernels):
    """Instructions of the kernel functions, with what belongs to them."""
    sizes = {}
    for function in frame.code_functions(module):
        name = frame.kernel_of(function)
        sizes[name] = sizes.get(name, 0) + function.n_instructions
    return [sizes[frame.kernel_of(kernel)] for kernel in kernels]


def extract(data, kept):
    """The module in the bitcode `data` with the kernel functions `kept` alone, and what they need."""
    from clpy.llvm.ir import global_variables
    from clpy.llvm.module import Module
    module = Module.from_bitcode(data)
    for function in frame.kernel_functions(module):
        if function.name not in kept:
            function.erase()
    for variable in global_variables(module):
        if not variable.is_declaration and not variable.is_internal:
            variable.set_internal()   # other parts may have it too
    return module


def compile_part(module, lowering, target):
    if config.get("DEBUG") < 5:
        module.drop_names()
    with codegen.machine(target, lowering.optimize) as machine:
        pipeline.finish(module, lowering, machine)
        if config.get("DEBUG") >= 6:
            trace(6, machine.assembly(module.clone()))
        return machine.object(module, lowering.is_made_again)


def at_once(jobs, n):
    """The results of the functions `jobs`, run by this thread and n - 1 others. Signals of the host program do not
    interrupt those; where no thread can be made, this one does all."""
    results, errors, rest = [None] * len(jobs), [], iter(range(len(jobs)))

    def work():
        try:
            for i in rest:       # each number comes once: the interpreter's lock sees to it
                results[i] = jobs[i]()
        except Exception as why:
            errors.append(why)

    helpers = []
    try:
        for _ in range(n - 1):
            helpers.append(background.Thread(work))
    except RuntimeError:
        pass
    try:
        work()
    finally:
        for helper in helpers:
            helper.join()
    if errors:
        raise errors[0]
    return results
