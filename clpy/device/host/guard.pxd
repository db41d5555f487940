# SPDX-License-Identifier: Apache-2.0
"""Stopping kernels in the middle: groups that run under a guard are left at once when their owner wants it."""
from libc.stdint cimport int32_t

cdef extern from "clpy_guard.h" nogil:
    ctypedef struct Guard "clpy_guard":
        int32_t *stop

ctypedef void (*guarded_fn)(void *argument) noexcept nogil

# Around all that this thread runs under one `stop`: the thread can be interrupted from then on.
cdef void guard_enter(Guard *guard, int32_t *stop) noexcept nogil
# Machine code of kernels alone: it holds nothing that would have to be given back. False: it was left in the middle, or
# not begun.
cdef bint guard_run(Guard *guard, guarded_fn fn, void *argument) noexcept nogil
# Where a function of the runtime that kernels call has nothing to give back yet: it does not return where the kernel is
# to be left.
cdef void guard_stop_here() noexcept nogil
cdef void guard_leave(Guard *guard) noexcept nogil
# Let all guarded threads whose `stop` is raised leave what they run. True where some of them have not yet.
cdef bint guards_interrupt() noexcept nogil
