# SPDX-License-Identifier: Apache-2.0
"""What the application wants to be called at the end of an object."""
from clpy.cl cimport cl_int

ctypedef void (*destructor_fn)(void *handle, void *user_data) noexcept nogil

cdef struct Destructor:
    Destructor *next             # first: the link of clpy.stack
    destructor_fn fn
    void *user_data

# A list with its last entry first; any number of threads may add at once.
cdef cl_int destructor_add(Destructor **first, destructor_fn fn, void *user_data) noexcept nogil
# Call and free all of them; nobody adds any more.
cdef void destructors_run(Destructor *first, void *handle) noexcept nogil
