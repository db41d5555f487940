# SPDX-License-Identifier: Apache-2.0
"""Instructions and blocks."""
cimport cython
from clpy.llvm.capi cimport LLVMBasicBlockRef
from clpy.llvm.module cimport Module
from clpy.llvm.values cimport Value


@cython.no_gc
cdef class Inst(Value):
    pass


@cython.no_gc
cdef class Block:
    cdef LLVMBasicBlockRef ptr
    cdef Module owner


cdef int add_instructions_of(list out, LLVMBasicBlockRef ptr, Module owner, set wanted) except -1
cdef list instructions_in(LLVMBasicBlockRef ptr, Module owner)
cdef Block wrap_block(LLVMBasicBlockRef ptr, Module owner)     # None for NULL
