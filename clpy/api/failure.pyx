# SPDX-License-Identifier: Apache-2.0
"""Where exceptions become error codes: used by the generated entries, and by nothing else."""
from clpy.cl cimport cl_int
from clpy.errors import CLError
from clpy.spec.consts cimport CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES
from clpy.trace cimport trace_text, traces

cdef extern from "Python.h" nogil:
    int Py_IsInitialized()
    int _Py_IsFinalizing()
    int PyGILState_Check()


cdef bint python_runs() noexcept nogil:
    """Not after the host's interpreter has ended; nor while it ends, when CPython would end a thread that waits for it."""
    return Py_IsInitialized() and (not _Py_IsFinalizing() or PyGILState_Check())


cdef cl_int code_of(str function, object error) noexcept:
    cdef bytes line
    if isinstance(error, CLError):
        if traces(1):
            line = f"{function}: {error}".encode()
            trace_text(1, line)
        return error.code
    if isinstance(error, MemoryError):
        return CL_OUT_OF_HOST_MEMORY
    # An error of ours. The program goes on; who reads stderr can report it.
    try:
        import sys
        import traceback
        traceback.print_exception(error, file=sys.stderr or sys.__stderr__)
    except BaseException:
        pass
    return CL_OUT_OF_RESOURCES
