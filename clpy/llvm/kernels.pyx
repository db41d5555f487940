# SPDX-License-Identifier: Apache-2.0
"""Kernels whose code is made later, one by one (kernels_shim.cpp)."""
from clpy.llvm.capi cimport LLVMContextCreate, LLVMContextRef, LLVMModuleRef
from clpy.llvm.module cimport Module, take_message

from clpy.llvm.module import LLVMError

cdef extern from "kernels_shim.h" nogil:
    const char *clpy_obstacle(LLVMModuleRef, unsigned) noexcept
    LLVMModuleRef clpy_extract(LLVMContextRef, const char *, size_t, const char *, char **) noexcept


def obstacle(Module module, unsigned most_nested):
    """What code generation might refuse of a linked module, in a few words, "" where it will not: loops nested deeper
    than `most_nested`, recursion, assembly, calls of addresses, and handles of images and the like in memory."""
    cdef const char *why
    with nogil:
        why = clpy_obstacle(module.module, most_nested)
    return "" if why == NULL else why.decode()


def extract(bytes bitcode, str name):
    """The module in `bitcode` with the kernel `name` alone and what it reaches, in a context of its own. Bodies of
    other functions are not read."""
    cdef const char *data = bitcode
    cdef size_t size = len(bitcode)
    cdef bytes text = name.encode()
    cdef const char *c_name = text
    cdef char *message = NULL
    cdef Module made = Module.wrap(LLVMContextCreate(), NULL)
    with nogil:
        made.module = clpy_extract(made.context, data, size, c_name, &message)
    if made.module == NULL:
        raise LLVMError(take_message(message))
    made.check()
    return made
