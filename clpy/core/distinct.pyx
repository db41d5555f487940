# SPDX-License-Identifier: Apache-2.0
"""Launches of code that takes the memory of its arguments to be distinct.

Without `restrict` a store through one pointer may change what any other reads, and loops stay what they are. Yet nearly
all launches have a buffer of its own for each argument that is written, and here that is known: kernels that gain by it
are compiled for it (compiler/passes/distinct.py), and each launch compares where the memory lies. The rare launch with
memory in common gets other code (versions.pyx).
"""
from libc.stdint cimport uint32_t, uintptr_t
from clpy.core.kernel cimport ArgValue, Kernel
from clpy.core.memory cimport Mem
from clpy.core.program cimport DISTINCT_NOT, DISTINCT_WRITTEN, KernelCode
from clpy.core.svm cimport SvmBlock, svm_changes, svm_find

cdef enum:
    MOST_COMPARED = 32           # arguments; compiler/passes/distinct.py keeps to it

cdef struct Memory:              # of an argument
    uintptr_t first, end
    bint is_written


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
