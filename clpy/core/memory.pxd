# SPDX-License-Identifier: Apache-2.0
"""Memory objects: what all kinds have, buffers and sub-buffers. Images: image.pxd."""
from libc.stdint cimport int32_t, uint32_t
from clpy.abi cimport clpy_image, clpy_object
from clpy.cl cimport (cl_int, cl_uint, cl_mem_flags, cl_mem_object_type, cl_mem_properties, cl_map_flags,
                      cl_image_format, cl_image_desc, mem_destructor_fn)
from clpy.core.context cimport Context
from clpy.core.destructor cimport Destructor
from clpy.core.external_memory cimport External
from clpy.core.image_format cimport ImageFormat
from clpy.spec.consts cimport CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR

ctypedef struct MapBox:          # a region of an image, in pixels and layers
    size_t origin[3]
    size_t region[3]
    uint32_t level

cdef struct Mapping:             # one outstanding clEnqueueMap*
    Mem *owner                   # the object that was mapped
    void *ptr
    size_t offset                # of what it maps, in the object that has the storage
    size_t size
    bint is_box                  # of an image: not all of these bytes
    MapBox box
    cl_map_flags flags
    Mapping *next

cdef struct Store:              # of a buffer with a vendor's flag that brings one; begins a struct of the vendor's
    void *data
    void (*release)(Store *store) noexcept nogil         # frees the struct, too

ctypedef struct Mem:
    clpy_object obj
    Context *context             # held
    cl_mem_object_type type
    cl_mem_flags flags           # as the application asked, with what a sub-buffer inherits; no access flag: read-write
    size_t size                  # bytes
    void *data                   # where the contents are: host memory on every device of ours
    void *host_ptr               # as given with CL_MEM_USE_HOST_PTR
    Mem *parent                  # what a sub-buffer or image was made from, held; else NULL
    size_t origin                # of a sub-buffer in its parent, bytes
    int32_t map_count            # atomic
    int32_t lock                 # guards mappings
    Mapping *mappings            # of an object and of all made from it, kept in the object that has the storage
    Destructor *destructors
    size_t n_properties
    cl_mem_properties *properties
    uint32_t owns_data           # data is freed with the object
    bint is_pinned               # core/pinned has it
    Mem *next_pinned             # its
    External *external           # data is memory of another API, owned; else NULL
    Store *store                 # data is what a vendor's flag brought, owned; else NULL
    # images
    cl_image_format format
    cl_image_desc desc           # what the type has not is 0; pitches filled in
    const ImageFormat *row       # of the table of formats
    clpy_image view              # what a kernel gets the address of
    # pipes
    cl_uint packet_size          # bytes
    cl_uint max_packets

# All return CL_SUCCESS or the error. `n_properties` counts the closing 0; it is 0 when the application gave no list.
# `external`, `store`: the store where it is not NULL; taken over if this succeeds.
cdef cl_int buffer_new(Context *ctx, size_t n_properties, const cl_mem_properties *properties, cl_mem_flags flags,
                       size_t size, void *host_ptr, External *external, Store *store, Mem **out) noexcept nogil
cdef cl_int sub_buffer_new(Mem *parent, cl_mem_flags flags, size_t origin, size_t size, Mem **out) noexcept nogil
# Of any kind. Makers: a new object without a store, then its store, `host_ptr` itself or a copy of it as the flags say.
cdef cl_int mem_new(Context *ctx, cl_mem_object_type type, cl_mem_flags flags, size_t n_properties,
                    const cl_mem_properties *properties, Mem **out) noexcept nogil
cdef cl_int mem_take_store(Mem *mem, size_t size, void *host_ptr, External *external) noexcept nogil
# Where contents are, for devices with memory of their own: in the host's, as CL_MEM_ALLOC_HOST_PTR and
# CL_MEM_USE_HOST_PTR ask; in the device's, where the host reaches them (MEM_IS_VISIBLE), or does not.
cdef inline bint mem_is_on_host(const Mem *mem) noexcept nogil:
    return mem.flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0

# The flags of an object made from another one: what they leave open is inherited.
cdef cl_mem_flags inherited_flags(cl_mem_flags flags, cl_mem_flags parent) noexcept nogil
cdef cl_int mem_on_destroy(Mem *mem, mem_destructor_fn fn, void *user_data) noexcept nogil
# A mapping lasts from the enqueue of the map to the enqueue of its unmap.
cdef cl_int mem_map(Mem *mem, size_t offset, size_t size, cl_map_flags flags) noexcept nogil
cdef cl_int mem_map_box(Mem *image, size_t offset, size_t size, const MapBox *box,
                        cl_map_flags flags) noexcept nogil
# CL_INVALID_VALUE: no such mapping of mem. Where they are not NULL, `flags` and `size` are what was mapped and how.
cdef cl_int mem_unmap(Mem *mem, const void *ptr, cl_map_flags *flags, size_t *size) noexcept nogil
cdef bint mem_is_mapped(Mem *mem, const void *ptr) noexcept nogil
