# SPDX-License-Identifier: Apache-2.0
"""Shared virtual memory: the allocations of clSVMAlloc, and the command that frees some."""
from clpy.cl cimport cl_device_svm_capabilities, cl_int, cl_uint, svm_free_fn
from clpy.core.command cimport Queue, Wait
from clpy.core.context cimport Context

ctypedef struct SvmBlock:
    unsigned char *ptr
    size_t size
    Context *context             # held

# What at least one device of the context can do.
cdef cl_device_svm_capabilities svm_of_context(const Context *ctx) noexcept nogil
# At the alignment of buffers; NULL when out of memory.
cdef void *svm_new(Context *ctx, size_t size) noexcept nogil
cdef void svm_delete(Context *ctx, void *ptr) noexcept nogil     # nothing, where ptr is not an allocation of ctx
# The allocation that an address lies in, as a copy. False: none.
cdef bint svm_find(const void *address, SvmBlock *found) noexcept nogil
cdef cl_int svm_enqueue_delete(Queue *q, cl_uint n, void **pointers, svm_free_fn free_fn, void *user_data,
                               const Wait *wait) noexcept nogil
