# SPDX-License-Identifier: Apache-2.0
"""Memory objects: their storage, what is mapped of them, and the application's calls at their end.

Every device of ours sees host memory, so an object has one store; a host pointer given to use is that store, a
sub-buffer or an image made from a buffer is an address inside its parent's, and a map is a pointer into it.
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from clpy.abi cimport clpy_object
from clpy.atomics cimport atomic_add_i32
from clpy.cl cimport cl_int, cl_map_flags, cl_mem_flags, cl_mem_object_type, cl_mem_properties, mem_destructor_fn
from clpy.core.context cimport Context, context_has_times
from clpy.core.copy cimport CopyJob, copy_part
from clpy.core.destructor cimport destructor_add, destructor_fn, destructors_run
from clpy.core.external_memory cimport External, external_free
from clpy.core.memory_flags cimport MEM_IS_VISIBLE, MEM_NO_ACCESS, MEM_UNRESTRICTED
from clpy.core.object cimport KIND_MEM, kind_register, object_drop, object_hold, object_new
from clpy.core.pinned cimport pinned_add, pinned_remove
from clpy.device.base cimport Device
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport (CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION,
                               CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_HOST_NO_ACCESS,
                               CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_IMMUTABLE_EXT,
                               CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_MEM_OBJECT_BUFFER, CL_MEM_READ_ONLY,
                               CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, CL_MEM_WRITE_ONLY, CL_OUT_OF_HOST_MEMORY,
                               CL_SUCCESS)


cdef inline Mem *store_of(Mem *mem) noexcept nogil:
    while mem.parent != NULL:
        mem = mem.parent
    return mem


# ---- making and ending

cdef void fill_from(Mem *mem, const void *host_ptr) noexcept nogil:
    cdef CopyJob job
    job.dst = <unsigned char *>mem.data
    job.src = <const unsigned char *>host_ptr
    job.size = mem.size
    copy_part(&job, 0, 1)


cdef cl_int mem_new(Context *ctx, cl_mem_object_type type, cl_mem_flags flags, size_t n_properties,
                    const cl_mem_properties *properties, Mem **out) noexcept nogil:
    cdef Mem *mem = <Mem *>object_new(KIND_MEM)
    if mem == NULL:
        return CL_OUT_OF_HOST_MEMORY
    object_hold(ctx)
    mem.context = ctx
    mem.type = type
    mem.flags = flags
    if n_properties:
        mem.properties = <cl_mem_properties *>malloc(n_properties * sizeof(cl_mem_properties))
        if mem.properties == NULL:
            object_drop(mem)
            return CL_OUT_OF_HOST_MEMORY
        memcpy(mem.properties, properties, n_properties * sizeof(cl_mem_properties))
        mem.n_properties = n_properties
    out[0] = mem
    return CL_SUCCESS


cdef cl_int mem_take_store(Mem *mem, size_t size, void *host_ptr, External *external) noexcept nogil:
    cdef Device *dev = mem.context.devices[0]
    mem.size = size
    if external != NULL:
        mem.external = external
        mem.data = external.address
        return CL_SUCCESS
    if mem.flags & CL_MEM_USE_HOST_PTR:
        mem.host_ptr = mem.data = host_ptr
    else:
        mem.data = dev.ops.alloc(dev, size)
        if mem.data == NULL:
            return CL_MEM_OBJECT_ALLOCATION_FAILURE
        mem.owns_data = 1
    if mem_is_on_host(mem) and context_has_times(mem.context):
        pinned_add(mem)
    if mem.flags & CL_MEM_COPY_HOST_PTR:
        fill_from(mem, host_ptr)
    return CL_SUCCESS


cdef cl_int buffer_new(Context *ctx, size_t n_properties, const cl_mem_properties *properties, cl_mem_flags flags,
                       size_t size, void *host_ptr, External *external, Store *store, Mem **out) noexcept nogil:
    cdef Mem *mem = NULL
    cdef cl_int err = mem_new(ctx, CL_MEM_OBJECT_BUFFER, flags, n_properties, properties, &mem)
    if err == CL_SUCCESS and store != NULL:
        mem.size, mem.store, mem.data = size, store, store.data
        if flags & CL_MEM_COPY_HOST_PTR:
            fill_from(mem, host_ptr)
    elif err == CL_SUCCESS:
        err = mem_take_store(mem, size, host_ptr, external)
    if err != CL_SUCCESS:
        if mem != NULL:
            object_drop(mem)
        return err
    out[0] = mem
    return CL_SUCCESS


cdef cl_mem_flags inherited_flags(cl_mem_flags flags, cl_mem_flags parent) noexcept nogil:
    cdef cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | MEM_NO_ACCESS
    cdef cl_mem_flags host_access = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS
    # "If ... not specified in flags, they are inherited from the corresponding memory access qualifiers"
    if flags & access == 0:
        flags |= parent & access
    if flags & host_access == 0 and not parent & MEM_UNRESTRICTED:
        flags |= parent & host_access
    return flags | (parent & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR
                              | CL_MEM_IMMUTABLE_EXT | MEM_IS_VISIBLE))


cdef cl_int sub_buffer_new(Mem *parent, cl_mem_flags flags, size_t origin, size_t size, Mem **out) noexcept nogil:
    cdef Mem *mem = NULL
    cdef cl_int err = mem_new(parent.context, CL_MEM_OBJECT_BUFFER, inherited_flags(flags, parent.flags), 0, NULL,
                              &mem)
    if err != CL_SUCCESS:
        return err
    object_hold(parent)
    mem.parent = parent
    mem.origin = origin
    mem.size = size
    mem.data = <unsigned char *>parent.data + origin
    if parent.host_ptr != NULL:
        mem.host_ptr = <unsigned char *>parent.host_ptr + origin
    out[0] = mem
    return CL_SUCCESS


cdef cl_int mem_on_destroy(Mem *mem, mem_destructor_fn fn, void *user_data) noexcept nogil:
    return destructor_add(&mem.destructors, <destructor_fn>fn, user_data)


cdef void forget_mappings(Mem *store, const Mem *owner) noexcept nogil:
    """What was mapped of `owner` and never unmapped."""
    cdef Mapping **link = &store.mappings
    cdef Mapping *map
    while link[0] != NULL:
        map = link[0]
        if map.owner == owner:
            link[0] = map.next
            free(map)
        else:
            link = &map.next


cdef void mem_destroy(clpy_object *obj) noexcept nogil:
    cdef Mem *mem = <Mem *>obj
    cdef Mem *store = store_of(mem)
    cdef Device *dev
    if mem.context == NULL:
        return                   # not finished by its maker
    mutex_lock(&store.lock)
    forget_mappings(store, mem)
    mutex_unlock(&store.lock)
    pinned_remove(mem)
    # The storage goes first where it is ours; a host pointer is the application's again when the callbacks say so.
    if mem.owns_data:
        dev = mem.context.devices[0]
        dev.ops.free(dev, mem.data, mem.size)
    if mem.external != NULL:
        external_free(mem.external, False)
    if mem.store != NULL:
        mem.store.release(mem.store)
    destructors_run(mem.destructors, mem)
    free(mem.properties)
    if mem.parent != NULL:
        object_drop(mem.parent)
    object_drop(mem.context)


# ---- mapping

cdef inline bint writes(cl_map_flags flags) noexcept nogil:
    return flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0


cdef bint boxes_meet(const MapBox *a, const MapBox *b) noexcept nogil:
    cdef int i
    for i in range(3):
        if a.origin[i] >= b.origin[i] + b.region[i] or b.origin[i] >= a.origin[i] + a.region[i]:
            return False
    return a.level == b.level


cdef bint overlap(const Mapping *a, const Mapping *b) noexcept nogil:
    if a.offset >= b.offset + b.size or b.offset >= a.offset + a.size:
        return False
    # Two regions of one image may lie beside each other in the same rows; of different objects the bytes decide.
    return not (a.owner == b.owner and a.is_box and b.is_box) or boxes_meet(&a.box, &b.box)


cdef cl_int mem_map(Mem *mem, size_t offset, size_t size, cl_map_flags flags) noexcept nogil:
    return mem_map_box(mem, offset, size, NULL, flags)


cdef cl_int mem_map_box(Mem *mem, size_t offset, size_t size, const MapBox *box, cl_map_flags flags) noexcept nogil:
    cdef Mem *store = store_of(mem)
    cdef Mapping *other
    cdef Mapping *map = <Mapping *>malloc(sizeof(Mapping))
    if map == NULL:
        return CL_OUT_OF_HOST_MEMORY
    map.owner = mem
    map.ptr = <unsigned char *>mem.data + offset
    map.offset = <size_t>(<unsigned char *>map.ptr - <unsigned char *>store.data)
    map.size = size
    map.is_box = box != NULL
    if box != NULL:
        map.box = box[0]
    map.flags = flags
    mutex_lock(&store.lock)
    other = store.mappings if writes(flags) else NULL
    while other != NULL:
        # CL_INVALID_OPERATION "if mapping would lead to overlapping regions being mapped for writing"
        if writes(other.flags) and overlap(map, other):
            break
        other = other.next
    if other == NULL:
        map.next = store.mappings
        store.mappings = map
    mutex_unlock(&store.lock)
    if other != NULL:
        free(map)
        return CL_INVALID_OPERATION
    atomic_add_i32(&mem.map_count, 1)
    return CL_SUCCESS


cdef Mapping **find(Mem *store, const Mem *owner, const void *ptr) noexcept nogil:
    """The link that leads to the mapping, or to NULL; under the lock."""
    cdef Mapping **link = &store.mappings
    while link[0] != NULL and not (link[0].owner == owner and link[0].ptr == ptr):
        link = &link[0].next
    return link


cdef bint mem_is_mapped(Mem *mem, const void *ptr) noexcept nogil:
    cdef Mem *store = store_of(mem)
    cdef bint found
    mutex_lock(&store.lock)
    found = find(store, mem, ptr)[0] != NULL
    mutex_unlock(&store.lock)
    return found


cdef cl_int mem_unmap(Mem *mem, const void *ptr, cl_map_flags *flags, size_t *size) noexcept nogil:
    cdef Mem *store = store_of(mem)
    cdef Mapping **link
    cdef Mapping *map
    mutex_lock(&store.lock)
    link = find(store, mem, ptr)
    map = link[0]
    if map != NULL:
        link[0] = map.next
    mutex_unlock(&store.lock)
    if map == NULL:
        return CL_INVALID_VALUE
    if flags != NULL:
        flags[0], size[0] = map.flags, map.size
    free(map)
    atomic_add_i32(&mem.map_count, -1)
    return CL_SUCCESS


if kind_register(KIND_MEM, sizeof(Mem), mem_destroy) != CL_SUCCESS:
    raise MemoryError("no address space for memory objects")
