# SPDX-License-Identifier: Apache-2.0
"""Functions by name: what clGetExtensionFunctionAddress answers from."""
from libc.stdint cimport int32_t
from libc.string cimport strcmp
from clpy.atomics cimport atomic_load_i32, atomic_store_i32
from clpy.cl cimport cl_int
from clpy.spec.consts cimport CL_OUT_OF_HOST_MEMORY, CL_SUCCESS

cdef enum:
    ROOM = 512

cdef struct Function:
    const char *name
    void *address
    int kind

# Filled while modules are imported, under the GIL; read by any thread without it: a row is whole before it counts.
cdef Function rows[ROOM]
cdef int32_t n_rows = 0


cdef cl_int function_add(const char *name, void *address, int kind) noexcept nogil:
    cdef int32_t i, n = n_rows
    for i in range(n):
        if strcmp(rows[i].name, name) == 0:
            rows[i].kind = kind
            rows[i].address = address
            return CL_SUCCESS
    if n == ROOM:
        return CL_OUT_OF_HOST_MEMORY
    rows[n].name = name
    rows[n].address = address
    rows[n].kind = kind
    atomic_store_i32(&n_rows, n + 1)
    return CL_SUCCESS


cdef void *function_find(const char *name, bint extensions_only) noexcept nogil:
    cdef int i
    if name == NULL:
        return NULL
    for i in range(atomic_load_i32(&n_rows)):
        if strcmp(rows[i].name, name) == 0:
            return NULL if extensions_only and rows[i].kind != FUNCTION_EXTENSION else rows[i].address
    return NULL
