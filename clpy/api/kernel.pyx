# SPDX-License-Identifier: Apache-2.0
"""Kernel objects: clCreateKernel, clSetKernelArg, clSetKernelExecInfo, clGetKernel*Info."""
from libc.string cimport memcpy
from clpy.abi cimport CLPY_ARG_GLOBAL
from clpy.api.info cimport info_bytes, info_ptr, info_size, info_string, info_u32, info_u64
from clpy.cl cimport (cl_bool, cl_device_id, cl_device_svm_capabilities, cl_int, cl_kernel, cl_kernel_arg_info,
                      cl_kernel_exec_info, cl_kernel_info, cl_kernel_sub_group_info, cl_kernel_work_group_info,
                      cl_program, cl_uint, cl_ulong)
from clpy.core.context cimport Context, context_has, context_has_buffer_addresses
from clpy.core.kernel cimport (Kernel, kernel_clone, kernel_local_bytes, kernel_max_group_size, kernel_new,
                               kernel_new_all, kernel_set_arg, kernel_set_pointer, kernel_variant)
from clpy.core.object cimport KIND_DEVICE, KIND_KERNEL, KIND_PROGRAM, object_give, object_is
from clpy.core.program cimport Code, KernelArg, KernelCode, Program
from clpy.core.sub_groups cimport items_of_sub_groups, most_sub_groups, sub_group_items
from clpy.core.svm cimport svm_of_context
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, CL_FALSE, CL_INVALID_ARG_INDEX, CL_INVALID_DEVICE,
                               CL_INVALID_KERNEL, CL_INVALID_OPERATION, CL_INVALID_PROGRAM, CL_INVALID_VALUE,
                               CL_KERNEL_ARG_ACCESS_QUALIFIER,
                               CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, CL_KERNEL_ARG_NAME,
                               CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_TYPE_QUALIFIER, CL_KERNEL_ATTRIBUTES,
                               CL_KERNEL_COMPILE_NUM_SUB_GROUPS, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_CONTEXT,
                               CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                               CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR,
                               CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_FUNCTION_NAME, CL_KERNEL_LOCAL_MEM_SIZE,
                               CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, CL_KERNEL_MAX_NUM_SUB_GROUPS,
                               CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_NUM_ARGS,
                               CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE,
                               CL_KERNEL_PROGRAM, CL_KERNEL_REFERENCE_COUNT, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                               CL_KERNEL_WORK_GROUP_SIZE, CL_SUCCESS)


cdef cl_kernel create_kernel(cl_program program, const char *kernel_name, cl_int *errcode_ret) noexcept nogil:
    if not object_is(program, KIND_PROGRAM):
        errcode_ret[0] = CL_INVALID_PROGRAM
        return NULL
    return <cl_kernel>kernel_new(<Program *>program, kernel_name, errcode_ret)


cdef cl_int create_kernels_in_program(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                      cl_uint *num_kernels_ret) noexcept nogil:
    cdef cl_uint count = 0
    cdef cl_int err
    if not object_is(program, KIND_PROGRAM):
        return CL_INVALID_PROGRAM
    err = kernel_new_all(<Program *>program, num_kernels, kernels, &count)
    if err == CL_SUCCESS and num_kernels_ret != NULL:
        num_kernels_ret[0] = count
    return err


cdef cl_kernel clone_kernel(cl_kernel source_kernel, cl_int *errcode_ret) noexcept nogil:
    cdef Kernel *clone
    if not object_is(source_kernel, KIND_KERNEL):
        errcode_ret[0] = CL_INVALID_KERNEL
        return NULL
    clone = kernel_clone(<Kernel *>source_kernel, errcode_ret)
    if clone != NULL:
        object_give(&clone.obj)
    return <cl_kernel>clone


cdef cl_int set_kernel_arg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
                           const void *arg_value) noexcept nogil:
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    return kernel_set_arg(<Kernel *>kernel, arg_index, arg_size, arg_value)


cdef cl_int set_kernel_arg_device_pointer_ext(cl_kernel kernel, cl_uint arg_index, cl_ulong arg_value) noexcept nogil:
    cdef Kernel *k = <Kernel *>kernel
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    if not context_has_buffer_addresses(k.program.context):
        return CL_INVALID_OPERATION
    # "if arg_index corresponds to an argument that is not a pointer to the global address space"
    if arg_index >= k.info.n_args or k.info.args[arg_index].kind != CLPY_ARG_GLOBAL:
        return CL_INVALID_ARG_INDEX
    return kernel_set_pointer(k, arg_index, <const void *>arg_value)


include "properties/kernel.pxi"


cdef cl_int set_kernel_exec_info(cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size,
                                 const void *param_value) noexcept nogil:
    """Hints for devices that must be told what a kernel will touch; no device of ours needs to be told."""
    cdef cl_device_svm_capabilities can
    cdef cl_bool uses_system = CL_FALSE
    cdef bint able
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    can = svm_of_context((<Kernel *>kernel).program.context)
    if param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS or param_name == CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT:
        if param_name == CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT:
            able = context_has_buffer_addresses((<Kernel *>kernel).program.context)
        else:
            able = can != 0
        if not able:
            return CL_INVALID_OPERATION
        # "if param_value is NULL and param_value_size is greater than zero, or if the size [...] is not valid"
        if (param_value == NULL) != (param_value_size == 0) or param_value_size % sizeof(void *):
            return CL_INVALID_VALUE
        return CL_SUCCESS
    if param_name == CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR:
        if can == 0:
            return CL_INVALID_OPERATION
        return CL_SUCCESS if param_value != NULL and param_value_size == sizeof(cl_bool) else CL_INVALID_VALUE
    if param_name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        return other_kernel_property(<Kernel *>kernel, param_name, param_value_size, param_value)
    if param_value == NULL or param_value_size != sizeof(cl_bool):
        return CL_INVALID_VALUE
    memcpy(&uses_system, param_value, sizeof(cl_bool))
    return CL_INVALID_OPERATION if uses_system and not can & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM else CL_SUCCESS


include "queries/kernel_info.pxi"


cdef cl_int get_kernel_info(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void *param_value,
                            size_t *param_value_size_ret) noexcept nogil:
    cdef Kernel *k = <Kernel *>kernel
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    return answer_kernel_info(k, param_name, param_value_size, param_value, param_value_size_ret)


# "Kernel argument information is only available if [...] built with -cl-kernel-arg-info": the names of types tell.
include "queries/kernel_arg_info.pxi"


cdef cl_int get_kernel_arg_info(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name,
                                size_t param_value_size, void *param_value,
                                size_t *param_value_size_ret) noexcept nogil:
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    if arg_index >= (<Kernel *>kernel).info.n_args:
        return CL_INVALID_ARG_INDEX
    return answer_kernel_arg_info(&(<Kernel *>kernel).info.args[arg_index], param_name, param_value_size, param_value,
                                  param_value_size_ret)


cdef Device *device_of(const Kernel *k, cl_device_id device) noexcept nogil:
    """The device a query is about; NULL where it has to be named, or is not in "the list of devices in the OpenCL
    context that is associated with kernel"."""
    cdef const Context *ctx = k.program.context
    if device == NULL:
        return ctx.devices[0] if ctx.n_devices == 1 else NULL
    return <Device *>device if object_is(device, KIND_DEVICE) and context_has(ctx, <Device *>device) else NULL


cdef cl_int most_global_size(const Kernel *k, const KernelCode *variant, const Device *dev, size_t size, void *value,
                             size_t *size_ret) noexcept nogil:
    """"If device is not a custom device and kernel is not a built-in kernel" it is an error."""
    cdef size_t most[3]
    if k.info.most == NULL:
        return CL_INVALID_VALUE
    k.info.most(dev, most)
    return info_bytes(most, sizeof(most), size, value, size_ret)


include "queries/kernel_work_group_info.pxi"


cdef cl_int get_kernel_work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,
                                       size_t param_value_size, void *param_value,
                                       size_t *param_value_size_ret) noexcept nogil:
    cdef Kernel *k = <Kernel *>kernel
    cdef Device *dev
    cdef Code *code = NULL
    cdef KernelCode *variant
    cdef cl_int err = CL_SUCCESS
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    dev = device_of(k, device)
    if dev == NULL:
        return CL_INVALID_DEVICE
    variant = kernel_variant(k, dev, False, &code, &err)
    if variant == NULL:          # a device of the program, but the program was not built for it
        return err
    return answer_kernel_work_group_info(k, variant, dev, param_name, param_value_size, param_value,
                                         param_value_size_ret)


cdef bint local_items(const void *input, size_t size, size_t *items) noexcept nogil:
    """Work-items of a group of a local size in one to three dimensions, as an input value; False: it is no such."""
    cdef const size_t *local = <const size_t *>input
    cdef size_t i
    if input == NULL or size == 0 or size % sizeof(size_t) or size > 3 * sizeof(size_t):
        return False
    items[0] = 1
    for i in range(size // sizeof(size_t)):
        if local[i] == 0 or items[0] > ~<size_t>0 // local[i]:
            return False
        items[0] *= local[i]
    return True


cdef cl_int sub_group_size(const KernelCode *variant, const Device *dev, size_t input_size, const void *input,
                           size_t size, void *value, size_t *size_ret) noexcept nogil:
    """As get_max_sub_group_size() answers: "the maximum sub-group size for this kernel", also where a group is less."""
    cdef size_t items = 0
    if not local_items(input, input_size, &items):
        return CL_INVALID_VALUE
    return info_size(sub_group_items(variant, dev), size, value, size_ret)


cdef cl_int sub_group_count(const KernelCode *variant, const Device *dev, size_t input_size, const void *input,
                            size_t size, void *value, size_t *size_ret) noexcept nogil:
    cdef size_t items = 0
    if not local_items(input, input_size, &items):
        return CL_INVALID_VALUE
    return info_size((items - 1) // sub_group_items(variant, dev) + 1, size, value, size_ret)


cdef cl_int local_size(const KernelCode *variant, const Device *dev, size_t input_size, const void *input, size_t size,
                       void *value, size_t *size_ret) noexcept nogil:
    """For a number of sub-groups. "Any returned work-group will have one dimension. Other dimensions inferred from the
    value specified for param_value_size will be filled with the value 1." """
    cdef size_t local[3]
    cdef size_t n = size // sizeof(size_t) if value != NULL else 3
    cdef size_t items
    if input == NULL or input_size != sizeof(size_t) or n == 0 or n > 3 or (value != NULL and size % sizeof(size_t)):
        return CL_INVALID_VALUE
    items = items_of_sub_groups(variant, dev, (<const size_t *>input)[0])
    # "If no work-group size can accommodate the requested number of sub-groups, 0 will be returned in each element"
    local[0] = items
    local[1] = local[2] = 1 if items else 0
    return info_bytes(local, n * sizeof(size_t), size, value, size_ret)


include "queries/kernel_sub_group_info.pxi"


cdef cl_int get_kernel_sub_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
                                      size_t input_value_size, const void *input_value, size_t param_value_size,
                                      void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef Device *dev
    cdef Code *code = NULL
    cdef KernelCode *variant
    cdef cl_int err = CL_SUCCESS
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    dev = device_of(<Kernel *>kernel, device)
    if dev == NULL:
        return CL_INVALID_DEVICE
    if dev.sub_groups.most == 0:         # "if device does not support sub-groups"
        return CL_INVALID_OPERATION
    variant = kernel_variant(<Kernel *>kernel, dev, False, &code, &err)
    if variant == NULL:
        return err
    return answer_kernel_sub_group_info(variant, dev, input_value_size, input_value, param_name, param_value_size,
                                        param_value, param_value_size_ret)
