# SPDX-License-Identifier: Apache-2.0
"""Signals of a Python program, in threads that wait.

What a handler raises cannot come up in the middle of a call of OpenCL. It is kept, and CPython's list of pending calls
raises it in the main thread before this executes anything else.
"""
from clpy.threads cimport at_fork_in_child

import sys

cdef extern from "Python.h" nogil:
    ctypedef struct PyObject:
        pass
    int PyErr_CheckSignals()
    void PyErr_Fetch(PyObject **type, PyObject **value, PyObject **traceback)
    void PyErr_Restore(PyObject *type, PyObject *value, PyObject *traceback)
    void PyErr_WriteUnraisable(PyObject *where)
    void PyErr_SetInterrupt()
    int Py_AddPendingCall(int (*fn)(void *) noexcept nogil, void *argument)
    void *PyGILState_GetThisThreadState()

cdef extern from * nogil:
    """
    #ifndef _GNU_SOURCE
    #define _GNU_SOURCE 1
    #endif
    #include <sys/types.h>
    #include <unistd.h>
    extern pid_t gettid(void);
    static int clpy_is_first_thread(void) { return getpid() == gettid(); }
    static __thread int clpy_minds_signals;

    /* Not in every version: takes the note of an interrupt away. */
    extern int clpy_interrupt_occurred(PyThreadState *thread) __asm__("_PyOS_InterruptOccurred")
        __attribute__((weak));
    static int clpy_interrupt_is_due(void) {
        PyThreadState *thread = clpy_interrupt_occurred ? PyGILState_GetThisThreadState() : NULL;
        if (!thread || !clpy_interrupt_occurred(thread))
            return 0;
        PyErr_SetInterrupt();
        return 1;
    }
    """
    bint is_first_thread "clpy_is_first_thread"()
    bint interrupt_is_due "clpy_interrupt_is_due"()
    int minds "clpy_minds_signals"           # does this thread? 0 unknown, 1 yes, 2 no

cdef struct Raised:
    PyObject *type
    PyObject *value
    PyObject *traceback

cdef Raised raised               # with the GIL
cdef bint told = False           # signals_first has said so
cdef bint pending = False        # of the main thread: it has something in `raised`
cdef bint interrupt_raises = False       # its handler was the usual one at the last look
cdef bint (*host_is_python)() noexcept nogil


cdef void signals_ask(bint (*is_python)() noexcept nogil) noexcept:
    global host_is_python
    host_is_python = is_python


cdef void look_at_handler() noexcept with gil:
    global interrupt_raises
    cdef Raised before
    PyErr_Fetch(&before.type, &before.value, &before.traceback)
    try:
        signals = sys.modules.get("_signal")
        interrupt_raises = signals is not None and signals.getsignal(signals.SIGINT) is signals.default_int_handler
    except Exception:
        interrupt_raises = False
    PyErr_Restore(before.type, before.value, before.traceback)


cdef bint signals_are_mine() noexcept nogil:
    global minds
    if minds == 0:
        minds = 1 if (host_is_python != NULL and is_first_thread() and host_is_python()
                      and PyGILState_GetThisThreadState() != NULL) else 2
        if minds == 1:
            look_at_handler()
    return minds == 1


cdef int come_up(void *nothing) noexcept nogil:
    """A pending call: by the main thread, with the GIL."""
    global pending, raised
    cdef Raised now = raised
    pending = False
    raised = Raised(NULL, NULL, NULL)
    PyErr_Restore(now.type, now.value, now.traceback)
    return -1


cdef void keep_raised() noexcept nogil:
    """The exception that is set, for later. Where there are too many pending calls it is told, and an interrupt comes
    in its place."""
    global pending, told
    told = False
    PyErr_Fetch(&raised.type, &raised.value, &raised.traceback)
    pending = True
    if Py_AddPendingCall(come_up, NULL) != 0:
        come_up(NULL)
        PyErr_WriteUnraisable(NULL)
        PyErr_SetInterrupt()


cdef bint run_handlers() noexcept with gil:
    """True: one of them raised something. The binding may have an exception of its own set."""
    cdef Raised before
    cdef bint failed
    PyErr_Fetch(&before.type, &before.value, &before.traceback)
    failed = PyErr_CheckSignals() != 0
    if failed:
        keep_raised()
    PyErr_Restore(before.type, before.value, before.traceback)
    look_at_handler()
    return failed


cdef bint signals_interrupt_is_due() noexcept nogil:
    return interrupt_raises and interrupt_is_due()


cdef bint signals_interrupt() noexcept nogil:
    return pending or (host_is_python() and run_handlers())


cdef bint signals_first() noexcept nogil:
    global told
    if told:
        return False
    told = True
    return True


cdef void forget_thread() noexcept nogil:
    """In the child of a fork this thread is the first one."""
    global minds
    minds = 0


at_fork_in_child(forget_thread)
