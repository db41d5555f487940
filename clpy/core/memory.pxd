# SPDX-License-Identifier: Apache-2.0
"""Buffers and sub-buffers (images: same struct, image fields)."""
from libc.stdint cimport int32_t, uint32_t
from clpy.abi cimport clpy_image, clpy_object
from clpy.cl cimport (cl_int, cl_uint, cl_mem_flags, cl_mem_object_type, cl_mem_properties, cl_map_flags,
                      cl_image_format, cl_image_desc, mem_destructor_fn)
from clpy.core.context cimport Context
from clpy.core.destructor cimport Destructor

cdef struct Mapping:             # one outstanding clEnqueueMap*
    Mem *owner                   # the buffer or sub-buffer that was mapped
    void *ptr
    size_t offset                # of what it maps, in the buffer that has the storage
    size_t size
    cl_map_flags flags
    Mapping *next

ctypedef struct Mem:
    clpy_object obj
    Context *context             # held
    cl_mem_object_type type
    cl_mem_flags flags           # as the application asked, with what a sub-buffer inherits; no access flag: read-write
    size_t size                  # bytes
    void *data                   # where the contents are: host memory on every device of ours
    void *host_ptr               # as given with CL_MEM_USE_HOST_PTR
    Mem *parent                  # of a sub-buffer, held; else NULL
    size_t origin                # in parent, bytes
    int32_t map_count            # atomic
    int32_t lock                 # guards mappings
    Mapping *mappings            # of a buffer and of its sub-buffers, kept in the buffer that has the storage
    Destructor *destructors
    size_t n_properties
    cl_mem_properties *properties
    uint32_t owns_data           # data is freed with the object
    # images
    cl_image_format format
    cl_image_desc desc
    clpy_image view              # what a kernel gets the address of

# All return CL_SUCCESS or the error. `n_properties` counts the closing 0; it is 0 when the application gave no list.
cdef cl_int buffer_new(Context *ctx, size_t n_properties, const cl_mem_properties *properties, cl_mem_flags flags,
                       size_t size, void *host_ptr, Mem **out) noexcept nogil
cdef cl_int sub_buffer_new(Mem *parent, cl_mem_flags flags, size_t origin, size_t size, Mem **out) noexcept nogil
cdef cl_int mem_on_destroy(Mem *mem, mem_destructor_fn fn, void *user_data) noexcept nogil
# A mapping lasts from the enqueue of the map to the enqueue of its unmap.
cdef cl_int mem_map(Mem *mem, size_t offset, size_t size, cl_map_flags flags) noexcept nogil
cdef cl_int mem_unmap(Mem *mem, const void *ptr) noexcept nogil     # CL_INVALID_VALUE: no such mapping of mem
cdef bint mem_is_mapped(Mem *mem, const void *ptr) noexcept nogil
