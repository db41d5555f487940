# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_command_queue, cl_int, cl_mem, cl_uint, cl_ulong
from clpy.core.command cimport Wait

cdef cl_int enqueue_wait_signal(cl_command_queue command_queue, cl_mem mem_object, cl_uint value,
                                const Wait *wait) noexcept nogil
cdef cl_int enqueue_write_signal(cl_command_queue command_queue, cl_mem mem_object, cl_uint value, cl_ulong offset,
                                 const Wait *wait) noexcept nogil
cdef cl_int enqueue_make_buffers_resident(cl_command_queue command_queue, cl_uint num_mem_objects,
                                          const cl_mem *mem_objects, void *bus_addresses,
                                          const Wait *wait) noexcept nogil
