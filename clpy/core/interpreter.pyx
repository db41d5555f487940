# SPDX-License-Identifier: Apache-2.0
"""Whether there is an interpreter to call: the host program's may end while clpy is still in use."""

cdef extern from "Python.h" nogil:
    int Py_IsInitialized()
    int _Py_IsFinalizing()
    int PyGILState_Check()
    int Py_AtExit(void (*fn)() noexcept nogil)

cdef bint ended = False


cdef void note_end() noexcept nogil:
    global ended
    ended = True


cdef bint python_runs() noexcept nogil:
    # While an interpreter ends, CPython ends every other thread that asks for its GIL. A program may start another
    # interpreter after it; our modules are not in that one.
    if ended or not Py_IsInitialized():
        return False
    return not _Py_IsFinalizing() or PyGILState_Check()


if Py_AtExit(note_end) != 0:
    raise ImportError("no room for clpy in Py_AtExit")
