# SPDX-License-Identifier: Apache-2.0
"""Reading, writing, copying, filling and mapping images: the argument checks of clEnqueue*Image* and kin.

The order of the checks is that of the specification's lists: queue, memory object (its context comes after it),
context, formats, values, mip level, wait list, alignment of sub-buffers, limits of the device, overlap, host access.
"""
from libc.stdint cimport uint32_t
from libc.string cimport memcpy
from clpy.api.check cimport in_range, map_flags_are_valid
from clpy.cl cimport cl_command_queue, cl_int, cl_map_flags, cl_mem, cl_mem_flags, cl_mem_object_type
from clpy.core.command cimport Queue, Wait, check_wait
from clpy.core.copy cimport RectFillJob, RectJob
from clpy.core.image cimport (ImageBox, image_box, image_dimensions, image_extent, image_fits, image_levels,
                              is_image_type, pixels_bytes)
from clpy.core.image_format cimport format_pack
from clpy.core.memory cimport MapBox, Mem, mem_map_box, mem_unmap
from clpy.core.object cimport KIND_MEM, KIND_QUEUE, object_is
from clpy.core.transfer cimport map_flow, submit_nothing, submit_rect, submit_rect_fill
from clpy.spec.consts cimport (CL_COMMAND_COPY_BUFFER_TO_IMAGE, CL_COMMAND_COPY_IMAGE, CL_COMMAND_COPY_IMAGE_TO_BUFFER,
                               CL_COMMAND_FILL_IMAGE, CL_COMMAND_MAP_IMAGE, CL_COMMAND_READ_IMAGE,
                               CL_COMMAND_WRITE_IMAGE, CL_IMAGE_FORMAT_MISMATCH, CL_INVALID_COMMAND_QUEUE,
                               CL_INVALID_CONTEXT, CL_INVALID_IMAGE_SIZE, CL_INVALID_MEM_OBJECT, CL_INVALID_MIP_LEVEL,
                               CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_MAP_READ, CL_MAP_WRITE,
                               CL_MAP_WRITE_INVALIDATE_REGION, CL_MEM_COPY_OVERLAP, CL_MEM_HOST_NO_ACCESS,
                               CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_IMMUTABLE_EXT,
                               CL_MEM_OBJECT_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER,
                               CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_SUCCESS)

cdef extern from * nogil:
    bint mul_overflow "__builtin_mul_overflow"(size_t a, size_t b, size_t *product)

cdef cl_mem_flags NOT_READABLE = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS   # by the host
cdef cl_map_flags MAP_TO_WRITE = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION
cdef cl_mem_flags NOT_WRITABLE = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT


# ---- shared checks

cdef cl_int check_image(cl_command_queue queue, cl_mem image) noexcept nogil:
    if not object_is(queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if not object_is(image, KIND_MEM) or not is_image_type((<Mem *>image).type):
        return CL_INVALID_MEM_OBJECT
    if (<Mem *>image).context != (<Queue *>queue).context:
        return CL_INVALID_CONTEXT
    return CL_SUCCESS


cdef cl_int check_level(const Mem *image, const size_t *origin, int dimensions, uint32_t *level) noexcept nogil:
    """The coordinate behind the last one: 0, or the mip level of a mipmapped image."""
    cdef int i = dimensions
    level[0] = 0
    if image_levels(image) > 1:
        if origin[i] >= image_levels(image):
            return CL_INVALID_MIP_LEVEL
        level[0] = <uint32_t>origin[i]
        i += 1
    while i < 3:
        if origin[i] != 0:
            return CL_INVALID_VALUE
        i += 1
    return CL_SUCCESS


cdef cl_int check_region(const Mem *image, const size_t *origin, const size_t *region, uint32_t *level) noexcept nogil:
    """CL_INVALID_VALUE: a rule for origin and region is broken, or the region is out of bounds."""
    cdef int i, dimensions = image_dimensions(image.type)
    cdef size_t extent[3]
    cdef cl_int err
    if origin == NULL or region == NULL:
        return CL_INVALID_VALUE
    # Pixels that share bytes go together.
    if image.row.group > 1 and (origin[0] % image.row.group or region[0] % image.row.group):
        return CL_INVALID_VALUE
    for i in range(3):
        # "The values in region cannot be 0", and those beyond the dimensions "must be 1"
        if region[i] == 0 or (i >= dimensions and region[i] != 1):
            return CL_INVALID_VALUE
    err = check_level(image, origin, dimensions, level)
    if err != CL_SUCCESS:
        return err
    image_extent(image, level[0], extent)
    for i in range(dimensions):
        if not in_range(origin[i], region[i], extent[i]):
            return CL_INVALID_VALUE
    return CL_SUCCESS


cdef bint rules_hold(cl_int err) noexcept nogil:
    """What is left to check of the values comes before the level, which check_region() looks at too."""
    return err == CL_SUCCESS or err == CL_INVALID_MIP_LEVEL


cdef cl_int check_device(const Queue *q, const Mem *image) noexcept nogil:
    """"if the dimensions for image [...] are not supported by the device associated with command_queue"."""
    # An image of planes is no box of pixels: its planes are.
    if not q.device.has_images or image.row.n_planes:
        return CL_INVALID_OPERATION
    return CL_SUCCESS if image_fits(q.device, &image.desc) else CL_INVALID_IMAGE_SIZE


# ---- read, write

cdef bint host_box(const Mem *image, const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr,
                   ImageBox *box) noexcept nogil:
    """The application's side. False: a rule for pitches is broken."""
    cdef cl_mem_object_type type = image.type
    cdef size_t least
    box.at = <unsigned char *>ptr
    box.region[0] = pixels_bytes(image.row, region[0])
    box.region[1], box.region[2] = region[1], region[2]
    box.row = row_pitch if row_pitch else box.region[0]
    if box.row < box.region[0]:
        return False
    # A layer of a 1D array is one row, so the pitch between layers is that of its second coordinate.
    least = box.row
    if type == CL_MEM_OBJECT_IMAGE1D_ARRAY:
        box.row = slice_pitch if slice_pitch else least
        box.slice = 0
        return box.row >= least
    if mul_overflow(box.row, region[1], &least):
        return False
    box.slice = slice_pitch if slice_pitch else least
    # "if image is a 1D or 2D image and slice_pitch [...] is not zero"
    return box.slice >= least and (slice_pitch == 0 or image_dimensions(type) == 3)


cdef void fill_job(RectJob *job, const ImageBox *to, const ImageBox *origin) noexcept nogil:
    job.dst, job.src = to.at, origin.at
    memcpy(job.region, to.region, sizeof(job.region))
    job.dst_row, job.dst_slice = to.row, to.slice
    job.src_row, job.src_slice = origin.row, origin.slice


cdef cl_int read_or_write(cl_command_queue queue, cl_mem image, const size_t *origin, const size_t *region,
                          size_t row_pitch, size_t slice_pitch, void *ptr, bint is_write,
                          const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>queue
    cdef Mem *mem = <Mem *>image
    cdef ImageBox inside, outside
    cdef RectJob job
    cdef uint32_t level = 0
    cdef cl_int err = check_image(queue, image)
    if err == CL_SUCCESS:
        err = check_region(mem, origin, region, &level)
    if rules_hold(err) and (ptr == NULL or not host_box(mem, region, row_pitch, slice_pitch, ptr, &outside)):
        err = CL_INVALID_VALUE
    if err == CL_SUCCESS:
        err = check_wait(q.context, wait)
    if err == CL_SUCCESS:
        err = check_device(q, mem)
    if err == CL_SUCCESS and mem.flags & (NOT_WRITABLE if is_write else NOT_READABLE):
        err = CL_INVALID_OPERATION
    if err != CL_SUCCESS:
        return err
    image_box(mem, origin, region, level, &inside)
    if is_write:
        fill_job(&job, &inside, &outside)
        return submit_rect(q, CL_COMMAND_WRITE_IMAGE, &job, mem, NULL, wait)
    fill_job(&job, &outside, &inside)
    return submit_rect(q, CL_COMMAND_READ_IMAGE, &job, mem, NULL, wait)


cdef cl_int enqueue_read_image(cl_command_queue command_queue, cl_mem image, const size_t *origin, const size_t *region,
                               size_t row_pitch, size_t slice_pitch, void *ptr, const Wait *wait) noexcept nogil:
    return read_or_write(command_queue, image, origin, region, row_pitch, slice_pitch, ptr, False, wait)


cdef cl_int enqueue_write_image(cl_command_queue command_queue, cl_mem image, const size_t *origin,
                                const size_t *region, size_t input_row_pitch, size_t input_slice_pitch, const void *ptr,
                                const Wait *wait) noexcept nogil:
    return read_or_write(command_queue, image, origin, region, input_row_pitch, input_slice_pitch, <void *>ptr, True,
                         wait)


# ---- copy

cdef bint regions_overlap(const size_t *a, const size_t *b, const size_t *region) noexcept nogil:
    cdef int i
    for i in range(3):
        if a[i] >= b[i] + region[i] or b[i] >= a[i] + region[i]:
            return False
    return True


cdef cl_int copy_image(cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *src_origin,
                       const size_t *dst_origin, const size_t *region, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>queue
    cdef Mem *a = <Mem *>src
    cdef Mem *b = <Mem *>dst
    cdef ImageBox source, target
    cdef RectJob job
    cdef uint32_t level = 0, dst_level = 0
    cdef cl_int other, err = check_image(queue, src)
    if err == CL_SUCCESS:
        err = check_image(queue, dst)
    if err == CL_SUCCESS and (a.format.image_channel_order != b.format.image_channel_order
                              or a.format.image_channel_data_type != b.format.image_channel_data_type):
        err = CL_IMAGE_FORMAT_MISMATCH
    if err == CL_SUCCESS and dst_origin == NULL:
        err = CL_INVALID_VALUE
    if err == CL_SUCCESS:
        err = check_region(a, src_origin, region, &level)
    if rules_hold(err):
        other = check_region(b, dst_origin, region, &dst_level)
        err = other if other != CL_SUCCESS else err
    if err == CL_SUCCESS:
        err = check_wait(q.context, wait)
    if err == CL_SUCCESS:
        err = check_device(q, a)
    if err == CL_SUCCESS:
        err = check_device(q, b)
    # "if src_image and dst_image are the same image object and the source and destination regions overlap"
    if err == CL_SUCCESS and a == b and level == dst_level and regions_overlap(src_origin, dst_origin, region):
        err = CL_MEM_COPY_OVERLAP
    if err == CL_SUCCESS and b.flags & CL_MEM_IMMUTABLE_EXT:
        err = CL_INVALID_OPERATION
    if err != CL_SUCCESS:
        return err
    image_box(a, src_origin, region, level, &source)
    image_box(b, dst_origin, region, dst_level, &target)
    fill_job(&job, &target, &source)
    return submit_rect(q, CL_COMMAND_COPY_IMAGE, &job, a, b, wait)


cdef cl_int check_image_and_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer) noexcept nogil:
    cdef cl_int err = check_image(queue, image)
    if err != CL_SUCCESS:
        return err
    if not object_is(buffer, KIND_MEM) or (<Mem *>buffer).type != CL_MEM_OBJECT_BUFFER:
        return CL_INVALID_MEM_OBJECT
    if (<Mem *>buffer).context != (<Queue *>queue).context:
        return CL_INVALID_CONTEXT
    # "if [the image] is a 1D image buffer object created from [the buffer]"
    if (<Mem *>image).type == CL_MEM_OBJECT_IMAGE1D_BUFFER and (<Mem *>image).parent == <Mem *>buffer:
        return CL_INVALID_MEM_OBJECT
    return CL_SUCCESS


cdef cl_int copy_image_and_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t *origin,
                                  const size_t *region, size_t offset, bint to_buffer,
                                  const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>queue
    cdef Mem *mem = <Mem *>image
    cdef Mem *flat = <Mem *>buffer
    cdef ImageBox inside, outside
    cdef RectJob job
    cdef uint32_t level = 0
    cdef cl_int err = check_image_and_buffer(queue, image, buffer)
    if err == CL_SUCCESS:
        err = check_region(mem, origin, region, &level)
    # "if the region specified by [the] offset and the computed [size] is out of bounds of [the] buffer"
    if rules_hold(err) and not in_range(offset, pixels_bytes(mem.row, region[0]) * region[1] * region[2], flat.size):
        err = CL_INVALID_VALUE
    if err == CL_SUCCESS:
        err = check_wait(q.context, wait)
    if err == CL_SUCCESS and flat.parent != NULL and flat.origin % q.device.mem_base_align_bytes != 0:
        err = CL_MISALIGNED_SUB_BUFFER_OFFSET
    if err == CL_SUCCESS:
        err = check_device(q, mem)
    if err == CL_SUCCESS and (flat if to_buffer else mem).flags & CL_MEM_IMMUTABLE_EXT:
        err = CL_INVALID_OPERATION
    if err != CL_SUCCESS:
        return err
    image_box(mem, origin, region, level, &inside)
    outside.at = <unsigned char *>flat.data + offset
    memcpy(outside.region, inside.region, sizeof(outside.region))
    outside.row = inside.region[0]
    outside.slice = outside.row * region[1]
    if to_buffer:
        fill_job(&job, &outside, &inside)
        return submit_rect(q, CL_COMMAND_COPY_IMAGE_TO_BUFFER, &job, mem, flat, wait)
    fill_job(&job, &inside, &outside)
    return submit_rect(q, CL_COMMAND_COPY_BUFFER_TO_IMAGE, &job, flat, mem, wait)


cdef cl_int copy_image_to_buffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
                                 const size_t *src_origin, const size_t *region, size_t dst_offset,
                                 const Wait *wait) noexcept nogil:
    return copy_image_and_buffer(command_queue, src_image, dst_buffer, src_origin, region, dst_offset, True, wait)


cdef cl_int copy_buffer_to_image(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image, size_t src_offset,
                                 const size_t *dst_origin, const size_t *region, const Wait *wait) noexcept nogil:
    return copy_image_and_buffer(command_queue, dst_image, src_buffer, dst_origin, region, src_offset, False, wait)


# ---- fill

cdef cl_int fill_image(cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
                       const size_t *region, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>queue
    cdef Mem *mem = <Mem *>image
    cdef ImageBox box
    cdef RectFillJob job
    cdef uint32_t level = 0
    cdef cl_int err = check_image(queue, image)
    if err == CL_SUCCESS and color == NULL:
        err = CL_INVALID_VALUE
    if err == CL_SUCCESS:
        err = check_region(mem, origin, region, &level)
    if err == CL_SUCCESS:
        err = check_wait(q.context, wait)
    if err == CL_SUCCESS:
        err = check_device(q, mem)
    if err == CL_SUCCESS and mem.flags & CL_MEM_IMMUTABLE_EXT:
        err = CL_INVALID_OPERATION
    if err != CL_SUCCESS:
        return err
    image_box(mem, origin, region, level, &box)
    job.dst = box.at
    memcpy(job.region, box.region, sizeof(job.region))
    job.row, job.slice = box.row, box.slice
    job.pattern_size = mem.row.group_bytes
    format_pack(mem.row, color, job.pattern)
    return submit_rect_fill(q, CL_COMMAND_FILL_IMAGE, &job, mem, wait)


# ---- map

cdef cl_int check_map(const Queue *q, const Mem *mem, cl_map_flags flags, const Wait *wait) noexcept nogil:
    """What comes after the values."""
    cdef cl_mem_flags forbidden = 0
    cdef cl_int err = check_wait(q.context, wait)
    if err == CL_SUCCESS:
        err = check_device(q, mem)
    if err != CL_SUCCESS:
        return err
    if flags & CL_MAP_READ:
        forbidden |= NOT_READABLE
    if flags & MAP_TO_WRITE:
        forbidden |= NOT_WRITABLE
    return CL_INVALID_OPERATION if mem.flags & forbidden else CL_SUCCESS


cdef void *enqueue_map_image(cl_command_queue command_queue, cl_mem image, cl_map_flags map_flags, const size_t *origin,
                             const size_t *region, size_t *image_row_pitch, size_t *image_slice_pitch, const Wait *wait,
                             cl_int *errcode_ret) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef Mem *mem = <Mem *>image
    cdef MapBox what
    cdef ImageBox box
    cdef size_t size
    cdef cl_int err = check_image(command_queue, image)
    if err == CL_SUCCESS:
        err = check_region(mem, origin, region, &what.level)
    # Whatever else is wrong: the conformance suite asks without a place for the pitch.
    if err == CL_SUCCESS and mem.flags & CL_MEM_IMMUTABLE_EXT and map_flags & MAP_TO_WRITE:
        err = CL_INVALID_OPERATION
    # "if image_row_pitch is NULL", "if image is a 1D or 2D image array object [or] a 3D [image] and image_slice_pitch
    # is NULL"
    if rules_hold(err) and (not map_flags_are_valid(map_flags) or image_row_pitch == NULL
                            or (image_slice_pitch == NULL and mem.view.slice_pitch != 0)):
        err = CL_INVALID_VALUE
    if err == CL_SUCCESS:
        err = check_map(q, mem, map_flags, wait)
    if err == CL_SUCCESS:
        memcpy(what.origin, origin, sizeof(what.origin))
        memcpy(what.region, region, sizeof(what.region))
        image_box(mem, origin, region, what.level, &box)
        size = (region[2] - 1) * box.slice + (region[1] - 1) * box.row + box.region[0]
        err = mem_map_box(mem, <size_t>(box.at - <unsigned char *>mem.data), size, &what, map_flags)
    if err == CL_SUCCESS:
        err = submit_nothing(q, CL_COMMAND_MAP_IMAGE, map_flow(map_flags), size, 1, &mem, wait)
        if err != CL_SUCCESS:
            mem_unmap(mem, box.at, NULL, NULL)
    if err != CL_SUCCESS:
        errcode_ret[0] = err
        return NULL
    image_row_pitch[0] = box.row_pitch
    if image_slice_pitch != NULL:
        image_slice_pitch[0] = box.slice if mem.view.slice_pitch else 0
    return box.at
