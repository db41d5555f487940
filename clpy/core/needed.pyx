# SPDX-License-Identifier: Apache-2.0
"""Code of kernels that is made when it is first needed: at a launch, or where somebody asks what only the code tells,
as for memory and sizes of work-groups.

The thread that needs it makes it; others that need the same meanwhile wait for that. What could be wrong with the
program has been found by the build (compiler/waiting.py), so what is left to fail is the machine: memory, for one.
"""
from clpy.atomics cimport atomic_load_ptr
from clpy.cl cimport cl_int
from clpy.core.build cimport build_enters, build_leaves
from clpy.core.interpreter cimport call_python
from clpy.core.program cimport Code, KernelCode, code_adds, code_find
from clpy.spec.consts cimport CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES

import _thread

from clpy.trace import report_fault, trace

cdef struct Wanted:
    KernelCode *kernel
    bint any_groups
    Code *code
    cl_int err

cdef dict locks = {}             # address of a KernelCode -> lock of who makes its code


cdef KernelCode *needed_code(KernelCode *kernel, bint any_groups, Code **code, cl_int *err) noexcept nogil:
    cdef Code *made = <Code *>atomic_load_ptr(&kernel.made)
    cdef Wanted wanted = Wanted(kernel, any_groups, code[0], CL_OUT_OF_RESOURCES)
    if made == NULL:
        if build_enters():                   # else the process ends
            call_python(make_with_gil, &wanted)
            build_leaves()
        made = <Code *>atomic_load_ptr(&kernel.made)
        if made == NULL:
            err[0] = wanted.err
            return NULL
    code[0] = made
    return code_find(made, kernel.name)


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
    key = <size_t>wanted.kernel
    with locks.setdefault(key, _thread.allocate_lock()):
        try:
            if atomic_load_ptr(&wanted.kernel.made) == NULL:
                make(wanted, name)
        finally:
            locks.pop(key, None)
    return 0


cdef int make(const Wanted *wanted, str name) except -1:
    toolchain, executable, target = <object>wanted.code.recipe
    trace(3, f"{name}: code is made")
    product = toolchain.make_kernel(executable, name, target, wanted.any_groups)
    if not code_adds(wanted.code, wanted.kernel, product, &wanted.kernel.made):
        raise RuntimeError("the code takes other arguments than the kernel")
    return 0
