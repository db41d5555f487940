# SPDX-License-Identifier: Apache-2.0
"""cl_ext_image_requirements_info: what an image will need, before it is made."""
from clpy.cl cimport (cl_context, cl_image_desc, cl_image_format, cl_int, cl_mem_flags, cl_mem_properties, cl_uint)

cdef cl_int get_image_requirements_info(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                        const cl_image_format *image_format, const cl_image_desc *image_desc,
                                        cl_uint param_name, size_t param_value_size, void *param_value,
                                        size_t *param_value_size_ret) noexcept nogil
