# SPDX-License-Identifier: Apache-2.0
"""Signals of a Python program, in threads that wait.

What a handler raises cannot come up in the middle of a call of OpenCL. It is kept, and CPython's list of pending calls
raises it in the main thread before this executes anything else. All of that is the host program's Python, which is
asked by name (include/clpy_host_python.h): ours is another one, which has no handlers.
"""
from clpy.threads cimport at_fork_in_child

cdef extern from "clpy_host_python.h" nogil:
    bint host_runs "clpy_host_runs"()
    bint host_is_single "clpy_host_is_single"()
    bint clpy_host_takes_calls()
    bint host_interrupt_raises "clpy_host_interrupt_raises"()
    ctypedef struct HostPython "struct clpy_host_python":
        void *(*PyGILState_GetThisThreadState)() noexcept nogil
        int (*PyGILState_Ensure)() noexcept nogil
        void (*PyGILState_Release)(int state) noexcept nogil
        int (*PyErr_CheckSignals)() noexcept nogil
        void (*PyErr_Fetch)(void **type, void **value, void **trace) noexcept nogil
        void (*PyErr_Restore)(void *type, void *value, void *trace) noexcept nogil
        void (*PyErr_WriteUnraisable)(void *where) noexcept nogil
        void (*PyErr_SetInterrupt)() noexcept nogil
        int (*Py_AddPendingCall)(int (*fn)(void *) noexcept nogil, void *argument) noexcept nogil
        int (*interrupt_occurred)(void *thread) noexcept nogil
    HostPython host "clpy_host"

cdef extern from "first_thread.h" nogil:
    bint is_first_thread "clpy_is_first_thread"()
    int minds "clpy_minds_signals"           # does this thread? 0 unknown, 1 yes, 2 no

cdef struct Raised:
    void *type
    void *value
    void *traceback

cdef Raised raised               # with the GIL
cdef bint told = False           # signals_first has said so
cdef bint pending = False        # of the main thread: it has something in `raised`
cdef bint interrupt_raises = False       # its handler was the usual one at the last look


cdef void look_at_handler() noexcept nogil:
    """With the GIL of the host's Python."""
    global interrupt_raises
    cdef Raised before
    host.PyErr_Fetch(&before.type, &before.value, &before.traceback)
    interrupt_raises = host_interrupt_raises()
    host.PyErr_Restore(before.type, before.value, before.traceback)


cdef bint signals_are_mine() noexcept nogil:
    global minds
    cdef int state
    if minds == 0:
        if not is_first_thread() or not host_runs() or host.PyGILState_GetThisThreadState() == NULL:
            minds = 2
        elif host_is_single():
            minds = 1
            state = host.PyGILState_Ensure()
            look_at_handler()
            host.PyGILState_Release(state)
    return minds == 1 and host_is_single()


cdef int come_up(void *nothing) noexcept nogil:
    """A pending call: by the main thread, with the GIL of the host's Python."""
    global pending, raised
    cdef Raised now = raised
    pending = False
    raised = Raised(NULL, NULL, NULL)
    host.PyErr_Restore(now.type, now.value, now.traceback)
    return -1


cdef void keep_raised() noexcept nogil:
    """The exception that is set, for later. Where there are too many pending calls it is told, and an interrupt comes
    in its place."""
    global pending, told
    told = False
    host.PyErr_Fetch(&raised.type, &raised.value, &raised.traceback)
    pending = True
    if host.Py_AddPendingCall(come_up, NULL) != 0:
        come_up(NULL)
        host.PyErr_WriteUnraisable(NULL)
        host.PyErr_SetInterrupt()


cdef bint run_handlers() noexcept nogil:
    """True: one of them raised something. The binding may have an exception of its own set."""
    cdef Raised before
    cdef bint failed
    cdef int state = host.PyGILState_Ensure()
    host.PyErr_Fetch(&before.type, &before.value, &before.traceback)
    failed = host.PyErr_CheckSignals() != 0
    if failed:
        keep_raised()
    host.PyErr_Restore(before.type, before.value, before.traceback)
    look_at_handler()
    host.PyGILState_Release(state)
    return failed


cdef bint signals_interrupt_is_due() noexcept nogil:
    cdef void *thread
    if not interrupt_raises or host.interrupt_occurred == NULL:
        return False
    thread = host.PyGILState_GetThisThreadState()
    if thread == NULL or not host.interrupt_occurred(thread):
        return False
    host.PyErr_SetInterrupt()            # the look has taken the note away
    return True


cdef bint signals_interrupt() noexcept nogil:
    return pending or (host_is_single() and host_runs() and run_handlers())


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


cdef bint host_takes_calls() noexcept nogil:
    return clpy_host_takes_calls()
