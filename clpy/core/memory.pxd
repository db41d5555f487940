# SPDX-License-Identifier: Apache-2.0
"""Buffers and sub-buffers (images: same struct, image fields)."""
from libc.stdint cimport int32_t, uint32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport (cl_int, cl_uint, cl_mem_flags, cl_mem_object_type, cl_mem_properties, cl_map_flags,
                      cl_image_format, cl_image_desc, mem_destructor_fn)
from clpy.core.context cimport Context

cdef struct MemDestructor:
    mem_destructor_fn fn
    void *user_data
    MemDestructor *next

cdef struct Mapping:             # one outstanding clEnqueueMap*
    void *ptr
    size_t offset
    size_t size
    cl_map_flags flags
    Mapping *next

ctypedef struct Mem:
    clpy_object obj
    Context *context             # held
    cl_mem_object_type type
    cl_mem_flags flags           # as the application asked, defaults filled in
    size_t size                  # bytes
    void *data                   # where the contents are: host memory on every device of ours
    void *host_ptr               # as given with CL_MEM_USE_HOST_PTR
    Mem *parent                  # of a sub-buffer, held; else NULL
    size_t origin                # in parent, bytes
    int32_t map_count
    int32_t lock                 # guards mappings and destructors
    Mapping *mappings
    MemDestructor *destructors   # last registered first
    size_t n_properties
    cl_mem_properties *properties
    uint32_t owns_data           # data is freed with the object
    # images
    cl_image_format format
    cl_image_desc desc
