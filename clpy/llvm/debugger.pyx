# SPDX-License-Identifier: Apache-2.0
"""Code in memory that a debugger knows, by GDB's interface for compilers at run time (debugger.h). Python's lock keeps
its list whole."""
from libc.stdint cimport uint64_t

cdef extern from "debugger.h":
    struct debugger_file:
        const char *object
        uint64_t size
    void debugger_add(debugger_file *)
    void debugger_remove(debugger_file *)


cdef class Shown:
    """An object file that a debugger knows as long as this exists. Its sections say where they lie in memory."""
    cdef debugger_file file
    cdef bytes object

    def __init__(self, bytes object):
        self.object = object
        self.file.object = object
        self.file.size = len(object)
        debugger_add(&self.file)

    def __dealloc__(self):
        if self.file.object != NULL:
            debugger_remove(&self.file)
