# SPDX-License-Identifier: Apache-2.0
"""Faults of kernels: machine code that touches bad memory, or traps, is left, and its task fails."""
from libc.stdint cimport uint32_t, uintptr_t
from clpy.device.base cimport Task

cdef extern from "clpy_catcher.h" nogil:
    ctypedef struct Catcher "clpy_catcher":
        bint compiles
        bint left
        uintptr_t kernel[2]
        size_t x
        size_t n
        size_t y
        size_t z
        int number
        int code
        uintptr_t pc
        uintptr_t address
        uintptr_t error
        uintptr_t trap
        uintptr_t stack[16]

ctypedef void (*caught_fn)(void *argument) noexcept nogil

# Have the handlers in place, again where the host has set its own since. Cheap, but a few system calls: not per launch.
cdef void faults_install() noexcept nogil
# Of a thread of ours, once, before it runs kernels.
cdef void faults_own_thread() noexcept nogil
# Run what calls machine code of kernels of a context, and says in the catcher which and for what groups. False: a fault
# ended it, or faults_leave.
cdef bint faults_catch(Catcher *catcher, uint32_t context, caught_fn fn, void *argument) noexcept nogil
# Let all threads leave what they run for that context, where it is machine code of a kernel just now.
cdef void faults_leave(uint32_t context) noexcept nogil
# The calling thread is the main one of a Python program. It is to leave what it runs if an interrupt is due, if it is
# machine code of a kernel just now. Has it, since the last call?
cdef void faults_main_is_here() noexcept nogil
cdef void faults_ask_main() noexcept nogil
cdef bint faults_main_left() noexcept nogil
# Make known with the task why it was left. It fails.
cdef void faults_tell(Catcher *catcher, Task *task) noexcept nogil
# Where a function of the runtime that kernels call begins and ends what must not be left in the middle.
cdef int faults_pause() noexcept nogil
cdef void faults_go_on(int paused) noexcept nogil
# There, where it has nothing to give back: does not return where the kernel is to be left.
cdef void faults_leave_here() noexcept nogil
# Likewise, wanted or not: the kernel cannot go on. Returns where nothing catches faults.
cdef void faults_leave_now() noexcept nogil
# Are kernels to be called for one group at a time, so that faults are told with the very group?
cdef bint faults_are_exact() noexcept nogil
