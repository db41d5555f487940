# SPDX-License-Identifier: Apache-2.0
"""Contexts."""
from clpy.cl cimport (cl_context, cl_context_info, cl_context_properties, cl_device_id, cl_device_type, cl_int, cl_uint,
                      context_destructor_fn, context_notify_fn)

cdef cl_context create_context(const cl_context_properties *properties, cl_uint num_devices,
                               const cl_device_id *devices, context_notify_fn pfn_notify, void *user_data,
                               cl_int *errcode_ret) noexcept nogil
cdef cl_context create_context_from_type(const cl_context_properties *properties, cl_device_type device_type,
                                         context_notify_fn pfn_notify, void *user_data,
                                         cl_int *errcode_ret) noexcept nogil
cdef cl_int release_context(cl_context context) noexcept nogil
cdef cl_int get_context_info(cl_context context, cl_context_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) noexcept nogil
cdef cl_int set_context_destructor_callback(cl_context context, context_destructor_fn pfn_notify,
                                            void *user_data) noexcept nogil
cdef cl_int terminate_context(cl_context context) noexcept nogil
