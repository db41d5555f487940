# SPDX-License-Identifier: Apache-2.0
"""The maker of instructions."""
from clpy.llvm.capi cimport LLVMBuilderRef
from clpy.llvm.module cimport Module

cdef class Builder:
    cdef LLVMBuilderRef ptr
    cdef Module owner
