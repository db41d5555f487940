# SPDX-License-Identifier: Apache-2.0
"""Native kernels."""
from clpy.cl cimport cl_command_queue, cl_int, cl_mem, cl_uint, native_kernel_fn
from clpy.core.command cimport Wait

cdef cl_int enqueue_native_kernel(cl_command_queue command_queue, native_kernel_fn user_func, void *args,
                                  size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list,
                                  const void **args_mem_loc, const Wait *wait) noexcept nogil
