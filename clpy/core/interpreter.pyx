# SPDX-License-Identifier: Apache-2.0
"""Calling Python code: whether there is an interpreter to call, and on which thread.

Mostly it is libclpy.so's own, which never ends and has no signal handlers. Where a Python program has lent the library
its core (api/process), the program may end its interpreter while clpy is still in use; and Python runs the signal
handlers of a program in its main thread, in the middle of whatever Python code this thread is in: an interrupt would
come up as KeyboardInterrupt in our compiler. So the main thread of such a program has another thread run our code and
waits for it. Its own handlers run as soon as it is back in code of the program.
"""
from clpy.forking cimport work_enters, work_is_stuck, work_leaves
from clpy.gil cimport gil_give, gil_take, holds_gil
from clpy.host_thread cimport clpy_host_state, host_go_back, host_leave_out, stack_has
from clpy.threads cimport at_fork_in_child, pthread_t, thread_end, thread_fn, thread_make

cdef extern from "Python.h" nogil:
    int Py_IsInitialized()
    int _Py_IsFinalizing()
    int PyGILState_Check()
    int Py_AtExit(void (*fn)() noexcept nogil)

cdef extern from "main_thread.h" nogil:
    bint is_main "clpy_is_main"()            # with the GIL
    int handles_signals "clpy_handles_signals"       # does this thread? 0 unknown, 1 yes, 2 no

cdef enum:
    STACK_BYTES = 16 << 20
    LEAST_STACK = 256 << 10      # bytes that a thread of the host program must have left to run Python itself

cdef struct Work:
    thread_fn fn
    void *argument
    bint done

cdef bint ended = False
cdef bint ours = False


cdef void note_end() noexcept nogil:
    global ended
    ended = True


cdef void interpreter_is_ours() noexcept nogil:
    global ours
    ours = True


cdef bint python_runs() noexcept nogil:
    # While an interpreter ends, CPython ends every other thread that asks for its GIL. A program may start another
    # interpreter after it; our modules are not in that one.
    if ended or not Py_IsInitialized():
        return False
    return not _Py_IsFinalizing() or PyGILState_Check()


cdef void look_who_handles(void *nothing) noexcept with gil:
    global handles_signals
    handles_signals = 1 if is_main() else 2


cdef void work(void *given) noexcept nogil:
    cdef Work *it = <Work *>given
    work_enters()
    it.done = not work_is_stuck()
    if it.done:
        it.fn(it.argument)
    work_leaves()


cdef bint work_apart(Work *it) noexcept nogil:
    """False: there is no thread to be had."""
    cdef pthread_t thread
    cdef void *gil
    if not thread_make(work, it, b"clpy-python", STACK_BYTES, &thread):
        return False
    gil = gil_give()
    thread_end(thread, NULL)
    gil_take(gil)
    return True


cdef void work_here_or_apart(Work *it, bint apart) noexcept nogil:
    cdef clpy_host_state host = host_leave_out()
    apart = apart or not stack_has(LEAST_STACK)
    if not apart or not work_apart(it):
        work(it)
    host_go_back(host)


cdef bint call_python(thread_fn fn, void *argument) noexcept nogil:
    cdef Work it = Work(fn, argument, False)
    if not python_runs():
        return False
    if not ours and not handles_signals:
        call_briefly(look_who_handles, NULL)
    work_here_or_apart(&it, not ours and handles_signals == 1 and not _Py_IsFinalizing())
    return it.done


cdef bint call_briefly(thread_fn fn, void *argument) noexcept nogil:
    cdef Work it = Work(fn, argument, False)
    if not python_runs():
        return False
    work_here_or_apart(&it, False)
    return it.done


cdef void fork_without_python() noexcept nogil:
    global ended
    ended = ended or (not ours and not holds_gil())


cdef void forget_main_thread() noexcept nogil:
    """In the child of a fork: this thread is the main one there."""
    global handles_signals
    handles_signals = 0


at_fork_in_child(forget_main_thread)
if Py_AtExit(note_end) != 0:
    raise ImportError("no room for clpy in Py_AtExit")
