# SPDX-License-Identifier: Apache-2.0
"""Code of a kernel for launches that its first code is not made for.

That is made for what nearly all launches are like: arguments have memory of their own (distinct.pyx), groups are whole
vectors of work-items, and ids stay far from what 31 bits hold. A launch that is not like that gets other code, which is
made when the first one comes: that launch waits for the compiler.
"""
from clpy.abi cimport clpy_launch
from clpy.atomics cimport atomic_load_ptr
from clpy.core.build cimport build_enters, build_leaves
from clpy.core.distinct cimport has_distinct_memory
from clpy.core.interpreter cimport call_python
from clpy.core.kernel cimport Kernel
from clpy.core.program cimport DISTINCT_WRITTEN, Code, KernelCode, code_adds, code_find

from clpy.trace import report_fault, trace

cdef enum:
    MOST_ID = 0x7FFE0000         # 2^31, but for more than clpy.compiler.analysis.transfer.NEAR and a group

cdef struct Wanted:
    KernelCode *kernel
    Code *code
    void **place                 # &kernel.general or &kernel.any_groups


# ---- at the launch ---------------------------------------------------------------------------------------------------

cdef bint has_whole_groups(const KernelCode *kernel, const clpy_launch *shape) noexcept nogil:
    cdef size_t i, step
    for i in range(3):
        step = kernel.whole[i]
        if step > 1 and (shape.local_size[i] % step or shape.global_size[i] % step
                         or shape.global_size[i] > MOST_ID
                         or shape.global_offset[i] > MOST_ID - shape.global_size[i]):
            return False
    return True


cdef KernelCode *version_for(KernelCode *kernel, Code **code, const Kernel *k,
                             const clpy_launch *shape) noexcept nogil:
    if kernel.wants_distinct and not has_distinct_memory(kernel, k):
        return other_code(kernel, code, &kernel.general)
    if kernel.wants_whole and not has_whole_groups(kernel, shape):
        return other_code(kernel, code, &kernel.any_groups)
    return kernel


# ---- the other code --------------------------------------------------------------------------------------------------

cdef KernelCode *other_code(KernelCode *kernel, Code **code, void **place) noexcept nogil:
    cdef Code *made = <Code *>atomic_load_ptr(place)
    cdef Wanted wanted = Wanted(kernel, code[0], place)
    if made == NULL:
        if not build_enters():               # the process ends
            return NULL
        call_python(make_with_gil, &wanted)
        build_leaves()
        made = <Code *>atomic_load_ptr(place)
        if made == NULL:
            return NULL
    code[0] = made
    return code_find(made, kernel.name)


cdef void make_with_gil(void *argument) noexcept with gil:
    cdef Wanted *wanted = <Wanted *>argument
    try:
        make(wanted.kernel, wanted.code, wanted.place)
    except BaseException as error:
        report_fault("compiling a kernel for a launch unlike others", error)


cdef int make(KernelCode *kernel, Code *code, void **place) except -1:
    cdef bint shared = place == &kernel.general
    if code.recipe == NULL:
        return 0
    toolchain, executable, target = <object>code.recipe
    name = kernel.name.decode("utf-8", "surrogateescape")
    why = "arguments have memory in common" if shared else "groups are not whole vectors"
    trace(3, f"{name}: {why}: code for that is made")
    product = (toolchain.general if shared else toolchain.any_groups)(executable, name, target)
    if product is None:
        return 0
    # It is given what was captured for the other code, and nothing more is taken for granted.
    made = product.kernels[name]
    if (made.local_bytes == kernel.traits.local_bytes and max(made.whole) == 1
            and not (shared and any(arg.distinct == DISTINCT_WRITTEN for arg in made.args))):
        code_adds(code, kernel, product, place)
    return 0
