# SPDX-License-Identifier: Apache-2.0
"""Launches of the built-in kernels: their ranges are pixels of an image; what runs is a work-group for each macroblock
of them, whose kernel has the range's offset as its own. Buffers that are too small for what is read and written are
found before anything runs.
"""
from clpy.abi cimport clpy_launch
from clpy.cl cimport cl_int
from clpy.core.kernel cimport ArgValue, Kernel
from clpy.core.memory cimport Mem
from clpy.spec.consts cimport (CL_INVALID_BUFFER_SIZE, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_IMAGE_SIZE,
                               CL_INVALID_KERNEL_ARGS, CL_INVALID_WORK_DIMENSION, CL_INVALID_WORK_GROUP_SIZE,
                               CL_MEM_OBJECT_IMAGE2D, CL_R, CL_SUCCESS, CL_UNORM_INT8)
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
    if not (holds(k, BASIC_PREDICTIONS, macroblocks(shape) * 4) and holds(k, BASIC_VECTORS, vectors * 4)
            and holds(k, BASIC_RESIDUALS, vectors * 2)):
        return CL_INVALID_BUFFER_SIZE
    set_shape(shape)
    return CL_SUCCESS
