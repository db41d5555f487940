# SPDX-License-Identifier: Apache-2.0
"""Types and values: each object is a C pointer and the Module that keeps it alive."""
cimport cython
from clpy.llvm.capi cimport LLVMTypeRef, LLVMValueRef
from clpy.llvm.module cimport Module

cdef enum:
    MOST_PARAMETERS = 4352       # CL_DEVICE_MAX_PARAMETER_SIZE of a byte each, and what the passes add
    LAST_KIND = 63               # more than LLVM has kinds of values


# A Module refers to no view, so no view is in a cycle: the collector need not know of them. Modules with views derived
# from these see that here.
@cython.no_gc
cdef class Type:
    cdef LLVMTypeRef ptr
    cdef Module owner


@cython.no_gc
cdef class Value:
    cdef LLVMValueRef ptr
    cdef Module owner


ctypedef Value (*view_maker)()

# A kind of value whose views are of a class of its own, which a module that imports this one defines.
cdef void register_view(int kind, view_maker make)
cdef Type wrap_type(LLVMTypeRef ptr, Module owner)
cdef Value wrap(LLVMValueRef ptr, Module owner)      # None for NULL
