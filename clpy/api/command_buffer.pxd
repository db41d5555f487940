# SPDX-License-Identifier: Apache-2.0
"""cl_khr_command_buffer: the command buffer itself."""
from clpy.cl cimport (cl_command_buffer_info_khr, cl_command_buffer_khr, cl_command_buffer_properties_khr,
                      cl_command_queue, cl_device_info, cl_event, cl_int, cl_uint)
from clpy.core.command_buffer cimport QueueList
from clpy.core.context cimport Context
from clpy.device.base cimport Device

cdef cl_command_buffer_khr create_command_buffer(cl_uint num_queues, const cl_command_queue *queues,
        const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret) noexcept nogil
cdef cl_int finalize_command_buffer(cl_command_buffer_khr command_buffer) noexcept nogil
cdef cl_int enqueue_command_buffer(cl_uint num_queues, cl_command_queue *queues,
        cl_command_buffer_khr command_buffer, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event) noexcept nogil
cdef cl_int get_command_buffer_info(cl_command_buffer_khr command_buffer, cl_command_buffer_info_khr param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret) noexcept nogil

# Each is a queue, and of one context: *ctx, which is NULL at first where any will do.
cdef cl_int check_queues(const QueueList *list, Context **ctx) noexcept nogil
