# SPDX-License-Identifier: Apache-2.0
"""cl_ext_image_requirements_info: what an image will need, before it is made.

An image can be laid over a buffer wherever whole pixels can, so alignments are the size of a pixel, of an image of two
dimensions what every device asks for; how large it may be is what every device of the context has.
"""
from clpy.api.image cimport levels_are_valid
from clpy.api.info cimport info_size, info_u32
from clpy.api.memory cimport largest_alloc, mem_flags_are_valid, mem_flags_meant
from clpy.cl cimport (cl_context, cl_image_desc, cl_image_format, cl_int, cl_mem_flags, cl_mem_object_type,
                      cl_mem_properties, cl_uint)
from clpy.core.context cimport Context
from clpy.core.image cimport ImageLayout, has_height, has_layers, image_layout, is_image_type
from clpy.core.image_format cimport MOST_PIXEL_BYTES, ImageFormat, format_find, pixel_bytes
from clpy.core.object cimport KIND_CONTEXT, object_is
from clpy.device.base cimport ImageLimits
from clpy.spec.consts cimport (CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
                               CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT,
                               CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT,
                               CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, CL_IMAGE_REQUIREMENTS_SIZE_EXT,
                               CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT, CL_INVALID_CONTEXT,
                               CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_PROPERTY,
                               CL_INVALID_VALUE, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE1D_BUFFER,
                               CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D)


cdef bint asks_for_a_maximum(cl_uint param_name) noexcept nogil:
    return (param_name == CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT or param_name == CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT
            or param_name == CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT
            or param_name == CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT)


cdef bint descriptor_is_valid(const Context *ctx, cl_mem_flags flags, const cl_image_desc *desc,
                              cl_uint param_name) noexcept nogil:
    cdef cl_mem_object_type type = desc.image_type
    if desc.num_samples != 0 or not levels_are_valid(ctx, flags, desc):
        return False
    if asks_for_a_maximum(param_name):
        # "image_type must be either 0, [...]"; "The value of all other members [...] may be 0"
        if type == 0:
            return True
        if param_name == CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT:
            return has_height(type)
        if param_name == CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT:
            return type == CL_MEM_OBJECT_IMAGE3D
        if param_name == CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT:
            return has_layers(type)
        return is_image_type(type)
    return (is_image_type(type) and desc.image_width != 0 and (desc.image_height != 0 or not has_height(type))
            and (desc.image_depth != 0 or type != CL_MEM_OBJECT_IMAGE3D)
            and (desc.image_array_size != 0 or not has_layers(type)))


cdef inline size_t least(size_t a, size_t b) noexcept nogil:
    return a if a < b else b


cdef size_t alignment(const Context *ctx, const cl_image_desc *desc, size_t pixel, cl_uint param_name) noexcept nogil:
    """Of the base address or of the pitch of a row: a multiple of a pixel and of what each device asks for."""
    cdef size_t align = 1
    cdef const ImageLimits *most
    cdef cl_uint i
    for i in range(ctx.n_devices if desc == NULL or desc.image_type == CL_MEM_OBJECT_IMAGE2D else 0):
        most = &ctx.devices[i].images
        align = max(align, <size_t>(most.pitch_align if param_name == CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT
                                    else most.base_align))
    return align if align % pixel == 0 else align * pixel


cdef size_t limit_of(const ImageLimits *most, cl_mem_object_type type, cl_uint param_name) noexcept nogil:
    """Type 0: of all types that have it."""
    if param_name == CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT:
        return most.array_size
    if param_name == CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT:
        return most.depth_3d
    if param_name == CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT:
        if type == 0:
            return least(most.height_2d, most.height_3d)
        return most.height_3d if type == CL_MEM_OBJECT_IMAGE3D else most.height_2d
    if type == 0:
        return least(least(most.width_2d, most.width_3d), most.buffer_width)
    if type == CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return most.buffer_width
    return most.width_3d if type == CL_MEM_OBJECT_IMAGE3D else most.width_2d


cdef inline size_t divided(size_t room, size_t by) noexcept nogil:
    return room // by if by else room


cdef cl_uint maximum(const Context *ctx, const cl_image_desc *desc, size_t pixel, cl_uint param_name) noexcept nogil:
    """Of what every device has, and of what fits into an allocation beside the members that are given."""
    cdef cl_mem_object_type type = desc.image_type if desc != NULL else 0
    cdef size_t room = largest_alloc(ctx) // pixel
    cdef size_t most = ~<size_t>0
    cdef cl_uint i
    for i in range(ctx.n_devices):
        most = least(most, limit_of(&ctx.devices[i].images, type, param_name))
    if desc != NULL:
        # All levels have less than twice the pixels of the first one, and those that are one pixel.
        if desc.num_mip_levels > 1:
            room = room // 2 - desc.num_mip_levels * ctx.devices[0].images.array_size
        if param_name != CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT:
            room = divided(room, desc.image_width)
        if param_name != CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT and has_height(type):
            room = divided(room, desc.image_height)
        if param_name != CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT and type == CL_MEM_OBJECT_IMAGE3D:
            room = divided(room, desc.image_depth)
        if param_name != CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT and has_layers(type):
            room = divided(room, desc.image_array_size)
    return <cl_uint>least(most, room)


cdef cl_int image_size(const Context *ctx, const cl_image_desc *desc, const ImageFormat *row, size_t pixel, size_t size,
                       void *value, size_t *size_ret) noexcept nogil:
    cdef ImageLayout layout
    # "Both image_format and image_desc must be non-NULL, otherwise CL_INVALID_VALUE is returned."
    if row == NULL or desc == NULL:
        return CL_INVALID_VALUE
    if not image_layout(desc, row, &layout):
        return CL_INVALID_IMAGE_DESCRIPTOR
    return info_size(layout.size, size, value, size_ret)


include "queries/image_requirements_info.pxi"


cdef cl_int get_image_requirements_info(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                        const cl_image_format *image_format, const cl_image_desc *image_desc,
                                        cl_uint param_name, size_t param_value_size, void *param_value,
                                        size_t *param_value_size_ret) noexcept nogil:
    cdef const ImageFormat *row = NULL
    cdef size_t pixel = MOST_PIXEL_BYTES
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if properties != NULL and properties[0] != 0:
        return CL_INVALID_PROPERTY
    flags = mem_flags_meant(<Context *>context, flags)
    if not mem_flags_are_valid(flags & ~<cl_mem_flags>CL_MEM_KERNEL_READ_AND_WRITE):
        return CL_INVALID_VALUE
    if image_format != NULL:
        row = format_find(image_format)
        if row == NULL:
            return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
        pixel = pixel_bytes(row)
    if image_desc != NULL and not descriptor_is_valid(<Context *>context, flags, image_desc, param_name):
        return CL_INVALID_IMAGE_DESCRIPTOR
    return answer_image_requirements_info(<Context *>context, image_desc, row, pixel, param_name, param_value_size,
                                          param_value, param_value_size_ret)
