# SPDX-License-Identifier: Apache-2.0
"""clEnqueueNDRangeKernel and its kin."""
from clpy.abi cimport clpy_launch
from clpy.cl cimport cl_command_queue, cl_int, cl_kernel, cl_uint
from clpy.core.command cimport Queue, Wait
from clpy.core.kernel cimport Kernel
from clpy.core.program cimport Code, KernelCode

# What the checks of a launch find out on their way.
ctypedef struct Request:
    Queue *queue
    Kernel *kernel
    KernelCode *variant
    Code *code
    clpy_launch shape
    bint is_empty                # a global size of zero: "trivially succeeds"
    bint lacks_args              # not all are set

# All but the wait list.
cdef cl_int check_launch(Request *r, cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t *offset,
                         const size_t *global_size, const size_t *local_size, bint args_may_lack) noexcept nogil

cdef cl_int enqueue_ndrange_kernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                   const size_t *global_work_offset, const size_t *global_work_size,
                                   const size_t *local_work_size, const Wait *wait) noexcept nogil
cdef cl_int enqueue_task(cl_command_queue command_queue, cl_kernel kernel, const Wait *wait) noexcept nogil
cdef cl_int get_kernel_suggested_local_work_size(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                                 const size_t *global_work_offset, const size_t *global_work_size,
                                                 size_t *suggested_local_work_size) noexcept nogil
