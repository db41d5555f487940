# SPDX-License-Identifier: Apache-2.0
"""Target machines."""
from clpy.llvm.capi cimport LLVMTargetMachineRef
from clpy.llvm.module cimport Module

cdef extern from "llvm-c/TargetMachine.h" nogil:
    ctypedef enum LLVMCodeGenFileType:
        pass

cdef class Machine:
    cdef LLVMTargetMachineRef machine   # owned
    cdef void *emitter                  # of emit_shim.h, from the first module on
    cdef readonly object key            # what it was made for; None when it must not be used again

    cdef bytes emit(self, Module module, LLVMCodeGenFileType kind, bint hurried)
