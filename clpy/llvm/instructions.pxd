# SPDX-License-Identifier: Apache-2.0
"""Instructions and blocks."""
from clpy.llvm.capi cimport LLVMBasicBlockRef
from clpy.llvm.module cimport Module
from clpy.llvm.values cimport Value

cdef class Inst(Value):
    pass

cdef class Block:
    cdef LLVMBasicBlockRef ptr
    cdef Module owner

cdef list instructions_in(LLVMBasicBlockRef ptr, Module owner)
cdef Block wrap_block(LLVMBasicBlockRef ptr, Module owner)     # None for NULL
