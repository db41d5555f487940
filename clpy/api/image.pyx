# SPDX-License-Identifier: Apache-2.0
"""Making images and asking about them.

The order of the checks is that of clCreateImage's list: context, images at all, properties, flags, format (with the
alignment of a buffer below), descriptor, size, host pointer, supported format.
"""
from libc.stdint cimport uintptr_t
from libc.string cimport memset
from clpy.api.info cimport info_bytes, info_ptr, info_size, info_u32
from clpy.api.mem_properties cimport MemProperties, mem_properties_check, mem_properties_read
from clpy.api.memory cimport derived_flags_are_valid, has_contents, largest_alloc, mem_flags_are_valid, mem_flags_meant
from clpy.cl cimport (cl_context, cl_image_desc, cl_image_format, cl_image_info, cl_int, cl_mem, cl_mem_flags,
                      cl_mem_object_type, cl_mem_properties, cl_uint)
from clpy.core.context cimport Context
from clpy.core.external_memory cimport External, external_free, external_import
from clpy.core.image cimport (ImageLayout, has_height, has_layers, image_dimensions, image_fits, image_layout,
                              image_new, is_image_type, pixels_bytes, plane_desc)
from clpy.core.image_format cimport (ImageFormat, format_find, format_fits, format_is_known, format_is_valid,
                                     format_views, format_views_plane, formats_list, pixel_bytes)
from clpy.core.memory cimport Mem
from clpy.core.memory_flags cimport MEM_NO_ACCESS
from clpy.core.object cimport KIND_CONTEXT, KIND_MEM, object_is
from clpy.device.base cimport ImageLimits
from clpy.spec.consts cimport (CL_IMAGE_ARRAY_SIZE, CL_IMAGE_BUFFER, CL_IMAGE_DEPTH, CL_IMAGE_ELEMENT_SIZE,
                               CL_IMAGE_FORMAT, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_IMAGE_HEIGHT,
                               CL_IMAGE_NUM_MIP_LEVELS, CL_IMAGE_NUM_SAMPLES, CL_IMAGE_ROW_PITCH, CL_IMAGE_SLICE_PITCH,
                               CL_IMAGE_WIDTH, CL_INVALID_CONTEXT, CL_INVALID_HOST_PTR, CL_INVALID_IMAGE_DESCRIPTOR,
                               CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_IMAGE_SIZE, CL_INVALID_MEM_OBJECT,
                               CL_INVALID_OPERATION, CL_INVALID_PROPERTY, CL_INVALID_VALUE, CL_MEM_ALLOC_HOST_PTR,
                               CL_MEM_COPY_HOST_PTR, CL_MEM_HOST_NO_ACCESS, CL_MEM_IMMUTABLE_EXT,
                               CL_MEM_KERNEL_READ_AND_WRITE,
                               CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_MEM_OBJECT_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
                               CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D,
                               CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, CL_MEM_WRITE_ONLY, CL_SUCCESS)

cdef enum:
    MOST_MIP_LEVELS = 32         # levels of detail that a sampler can name

cdef extern from * nogil:
    bint mul_overflow "__builtin_mul_overflow"(size_t a, size_t b, size_t *product)


# ---- formats

cdef bint has_images(const Context *ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i].has_images:
            return True
    return False


cdef bint has_mipmaps(const Context *ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i].has_images and not ctx.devices[i].has_mipmaps:
            return False
    return has_images(ctx)


cdef cl_int get_supported_image_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                        cl_uint num_entries, cl_image_format *image_formats,
                                        cl_uint *num_image_formats) noexcept nogil:
    cdef cl_mem_flags usage
    cdef cl_uint n = 0
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    flags = mem_flags_meant(<Context *>context, flags)
    usage = flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_KERNEL_READ_AND_WRITE
                     | CL_MEM_IMMUTABLE_EXT | MEM_NO_ACCESS | CL_MEM_HOST_NO_ACCESS)
    # Usage as in the table of memory flags: those that say where an image lies change nothing; who may
    # touch it, that of planes alone.
    if not mem_flags_are_valid(flags & ~CL_MEM_KERNEL_READ_AND_WRITE) or not is_image_type(image_type):
        return CL_INVALID_VALUE
    if num_entries == 0 and image_formats != NULL:
        return CL_INVALID_VALUE
    if has_images(<Context *>context):
        n = formats_list(<Context *>context, image_type, usage, num_entries, image_formats)
    if num_image_formats != NULL:
        num_image_formats[0] = n
    return CL_SUCCESS


# ---- checks of a new image

ctypedef struct Made:            # what an image is made of
    Context *context
    cl_mem_flags flags
    const cl_image_format *format
    const cl_image_desc *desc
    void *host_ptr
    Mem *parent                  # behind desc.mem_object
    MemProperties properties
    const ImageFormat *row       # of the table: NULL when the format is not supported
    ImageLayout layout
    cl_image_desc of_plane       # `desc` of a part of its parent


cdef ImageFormat UNKNOWN         # of a format that is not supported: its descriptor is checked first
UNKNOWN.group = UNKNOWN.group_bytes = UNKNOWN.step = 1


cdef inline const ImageFormat *row_of(const Made *image) noexcept nogil:
    return image.row if image.row != NULL else &UNKNOWN


cdef inline bint is_of_planes(const Mem *parent) noexcept nogil:
    return parent != NULL and is_image_type(parent.type) and parent.row.n_planes != 0


cdef cl_int check_flags(const Made *image) noexcept nogil:
    # "if the image_channel_order of image_format is a Planar YUV format and flags does not include" it
    if row_of(image).n_planes and not image.flags & CL_MEM_HOST_NO_ACCESS:
        return CL_INVALID_VALUE
    if image.parent != NULL:
        # "if CL_MEM_IMMUTABLE_EXT is not set in flags and mem_object was created with CL_MEM_IMMUTABLE_EXT"
        if image.parent.flags & CL_MEM_IMMUTABLE_EXT and not image.flags & CL_MEM_IMMUTABLE_EXT:
            return CL_INVALID_VALUE
        return CL_SUCCESS if derived_flags_are_valid(image.flags, image.parent.flags) else CL_INVALID_VALUE
    # "if properties includes a supported external memory handle and flags includes CL_MEM_USE_HOST_PTR, [...]"
    if image.properties.external.type and image.flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR
                                                         | CL_MEM_COPY_HOST_PTR):
        return CL_INVALID_VALUE
    if not mem_flags_are_valid(image.flags) or not has_contents(image.flags, image.properties.external.type != 0):
        return CL_INVALID_VALUE
    return CL_SUCCESS


cdef bint fits_devices(const Made *image) noexcept nogil:
    """"must be a multiple of the maximum of the CL_DEVICE_IMAGE_PITCH_ALIGNMENT value for all devices": of the number,
    as AMD's driver reads it; 0 leaves the pitch to us. The other one is for "host_ptr specified to clCreateBuffer"."""
    cdef cl_uint i
    cdef const ImageLimits *most
    for i in range(image.context.n_devices if image.desc.image_type == CL_MEM_OBJECT_IMAGE2D else 0):
        most = &image.context.devices[i].images
        if image.context.devices[i].has_images and (image.desc.image_row_pitch % most.pitch_align
                                                    or <uintptr_t>image.parent.host_ptr % most.base_align):
            return False
    return True


cdef cl_int check_format(const Made *image) noexcept nogil:
    cdef size_t align, plane
    if image.format == NULL or not format_is_valid(image.format):
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    if image.parent == NULL or image.row == NULL:
        return CL_SUCCESS
    if is_of_planes(image.parent):
        # Which plane it is comes later, and only what one of them could be seen as is a format here.
        plane = image.desc.image_depth
        if plane < image.parent.row.n_planes and not format_views_plane(image.format, image.parent.row, plane):
            return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
        return CL_SUCCESS
    if image.parent.type != CL_MEM_OBJECT_BUFFER:
        # "The image channel order specified in image_format must be compatible [...]"
        return CL_SUCCESS if format_views(image.format, &image.parent.format) else CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    # "if an image is created from a buffer and the row pitch, or slice pitch, [...] or base address alignment do not
    # follow the rules": whole pixels, and of an image of two dimensions what each device says
    align = pixel_bytes(image.row)
    if image.desc.image_row_pitch % align or image.desc.image_slice_pitch % align \
            or <uintptr_t>image.parent.data % align or not fits_devices(image):
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    return CL_SUCCESS


cdef bint pitches_are_valid(const Made *image) noexcept nogil:
    """The rules of image_row_pitch and image_slice_pitch; no more than their range where the format is unknown."""
    cdef const cl_image_desc *desc = image.desc
    cdef size_t row = desc.image_row_pitch, slice = desc.image_slice_pitch, least
    cdef const ImageFormat *format = row_of(image)
    cdef size_t pixel = pixel_bytes(format)
    cdef bint sliced = image_dimensions(desc.image_type) == 3 or desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY
    # "must be zero if host_ptr is NULL, the image is not an image created from an external memory handle, and the image
    # is not [...] created from a buffer"
    if image.host_ptr == NULL and image.parent == NULL and image.properties.external.type == 0 and (row or slice):
        return False
    if mul_overflow(desc.image_width, format.group_bytes, &least):
        return row == 0 and slice == 0
    least = pixels_bytes(format, desc.image_width)
    if row and (row < least or row % pixel):
        return False
    if slice == 0 or not sliced:
        return True
    # "must be >= the image row pitch x image_height [...], and must be a multiple of the image row pitch"
    row = row if row else least
    if desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY:
        least = row
    elif mul_overflow(row, desc.image_height, &least):
        return False
    return slice >= least and (row == 0 or slice % row == 0)


cdef bint matches(const cl_image_desc *desc, const cl_image_desc *of) noexcept nogil:
    """"All of the values specified in image_desc must match"; a pitch may be left to the implementation."""
    return (desc.image_type == of.image_type and desc.image_width == of.image_width
            and desc.image_height == of.image_height and desc.num_mip_levels == of.num_mip_levels
            and (desc.image_row_pitch == 0 or desc.image_row_pitch == of.image_row_pitch))


cdef bint levels_are_valid(const Context *ctx, cl_mem_flags flags, const cl_image_desc *desc) noexcept nogil:
    """Of a mipmapped image: no contents, no gaps."""
    if desc.num_mip_levels <= 1:
        return True
    # "num_mip_levels must be 0, [...] unless the cl_khr_mipmap_image extension is supported". It names no limit: what
    # follows a level of one pixel is another one, which the conformance suite asks for.
    if not has_mipmaps(ctx) or desc.num_mip_levels > MOST_MIP_LEVELS:
        return False
    # "CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR cannot be specified", "cannot be created for
    # CL_MEM_OBJECT_IMAGE1D_BUFFER images, depth images": but OpenCL C reads and writes levels of depth images, and the
    # conformance suite makes them. They can be created.
    return (not flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) and desc.mem_object == NULL
            and desc.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER and desc.image_row_pitch == 0
            and desc.image_slice_pitch == 0)


cdef bint groups_are_whole(const ImageFormat *format, const cl_image_desc *desc) noexcept nogil:
    """Of a format whose pixels share bytes with others."""
    if format.is_other and desc.num_mip_levels > 1:
        return False
    if format.n_planes and (desc.image_height % format.step or desc.image_depth > 1):
        return False
    return desc.image_width % format.step == 0


cdef bint descriptor_is_valid(const Made *image) noexcept nogil:
    cdef const cl_image_desc *desc = image.desc
    if desc == NULL or not is_image_type(desc.image_type) or desc.num_samples != 0 \
            or not levels_are_valid(image.context, image.flags, desc) or not groups_are_whole(row_of(image), desc):
        return False
    if image.parent == NULL:
        # "mem_object may refer to a valid buffer or image memory object. [...] Otherwise it must be NULL."
        return (desc.mem_object == NULL and desc.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER
                and pitches_are_valid(image))
    if image.parent.context != image.context:
        return False
    if image.parent.type == CL_MEM_OBJECT_BUFFER:
        return pitches_are_valid(image)
    if is_of_planes(image.parent):
        # "image_width and image_height are ignored [...] and image_depth specifies the index of the target plane"
        return (desc.image_type == CL_MEM_OBJECT_IMAGE2D and desc.image_depth < image.parent.row.n_planes
                and desc.num_mip_levels == image.parent.desc.num_mip_levels
                and (desc.image_row_pitch == 0 or desc.image_row_pitch == image.parent.desc.image_row_pitch))
    return desc.image_type == CL_MEM_OBJECT_IMAGE2D and matches(desc, &image.parent.desc)


cdef cl_int check_size(Made *image) noexcept nogil:
    """Fills in the layout."""
    cdef const cl_image_desc *desc
    cdef cl_mem_object_type type = image.desc.image_type
    cdef cl_uint i
    if is_of_planes(image.parent):
        image.of_plane = image.desc[0]
        plane_desc(image.parent, &image.of_plane)
        image.desc = &image.of_plane
    desc = image.desc
    # "if the image dimensions specified in image_desc are not valid or exceed the maximum [...] for all devices"
    if desc.image_width == 0:
        return CL_INVALID_IMAGE_SIZE
    if (desc.image_height == 0 and has_height(type) or desc.image_depth == 0 and type == CL_MEM_OBJECT_IMAGE3D
            or desc.image_array_size == 0 and has_layers(type)):
        return CL_INVALID_IMAGE_SIZE
    for i in range(image.context.n_devices):
        if image_fits(image.context.devices[i], desc):
            break
    else:
        return CL_INVALID_IMAGE_SIZE
    if not image_layout(desc, row_of(image), &image.layout):
        return CL_INVALID_IMAGE_SIZE
    # "The buffer passed in mem_object is too small to be used as a data store for the image"
    if image.parent != NULL and image.layout.size > image.parent.size:
        return CL_INVALID_IMAGE_SIZE
    return CL_SUCCESS


cdef cl_int check_image(Made *image, cl_int bad_descriptor) noexcept nogil:
    cdef bint uses_pointer = image.flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0
    cdef cl_int err
    if image.desc != NULL and object_is(image.desc.mem_object, KIND_MEM):
        image.parent = <Mem *>image.desc.mem_object
        if image.parent.type != CL_MEM_OBJECT_BUFFER and not is_image_type(image.parent.type):
            image.parent = NULL
    if image.format != NULL:
        image.row = format_find(image.format)
    err = check_flags(image)
    if err == CL_SUCCESS:
        err = check_format(image)
    if err == CL_SUCCESS and not descriptor_is_valid(image):
        err = bad_descriptor
    if err == CL_SUCCESS:
        err = check_size(image)
    if err != CL_SUCCESS:
        return err
    # A host pointer and a flag that uses it come together or not at all.
    if (image.host_ptr != NULL) != uses_pointer:
        return CL_INVALID_HOST_PTR
    if image.row == NULL or not format_fits(image.row, image.desc.image_type, image.flags) \
            or not format_is_known(image.row, image.context):
        return CL_IMAGE_FORMAT_NOT_SUPPORTED
    if (image.parent == NULL and image.host_ptr == NULL and image.properties.external.type == 0
            and image.layout.size > largest_alloc(image.context)):
        return CL_MEM_OBJECT_ALLOCATION_FAILURE
    return CL_SUCCESS


# ---- creators

cdef cl_int check_image_properties(Made *image, const cl_mem_properties *list) noexcept nogil:
    cdef cl_int err = mem_properties_read(list, &image.properties)
    # "OpenCL does not define any optional properties for images", but for external memory
    if err == CL_SUCCESS and image.properties.has_private_address:
        err = CL_INVALID_PROPERTY
    # A memory object has its memory already.
    if err == CL_SUCCESS and image.properties.external.type and image.desc != NULL and image.desc.mem_object != NULL:
        err = CL_INVALID_PROPERTY
    return err if err != CL_SUCCESS else mem_properties_check(image.context, &image.properties)


cdef cl_mem make(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                 const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, cl_int bad_descriptor,
                 cl_int *errcode_ret) noexcept nogil:
    cdef Made image
    cdef Mem *mem = NULL
    cdef External *external = NULL
    cdef cl_int err = CL_SUCCESS
    memset(&image, 0, sizeof(image))
    image.context = <Context *>context
    image.format = format
    image.desc = desc
    image.host_ptr = host_ptr
    if not object_is(context, KIND_CONTEXT):
        err = CL_INVALID_CONTEXT
    # "if there are no devices in context that support images"
    elif not has_images(image.context):
        err = CL_INVALID_OPERATION
    else:
        image.flags = mem_flags_meant(image.context, flags)
        err = check_image_properties(&image, properties)
    if err == CL_SUCCESS:
        err = check_image(&image, bad_descriptor)
    if err == CL_SUCCESS and image.properties.external.type:
        err = external_import(&image.properties.external, image.layout.size, CL_INVALID_IMAGE_SIZE, &external)
    if err == CL_SUCCESS:
        err = image_new(image.context, image.properties.n, properties, image.flags, image.row, image.desc, host_ptr,
                        external, image.parent, &mem)
        if err != CL_SUCCESS and external != NULL:
            external_free(external, True)
    if err != CL_SUCCESS:
        errcode_ret[0] = err
        return NULL
    return <cl_mem>mem


cdef cl_mem create_image(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                         const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret) noexcept nogil:
    return make(context, NULL, flags, image_format, image_desc, host_ptr, CL_INVALID_IMAGE_DESCRIPTOR, errcode_ret)


cdef cl_mem create_image_with_properties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                         const cl_image_format *image_format, const cl_image_desc *image_desc,
                                         void *host_ptr, cl_int *errcode_ret) noexcept nogil:
    return make(context, properties, flags, image_format, image_desc, host_ptr, CL_INVALID_IMAGE_DESCRIPTOR,
                errcode_ret)


cdef cl_mem create_image_2d(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                            cl_int *errcode_ret) noexcept nogil:
    cdef cl_image_desc desc
    memset(&desc, 0, sizeof(desc))
    desc.image_type = CL_MEM_OBJECT_IMAGE2D
    desc.image_width, desc.image_height = image_width, image_height
    desc.image_row_pitch = image_row_pitch
    # CL_INVALID_IMAGE_SIZE too "if values specified by image_row_pitch do not follow rules"
    return make(context, NULL, flags, image_format, &desc, host_ptr, CL_INVALID_IMAGE_SIZE, errcode_ret)


cdef cl_mem create_image_3d(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_depth, size_t image_row_pitch,
                            size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret) noexcept nogil:
    cdef cl_image_desc desc
    memset(&desc, 0, sizeof(desc))
    desc.image_type = CL_MEM_OBJECT_IMAGE3D
    desc.image_width, desc.image_height = image_width, image_height
    desc.image_depth = 0 if image_depth == 1 else image_depth      # "if image_depth <= 1"
    desc.image_row_pitch, desc.image_slice_pitch = image_row_pitch, image_slice_pitch
    return make(context, NULL, flags, image_format, &desc, host_ptr, CL_INVALID_IMAGE_SIZE, errcode_ret)


# ---- queries

cdef Mem *buffer_of(const Mem *mem) noexcept nogil:
    """That it was made from."""
    return mem.parent if mem.parent != NULL and mem.parent.type == CL_MEM_OBJECT_BUFFER else NULL


cdef size_t element_bytes(const Mem *mem) noexcept nogil:
    """Whole ones."""
    return (mem.row.group_bytes + mem.row.group - 1) // mem.row.group


include "queries/image_info.pxi"


cdef cl_int get_image_info(cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret) noexcept nogil:
    cdef Mem *mem = <Mem *>image
    if not object_is(image, KIND_MEM) or not is_image_type(mem.type):
        return CL_INVALID_MEM_OBJECT
    return answer_image_info(mem, param_name, param_value_size, param_value, param_value_size_ret)
