# SPDX-License-Identifier: Apache-2.0
"""A module together with the context that owns it."""
from clpy.llvm.capi cimport LLVMContextRef, LLVMModuleRef, LLVMTargetMachineRef

cdef class Module:
    cdef LLVMContextRef context     # owned
    cdef LLVMModuleRef module       # owned
    cdef str diagnostics            # error texts of the running call
    cdef object __weakref__

    cdef LLVMModuleRef parse_here(self, bytes data, bytes name) except NULL
    cdef int check(self) except -1

    @staticmethod
    cdef Module wrap(LLVMContextRef context, LLVMModuleRef module)

cdef str take_message(char *message)     # LLVM's text, which it frees
