# SPDX-License-Identifier: Apache-2.0
"""Functions by name: what clGetExtensionFunctionAddress answers from. Extensions add theirs when they are imported."""
from clpy.cl cimport cl_int

cdef enum:
    FUNCTION_CORE = 0            # has a slot in the dispatch table: the loader finds it there
    FUNCTION_EXTENSION = 1       # applications look it up by name

# `name` must live for ever. A name that is there already is replaced. CL_OUT_OF_HOST_MEMORY when the table is full.
cdef cl_int function_add(const char *name, void *address, int kind) noexcept nogil
cdef void *function_find(const char *name, bint extensions_only) noexcept nogil
