# SPDX-License-Identifier: Apache-2.0
"""Which host memory is pinned. A list: programs have few such objects, and take one, once mapped, to copy through."""
from libc.stdint cimport int32_t, uintptr_t
from clpy.core.memory cimport Mem
from clpy.device.host_memory cimport host_memory_by
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.threads cimport at_fork_in_child

cdef Mem *objects = NULL         # linked by Mem.next_pinned; under `lock`
cdef int32_t lock = 0


cdef void pinned_add(Mem *mem) noexcept nogil:
    global objects
    mutex_lock(&lock)
    mem.is_pinned = True
    mem.next_pinned = objects
    objects = mem
    mutex_unlock(&lock)


cdef void pinned_remove(Mem *mem) noexcept nogil:
    cdef Mem **link = &objects
    if not mem.is_pinned:
        return
    mutex_lock(&lock)
    while link[0] != NULL and link[0] != mem:
        link = &link[0].next_pinned
    if link[0] != NULL:
        link[0] = mem.next_pinned
    mutex_unlock(&lock)


cdef Mem *object_of(uintptr_t first, size_t size) noexcept nogil:
    """Under the lock: the one that all of these bytes are of; NULL: there is none."""
    cdef Mem *mem = objects
    cdef size_t at
    while mem != NULL:
        at = first - <uintptr_t>mem.data           # enormous where it begins below
        if at <= mem.size and size <= mem.size - at:
            break
        mem = mem.next_pinned
    return mem


cdef bint pinned_has(const void *first, size_t size) noexcept nogil:
    cdef bint found
    mutex_lock(&lock)
    found = object_of(<uintptr_t>first, size) != NULL
    mutex_unlock(&lock)
    return found


cdef bint find(uintptr_t address, uintptr_t *first, uintptr_t *behind) noexcept nogil:
    cdef Mem *mem
    mutex_lock(&lock)
    mem = object_of(address, 1)
    if mem != NULL:
        first[0], behind[0] = <uintptr_t>mem.data, <uintptr_t>mem.data + mem.size
    mutex_unlock(&lock)
    return mem != NULL


cdef void unlock_in_child() noexcept nogil:
    """Of a fork: the lock may be another thread's."""
    global lock
    lock = 0


at_fork_in_child(unlock_in_child)
host_memory_by(find)
