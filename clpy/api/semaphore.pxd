# SPDX-License-Identifier: Apache-2.0
"""cl_khr_semaphore, cl_khr_external_semaphore."""
from clpy.cl cimport (cl_command_queue, cl_context, cl_device_id, cl_device_info, cl_external_semaphore_handle_type_khr,
                      cl_int, cl_semaphore_info_khr, cl_semaphore_khr, cl_semaphore_payload_khr,
                      cl_semaphore_properties_khr, cl_semaphore_reimport_properties_khr, cl_uint)
from clpy.core.command cimport Wait

cdef cl_semaphore_khr create_semaphore_with_properties(cl_context context,
        const cl_semaphore_properties_khr *sema_props, cl_int *errcode_ret) noexcept nogil
cdef cl_int enqueue_wait_semaphores(cl_command_queue command_queue, cl_uint num_sema_objects,
        const cl_semaphore_khr *sema_objects, const cl_semaphore_payload_khr *sema_payload_list,
        const Wait *wait) noexcept nogil
cdef cl_int enqueue_signal_semaphores(cl_command_queue command_queue, cl_uint num_sema_objects,
        const cl_semaphore_khr *sema_objects, const cl_semaphore_payload_khr *sema_payload_list,
        const Wait *wait) noexcept nogil
cdef cl_int get_semaphore_info(cl_semaphore_khr sema_object, cl_semaphore_info_khr param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret) noexcept nogil
cdef cl_int get_semaphore_handle_for_type(cl_semaphore_khr sema_object, cl_device_id device,
        cl_external_semaphore_handle_type_khr handle_type, size_t handle_size, void *handle_ptr,
        size_t *handle_size_ret) noexcept nogil
cdef cl_int reimport_semaphore_sync_fd(cl_semaphore_khr sema_object,
        cl_semaphore_reimport_properties_khr *reimport_props, int fd) noexcept nogil
