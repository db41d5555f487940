# SPDX-License-Identifier: Apache-2.0
"""Leaving the machine code of a kernel from outside: a signal to its thread, and a jump out of the handler.

A thread is taken out of machine code that was made from kernels and of nothing else. That code has no locks and owns no
memory, so there is nothing to put in order. A thread that is in a library just now (a function of libm, say) is left
alone and asked again, until it is back in the kernel. printf looks itself, before it does anything.

The signal is SIGURG: it is ignored by default, and a program that handles it has to expect more of them than it asked
for. Signals that are not meant for a kernel go to the handler that was there before. Ours is set up when the first
context that can be terminated runs a kernel, so other programs never have it.
"""
from libc.stdint cimport int32_t
from clpy.atomics cimport atomic_load_i32
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.threads cimport at_fork_in_child

cdef extern from "guard_handler.h" nogil:
    ctypedef struct CGuard "clpy_guard":
        int32_t *stop
        int armed
        CGuard *next
        CGuard *before
    void handle_urg "clpy_handle_urg"()
    void guard_open "clpy_guard_open"(CGuard *guard, int32_t *stop)
    void guard_close "clpy_guard_close"(CGuard *guard)
    bint guard_call "clpy_guard_call"(CGuard *guard, guarded_fn fn, void *argument)
    void guard_look "clpy_guard_look"()
    void guard_tell "clpy_guard_tell"(CGuard *guard)

cdef CGuard *guards = NULL       # of all threads that run something under one; under `lock`
cdef int32_t lock = 0
cdef bint handles = False


cdef void guard_enter(Guard *given, int32_t *stop) noexcept nogil:
    global guards, handles
    cdef CGuard *guard = <CGuard *>given
    guard_open(guard, stop)
    mutex_lock(&lock)
    if not handles:
        handle_urg()
        handles = True
    guard.before = NULL
    guard.next = guards
    if guards != NULL:
        guards.before = guard
    guards = guard
    mutex_unlock(&lock)


cdef bint guard_run(Guard *guard, guarded_fn fn, void *argument) noexcept nogil:
    return guard_call(<CGuard *>guard, fn, argument)


cdef void guard_stop_here() noexcept nogil:
    guard_look()


cdef void guard_leave(Guard *given) noexcept nogil:
    global guards
    cdef CGuard *guard = <CGuard *>given
    mutex_lock(&lock)
    if guard.next != NULL:
        guard.next.before = guard.before
    if guard.before != NULL:
        guard.before.next = guard.next
    else:
        guards = guard.next
    mutex_unlock(&lock)
    guard_close(guard)


cdef bint guards_interrupt() noexcept nogil:
    """Under the lock no thread can leave the list, so each still is there to get its signal. Whoever enters the list
    later sees that the flag is raised."""
    cdef CGuard *guard
    cdef bint some = False
    mutex_lock(&lock)
    guard = guards
    while guard != NULL:
        if atomic_load_i32(guard.stop):
            some = True
            guard_tell(guard)
        guard = guard.next
    mutex_unlock(&lock)
    return some


cdef void forget_guards() noexcept nogil:
    """In the child of a fork, where those threads are not."""
    global guards, lock
    guards = NULL
    lock = 0


at_fork_in_child(forget_guards)
