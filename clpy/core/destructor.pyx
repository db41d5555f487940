# SPDX-License-Identifier: Apache-2.0
"""What the application wants to be called at the end of an object: "called in the reverse order in which they were
registered"."""
from libc.stdlib cimport free, malloc
from clpy.cl cimport cl_int
from clpy.spec.consts cimport CL_OUT_OF_HOST_MEMORY, CL_SUCCESS
from clpy.stack cimport stack_push


cdef cl_int destructor_add(Destructor **first, destructor_fn fn, void *user_data) noexcept nogil:
    cdef Destructor *note = <Destructor *>malloc(sizeof(Destructor))
    if note == NULL:
        return CL_OUT_OF_HOST_MEMORY
    note.fn = fn
    note.user_data = user_data
    stack_push(<void **>first, note)
    return CL_SUCCESS


cdef void destructors_run(Destructor *first, void *handle) noexcept nogil:
    cdef Destructor *following
    while first != NULL:
        following = first.next
        first.fn(handle, first.user_data)
        free(first)
        first = following
