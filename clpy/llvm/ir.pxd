# SPDX-License-Identifier: Apache-2.0
"""Thin views of LLVM IR: each object is a C pointer and the Module that keeps it alive."""
from clpy.llvm.capi cimport LLVMBasicBlockRef, LLVMBuilderRef, LLVMTypeRef, LLVMValueRef
from clpy.llvm.module cimport Module

cdef class Type:
    cdef LLVMTypeRef ptr
    cdef Module owner

cdef class Value:
    cdef LLVMValueRef ptr
    cdef Module owner

cdef class Inst(Value):
    pass

cdef class Global(Value):
    pass

cdef class Function(Global):
    pass

cdef class Block:
    cdef LLVMBasicBlockRef ptr
    cdef Module owner

cdef class Builder:
    cdef LLVMBuilderRef ptr
    cdef Module owner
