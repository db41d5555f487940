# SPDX-License-Identifier: Apache-2.0
"""Kernel objects: clCreateKernel, clSetKernelArg, clGetKernel*Info."""
from clpy.cl cimport (cl_device_id, cl_int, cl_kernel, cl_kernel_arg_info, cl_kernel_exec_info, cl_kernel_info,
                      cl_kernel_sub_group_info, cl_kernel_work_group_info, cl_program, cl_uint, cl_ulong)

cdef cl_kernel create_kernel(cl_program program, const char *kernel_name, cl_int *errcode_ret) noexcept nogil
cdef cl_int create_kernels_in_program(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                      cl_uint *num_kernels_ret) noexcept nogil
cdef cl_kernel clone_kernel(cl_kernel source_kernel, cl_int *errcode_ret) noexcept nogil
cdef cl_int set_kernel_arg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
                           const void *arg_value) noexcept nogil
cdef cl_int set_kernel_arg_device_pointer_ext(cl_kernel kernel, cl_uint arg_index, cl_ulong arg_value) noexcept nogil
cdef cl_int set_kernel_exec_info(cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size,
                                 const void *param_value) noexcept nogil
cdef cl_int get_kernel_info(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void *param_value,
                            size_t *param_value_size_ret) noexcept nogil
cdef cl_int get_kernel_arg_info(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name,
                                size_t param_value_size, void *param_value,
                                size_t *param_value_size_ret) noexcept nogil
cdef cl_int get_kernel_work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,
                                       size_t param_value_size, void *param_value,
                                       size_t *param_value_size_ret) noexcept nogil
cdef cl_int get_kernel_sub_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
                                      size_t input_value_size, const void *input_value, size_t param_value_size,
                                      void *param_value, size_t *param_value_size_ret) noexcept nogil
