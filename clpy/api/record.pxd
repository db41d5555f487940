# SPDX-License-Identifier: Apache-2.0
"""clCommand*KHR: recording commands into a command buffer."""
from libc.stdint cimport uint32_t
from clpy.api.ndrange cimport Request
from clpy.cl cimport (cl_command_buffer_khr, cl_command_properties_khr, cl_command_queue, cl_int, cl_kernel,
                      cl_mutable_command_khr, cl_sync_point_khr, cl_uint)
from clpy.core.command cimport Command
from clpy.core.command_buffer cimport Recording

cdef cl_int command_barrier_with_wait_list(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
        const cl_command_properties_khr *properties, cl_uint num_sync_points_in_wait_list,
        const cl_sync_point_khr *sync_point_wait_list, cl_sync_point_khr *sync_point,
        cl_mutable_command_khr *mutable_handle) noexcept nogil
cdef cl_int command_ndrange_kernel(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
        const cl_command_properties_khr *properties, cl_kernel kernel, cl_uint work_dim,
        const size_t *global_work_offset, const size_t *global_work_size, const size_t *local_work_size,
        cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,
        cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle) noexcept nogil

# Of a command that has no properties and no handle: all checks that are not its own. The generated entries call it.
cdef cl_int begin_plain(Recording *to, cl_command_buffer_khr buffer, cl_command_queue queue,
                        const cl_command_properties_khr *properties, cl_uint n_sync_points,
                        const cl_sync_point_khr *sync_points, cl_sync_point_khr *sync_point,
                        cl_mutable_command_khr *mutable_handle) noexcept nogil


cdef inline cl_command_queue queue_of(const Recording *to) noexcept nogil:
    return <cl_command_queue>to.buffer.queues[to.queue]


# The command of a launch that is checked, to be recorded; an empty one while arguments are missing. NULL and the error.
cdef Command *launch_command(Request *r, cl_int *err) noexcept nogil
