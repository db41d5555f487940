# SPDX-License-Identifier: Apache-2.0
"""Functions of the application as commands: clEnqueueNativeKernel."""
from clpy.cl cimport cl_int, cl_uint, native_kernel_fn
from clpy.core.command cimport Queue, Wait
from clpy.core.memory cimport Mem

ctypedef struct NativeCall:      # as the application gave it, checked
    native_kernel_fn fn
    const void *args
    size_t size                  # bytes of args
    cl_uint n_mems
    Mem *const *mems             # entries may be NULL
    const void *const *places    # in args, of the address of each

cdef cl_int native_enqueue(Queue *q, const NativeCall *call, const Wait *wait) noexcept nogil
