# SPDX-License-Identifier: Apache-2.0
"""Where exceptions become error codes: used by the generated entries, and by nothing else."""
from clpy.cl cimport cl_int
from clpy.spec.consts cimport CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES
from clpy.trace cimport trace_text, traces

from clpy.errors import CLError
from clpy.trace import report_fault

cdef extern from "Python.h":
    int PyErr_SetInterruptEx(int number)


cdef cl_int code_of(str function, object error) noexcept:
    cdef bytes line
    if isinstance(error, CLError):
        if traces(1):
            line = f"{function}: {error}".encode()
            trace_text(1, line)
        return error.code
    if isinstance(error, MemoryError):
        return CL_OUT_OF_HOST_MEMORY
    if isinstance(error, KeyboardInterrupt):
        PyErr_SetInterruptEx(2)          # the host program's: it comes up again in its own code
        return CL_OUT_OF_RESOURCES
    report_fault(function, error)       # the program goes on; who reads stderr can report it
    return CL_OUT_OF_RESOURCES
