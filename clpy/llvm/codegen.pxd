# SPDX-License-Identifier: Apache-2.0
"""Target machines, and the guard that long LLVM calls run under."""
from clpy.llvm.capi cimport LLVMTargetMachineRef
from clpy.llvm.module cimport Module

cdef extern from "llvm-c/TargetMachine.h" nogil:
    ctypedef enum LLVMCodeGenFileType:
        pass

# Run fn(arg) on a deep stack; a fatal error of LLVM ends fn only. NULL, or the error's text to be freed.
cdef char *guarded(void (*fn)(void *) noexcept nogil, void *arg) noexcept nogil

cdef class Machine:
    cdef LLVMTargetMachineRef machine   # owned
    cdef readonly object key            # what it was made for; None when it must not be used again

    cdef bytes emit(self, Module module, LLVMCodeGenFileType kind)
