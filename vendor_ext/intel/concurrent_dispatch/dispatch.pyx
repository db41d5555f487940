# SPDX-License-Identifier: Apache-2.0
"""Kernels whose groups all run at the same time, and how many groups that may be. How, is the core's
(Kernel.concurrent)."""
from libc.stdint cimport uint32_t
from libc.string cimport memcpy
from clpy.api.ndrange cimport Request, check_launch
from clpy.cl cimport cl_command_queue, cl_int, cl_kernel, cl_uint, cl_ulong
from clpy.core.context cimport Context
from clpy.core.kernel cimport Kernel
from clpy.core.ndrange cimport most_concurrent_groups
from clpy.core.object cimport KIND_KERNEL, KIND_QUEUE, object_is
from clpy.spec.consts cimport (CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_INVALID_WORK_GROUP_SIZE, CL_SUCCESS)

cdef enum:
    TYPE_DEFAULT = 0
    TYPE_CONCURRENT = 1


cdef bint some_device_can(const Context *ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i].runs_concurrently:
            return True
    return False


cdef bint is_built_in(const Kernel *kernel) noexcept nogil:
    """Such a kernel divides its range itself."""
    return kernel.info.shape != NULL


cdef cl_int takes_type(Kernel *kernel, cl_ulong name, size_t size, const void *value) noexcept nogil:
    """CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_INTEL."""
    cdef uint32_t wanted
    if value == NULL or size != sizeof(wanted):
        return CL_INVALID_VALUE
    memcpy(&wanted, value, sizeof(wanted))
    if wanted > TYPE_CONCURRENT:
        return CL_INVALID_VALUE
    if wanted != TYPE_DEFAULT and (is_built_in(kernel) or not some_device_can(kernel.program.context)):
        return CL_INVALID_OPERATION
    kernel.concurrent = wanted == TYPE_CONCURRENT
    return CL_SUCCESS


cdef cl_int get_kernel_max_concurrent_work_group_count(
        cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
        const size_t *local_work_size, size_t *max_work_group_count) noexcept nogil:
    """The errors are those of a launch of one group; arguments need not be set, as none of them matters."""
    cdef Request r
    cdef cl_int err
    if object_is(command_queue, KIND_QUEUE) and object_is(kernel, KIND_KERNEL) and is_built_in(<Kernel *>kernel):
        return CL_INVALID_OPERATION
    err = check_launch(&r, command_queue, kernel, work_dim, global_work_offset, local_work_size,
                       local_work_size, True)
    if err != CL_SUCCESS:
        return err
    if most_concurrent_groups(r.queue) == 0:
        return CL_INVALID_OPERATION
    if r.is_empty:               # no local size, or one with a zero
        return CL_INVALID_WORK_GROUP_SIZE
    if max_work_group_count == NULL:
        return CL_INVALID_VALUE
    max_work_group_count[0] = most_concurrent_groups(r.queue)
    return CL_SUCCESS
