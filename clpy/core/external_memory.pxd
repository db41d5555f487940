# SPDX-License-Identifier: Apache-2.0
"""Memory behind a file descriptor that another API or process gave us: its import, and handing it back and forth."""
from clpy.cl cimport cl_external_memory_handle_type_khr, cl_int, cl_uint
from clpy.device.base cimport Device

ctypedef struct ExternalHandle:  # what a property list says
    cl_external_memory_handle_type_khr type      # 0: no external memory
    int fd
    cl_uint n_devices            # 0: all of the context
    Device *const *devices

ctypedef struct External:        # imported; a memory object owns it
    int fd                       # belongs to it
    bint is_dma_buf
    void *address
    size_t size                  # bytes, of the mapping
    cl_uint n_devices            # 0: all of the context
    Device **devices             # held

# Could it be memory of that type at all?
cdef bint external_is_valid(const ExternalHandle *handle) noexcept nogil
# Map the first `size` bytes. `too_small` is the error where there are not so many; CL_INVALID_PROPERTY where the
# descriptor cannot be mapped. It stays the caller's unless this succeeds.
cdef cl_int external_import(const ExternalHandle *handle, size_t size, cl_int too_small, External **out) noexcept nogil
# `keep_fd`: it is the caller's after all.
cdef void external_free(External *external, bint keep_fd) noexcept nogil
cdef bint external_is_for(const External *external, const Device *dev) noexcept nogil
# What the exporter of a dma-buf has to know: that we begin to read and write it, or have ended.
cdef bint external_sync(const External *external, bint begin) noexcept nogil
