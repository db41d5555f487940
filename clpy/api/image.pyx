# SPDX-License-Identifier: Apache-2.0
"""Images: what there is to say while no device has them (CL_DEVICE_IMAGE_SUPPORT is CL_FALSE)."""
from clpy.cl cimport (cl_context, cl_image_desc, cl_image_format, cl_int, cl_mem, cl_mem_flags, cl_mem_object_type,
                      cl_mem_properties, cl_uint)
from clpy.core.object cimport KIND_CONTEXT, object_is
from clpy.spec.consts cimport (CL_INVALID_CONTEXT, CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_MEM_KERNEL_READ_AND_WRITE,
                               CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D, CL_MEM_READ_ONLY,
                               CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_SUCCESS)


cdef cl_int get_supported_image_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                        cl_uint num_entries, cl_image_format *image_formats,
                                        cl_uint *num_image_formats) noexcept nogil:
    cdef cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_KERNEL_READ_AND_WRITE
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if flags & ~known or image_type < CL_MEM_OBJECT_IMAGE2D or image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return CL_INVALID_VALUE
    if num_entries == 0 and image_formats != NULL:
        return CL_INVALID_VALUE
    if num_image_formats != NULL:
        num_image_formats[0] = 0
    return CL_SUCCESS


cdef cl_mem refuse(cl_context context, cl_int *errcode_ret) noexcept nogil:
    # "if there are no devices in context that support images"
    errcode_ret[0] = CL_INVALID_OPERATION if object_is(context, KIND_CONTEXT) else CL_INVALID_CONTEXT
    return NULL


cdef cl_mem create_image(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                         const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret) noexcept nogil:
    return refuse(context, errcode_ret)


cdef cl_mem create_image_with_properties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                         const cl_image_format *image_format, const cl_image_desc *image_desc,
                                         void *host_ptr, cl_int *errcode_ret) noexcept nogil:
    return refuse(context, errcode_ret)


cdef cl_mem create_image_2d(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                            cl_int *errcode_ret) noexcept nogil:
    return refuse(context, errcode_ret)


cdef cl_mem create_image_3d(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_depth, size_t image_row_pitch,
                            size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret) noexcept nogil:
    return refuse(context, errcode_ret)
