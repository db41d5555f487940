# SPDX-License-Identifier: Apache-2.0
"""Launches of code that takes the memory of its arguments to be distinct.

Without `restrict` a store through one pointer may change what any other reads, and loops stay what they are. Yet nearly
all launches have a buffer of its own for each argument that is written, and here that is known: kernels that gain by it
are compiled for it (compiler/passes/distinct.py), and each launch compares where the memory lies. The rare launch with
memory in common gets other code, which is made when the first one comes: that launch waits for the compiler.
"""
from libc.stdint cimport uint32_t, uintptr_t
from clpy.atomics cimport atomic_load_ptr
from clpy.core.build cimport build_enters, build_leaves
from clpy.core.interpreter cimport call_python
from clpy.core.kernel cimport ArgValue, Kernel
from clpy.core.memory cimport Mem
from clpy.core.program cimport DISTINCT_NOT, DISTINCT_WRITTEN, Code, KernelCode, code_adds, code_find
from clpy.core.svm cimport SvmBlock, svm_changes, svm_find

from clpy.trace import report_fault, trace

cdef enum:
    MOST_COMPARED = 32           # arguments; compiler/passes/distinct.py keeps to it

cdef struct Memory:              # of an argument
    uintptr_t first, end
    bint is_written


# ---- at the launch ---------------------------------------------------------------------------------------------------

cdef bint is_external(const Mem *mem) noexcept nogil:
    while mem.parent != NULL:
        mem = mem.parent
    return mem.external != NULL


cdef bint memory_of(const ArgValue *value, Memory *found) noexcept nogil:
    """False where the argument has none."""
    cdef const Mem *mem = <const Mem *>value.object
    cdef SvmBlock block
    if mem != NULL and not is_external(mem):
        found.first = <uintptr_t>mem.data
        found.end = found.first + mem.size
    elif mem == NULL and value.address == NULL:
        return False
    elif mem == NULL and value.svm_size and value.svm_changes == svm_changes():
        found.first = value.svm_first
        found.end = found.first + value.svm_size
    elif mem == NULL and svm_find(value.address, &block):
        found.first = <uintptr_t>block.ptr
        found.end = found.first + block.size
    else:                        # nobody knows: memory of the application's, or of others, which may be there twice
        found.first = 0
        found.end = ~<uintptr_t>0
    return True


cdef bint has_distinct_memory(const KernelCode *kernel, const Kernel *k) noexcept nogil:
    cdef Memory known[MOST_COMPARED]
    cdef uint32_t n = 0, i, j
    for i in range(kernel.n_args):
        if kernel.args[i].distinct == DISTINCT_NOT:
            continue
        if n == MOST_COMPARED:
            return False
        if not memory_of(&k.values[i], &known[n]):
            continue
        known[n].is_written = kernel.args[i].distinct == DISTINCT_WRITTEN
        for j in range(n):
            if ((known[j].is_written or known[n].is_written)
                    and known[j].first < known[n].end and known[n].first < known[j].end):
                return False
        n += 1
    return True


# ---- the other code --------------------------------------------------------------------------------------------------

cdef struct Wanted:
    KernelCode *kernel
    Code *code


cdef KernelCode *general_code(KernelCode *kernel, Code **code) noexcept nogil:
    cdef Code *made = <Code *>atomic_load_ptr(&kernel.general)
    cdef Wanted wanted = Wanted(kernel, code[0])
    if made == NULL:
        if not build_enters():               # the process ends
            return NULL
        call_python(make_with_gil, &wanted)
        build_leaves()
        made = <Code *>atomic_load_ptr(&kernel.general)
        if made == NULL:
            return NULL
    code[0] = made
    return code_find(made, kernel.name)


cdef void make_with_gil(void *argument) noexcept with gil:
    cdef Wanted *wanted = <Wanted *>argument
    try:
        make(wanted.kernel, wanted.code)
    except BaseException as error:
        report_fault("compiling a kernel for arguments with memory in common", error)


cdef int make(KernelCode *kernel, Code *code) except -1:
    if code.recipe == NULL:
        return 0
    toolchain, executable, target = <object>code.recipe
    name = kernel.name.decode("utf-8", "surrogateescape")
    trace(3, f"{name}: arguments have memory in common: code for that is made")
    product = toolchain.general(executable, name, target)
    if product is None:
        return 0
    # It is given what was captured for the other code.
    if product.kernels[name].local_bytes == kernel.traits.local_bytes and not any(
            arg.distinct == DISTINCT_WRITTEN for arg in product.kernels[name].args):
        code_adds(code, kernel, product, &kernel.general)
    return 0
