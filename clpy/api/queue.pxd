# SPDX-License-Identifier: Apache-2.0
"""Command queues."""
from clpy.cl cimport (cl_bool, cl_command_queue, cl_command_queue_info, cl_command_queue_properties, cl_context,
                      cl_device_id, cl_int, cl_queue_properties)

cdef cl_command_queue create_command_queue(cl_context context, cl_device_id device,
        cl_command_queue_properties properties, cl_int *errcode_ret) noexcept nogil
cdef cl_command_queue create_command_queue_with_properties(cl_context context, cl_device_id device,
        const cl_queue_properties *properties, cl_int *errcode_ret) noexcept nogil
cdef cl_int retain_command_queue(cl_command_queue command_queue) noexcept nogil
cdef cl_int release_command_queue(cl_command_queue command_queue) noexcept nogil
cdef cl_int get_command_queue_info(cl_command_queue command_queue, cl_command_queue_info param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret) noexcept nogil
cdef cl_int set_command_queue_property(cl_command_queue command_queue, cl_command_queue_properties properties,
        cl_bool enable, cl_command_queue_properties *old_properties) noexcept nogil
cdef cl_int set_default_device_command_queue(cl_context context, cl_device_id device,
        cl_command_queue command_queue) noexcept nogil
cdef cl_int flush(cl_command_queue command_queue) noexcept nogil
cdef cl_int finish(cl_command_queue command_queue) noexcept nogil
