# SPDX-License-Identifier: Apache-2.0
"""Images: their layout in memory, which include/clpy_image.h states for kernels.

Rows of pixels, slices or layers of rows, with the pitches the application gave or without gaps; of a mipmapped image
all levels one behind the other. An image made from a buffer or image is a view of the same bytes.
"""
from libc.stdint cimport uint32_t, uint64_t
from clpy.abi cimport clpy_image
from clpy.cl cimport cl_image_desc, cl_int, cl_mem_flags, cl_mem_object_type, cl_mem_properties
from clpy.core.context cimport Context
from clpy.core.external_memory cimport External
from clpy.core.image_format cimport ImageFormat, pixel_bytes
from clpy.core.memory cimport Mem, inherited_flags, mem_new, mem_take_store
from clpy.core.object cimport object_drop, object_hold
from clpy.device.base cimport Device, ImageLimits
from clpy.spec.consts cimport (CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER,
                               CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D, CL_SUCCESS)

cdef extern from * nogil:
    bint mul_overflow "__builtin_mul_overflow"(size_t a, size_t b, size_t *product)
    bint add_overflow "__builtin_add_overflow"(size_t a, size_t b, size_t *sum)


# ---- types -----------------------------------------------------------------------------------------------------------

cdef bint is_image_type(cl_mem_object_type type) noexcept nogil:
    return CL_MEM_OBJECT_IMAGE2D <= type <= CL_MEM_OBJECT_IMAGE1D_BUFFER


cdef int image_dimensions(cl_mem_object_type type) noexcept nogil:
    if type == CL_MEM_OBJECT_IMAGE1D or type == CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return 1
    return 2 if type == CL_MEM_OBJECT_IMAGE2D or type == CL_MEM_OBJECT_IMAGE1D_ARRAY else 3


cdef bint has_height(cl_mem_object_type type) noexcept nogil:
    return (type == CL_MEM_OBJECT_IMAGE2D or type == CL_MEM_OBJECT_IMAGE2D_ARRAY
            or type == CL_MEM_OBJECT_IMAGE3D)


cdef bint has_layers(cl_mem_object_type type) noexcept nogil:
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY or type == CL_MEM_OBJECT_IMAGE2D_ARRAY


cdef bint image_fits(const Device *dev, const cl_image_desc *desc) noexcept nogil:
    cdef const ImageLimits *most = &dev.images
    cdef cl_mem_object_type type = desc.image_type
    if type == CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return desc.image_width <= most.buffer_width
    if type == CL_MEM_OBJECT_IMAGE3D:
        return (desc.image_width <= most.width_3d and desc.image_height <= most.height_3d
                and desc.image_depth <= most.depth_3d)
    if has_layers(type) and desc.image_array_size > most.array_size:
        return False
    return desc.image_width <= most.width_2d and (not has_height(type) or desc.image_height <= most.height_2d)


# ---- layout ----------------------------------------------------------------------------------------------------------

cdef inline size_t smaller(size_t n, uint32_t level) noexcept nogil:
    """"Each successively smaller mipmap level is half the size of the previous level, rounded down"."""
    n = n >> level if level < 64 else 0
    return n if n else 1


cdef bint levels_size(const cl_image_desc *desc, uint32_t bytes_each, size_t *size) noexcept nogil:
    """Of all levels of a mipmapped image. False: too large."""
    cdef cl_mem_object_type type = desc.image_type
    cdef uint32_t level
    cdef size_t one
    size[0] = 0
    for level in range(desc.num_mip_levels):
        one = smaller(desc.image_width, level)
        if mul_overflow(one, bytes_each, &one):
            return False
        if has_height(type) and mul_overflow(one, smaller(desc.image_height, level), &one):
            return False
        if type == CL_MEM_OBJECT_IMAGE3D and mul_overflow(one, smaller(desc.image_depth, level), &one):
            return False
        if has_layers(type) and mul_overflow(one, desc.image_array_size, &one):
            return False
        if add_overflow(size[0], one, size):
            return False
    return True


cdef size_t rows_before(const ImageFormat *format, size_t height, size_t plane) noexcept nogil:
    """Of the planes in front of one."""
    cdef size_t i, rows = 0
    for i in range(plane):
        rows += height // format.planes[i].divisor
    return rows


cdef bint image_layout(const cl_image_desc *desc, const ImageFormat *format, ImageLayout *out) noexcept nogil:
    cdef cl_mem_object_type type = desc.image_type
    cdef size_t rows = desc.image_height if has_height(type) else 1
    cdef size_t slices = 1
    out.row_pitch, out.slice_pitch = desc.image_row_pitch, 0
    if out.row_pitch == 0:
        if mul_overflow(desc.image_width, format.group_bytes, &out.row_pitch):
            return False
        out.row_pitch //= format.group
    if format.n_planes:
        rows = rows_before(format, rows, format.n_planes)
    if has_layers(type) or type == CL_MEM_OBJECT_IMAGE3D:
        slices = desc.image_array_size if has_layers(type) else desc.image_depth
        out.slice_pitch = desc.image_slice_pitch
        if out.slice_pitch == 0 and mul_overflow(out.row_pitch, rows, &out.slice_pitch):
            return False
    if desc.num_mip_levels > 1:
        return levels_size(desc, format.group_bytes, &out.size)
    if out.slice_pitch:
        return not mul_overflow(out.slice_pitch, slices, &out.size)
    # Bytes of extensions' formats are found by 32 bits.
    return not mul_overflow(out.row_pitch, rows, &out.size) and not (format.is_other and out.size >> 31)


cdef void plane_desc(const Mem *image, cl_image_desc *desc) noexcept nogil:
    cdef size_t divisor = image.row.planes[desc.image_depth].divisor
    desc.image_width = image.desc.image_width // divisor
    desc.image_height = image.desc.image_height // divisor
    desc.image_row_pitch = image.desc.image_row_pitch


cdef uint32_t image_levels(const Mem *image) noexcept nogil:
    return image.view.num_mip_levels


cdef void image_extent(const Mem *image, uint32_t level, size_t *extent) noexcept nogil:
    extent[0] = smaller(image.view.width, level)
    extent[1] = extent[2] = 1
    if has_height(image.type):
        extent[1] = smaller(image.view.height, level)
    if image.type == CL_MEM_OBJECT_IMAGE3D:
        extent[2] = smaller(image.view.depth, level)
    elif has_layers(image.type):
        extent[image_dimensions(image.type) - 1] = image.view.array_size


cdef void image_box(const Mem *image, const size_t *origin, const size_t *region, uint32_t level,
                    ImageBox *box) noexcept nogil:
    cdef size_t pixel = image.view.pixel_bytes       # of levels, which images of groups have not
    cdef size_t extent[3]
    cdef size_t rows
    cdef uint32_t before
    cdef int dimensions = image_dimensions(image.type)      # behind them may be the level
    box.at = image.view.data
    box.row, box.slice = image.view.row_pitch, image.view.slice_pitch
    if level:
        for before in range(level):
            image_extent(image, before, extent)
            box.at += extent[0] * extent[1] * extent[2] * pixel
        image_extent(image, level, extent)
        rows = extent[1] if has_height(image.type) else 1
        box.row = extent[0] * pixel
        box.slice = box.row * rows
    box.row_pitch = box.row
    if image.type == CL_MEM_OBJECT_IMAGE1D_ARRAY:
        box.row = box.slice      # its second coordinate is the layer
    box.at += pixels_bytes(image.row, origin[0])
    if dimensions > 1:
        box.at += origin[1] * box.row
    if dimensions > 2:
        box.at += origin[2] * box.slice
    box.region[0] = pixels_bytes(image.row, region[0])
    box.region[1], box.region[2] = region[1], region[2]


# ---- making ----------------------------------------------------------------------------------------------------------

cdef void describe(Mem *mem, const ImageFormat *format, const cl_image_desc *desc,
                   const ImageLayout *layout) noexcept nogil:
    """Keep what the application can ask for, and what kernels see."""
    cdef cl_mem_object_type type = desc.image_type
    mem.row = format
    mem.format.image_channel_order = format.order
    mem.format.image_channel_data_type = format.type
    mem.desc.image_type = type
    mem.desc.image_width = desc.image_width
    mem.desc.image_height = desc.image_height if has_height(type) else 0
    mem.desc.image_depth = desc.image_depth if type == CL_MEM_OBJECT_IMAGE3D else 0
    mem.desc.image_array_size = desc.image_array_size if has_layers(type) else 0
    mem.desc.image_row_pitch = layout.row_pitch
    mem.desc.image_slice_pitch = layout.slice_pitch
    mem.desc.num_mip_levels = desc.num_mip_levels
    mem.view.row_pitch = layout.row_pitch
    mem.view.slice_pitch = layout.slice_pitch
    mem.view.width = <uint32_t>desc.image_width
    mem.view.height = <uint32_t>desc.image_height if has_height(type) else 1
    mem.view.depth = <uint32_t>desc.image_depth if type == CL_MEM_OBJECT_IMAGE3D else 1
    mem.view.array_size = <uint32_t>desc.image_array_size if has_layers(type) else 1
    mem.view.channel_order = format.order
    mem.view.channel_type = format.type
    mem.view.pixel_bytes = pixel_bytes(format)
    mem.view.num_mip_levels = desc.num_mip_levels if desc.num_mip_levels > 1 else 1
    mem.view.num_samples = 1
    mem.view.is_large = pixel_numbers(mem) >> 31 != 0


cdef uint64_t pixel_numbers(const Mem *mem) noexcept nogil:
    """Of the pixels of level 0, with those that are nowhere at the ends of rows and slices."""
    cdef const clpy_image *view = &mem.view
    cdef uint64_t size = <uint64_t>view.row_pitch * view.height
    if view.slice_pitch:
        size = <uint64_t>view.slice_pitch * view.depth * view.array_size
    return size // view.pixel_bytes if view.pixel_bytes else size


cdef cl_int image_new(Context *ctx, size_t n_properties, const cl_mem_properties *properties, cl_mem_flags flags,
                      const ImageFormat *format, const cl_image_desc *desc, void *host_ptr, External *external,
                      Mem *parent, Mem **out) noexcept nogil:
    cdef Mem *mem = NULL
    cdef ImageLayout layout
    cdef size_t offset = 0
    cdef cl_int err
    image_layout(desc, format, &layout)
    if parent != NULL:
        flags = inherited_flags(flags, parent.flags)
    err = mem_new(ctx, desc.image_type, flags, n_properties, properties, &mem)
    if err != CL_SUCCESS:
        return err
    describe(mem, format, desc, &layout)
    if parent != NULL:
        object_hold(parent)
        mem.parent = parent
        if is_image_type(parent.type) and parent.row.n_planes:
            offset = layout.row_pitch * rows_before(parent.row, parent.desc.image_height, desc.image_depth)
        mem.data = <unsigned char *>parent.data + offset
        mem.size = layout.size
    else:
        err = mem_take_store(mem, layout.size, host_ptr, external)
        if err != CL_SUCCESS:
            object_drop(mem)
            return err
    mem.view.data = <unsigned char *>mem.data
    out[0] = mem
    return CL_SUCCESS
