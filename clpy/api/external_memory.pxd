# SPDX-License-Identifier: Apache-2.0
"""cl_khr_external_memory."""
from clpy.cl cimport cl_command_queue, cl_device_info, cl_int, cl_mem, cl_uint
from clpy.core.command cimport Wait
from clpy.device.base cimport Device

cdef cl_int enqueue_acquire_external_mem_objects(cl_command_queue command_queue, cl_uint num_mem_objects,
        const cl_mem *mem_objects, const Wait *wait) noexcept nogil
cdef cl_int enqueue_release_external_mem_objects(cl_command_queue command_queue, cl_uint num_mem_objects,
        const cl_mem *mem_objects, const Wait *wait) noexcept nogil
