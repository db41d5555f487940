# SPDX-License-Identifier: Apache-2.0
"""Launches of the built-in kernels: their ranges are pixels of an image; what runs is a work-group for each macroblock
of them, whose kernel has the range's offset as its own. Buffers that are too small for what is read and written are
found before anything runs.
"""
from libc.stdint cimport int16_t
from libc.string cimport memcpy
from clpy.abi cimport clpy_launch
from clpy.api.info cimport info_u32
from clpy.cl cimport cl_int, cl_uint
from clpy.core.context cimport Context
from clpy.core.kernel cimport ArgValue, Kernel
from clpy.core.memory cimport Mem
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_DEVICE_TYPE_CPU, CL_INVALID_ARG_SIZE, CL_INVALID_ARG_VALUE, CL_INVALID_BUFFER_SIZE,
                               CL_INVALID_GLOBAL_OFFSET, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_IMAGE_SIZE,
                               CL_INVALID_KERNEL_ARGS, CL_INVALID_VALUE, CL_INVALID_WORK_DIMENSION,
                               CL_INVALID_WORK_GROUP_SIZE, CL_ME_SKIP_BLOCK_TYPE_8x8_INTEL,
                               CL_ME_VERSION_ADVANCED_VER_2_INTEL, CL_MEM_OBJECT_IMAGE2D, CL_R, CL_SUCCESS,
                               CL_UNORM_INT8)
from clpy.vendor_ext.intel.motion_estimation.accelerator cimport Search

cdef enum:
    SIDE = 16                    # of a macroblock, pixels
    LANES = 16                   # work-items for one

cdef enum:                       # arguments of block_motion_estimate_intel
    BASIC_ACCELERATOR
    BASIC_SOURCE
    BASIC_REFERENCE
    BASIC_PREDICTIONS
    BASIC_VECTORS
    BASIC_RESIDUALS

cdef enum:                       # of block_advanced_motion_estimate_check_intel
    CHECK_ACCELERATOR
    CHECK_SOURCE
    CHECK_REFERENCE
    CHECK_FLAGS
    CHECK_SKIP_TYPE
    CHECK_PENALTY
    CHECK_PRECISION
    CHECK_COUNTS
    CHECK_PREDICTIONS
    CHECK_SKIPS
    CHECK_VECTORS
    CHECK_MODES
    CHECK_RESIDUALS
    CHECK_SKIP_RESIDUALS
    CHECK_INTRA_RESIDUALS

cdef enum:                       # of block_advanced_motion_estimate_bidirectional_check_intel
    PAIRS_ACCELERATOR
    PAIRS_SOURCE
    PAIRS_REFERENCE
    PAIRS_CHECK_SOURCE
    PAIRS_FORWARD
    PAIRS_BACKWARD
    PAIRS_FLAGS
    PAIRS_PENALTY
    PAIRS_PRECISION
    PAIRS_COUNT
    PAIRS_WEIGHT
    PAIRS_COUNTS
    PAIRS_PREDICTIONS
    PAIRS_INPUT_MODES
    PAIRS_SKIPS
    PAIRS_VECTORS
    PAIRS_MODES
    PAIRS_RESIDUALS
    PAIRS_SKIP_RESIDUALS
    PAIRS_INTRA_RESIDUALS

cdef enum:                       # bytes
    VECTOR = 4
    RESIDUAL = 2
    INTRA_MODES = 22             # of a macroblock
    INTRA_RESIDUALS = 8


cdef inline const Search *search_of(const Kernel *k, size_t index) noexcept nogil:
    return <const Search *>(k.block + k.info.args[index].offset)


cdef inline Mem *image_at(const Kernel *k, size_t index) noexcept nogil:
    return <Mem *>k.values[index].object


cdef cl_int check_call(const clpy_launch *shape, const size_t *local_size) noexcept nogil:
    if shape.work_dim != 2:
        return CL_INVALID_WORK_DIMENSION
    return CL_INVALID_WORK_GROUP_SIZE if local_size != NULL else CL_SUCCESS


cdef cl_int check_formats(const Kernel *k, size_t first, size_t n) noexcept nogil:
    cdef const Mem *image
    cdef size_t i
    for i in range(first, first + n):
        image = image_at(k, i)
        if (image.type != CL_MEM_OBJECT_IMAGE2D or image.format.image_channel_order != CL_R
                or image.format.image_channel_data_type != CL_UNORM_INT8):
            return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    return CL_SUCCESS


cdef inline bint is_inside(const clpy_launch *shape, int dim, size_t size) noexcept nogil:
    """(The sum does not overflow: whoever calls has seen to it.)"""
    return shape.global_offset[dim] + shape.global_size[dim] <= size


cdef inline size_t macroblocks(const clpy_launch *shape) noexcept nogil:
    return ((shape.global_size[0] + SIDE - 1) // SIDE) * ((shape.global_size[1] + SIDE - 1) // SIDE)


cdef void set_shape(clpy_launch *shape) noexcept nogil:
    shape.global_size[0] = (shape.global_size[0] + SIDE - 1) // SIDE * LANES
    shape.global_size[1] = (shape.global_size[1] + SIDE - 1) // SIDE


cdef inline bint holds(const Kernel *k, size_t index, size_t bytes) noexcept nogil:
    """A buffer of an argument; nobody knows how much there is at a pointer."""
    cdef const Mem *buffer = <const Mem *>k.values[index].object
    return buffer == NULL or buffer.size >= bytes


cdef inline bint is_null(const ArgValue *value) noexcept nogil:
    return value.object == NULL and value.address == NULL


cdef inline size_t vectors_of(const Search *search) noexcept nogil:
    """Of one macroblock."""
    return <size_t>1 << 2 * search.mb_block_type


cdef cl_int shape_basic(const void *kernel, clpy_launch *shape, const size_t *local_size) noexcept nogil:
    cdef const Kernel *k = <const Kernel *>kernel
    cdef size_t i, vectors = macroblocks(shape) * vectors_of(search_of(k, BASIC_ACCELERATOR))
    cdef cl_int err = check_call(shape, local_size)
    if err == CL_SUCCESS:
        err = check_formats(k, BASIC_SOURCE, 2)
    if err != CL_SUCCESS:
        return err
    for i in range(BASIC_SOURCE, BASIC_REFERENCE + 1):
        if not (is_inside(shape, 0, image_at(k, i).desc.image_width)
                and is_inside(shape, 1, image_at(k, i).desc.image_height)):
            return CL_INVALID_IMAGE_SIZE
    if is_null(&k.values[BASIC_VECTORS]):
        return CL_INVALID_KERNEL_ARGS
    if not (holds(k, BASIC_PREDICTIONS, macroblocks(shape) * VECTOR) and holds(k, BASIC_VECTORS, vectors * VECTOR)
            and holds(k, BASIC_RESIDUALS, vectors * RESIDUAL)):
        return CL_INVALID_BUFFER_SIZE
    set_shape(shape)
    return CL_SUCCESS


# ---- advanced

cdef cl_int check_images(const Kernel *k, const clpy_launch *shape, size_t first, size_t n) noexcept nogil:
    """All of one size, and the range inside."""
    cdef const Mem *image = image_at(k, first)
    cdef const size_t *size = shape.global_size
    cdef size_t i
    cdef cl_int err = check_formats(k, first, n)
    if err != CL_SUCCESS:
        return err
    for i in range(first + 1, first + n):
        if (image_at(k, i).desc.image_width != image.desc.image_width
                or image_at(k, i).desc.image_height != image.desc.image_height):
            return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    if size[0] > image.desc.image_width or size[1] > image.desc.image_height:
        return CL_INVALID_WORK_GROUP_SIZE
    if not (is_inside(shape, 0, image.desc.image_width) and is_inside(shape, 1, image.desc.image_height)):
        return CL_INVALID_GLOBAL_OFFSET
    return CL_SUCCESS


cdef cl_uint uint_at(const Kernel *k, size_t index) noexcept nogil:
    cdef cl_uint value
    memcpy(&value, k.block + k.info.args[index].offset, sizeof(value))
    return value


cdef cl_int shape_check(const void *kernel, clpy_launch *shape, const size_t *local_size) noexcept nogil:
    cdef const Kernel *k = <const Kernel *>kernel
    cdef size_t n = macroblocks(shape), vectors = n * vectors_of(search_of(k, CHECK_ACCELERATOR))
    cdef size_t skips = n * (8 * 4 if uint_at(k, CHECK_SKIP_TYPE) else 8)
    cdef cl_int err = check_call(shape, local_size)
    if err == CL_SUCCESS:
        err = check_images(k, shape, CHECK_SOURCE, 2)
    if err != CL_SUCCESS:
        return err
    if is_null(&k.values[CHECK_COUNTS]):
        return CL_INVALID_KERNEL_ARGS
    if not (holds(k, CHECK_COUNTS, n * VECTOR) and holds(k, CHECK_PREDICTIONS, n * 8 * VECTOR)
            and holds(k, CHECK_SKIPS, skips * VECTOR) and holds(k, CHECK_VECTORS, vectors * VECTOR)
            and holds(k, CHECK_MODES, n * INTRA_MODES) and holds(k, CHECK_RESIDUALS, vectors * RESIDUAL)
            and holds(k, CHECK_SKIP_RESIDUALS, skips * RESIDUAL)
            and holds(k, CHECK_INTRA_RESIDUALS, n * INTRA_RESIDUALS)):
        return CL_INVALID_BUFFER_SIZE
    set_shape(shape)
    return CL_SUCCESS


cdef bint lacks(const Kernel *k, int count, size_t buffer) noexcept nogil:
    """More than none for all macroblocks, or for each of them its own, and no buffer for that."""
    if count == -1:
        return is_null(&k.values[PAIRS_COUNTS])
    return count > 0 and is_null(&k.values[buffer])


cdef cl_int shape_pairs(const void *kernel, clpy_launch *shape, const size_t *local_size) noexcept nogil:
    cdef const Kernel *k = <const Kernel *>kernel
    cdef size_t n = macroblocks(shape), vectors = n * vectors_of(search_of(k, PAIRS_ACCELERATOR))
    cdef size_t skips = n * (4 * 4 if uint_at(k, PAIRS_FLAGS) & CL_ME_SKIP_BLOCK_TYPE_8x8_INTEL else 4)
    cdef int16_t count[2]
    cdef cl_int err = check_call(shape, local_size)
    if err == CL_SUCCESS:
        err = check_images(k, shape, PAIRS_SOURCE, 5)
    if err != CL_SUCCESS:
        return err
    memcpy(count, k.block + k.info.args[PAIRS_COUNT].offset, sizeof(count))
    if lacks(k, count[0], PAIRS_PREDICTIONS) or lacks(k, count[1], PAIRS_SKIPS):
        return CL_INVALID_KERNEL_ARGS
    if not ((count[0] != -1 and count[1] != -1 or holds(k, PAIRS_COUNTS, n * VECTOR))
            and holds(k, PAIRS_PREDICTIONS, n * 4 * VECTOR) and holds(k, PAIRS_INPUT_MODES, n)
            and holds(k, PAIRS_SKIPS, skips * 2 * VECTOR) and holds(k, PAIRS_VECTORS, vectors * VECTOR)
            and holds(k, PAIRS_MODES, n * INTRA_MODES) and holds(k, PAIRS_RESIDUALS, vectors * RESIDUAL)
            and holds(k, PAIRS_SKIP_RESIDUALS, skips * RESIDUAL)
            and holds(k, PAIRS_INTRA_RESIDUALS, n * INTRA_RESIDUALS)):
        return CL_INVALID_BUFFER_SIZE
    set_shape(shape)
    return CL_SUCCESS


cdef cl_int take_precision(const Context *context, size_t size, const void *value, void *to) noexcept nogil:
    if size != 1 and size != sizeof(cl_uint):
        return CL_INVALID_ARG_SIZE
    if value == NULL:
        return CL_INVALID_ARG_VALUE
    memcpy(to, value, 1)         # the lowest byte of either
    return CL_SUCCESS


cdef void most(const Device *dev, size_t *size) noexcept nogil:
    """A range is a region of an image."""
    size[0] = dev.images.width_2d
    size[1] = dev.images.height_2d
    size[2] = 1


cdef cl_int version(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    if not dev.type & CL_DEVICE_TYPE_CPU:
        return CL_INVALID_VALUE
    return info_u32(CL_ME_VERSION_ADVANCED_VER_2_INTEL, size, value, size_ret)
