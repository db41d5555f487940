# SPDX-License-Identifier: Apache-2.0
"""clEnqueueNDRangeKernel and its kin."""
from clpy.cl cimport cl_command_queue, cl_event, cl_int, cl_kernel, cl_uint

cdef cl_int enqueue_ndrange_kernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                   const size_t *global_work_offset, const size_t *global_work_size,
                                   const size_t *local_work_size, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event) noexcept nogil
cdef cl_int enqueue_task(cl_command_queue command_queue, cl_kernel kernel, cl_uint num_events_in_wait_list,
                         const cl_event *event_wait_list, cl_event *event) noexcept nogil
cdef cl_int get_kernel_suggested_local_work_size(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                                 const size_t *global_work_offset, const size_t *global_work_size,
                                                 size_t *suggested_local_work_size) noexcept nogil
