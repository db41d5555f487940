# SPDX-License-Identifier: Apache-2.0
"""A pool's lists of tasks; all of it inline. Under the pool's lock, but for the looks that say otherwise."""
from clpy.atomics cimport atomic_load_i64_relaxed, atomic_store_ptr
from clpy.device.base cimport Task

ctypedef struct List:
    Task *head                   # also read without the lock
    Task *last


cdef inline void append(List *list, Task *task) noexcept nogil:
    task.next = NULL
    if list.head == NULL:
        atomic_store_ptr(<void **>&list.head, task)
    else:
        list.last.next = task
    list.last = task


cdef inline void remove_head(List *list) noexcept nogil:
    atomic_store_ptr(<void **>&list.head, list.head.next)


cdef inline bint is_exhausted(Task *task) noexcept nogil:
    return atomic_load_i64_relaxed(&task.next_unit) >= task.n_units


cdef inline Task *take_from(List *list) noexcept nogil:
    """Only heads are worked at, so only a head can be exhausted."""
    cdef Task *task
    while list.head != NULL:
        task = list.head
        if is_exhausted(task):
            remove_head(list)    # its last user completes it
            continue
        task.users += 1
        if not task.begun:
            task.begun = True
            task.started(task)
        if task.n_units == 1:    # nobody else is to join
            remove_head(list)
        return task
    return NULL
