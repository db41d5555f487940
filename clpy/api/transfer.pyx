# SPDX-License-Identifier: Apache-2.0
"""Reading, writing, copying, filling, mapping and migrating buffers: the argument checks of clEnqueue*Buffer* and kin.

The order of the checks is that of the specification's lists: queue, memory object (its context comes after it),
context, values, wait list, alignment of sub-buffers, host access.
"""
from libc.string cimport memcpy
from clpy.api.check cimport in_range, map_flags_are_valid, pattern_size_is_valid
from clpy.cl cimport (cl_command_queue, cl_command_type, cl_int, cl_map_flags, cl_mem, cl_mem_flags,
                      cl_mem_migration_flags, cl_uint)
from clpy.core.command cimport Queue, Wait, check_wait
from clpy.core.copy cimport CopyJob, FillJob, RectJob
from clpy.core.memory cimport Mem, mem_is_mapped, mem_map, mem_unmap
from clpy.core.memory_flags cimport MEM_NOT_READ
from clpy.core.object cimport KIND_MEM, KIND_QUEUE, object_is
from clpy.core.transfer cimport (map_flow, migrate_flow, submit_copy, submit_fill, submit_nothing, submit_rect,
                                 unmap_flow)
from clpy.spec.consts cimport (CL_COMMAND_COPY_BUFFER, CL_COMMAND_COPY_BUFFER_RECT, CL_COMMAND_FILL_BUFFER,
                               CL_COMMAND_MAP_BUFFER, CL_COMMAND_MIGRATE_MEM_OBJECT_EXT,
                               CL_COMMAND_MIGRATE_MEM_OBJECTS, CL_COMMAND_READ_BUFFER,
                               CL_COMMAND_READ_BUFFER_RECT, CL_COMMAND_UNMAP_MEM_OBJECT, CL_COMMAND_WRITE_BUFFER,
                               CL_COMMAND_WRITE_BUFFER_RECT, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,
                               CL_INVALID_MEM_OBJECT, CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_MAP_READ,
                               CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_MEM_COPY_OVERLAP,
                               CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY,
                               CL_MEM_IMMUTABLE_EXT, CL_MEM_OBJECT_BUFFER, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
                               CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_HOST_EXT,
                               CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_SUCCESS)

cdef extern from * nogil:
    bint mul_overflow "__builtin_mul_overflow"(size_t a, size_t b, size_t *product)
    bint add_overflow "__builtin_add_overflow"(size_t a, size_t b, size_t *sum)

cdef cl_mem_flags NOT_READABLE = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS | MEM_NOT_READ      # by the host
cdef cl_mem_flags NOT_WRITABLE = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT


# ---- shared checks

cdef inline cl_int check_queue_and_buffer(cl_command_queue queue, cl_mem buffer) noexcept nogil:
    if not object_is(queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if not object_is(buffer, KIND_MEM) or (<Mem *>buffer).type != CL_MEM_OBJECT_BUFFER:
        return CL_INVALID_MEM_OBJECT
    if (<Mem *>buffer).context != (<Queue *>queue).context:
        return CL_INVALID_CONTEXT
    return CL_SUCCESS


cdef inline cl_int check_two_buffers(cl_command_queue queue, cl_mem src, cl_mem dst) noexcept nogil:
    cdef cl_int err = check_queue_and_buffer(queue, src)
    if err == CL_SUCCESS:
        err = check_queue_and_buffer(queue, dst)
    if err == CL_SUCCESS and (misaligned(<Queue *>queue, <Mem *>src) or misaligned(<Queue *>queue, <Mem *>dst)):
        err = CL_MISALIGNED_SUB_BUFFER_OFFSET
    return err


cdef inline bint misaligned(const Queue *q, const Mem *mem) noexcept nogil:
    """A sub-buffer may be aligned for another device of the context only."""
    return mem.parent != NULL and mem.origin % q.device.mem_base_align_bytes != 0


cdef inline cl_int check_rest(Queue *q, Mem *mem, const Wait *wait, cl_mem_flags forbidden) noexcept nogil:
    """What comes after the values: wait list, alignment, and flags that rule the call out."""
    cdef cl_int err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    if misaligned(q, mem):
        return CL_MISALIGNED_SUB_BUFFER_OFFSET
    return CL_INVALID_OPERATION if mem.flags & forbidden else CL_SUCCESS


# ---- linear

cdef cl_int read_or_write(cl_command_queue queue, cl_mem buffer, size_t offset, size_t size, void *ptr, bint is_write,
                          const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>queue
    cdef Mem *mem = <Mem *>buffer
    cdef CopyJob job
    cdef cl_int err = check_queue_and_buffer(queue, buffer)
    if err != CL_SUCCESS:
        return err
    # "if the region being read or written specified by offset and size is out of bounds", "if ptr is NULL"
    if not in_range(offset, size, mem.size) or ptr == NULL:
        return CL_INVALID_VALUE
    err = check_rest(q, mem, wait, NOT_WRITABLE if is_write else NOT_READABLE)
    if err != CL_SUCCESS:
        return err
    job.size = size
    if is_write:
        job.dst = <unsigned char *>mem.data + offset
        job.src = <const unsigned char *>ptr
        return submit_copy(q, CL_COMMAND_WRITE_BUFFER, &job, mem, NULL, wait)
    job.dst = <unsigned char *>ptr
    job.src = <const unsigned char *>mem.data + offset
    return submit_copy(q, CL_COMMAND_READ_BUFFER, &job, mem, NULL, wait)


cdef cl_int enqueue_read_buffer(cl_command_queue command_queue, cl_mem buffer, size_t offset, size_t size, void *ptr,
                                const Wait *wait) noexcept nogil:
    return read_or_write(command_queue, buffer, offset, size, ptr, False, wait)


cdef cl_int enqueue_write_buffer(cl_command_queue command_queue, cl_mem buffer, size_t offset, size_t size,
                                 const void *ptr, const Wait *wait) noexcept nogil:
    return read_or_write(command_queue, buffer, offset, size, <void *>ptr, True, wait)


cdef cl_int copy_buffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
                        size_t dst_offset, size_t size, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef Mem *src = <Mem *>src_buffer
    cdef Mem *dst = <Mem *>dst_buffer
    cdef size_t src_at, dst_at
    cdef CopyJob job
    cdef cl_int err = check_two_buffers(command_queue, src_buffer, dst_buffer)
    if err != CL_SUCCESS:
        return err
    if not in_range(src_offset, size, src.size) or not in_range(dst_offset, size, dst.size):
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    if store_of(src) == store_of(dst):
        src_at, dst_at = src.origin + src_offset, dst.origin + dst_offset
        if src_at < dst_at + size and dst_at < src_at + size:
            return CL_MEM_COPY_OVERLAP
    if dst.flags & CL_MEM_IMMUTABLE_EXT:
        return CL_INVALID_OPERATION
    job.dst = <unsigned char *>dst.data + dst_offset
    job.src = <const unsigned char *>src.data + src_offset
    job.size = size
    return submit_copy(q, CL_COMMAND_COPY_BUFFER, &job, src, dst, wait)


cdef inline const Mem *store_of(const Mem *mem) noexcept nogil:
    return mem.parent if mem.parent != NULL else mem


cdef cl_int fill_buffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                        size_t offset, size_t size, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef Mem *mem = <Mem *>buffer
    cdef FillJob job
    cdef cl_int err = check_queue_and_buffer(command_queue, buffer)
    if err != CL_SUCCESS:
        return err
    if not in_range(offset, size, mem.size) or pattern == NULL:
        return CL_INVALID_VALUE
    if not pattern_size_is_valid(pattern_size) or offset % pattern_size or size % pattern_size:
        return CL_INVALID_VALUE
    err = check_rest(q, mem, wait, CL_MEM_IMMUTABLE_EXT)
    if err != CL_SUCCESS:
        return err
    job.dst = <unsigned char *>mem.data + offset
    job.size = size
    job.pattern_size = pattern_size
    memcpy(job.pattern, pattern, pattern_size)
    return submit_fill(q, CL_COMMAND_FILL_BUFFER, &job, mem, wait)


# ---- rectangular

cdef struct Box:                 # one side of a rectangular transfer
    size_t row, slice            # pitches, defaults filled in
    size_t begin, end            # first byte, and the byte after the last


cdef bint box_of(const size_t *origin, const size_t *region, size_t row, size_t slice, Box *box) noexcept nogil:
    """Fill in the pitches and the extent. False: a rule for pitches is broken, or the numbers do not fit size_t."""
    cdef size_t least, at, last, x
    if row == 0:
        row = region[0]
    elif row < region[0]:
        return False
    if mul_overflow(region[1], row, &least):
        return False
    if slice == 0:
        slice = least
    elif slice < least or slice % row != 0:
        return False
    box.row, box.slice = row, slice
    if mul_overflow(origin[2], slice, &at) or mul_overflow(origin[1], row, &x) or add_overflow(at, x, &at) \
            or add_overflow(at, origin[0], &box.begin):
        return False
    if mul_overflow(region[2] - 1, slice, &last) or mul_overflow(region[1] - 1, row, &x) \
            or add_overflow(last, x, &last) or add_overflow(last, region[0], &last):
        return False
    return not add_overflow(box.begin, last, &box.end)


cdef inline bint bad_region(const size_t *a, const size_t *b, const size_t *region) noexcept nogil:
    return a == NULL or b == NULL or region == NULL or region[0] == 0 or region[1] == 0 or region[2] == 0


cdef void fill_rect(RectJob *job, const size_t *region, void *dst, const Box *to, const void *src,
                    const Box *origin) noexcept nogil:
    job.dst = <unsigned char *>dst + to.begin
    job.src = <const unsigned char *>src + origin.begin
    memcpy(job.region, region, sizeof(job.region))
    job.dst_row, job.dst_slice = to.row, to.slice
    job.src_row, job.src_slice = origin.row, origin.slice


cdef cl_int read_or_write_rect(cl_command_queue queue, cl_mem buffer, const size_t *buffer_origin,
                               const size_t *host_origin, const size_t *region, const size_t *pitches, void *ptr,
                               bint is_write, const Wait *wait) noexcept nogil:
    """`pitches`: buffer row, buffer slice, host row, host slice."""
    cdef Queue *q = <Queue *>queue
    cdef Mem *mem = <Mem *>buffer
    cdef Box device, host
    cdef RectJob job
    cdef cl_int err = check_queue_and_buffer(queue, buffer)
    if err != CL_SUCCESS:
        return err
    if bad_region(buffer_origin, host_origin, region) or ptr == NULL:
        return CL_INVALID_VALUE
    if not box_of(buffer_origin, region, pitches[0], pitches[1], &device) or device.end > mem.size:
        return CL_INVALID_VALUE
    if not box_of(host_origin, region, pitches[2], pitches[3], &host):
        return CL_INVALID_VALUE
    err = check_rest(q, mem, wait, NOT_WRITABLE if is_write else NOT_READABLE)
    if err != CL_SUCCESS:
        return err
    if is_write:
        fill_rect(&job, region, mem.data, &device, ptr, &host)
        return submit_rect(q, CL_COMMAND_WRITE_BUFFER_RECT, &job, mem, NULL, wait)
    fill_rect(&job, region, ptr, &host, mem.data, &device)
    return submit_rect(q, CL_COMMAND_READ_BUFFER_RECT, &job, mem, NULL, wait)


cdef cl_int enqueue_read_buffer_rect(cl_command_queue command_queue, cl_mem buffer, const size_t *buffer_origin,
                                     const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
                                     size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
                                     void *ptr, const Wait *wait) noexcept nogil:
    cdef size_t[4] pitches = [buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch]
    return read_or_write_rect(command_queue, buffer, buffer_origin, host_origin, region, pitches, ptr, False, wait)


cdef cl_int enqueue_write_buffer_rect(cl_command_queue command_queue, cl_mem buffer, const size_t *buffer_origin,
                                      const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
                                      size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
                                      const void *ptr, const Wait *wait) noexcept nogil:
    cdef size_t[4] pitches = [buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch]
    return read_or_write_rect(command_queue, buffer, buffer_origin, host_origin, region, pitches, <void *>ptr, True,
                              wait)


cdef inline bint fits_in_gap(size_t a, size_t b, size_t length, size_t pitch) noexcept nogil:
    """Of two runs of `length` that begin at a and b of each period `pitch`: do they never meet?"""
    return (b >= a + length and b + length <= a + pitch) or (a >= b + length and a + length <= b + pitch)


cdef bint boxes_overlap(const Box *src, size_t src_base, const Box *dst, size_t dst_base,
                        const size_t *region) noexcept nogil:
    """The specification's appendix "Checking for Memory Copy Overlap", with both boxes placed in the same store."""
    cdef size_t src_at = src_base + src.begin, dst_at = dst_base + dst.begin
    if dst_base + dst.end <= src_at or src_base + src.end <= dst_at:
        return False
    if src.row != dst.row or src.slice != dst.slice:
        return True              # two sub-buffers with different pitches: the extents decide
    if fits_in_gap(src_at % src.row, dst_at % src.row, region[0], src.row):
        return False
    return not fits_in_gap(src_at % src.slice, dst_at % src.slice, (region[1] - 1) * src.row + region[0], src.slice)


cdef cl_int copy_buffer_rect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                             const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                             size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch,
                             size_t dst_slice_pitch, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef Mem *src = <Mem *>src_buffer
    cdef Mem *dst = <Mem *>dst_buffer
    cdef Box source, target
    cdef RectJob job
    cdef cl_int err = check_two_buffers(command_queue, src_buffer, dst_buffer)
    if err != CL_SUCCESS:
        return err
    if bad_region(src_origin, dst_origin, region):
        return CL_INVALID_VALUE
    if not box_of(src_origin, region, src_row_pitch, src_slice_pitch, &source) or source.end > src.size:
        return CL_INVALID_VALUE
    if not box_of(dst_origin, region, dst_row_pitch, dst_slice_pitch, &target) or target.end > dst.size:
        return CL_INVALID_VALUE
    # "if src_buffer and dst_buffer are the same buffer object and" their row or slice pitches differ
    if src == dst and (source.row != target.row or source.slice != target.slice):
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    if store_of(src) == store_of(dst) and boxes_overlap(&source, src.origin, &target, dst.origin, region):
        return CL_MEM_COPY_OVERLAP
    if dst.flags & CL_MEM_IMMUTABLE_EXT:
        return CL_INVALID_OPERATION
    fill_rect(&job, region, dst.data, &target, src.data, &source)
    return submit_rect(q, CL_COMMAND_COPY_BUFFER_RECT, &job, src, dst, wait)


# ---- mapping, migrating

cdef cl_int check_map(Queue *q, Mem *mem, cl_map_flags flags, size_t offset, size_t size,
                      const Wait *wait) noexcept nogil:
    cdef cl_map_flags to_write = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION
    cdef cl_mem_flags forbidden = MEM_NOT_READ
    # "if the region being mapped ... is out of bounds", "if size is zero", "if values ... in map_flags are not valid"
    if not in_range(offset, size, mem.size) or size == 0:
        return CL_INVALID_VALUE
    if not map_flags_are_valid(flags):
        return CL_INVALID_VALUE
    if flags & CL_MAP_READ:
        forbidden |= NOT_READABLE
    if flags & to_write:
        forbidden |= NOT_WRITABLE
    return check_rest(q, mem, wait, forbidden)


cdef void *enqueue_map_buffer(cl_command_queue command_queue, cl_mem buffer, cl_map_flags map_flags, size_t offset,
                              size_t size, const Wait *wait, cl_int *errcode_ret) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef Mem *mem = <Mem *>buffer
    cdef void *ptr
    cdef cl_int err = check_queue_and_buffer(command_queue, buffer)
    if err == CL_SUCCESS:
        err = check_map(q, mem, map_flags, offset, size, wait)
    if err == CL_SUCCESS:
        err = mem_map(mem, offset, size, map_flags)
    if err != CL_SUCCESS:
        errcode_ret[0] = err
        return NULL
    ptr = <unsigned char *>mem.data + offset
    err = submit_nothing(q, CL_COMMAND_MAP_BUFFER, map_flow(map_flags), size, 1, &mem, wait)
    if err != CL_SUCCESS:
        mem_unmap(mem, ptr, NULL, NULL)
        errcode_ret[0] = err
        return NULL
    return ptr


cdef cl_int enqueue_unmap_mem_object(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                                     const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef Mem *mem = <Mem *>memobj
    cdef cl_map_flags flags = 0
    cdef size_t size = 0
    cdef cl_int err
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if not object_is(memobj, KIND_MEM):
        return CL_INVALID_MEM_OBJECT
    # "if mapped_ptr is not a valid pointer returned by clEnqueueMapBuffer or clEnqueueMapImage for memobj"
    if not mem_is_mapped(mem, mapped_ptr):
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    if mem.context != q.context:
        return CL_INVALID_CONTEXT
    if mem_unmap(mem, mapped_ptr, &flags, &size) != CL_SUCCESS:
        return CL_INVALID_VALUE  # another thread was first
    return submit_nothing(q, CL_COMMAND_UNMAP_MEM_OBJECT, unmap_flow(flags), size, 1, &mem, wait)


cdef cl_int migrate(cl_command_queue command_queue, cl_command_type type, cl_uint num_mem_objects,
                    const cl_mem *mem_objects, cl_mem_migration_flags flags, cl_mem_migration_flags allowed,
                    const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef size_t bytes = 0
    cdef cl_uint i
    cdef cl_int err
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    # The list is CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE; each needs the one after it to hold.
    if num_mem_objects == 0 or mem_objects == NULL:
        return CL_INVALID_VALUE
    for i in range(num_mem_objects):
        if not object_is(mem_objects[i], KIND_MEM):
            return CL_INVALID_MEM_OBJECT
        if (<Mem *>mem_objects[i]).context != q.context:
            return CL_INVALID_CONTEXT
        bytes += (<Mem *>mem_objects[i]).size
    if flags & ~allowed:
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    return submit_nothing(q, type, migrate_flow(flags), bytes, num_mem_objects, <Mem **>mem_objects, wait)


cdef cl_int enqueue_migrate_mem_objects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                        const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                        const Wait *wait) noexcept nogil:
    return migrate(command_queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, num_mem_objects, mem_objects, flags,
                   CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, wait)


cdef cl_int enqueue_migrate_mem_object_ext(cl_command_queue command_queue, cl_uint num_mem_objects,
                                           const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                           const Wait *wait) noexcept nogil:
    return migrate(command_queue, CL_COMMAND_MIGRATE_MEM_OBJECT_EXT, num_mem_objects, mem_objects, flags,
                   CL_MIGRATE_MEM_OBJECT_HOST_EXT, wait)
