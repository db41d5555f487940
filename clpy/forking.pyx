# SPDX-License-Identifier: Apache-2.0
"""Forks of the process wait until no thread is in the middle of what its child could not go on with: Python code, and
LLVM, which have locks that only their holder can give back.

They wait for a while only. After it the child has no compiler: its builds fail at once.
"""
from libc.stdint cimport int32_t
from clpy.atomics cimport atomic_add_i32, atomic_load_i32, atomic_store_i32
from clpy.gil cimport gil_give, gil_take
from clpy.futex cimport futex_wait, futex_wake, now_ns

cdef extern from "<unistd.h>" nogil:
    int usleep(unsigned int microseconds)

cdef extern from "fork_depth.h" nogil:
    int work_depth "clpy_work_depth"         # of this thread
    int fork_depth "clpy_fork_depth"         # likewise: Python's preparations, then those of the C library

cdef enum:
    NAP_US = 500
    EVERYBODY = 0x7fffffff

cdef unsigned long long LONGEST_WAIT_NS = 2000000000

cdef int32_t at_work = 0         # threads; atomic
cdef int32_t forks = 0           # that are under way; atomic, futex
cdef bint stuck = False


cdef void work_enters() noexcept nogil:
    global work_depth
    cdef int32_t under_way
    cdef void *gil
    work_depth += 1
    if work_depth > 1:
        return
    atomic_add_i32(&at_work, 1)
    while atomic_load_i32(&forks) and not fork_depth:
        atomic_add_i32(&at_work, -1)
        gil = gil_give()
        under_way = atomic_load_i32(&forks)
        while under_way:
            futex_wait(&forks, under_way)
            under_way = atomic_load_i32(&forks)
        gil_take(gil)
        atomic_add_i32(&at_work, 1)


cdef void work_leaves() noexcept nogil:
    global work_depth
    work_depth -= 1
    if work_depth == 0:
        atomic_add_i32(&at_work, -1)


cdef bint work_is_stuck() noexcept nogil:
    return stuck


cdef inline bint others_work() noexcept nogil:
    return atomic_load_i32(&at_work) > (work_depth > 0)


cdef void fork_begins() noexcept nogil:
    global fork_depth
    cdef unsigned long long start = now_ns()
    cdef void *gil
    fork_depth += 1
    if fork_depth > 1:
        return
    atomic_add_i32(&forks, 1)
    if others_work():
        gil = gil_give()
        while others_work() and now_ns() - start < LONGEST_WAIT_NS:
            usleep(NAP_US)
        gil_take(gil)


cdef void fork_ends_in_parent() noexcept nogil:
    global fork_depth
    fork_depth -= 1
    if fork_depth == 0:
        atomic_add_i32(&forks, -1)
        futex_wake(&forks, EVERYBODY)


cdef bint fork_ends_in_child() noexcept nogil:
    """The first time is right after the fork."""
    global fork_depth, stuck
    stuck = stuck or others_work()
    fork_depth -= 1
    atomic_store_i32(&at_work, work_depth > 0)
    atomic_store_i32(&forks, 0)
    return fork_depth > 0
