# SPDX-License-Identifier: Apache-2.0
"""Leaving the machine code of a kernel that did what it must not: a handler for the signals of faults, and a jump out.

A thread has a catcher while it is inside a kernel. Its fault is the kernel's, in code that is in no library or in one
of those that kernels call; that code has no locks and owns no memory, so there is nothing to put in order. Every other
fault goes to the handler that was there before ours, as if ours were not there.

A kernel that is not to go on, though it does nothing wrong, is left in the same way: its thread is sent a signal of
this kind, which the handler knows from a fault by what comes with it.

The handler jumps; what there is to find out is found out afterwards, by the thread that goes on.
"""
from libc.stdint cimport int32_t, uint32_t, uintptr_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy
from clpy.atomics cimport atomic_cas_i32, atomic_store_i64
from clpy.device.base cimport (FAULT_ADDRESS, FAULT_ARITHMETIC, FAULT_JUMP, FAULT_READ, FAULT_TRAP, FAULT_WRITE, Fault,
                               Task)
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.signals cimport signals_interrupt_is_due
from clpy.spec.consts cimport CL_OUT_OF_RESOURCES
from clpy.threads cimport at_fork_in_child

from clpy import config, llvm
from clpy.compiler.runtime import before_load

cdef extern from "fault_handler.h" nogil:
    void clpy_faults_install()
    void clpy_faults_own_thread()
    bint clpy_fault_catch(Catcher *catcher, uint32_t context, caught_fn fn, void *argument,
                          void (*install)() noexcept nogil)
    void clpy_fault_leave(uint32_t context)
    void clpy_fault_forget_others()
    void clpy_fault_main_is_here(bint (*is_due)() noexcept nogil)
    void clpy_fault_ask_main()
    bint clpy_fault_main_left()
    int clpy_fault_pause()
    void clpy_fault_go_on(int paused)
    void clpy_fault_leave_if_asked()
    void clpy_fault_leave_now()
    int SIGSEGV
    int SIGBUS
    int SIGFPE

cdef enum:
    TRAP_PAGE = 14               # of x86: a page fault; `error` says whether it was a write
    ERROR_WRITE = 2
    ERROR_FETCH = 16
    OFF = 0
    EXACT = 2

cdef int mode = config.get("FAULTS")
cdef int32_t lock = 0


cdef void faults_install() noexcept nogil:
    if mode == OFF:
        return
    mutex_lock(&lock)
    clpy_faults_install()
    mutex_unlock(&lock)


cdef void faults_own_thread() noexcept nogil:
    if mode != OFF:
        clpy_faults_own_thread()


cdef bint faults_catch(Catcher *catcher, uint32_t context, caught_fn fn, void *argument) noexcept nogil:
    if mode == OFF:
        fn(argument)
        return True
    catcher.compiles = False
    return clpy_fault_catch(catcher, context, fn, argument, faults_install)


cdef void faults_leave(uint32_t context) noexcept nogil:
    if mode == OFF:
        return
    faults_install()             # another handler must not take it for a fault
    clpy_fault_leave(context)


cdef void faults_main_is_here() noexcept nogil:
    clpy_fault_main_is_here(signals_interrupt_is_due)


cdef void faults_ask_main() noexcept nogil:
    if mode != OFF:
        faults_install()
        clpy_fault_ask_main()


cdef bint faults_main_left() noexcept nogil:
    return clpy_fault_main_left()


cdef bint catch_compiler(caught_fn fn, void *argument) noexcept nogil:
    """For the compiler, which may crash on a source: False when it did. What it had allocated is lost."""
    cdef Catcher catcher
    catcher.compiles = True
    catcher.kernel[0] = catcher.kernel[1] = 0
    if mode == OFF:
        fn(argument)
        return True
    return clpy_fault_catch(&catcher, 0, fn, argument, faults_install)


cdef void describe(const Catcher *catcher, Fault *fault) noexcept nogil:
    cdef bint at_memory = catcher.number == SIGSEGV or catcher.number == SIGBUS
    fault.code = catcher.pc
    fault.x, fault.n, fault.y, fault.z = catcher.x, catcher.n, catcher.y, catcher.z
    memcpy(fault.stack, catcher.stack, sizeof(fault.stack))
    if not at_memory:
        fault.kind = FAULT_ARITHMETIC if catcher.number == SIGFPE else FAULT_TRAP
    elif catcher.trap == TRAP_PAGE:
        fault.address = catcher.address
        fault.kind = (FAULT_JUMP if catcher.error & ERROR_FETCH else FAULT_WRITE if catcher.error & ERROR_WRITE
                      else FAULT_READ)
    else:                        # the processor does not tell which
        fault.kind = FAULT_ADDRESS


cdef void faults_tell(Catcher *catcher, Task *task) noexcept nogil:
    """The first fault of a task is told. Nobody claims any more groups of it."""
    cdef int32_t none = 0
    cdef Fault *fault
    if atomic_cas_i32(&task.error, &none, CL_OUT_OF_RESOURCES) and not catcher.left:
        fault = <Fault *>calloc(1, sizeof(Fault))
        if fault != NULL:
            describe(catcher, fault)
            task.fault = fault   # whoever finishes the task comes later
    atomic_store_i64(&task.next_unit, task.n_units)


cdef int faults_pause() noexcept nogil:
    return clpy_fault_pause()


cdef void faults_go_on(int paused) noexcept nogil:
    clpy_fault_go_on(paused)


cdef void faults_leave_here() noexcept nogil:
    clpy_fault_leave_if_asked()


cdef void faults_leave_now() noexcept nogil:
    clpy_fault_leave_now()


cdef bint faults_are_exact() noexcept nogil:
    return mode == EXACT


cdef void unlock_after_fork() noexcept nogil:
    global lock
    lock = 0
    clpy_fault_forget_others()


def install():
    faults_install()


at_fork_in_child(unlock_after_fork)
before_load.append(install)
llvm.guard_crashes(<uintptr_t>&catch_compiler)
