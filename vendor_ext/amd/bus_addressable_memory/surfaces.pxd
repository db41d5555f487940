# SPDX-License-Identifier: Apache-2.0
"""Buffers that other devices write, and the windows through which they do."""
from libc.stdint cimport int32_t, uint32_t
from clpy.cl cimport cl_int, cl_ulong
from clpy.core.context cimport Context
from clpy.core.memory cimport Mem, Store
from clpy.device.base cimport Device

cdef enum:
    BUS_ADDRESSABLE = 0x40000000         # CL_MEM_BUS_ADDRESSABLE_AMD
    SIGNAL_BYTES = 4096                  # of a page

cdef cl_ulong EXTERNAL_PHYSICAL          # CL_MEM_EXTERNAL_PHYSICAL_AMD

ctypedef struct Surface:         # of a buffer; begins as its store
    Store store
    Surface *remote              # of a window: what it shows, held; else NULL
    Surface *next                # in the list of those that are no windows
    int32_t users                # its own buffer and its window; under the lock
    bint has_window
    size_t size                  # bytes, of whole pages
    uint32_t *signal             # a page behind the contents
    Device *device               # held; of one that is no window
    void *block                  # likewise: as the device gave it
    size_t block_size

cdef cl_int may_be_shared(const Context *ctx, cl_ulong flags, size_t size, const void *host_ptr) noexcept nogil
cdef cl_int share(Context *ctx, cl_ulong flags, size_t size, const void *host_ptr, Store **out) noexcept nogil
cdef cl_int may_be_remote(const Context *ctx, cl_ulong flags, size_t size, const void *host_ptr) noexcept nogil
cdef cl_int reach(Context *ctx, cl_ulong flags, size_t size, const void *host_ptr, Store **out) noexcept nogil

# Of a buffer with one of the flags.
cdef inline Surface *surface_of(const Mem *mem) noexcept nogil:
    return <Surface *>mem.store
