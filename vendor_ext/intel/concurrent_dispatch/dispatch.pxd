# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_command_queue, cl_int, cl_kernel, cl_uint, cl_ulong
from clpy.core.kernel cimport Kernel

cdef cl_int takes_type(Kernel *kernel, cl_ulong name, size_t size, const void *value) noexcept nogil
cdef cl_int get_kernel_max_concurrent_work_group_count(
    cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
    const size_t *local_work_size, size_t *max_work_group_count) noexcept nogil
