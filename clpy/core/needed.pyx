# SPDX-License-Identifier: Apache-2.0
"""Code of kernels that is made when it is first needed: at a launch, or where somebody asks what only the code tells,
as for memory and sizes of work-groups.

The thread that needs it makes it; others that need the same meanwhile wait for that. What could be wrong with the
program has been found by the build (compiler/waiting.py), so what is left to fail is the machine: memory, for one.

Kernels that stand beside it in the program may be made with it, if the application has made objects of them: it will
most probably launch them, and several short ones take hardly longer than one.
"""
from libc.stdint cimport uint32_t
from clpy.atomics cimport atomic_load_i32, atomic_load_ptr
from clpy.cl cimport cl_int
from clpy.core.build cimport build_enters, build_leaves
from clpy.core.formats cimport formats_by_argument
from clpy.core.interpreter cimport call_python
from clpy.core.program cimport DISTINCT_WRITTEN, Code, KernelCode, code_adds, code_find, code_shares
from clpy.spec.consts cimport CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES

import _thread

from clpy.trace import report_fault, trace

cdef enum:
    BESIDE = 8                   # kernels that lie side by side in the program, from every eighth on

cdef struct Wanted:
    KernelCode *kernel
    Way way
    const uint32_t *formats      # of its images (formats.pxd), NULL: of none
    void **place                 # of the kernel, where the code comes
    Code *code
    cl_int err

cdef dict locks = {}             # address of a place -> lock of who makes the code for it


cdef KernelCode *needed_code(KernelCode *kernel, Way way, const uint32_t *formats, Code **code,
                             cl_int *err) noexcept nogil:
    cdef Wanted wanted = Wanted(kernel, way, formats, place_of(kernel, way), code[0], CL_OUT_OF_RESOURCES)
    cdef Code *made = <Code *>atomic_load_ptr(wanted.place)
    if made == NULL:
        if build_enters():                   # else the process ends
            call_python(make_with_gil, &wanted)
            build_leaves()
        made = <Code *>atomic_load_ptr(wanted.place)
        if made == NULL:
            err[0] = wanted.err
            return NULL
    code[0] = made
    return code_find(made, kernel.name)


cdef void **place_of(KernelCode *kernel, Way way) noexcept nogil:
    if way == GENERAL:
        return &kernel.general
    return &kernel.any_groups if way == ANY_GROUPS else &kernel.made


cdef void make_with_gil(void *argument) noexcept with gil:
    cdef Wanted *wanted = <Wanted *>argument
    name = wanted.kernel.name.decode("utf-8", "surrogateescape")
    try:
        make_alone(wanted, name)
    except MemoryError:
        wanted.err = CL_OUT_OF_HOST_MEMORY
        trace(1, f"kernel {name}: there is not enough memory to compile it")
    except BaseException as error:
        report_fault(f"compiling kernel {name}", error)


cdef int make_alone(const Wanted *wanted, str name) except -1:
    key = <size_t>wanted.place
    with locks.setdefault(key, _thread.allocate_lock()):
        try:
            if atomic_load_ptr(wanted.place) == NULL:
                make(wanted, name)
        finally:
            locks.pop(key, None)
    return 0


cdef int make(const Wanted *wanted, str name) except -1:
    if wanted.code.recipe == NULL:
        return 0
    toolchain, executable, target = <object>wanted.code.recipe
    if wanted.way == GENERAL:
        trace(3, f"{name}: arguments have memory in common: code for that is made")
        product = toolchain.general(executable, name, target)
    elif wanted.way == ANY_GROUPS:
        trace(3, f"{name}: groups are not whole vectors, or images of other formats: code for that is made")
        product = toolchain.any_groups(executable, name, target)
    else:
        trace(3, f"{name}: code is made")
        any_groups = wanted.way == FIRST_ANY_GROUPS
        formats = formats_by_argument(wanted.kernel, wanted.formats) if wanted.formats != NULL else {}
        product = toolchain.make_kernel(executable, <object>wanted.code.loaded, name, target, any_groups,
                                        [] if any_groups else likely(wanted), formats)
    if product is not None and not (takes_launch(wanted, product.kernels[name])
                                    and code_adds(wanted.code, wanted.kernel, product, wanted.place)):
        raise RuntimeError("the code takes other launches than the kernel")
    if wanted.way == FIRST and len(product.kernels) > 1:
        share(wanted)
    return 0


cdef KernelCode *beside(const Wanted *wanted, size_t i) noexcept nogil:
    """One of the kernels beside that one, NULL where there is none or it is that one."""
    cdef size_t at = <size_t>(wanted.kernel - wanted.code.kernels)
    i += at // BESIDE * BESIDE
    return &wanted.code.kernels[i] if i < wanted.code.n_kernels and i != at else NULL


cdef list likely(const Wanted *wanted):
    """Names of the kernels beside that one that will be needed soon, too."""
    cdef KernelCode *each
    cdef size_t i
    cdef list names = []
    for i in range(<size_t>BESIDE):
        each = beside(wanted, i)
        if each != NULL and atomic_load_ptr(&each.made) == NULL and atomic_load_i32(&each.has_object):
            names.append(each.name.decode("utf-8", "surrogateescape"))
    return names


cdef void share(const Wanted *wanted) noexcept nogil:
    """The others of the kernels that were made have their code, too."""
    cdef KernelCode *each
    cdef Code *made = <Code *>atomic_load_ptr(wanted.place)
    cdef size_t i
    for i in range(<size_t>BESIDE):
        each = beside(wanted, i)
        if each != NULL:
            code_shares(made, each)


cdef bint takes_launch(const Wanted *wanted, made) except -1:
    """Code besides other code is given what was captured for that, takes nothing more for granted, and has sub-groups
    of the size that the program was told."""
    if wanted.way == FIRST or wanted.way == FIRST_ANY_GROUPS:
        return True
    return (made.local_bytes == wanted.kernel.traits.local_bytes and max(made.whole) == 1
            and made.sub_group_size == wanted.kernel.traits.sub_group_size
            and not (wanted.way == GENERAL and any(arg.distinct == DISTINCT_WRITTEN for arg in made.args)))
