# SPDX-License-Identifier: Apache-2.0
"""clCommand*Image*KHR: recording commands on images into a command buffer."""
from clpy.api.image_transfer cimport copy_image, copy_image_and_buffer, fill_image
from clpy.api.record cimport begin_plain, queue_of
from clpy.cl cimport (cl_command_buffer_khr, cl_command_properties_khr, cl_command_queue, cl_int, cl_mem,
                      cl_mutable_command_khr, cl_sync_point_khr, cl_uint)
from clpy.core.command cimport Wait
from clpy.core.command_buffer cimport Recording
from clpy.spec.consts cimport CL_SUCCESS


cdef cl_int command_copy_buffer_to_image(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
        const cl_command_properties_khr *properties, cl_mem src_buffer, cl_mem dst_image, size_t src_offset,
        const size_t *dst_origin, const size_t *region,
        cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,
        cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle) noexcept nogil:
    cdef Recording to
    cdef Wait wait = Wait(&to.base, 0, NULL, NULL, False)
    cdef cl_int err = begin_plain(&to, command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                                  sync_point_wait_list, sync_point, mutable_handle)
    if err != CL_SUCCESS:
        return err
    return copy_image_and_buffer(queue_of(&to), dst_image, src_buffer, dst_origin, region, src_offset, False, &wait)


cdef cl_int command_copy_image(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
        const cl_command_properties_khr *properties, cl_mem src_image, cl_mem dst_image, const size_t *src_origin,
        const size_t *dst_origin, const size_t *region,
        cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,
        cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle) noexcept nogil:
    cdef Recording to
    cdef Wait wait = Wait(&to.base, 0, NULL, NULL, False)
    cdef cl_int err = begin_plain(&to, command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                                  sync_point_wait_list, sync_point, mutable_handle)
    if err != CL_SUCCESS:
        return err
    return copy_image(queue_of(&to), src_image, dst_image, src_origin, dst_origin, region, &wait)


cdef cl_int command_copy_image_to_buffer(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
        const cl_command_properties_khr *properties, cl_mem src_image, cl_mem dst_buffer, const size_t *src_origin,
        const size_t *region, size_t dst_offset,
        cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,
        cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle) noexcept nogil:
    cdef Recording to
    cdef Wait wait = Wait(&to.base, 0, NULL, NULL, False)
    cdef cl_int err = begin_plain(&to, command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                                  sync_point_wait_list, sync_point, mutable_handle)
    if err != CL_SUCCESS:
        return err
    return copy_image_and_buffer(queue_of(&to), src_image, dst_buffer, src_origin, region, dst_offset, True, &wait)


cdef cl_int command_fill_image(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
        const cl_command_properties_khr *properties, cl_mem image, const void *fill_color, const size_t *origin,
        const size_t *region,
        cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,
        cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle) noexcept nogil:
    cdef Recording to
    cdef Wait wait = Wait(&to.base, 0, NULL, NULL, False)
    cdef cl_int err = begin_plain(&to, command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                                  sync_point_wait_list, sync_point, mutable_handle)
    if err != CL_SUCCESS:
        return err
    return fill_image(queue_of(&to), image, fill_color, origin, region, &wait)
