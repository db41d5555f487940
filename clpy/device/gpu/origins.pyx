# SPDX-License-Identifier: Apache-2.0
"""Where the source has what a kernel of a model did wrong: in the line tables of the code that it was translated to."""
from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport calloc
from libc.string cimport strcpy
from clpy.atomics cimport atomic_load_ptr, atomic_store_ptr
from clpy.device.base cimport Launch
from clpy.device.gpu.execution cimport KINDS, Facts, Origin

ctypedef bint (*find_line_fn)(const char *object, size_t size, const char *name, uint64_t offset,
                              char **place) noexcept nogil

cdef find_line_fn find_line = NULL


cdef int origins_keep(Facts *facts, object kernel) except -1:
    global find_line
    cdef bytes data, name
    cdef Origin *origin
    cdef int n = 0
    code = kernel.code()
    if facts.origins == NULL:
        facts.origins = <Origin *>calloc(KINDS, sizeof(Origin))
        if facts.origins == NULL:
            raise MemoryError
    find_line = <find_line_fn><size_t>code.loaded.line_finder()
    for data, name, start in code.origins(kernel.name):
        origin = &facts.origins[n]
        n += 1
        if origin.start or not start or len(name) >= <Py_ssize_t>sizeof(origin.symbol):
            continue
        origin.object, origin.size = data, len(data)
        strcpy(origin.symbol, name)
        atomic_store_ptr(<void **>&origin.start, <void *><size_t>start)
    return 0


cdef bint origins_find(const Launch *launch, uintptr_t at, char **place) noexcept nogil:
    cdef const Facts *facts = <const Facts *>launch.traits.facts
    cdef const Origin *origin
    cdef uintptr_t start
    cdef int n
    for n in range(KINDS):
        origin = &facts.origins[n]
        start = <uintptr_t>atomic_load_ptr(<void **>&origin.start)
        if start and find_line(origin.object, origin.size, origin.symbol, at - start, place):
            return True
    return False
