# SPDX-License-Identifier: Apache-2.0
"""Stacks that any number of threads push to without a lock, and that are taken as a whole. Their items are structs
whose first field is the link.
"""
from clpy.atomics cimport atomic_cas_ptr, atomic_load_ptr, atomic_xchg_ptr

cdef extern from "clpy_stack.h" nogil:
    void *CLOSED "CLPY_CLOSED"   # instead of an item: nothing more can be pushed


cdef inline bint stack_push_open(void **top, void *item) noexcept nogil:
    """To one that may be closed: False when it is."""
    cdef void *before = atomic_load_ptr(top)
    while before != CLOSED:
        (<void **>item)[0] = before
        if atomic_cas_ptr(top, &before, item):
            return True
    return False


cdef inline void *stack_close(void **top) noexcept nogil:
    """All items, the newest first."""
    return atomic_xchg_ptr(top, CLOSED)


cdef inline void *stack_empty(void **top) noexcept nogil:
    """Of one that may be closed, and stays as it is: all items, the newest first."""
    cdef void *items = atomic_load_ptr(top)
    while items != NULL and items != CLOSED and not atomic_cas_ptr(top, &items, NULL):
        pass
    return items if items != CLOSED else NULL


cdef inline void *stack_push(void **top, void *item) noexcept nogil:
    """The top before, NULL where it was empty. The item may be gone afterwards."""
    cdef void *before = atomic_load_ptr(top)
    (<void **>item)[0] = before
    while not atomic_cas_ptr(top, &before, item):
        (<void **>item)[0] = before
    return before


cdef inline void *stack_reversed(void *top) noexcept nogil:
    """Of one that nobody else looks at."""
    cdef void *out = NULL
    cdef void *following
    while top != NULL:
        following = (<void **>top)[0]
        (<void **>top)[0] = out
        out = top
        top = following
    return out


cdef inline void *stack_take(void **top) noexcept nogil:
    """All items, the oldest first."""
    return stack_reversed(atomic_xchg_ptr(top, NULL))
