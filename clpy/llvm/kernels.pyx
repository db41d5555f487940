# SPDX-License-Identifier: Apache-2.0
"""Kernels whose code is made later, one by one (kernels_shim.cpp)."""
from libc.stdlib cimport calloc, free
from clpy.llvm.capi cimport LLVMContextCreate, LLVMContextRef, LLVMModuleRef
from clpy.llvm.module cimport Module, take_message

from clpy.llvm.module import LLVMError

cdef extern from "kernels_shim.h" nogil:
    const char *clpy_obstacle(LLVMModuleRef, unsigned) noexcept
    LLVMModuleRef clpy_extract(LLVMContextRef, const char *, size_t, const char *const *, size_t, char **) noexcept


def obstacle(Module module, unsigned most_nested):
    """What code generation might refuse of a linked module, in a few words, "" where it will not: loops nested deeper
    than `most_nested`, recursion, assembly, calls of addresses, and handles of images and the like in memory."""
    cdef const char *why
    with nogil:
        why = clpy_obstacle(module.module, most_nested)
    return "" if why == NULL else why.decode()


def extract(bytes bitcode, *names):
    """The module in `bitcode` with the kernels of these names alone and what they reach, in a context of its own.
    Bodies of other functions are not read."""
    cdef const char *data = bitcode
    cdef size_t i, size = len(bitcode), n = len(names)
    cdef list texts = [name.encode() for name in names]
    cdef const char **c_names = <const char **>calloc(n + 1, sizeof(char *))
    cdef bytes text
    cdef char *message = NULL
    cdef Module made = Module.wrap(LLVMContextCreate(), NULL)
    if c_names == NULL:
        raise MemoryError
    for i in range(n):
        text = texts[i]
        c_names[i] = text
    with nogil:
        made.module = clpy_extract(made.context, data, size, c_names, n, &message)
        free(c_names)
    if made.module == NULL:
        raise LLVMError(take_message(message))
    made.check()
    return made
