# SPDX-License-Identifier: Apache-2.0
"""Events, markers and barriers."""
from clpy.cl cimport (cl_command_queue, cl_context, cl_event, cl_event_info, cl_int, cl_profiling_info, cl_uint,
                      event_notify_fn)
from clpy.core.command cimport Wait

cdef cl_int wait_for_events(cl_uint num_events, const cl_event *event_list) noexcept nogil
cdef cl_int get_event_info(cl_event event, cl_event_info param_name, size_t param_value_size, void *param_value,
        size_t *param_value_size_ret) noexcept nogil
cdef cl_int retain_event(cl_event event) noexcept nogil
cdef cl_int release_event(cl_event event) noexcept nogil
cdef cl_int get_event_profiling_info(cl_event event, cl_profiling_info param_name, size_t param_value_size,
        void *param_value, size_t *param_value_size_ret) noexcept nogil
cdef cl_event create_user_event(cl_context context, cl_int *errcode_ret) noexcept nogil
cdef cl_int set_user_event_status(cl_event event, cl_int execution_status) noexcept nogil
cdef cl_int set_event_callback(cl_event event, cl_int command_exec_callback_type, event_notify_fn pfn_notify,
        void *user_data) noexcept nogil
cdef cl_int enqueue_marker(cl_command_queue command_queue, cl_event *event) noexcept nogil
cdef cl_int enqueue_wait_for_events(cl_command_queue command_queue, cl_uint num_events,
        const cl_event *event_list) noexcept nogil
cdef cl_int enqueue_barrier(cl_command_queue command_queue) noexcept nogil
cdef cl_int enqueue_marker_with_wait_list(cl_command_queue command_queue, const Wait *wait) noexcept nogil
cdef cl_int enqueue_barrier_with_wait_list(cl_command_queue command_queue, const Wait *wait) noexcept nogil
