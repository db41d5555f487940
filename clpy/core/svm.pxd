# SPDX-License-Identifier: Apache-2.0
"""Shared virtual memory: the allocations of clSVMAlloc and its successor, and the command that frees some."""
from libc.stdint cimport uint64_t
from clpy.cl cimport (cl_device_svm_capabilities, cl_int, cl_svm_alloc_access_flags_khr, cl_svm_alloc_properties_khr,
                      cl_svm_capabilities_khr, cl_uint, svm_free_fn)
from clpy.core.command cimport Queue, Wait
from clpy.core.context cimport Context
from clpy.device.base cimport Device

cdef enum:
    MOST_SVM_PROPERTIES = 7      # three of them, each once, and the closing 0

ctypedef struct SvmBlock:
    unsigned char *ptr
    size_t size
    size_t alignment             # wanted, a power of two; up to that of buffers any storage has it
    size_t before                # bytes of the storage in front of ptr
    Context *context             # held
    cl_uint type                 # SVM_TYPE_*
    Device *device               # the one it was made for, held; NULL: all of the context
    cl_svm_alloc_access_flags_khr access
    cl_uint origin               # 0: a function of SVM; else what another interface knows its allocations by
    cl_uint n_properties         # entries incl. the closing 0; 0 where no list was given
    cl_svm_alloc_properties_khr properties[MOST_SVM_PROPERTIES]

# What at least one device of the context can do.
cdef cl_device_svm_capabilities svm_of_context(const Context *ctx) noexcept nogil
# What all devices of the context that have the type can do with it; 0 where none has it.
cdef cl_svm_capabilities_khr svm_type_of_context(const Context *ctx, cl_uint type) noexcept nogil
# `block` says all but where it is, and is copied. At the alignment of buffers or more; NULL when out of memory.
cdef void *svm_new(SvmBlock *block) noexcept nogil
# False: it is no allocation of ctx, or (`of_svm`) of another interface than SVM, or (not `of_svm`) the other way round.
cdef bint svm_delete(Context *ctx, void *ptr, bint of_svm) noexcept nogil
# The allocation that an address lies in, as a copy. False: none.
cdef bint svm_find(const void *address, SvmBlock *found) noexcept nogil
# It is another number after any of them came or went.
cdef uint64_t svm_changes() noexcept nogil
# The one that an address lies in or nearest to.
cdef bint svm_nearest(const void *address, SvmBlock *found) noexcept nogil
cdef cl_int svm_enqueue_delete(Queue *q, cl_uint n, void **pointers, svm_free_fn free_fn, void *user_data,
                               const Wait *wait) noexcept nogil
