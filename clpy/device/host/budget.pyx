# SPDX-License-Identifier: Apache-2.0
"""What buffers, images and SVM hold, against what there is.

The system promises memory that it does not have and kills a process when the promise is called. So an allocation fails
that the machine and the control groups have no memory for now, counting what was promised to earlier ones and has not
been touched: as much of them as the process has in memory is taken for touched, so that a large heap of the host
program errs on the side of giving.

Asking the system takes some 50 us. Each look is good for a quarter of what it found free, unless a single allocation is
large; in between an allocation costs one addition.
"""
from libc.stdint cimport int64_t
from clpy.atomics cimport atomic_add_i64_relaxed, atomic_load_i64_relaxed, atomic_store_i64
from clpy.device.host.topology cimport available_memory, private_memory, usable_memory
from clpy.host_thread cimport stack_has
from clpy.threads cimport at_fork_in_child

from clpy import config

cdef enum:
    LARGE = 64 << 20             # bytes of one allocation for which the system is always asked
    STEP = 16 << 20              # that a look is good for at least, where there is so much
    MOST_KEPT_BACK = 256 << 20   # for all else that goes on, and at most a 32nd of the memory
    ROOM_TO_LOOK = 48 << 10      # bytes of stack for names of files

cdef int64_t held = 0            # bytes
cdef int64_t good_until = 0      # what may be held without another look
cdef bint unlimited = config.get("OVERCOMMIT")
cdef int64_t fixed = config.get("MEMORY_MB") << 20


cdef int64_t kept_back() noexcept nogil:
    cdef int64_t part = <int64_t>(usable_memory() // 32)
    return part if part < MOST_KEPT_BACK else MOST_KEPT_BACK


cdef bint look(int64_t before, int64_t size) noexcept nogil:
    """Whether there are `size` bytes more than the `before` that are held."""
    cdef int64_t free, step
    if unlimited or not stack_has(ROOM_TO_LOOK):     # then the next thread looks
        free = <int64_t>1 << 62
    elif fixed:
        free = fixed - before
    else:
        free = <int64_t>private_memory()
        free = <int64_t>available_memory() - kept_back() - (before - free if before > free else 0)
    free -= size
    if free < 0:
        return False
    step = free // 4
    if step < STEP:
        step = free if free < STEP else STEP
    atomic_store_i64(&good_until, before + size + step)
    return True


cdef void budget_add(size_t size) noexcept nogil:
    atomic_add_i64_relaxed(&held, <int64_t>size)


cdef bint budget_take(size_t size) noexcept nogil:
    cdef int64_t before = atomic_add_i64_relaxed(&held, <int64_t>size)
    if size < LARGE and before + <int64_t>size <= atomic_load_i64_relaxed(&good_until):
        return True
    if look(before, <int64_t>size):
        return True
    budget_give(size)
    return False


cdef void budget_give(size_t size) noexcept nogil:
    atomic_add_i64_relaxed(&held, -<int64_t>size)


def held_bytes():
    """For tests."""
    return atomic_load_i64_relaxed(&held)


cdef void forget_after_fork() noexcept nogil:
    """In the child all objects are dead."""
    global held
    held = 0


at_fork_in_child(forget_after_fork)
