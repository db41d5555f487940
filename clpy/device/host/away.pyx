# SPDX-License-Identifier: Apache-2.0
"""The main thread of a Python program inside a kernel.

It takes kernels whose groups were short until now, as handing them to another thread costs more than they do. One that
turns out to be endless keeps it from looking for signals, so another thread looks on: where nothing has moved between
two looks, it sends the main thread a signal of the kind that faults.pyx handles, and the handler leaves the kernel if
Python has noted an interrupt. Other signals wait for the end of the group.

The looking thread sleeps where there was nothing to look at for a second.
"""
from libc.stdint cimport int32_t
from clpy.atomics cimport atomic_load_i32, atomic_load_i32_relaxed, atomic_store_i32, atomic_xchg_i32
from clpy.device.host.fault cimport faults_ask_main, faults_main_is_here, faults_main_left
from clpy.futex cimport futex_wait, futex_wake, nap
from clpy.signals cimport LOOK_NS
from clpy.threads cimport at_fork_in_child, thread_start

cdef enum:
    AWAKE = 0
    ASLEEP = 1
    NOBODY = 2                   # the thread has not been made
    QUIET = 10                   # looks
    SETTLE_NS = 1000000          # any store of the main thread is seen after it

cdef int32_t steps = 0           # odd: the main thread is in a kernel. Written by it alone
cdef int32_t state = NOBODY      # atomic, futex


cdef void away_begins() noexcept nogil:
    atomic_store_i32(&steps, steps + 1)
    if atomic_load_i32_relaxed(&state) != AWAKE:
        rouse()


cdef void away_ends() noexcept nogil:
    atomic_store_i32(&steps, steps + 1)


cdef bint away_interrupted() noexcept nogil:
    return faults_main_left()


cdef void rouse() noexcept nogil:
    if atomic_xchg_i32(&state, AWAKE) == ASLEEP:
        futex_wake(&state, 1)
        return
    faults_main_is_here()
    if not thread_start(look_on, NULL, b"clpy-look", 0):
        atomic_store_i32(&state, NOBODY)


cdef void sleep_until_roused(int32_t seen) noexcept nogil:
    """The main thread does not pay for a fence: it says that it moves, then looks whether somebody sleeps."""
    atomic_store_i32(&state, ASLEEP)
    nap(SETTLE_NS)
    if atomic_load_i32(&steps) != seen:
        atomic_store_i32(&state, AWAKE)
    while atomic_load_i32(&state) == ASLEEP:
        futex_wait(&state, ASLEEP)


cdef void look_on(void *nothing) noexcept nogil:
    cdef int32_t now, seen = 0, quiet = 0
    while True:
        nap(LOOK_NS)
        now = atomic_load_i32(&steps)
        quiet = 0 if now != seen or now & 1 else quiet + 1
        if now == seen and now & 1:
            faults_ask_main()
        seen = now
        if quiet == QUIET:
            sleep_until_roused(seen)
            quiet = 0


cdef void forget_thread() noexcept nogil:
    """In the child of a fork."""
    global steps, state
    steps = 0
    state = NOBODY


at_fork_in_child(forget_thread)
