# SPDX-License-Identifier: Apache-2.0
"""cl_khr_command_buffer_mutable_dispatch: changing recorded launches. An update is checked and captured as a whole
before any of it takes effect; the setters and checks are those of kernels and launches, on a copy of the kernel.
"""
from libc.stdlib cimport calloc
from libc.string cimport memcpy
from clpy.api.info cimport info_bytes, info_ptr, info_u32
from clpy.api.kernel cimport set_kernel_exec_info
from clpy.api.ndrange cimport Request, check_launch
from clpy.api.record cimport launch_command
from clpy.api.svm cimport set_kernel_arg_svm_pointer
from clpy.cl cimport (cl_bitfield, cl_command_buffer_khr, cl_command_buffer_update_type_khr, cl_command_queue, cl_int,
                      cl_kernel, cl_mutable_command_info_khr, cl_mutable_command_khr, cl_mutable_dispatch_config_khr,
                      cl_uint)
from clpy.core.command_buffer cimport CommandBuffer
from clpy.core.kernel cimport kernel_clone, kernel_set_arg
from clpy.core.mutable cimport Change, changes_commit, changes_free
from clpy.core.object cimport KIND_COMMAND_BUFFER, KIND_MUTABLE_COMMAND, object_is
from clpy.core.recorded cimport MutableCommand, Recorded, RecordedLaunch
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport (CL_COMMAND_BUFFER_MUTABLE_KHR, CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
                               CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_MUTABLE_COMMAND_KHR, CL_INVALID_OPERATION,
                               CL_INVALID_VALUE, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR,
                               CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR,
                               CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
                               CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
                               CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
                               CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR,
                               CL_MUTABLE_DISPATCH_KERNEL_KHR, CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
                               CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, CL_OUT_OF_HOST_MEMORY,
                               CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, CL_SUCCESS)

ctypedef const cl_mutable_dispatch_config_khr *ConfigPtr


# ---- one launch ------------------------------------------------------------------------------------------------------

cdef cl_int check_config(const RecordedLaunch *launch, ConfigPtr config) noexcept nogil:
    """From the dimensions to the lists."""
    cdef cl_bitfield wanted = 0
    if config.work_dim != 0 and config.work_dim != launch.work_dim:
        return CL_INVALID_OPERATION
    if config.global_work_offset != NULL:
        wanted |= CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    if config.global_work_size != NULL:
        wanted |= CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    if config.local_work_size != NULL:
        wanted |= CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    if config.num_args or config.num_svm_args:
        wanted |= CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    if config.num_exec_infos:
        wanted |= CL_MUTABLE_DISPATCH_EXEC_INFO_KHR
    # "if the [...] property was not set on command recording"
    if wanted & ~launch.updatable:
        return CL_INVALID_OPERATION
    if ((config.arg_list == NULL) != (config.num_args == 0)
            or (config.arg_svm_list == NULL) != (config.num_svm_args == 0)
            or (config.exec_info_list == NULL) != (config.num_exec_infos == 0)):
        return CL_INVALID_VALUE
    return CL_SUCCESS


cdef cl_int set_arguments(RecordedLaunch *launch, ConfigPtr config) noexcept nogil:
    cdef cl_uint i
    cdef cl_int err = CL_SUCCESS
    for i in range(config.num_args):
        if err == CL_SUCCESS:
            err = kernel_set_arg(launch.args, config.arg_list[i].arg_index, config.arg_list[i].arg_size,
                                 config.arg_list[i].arg_value)
    for i in range(config.num_svm_args):
        if err == CL_SUCCESS:
            err = set_kernel_arg_svm_pointer(<cl_kernel>launch.args, config.arg_svm_list[i].arg_index,
                                             config.arg_svm_list[i].arg_value)
    for i in range(config.num_exec_infos):
        if err == CL_SUCCESS:
            err = set_kernel_exec_info(<cl_kernel>launch.args, config.exec_info_list[i].param_name,
                                       config.exec_info_list[i].param_value_size, config.exec_info_list[i].param_value)
    return err


cdef bint is_uniform(const RecordedLaunch *launch) noexcept nogil:
    """Groups of one size. Where the application gave none the runtime's choice may be either."""
    cdef cl_uint i
    for i in range(launch.work_dim):
        if launch.has_local_size and launch.local_size[i] and launch.global_size[i] % launch.local_size[i]:
            return False
    return True


cdef void set_shape(RecordedLaunch *launch, ConfigPtr config) noexcept nogil:
    cdef size_t n = launch.work_dim * sizeof(size_t)
    if config.global_work_offset != NULL:
        memcpy(launch.global_offset, config.global_work_offset, n)
    if config.global_work_size != NULL:
        memcpy(launch.global_size, config.global_work_size, n)
    if config.local_work_size != NULL:
        memcpy(launch.local_size, config.local_work_size, n)
        launch.has_local_size = True


cdef cl_int apply_config(CommandBuffer *buffer, Change *change, ConfigPtr config) noexcept nogil:
    """`change` has the launch as it is, and a copy of its arguments of its own."""
    cdef RecordedLaunch *launch = &change.launch
    cdef Request r
    cdef bint was_uniform = is_uniform(launch)
    cdef cl_int err = set_arguments(launch, config)
    if err != CL_SUCCESS:
        return err
    set_shape(launch, config)
    err = check_launch(&r, <cl_command_queue>buffer.queues[buffer.recorded[change.index].queue],
                       <cl_kernel>launch.args, launch.work_dim, launch.global_offset, launch.global_size,
                       launch.local_size if launch.has_local_size else NULL, True)
    # "if the values of local_work_size and/or global_work_size result in a change to work-group uniformity"
    if err == CL_SUCCESS and is_uniform(launch) != was_uniform:
        err = CL_INVALID_OPERATION
    if err != CL_SUCCESS:
        return err
    launch.lacks_args = r.lacks_args
    change.command = launch_command(&r, &err)
    return err


cdef cl_int stage(CommandBuffer *buffer, ConfigPtr config, Change *changes, cl_uint n) noexcept nogil:
    """Fill in changes[n]; those before it are done."""
    cdef MutableCommand *handle = <MutableCommand *>config.command
    cdef Change *change = &changes[n]
    cdef const RecordedLaunch *now
    cdef cl_uint i
    cdef cl_int err
    # "if command is not a valid mutable command object [...] or created from command_buffer"
    if not object_is(handle, KIND_MUTABLE_COMMAND) or handle.buffer != buffer:
        return CL_INVALID_MUTABLE_COMMAND_KHR
    now = buffer.recorded[handle.index].launch
    for i in range(n):
        if changes[i].index == handle.index:
            now = &changes[i].launch
    err = check_config(now, config)
    if err != CL_SUCCESS:
        return err
    change.index = handle.index
    change.launch = now[0]
    change.launch.args = kernel_clone(now.args, &err)
    return err if err != CL_SUCCESS else apply_config(buffer, change, config)


# ---- all of them -----------------------------------------------------------------------------------------------------

cdef cl_int check_update(CommandBuffer *buffer, cl_uint n, const cl_command_buffer_update_type_khr *types,
                         const void **configs) noexcept nogil:
    cdef cl_uint i
    if buffer.state == CL_COMMAND_BUFFER_STATE_RECORDING_KHR:
        return CL_INVALID_OPERATION
    if not buffer.flags & CL_COMMAND_BUFFER_MUTABLE_KHR:
        return CL_INVALID_OPERATION
    if (types == NULL) != (n == 0) or (configs == NULL) != (n == 0):
        return CL_INVALID_VALUE
    for i in range(n):
        if types[i] != CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR or configs[i] == NULL:
            return CL_INVALID_VALUE
    return CL_SUCCESS


cdef cl_int update_mutable_commands(cl_command_buffer_khr command_buffer, cl_uint num_configs,
        const cl_command_buffer_update_type_khr *config_types, const void **configs) noexcept nogil:
    cdef CommandBuffer *buffer = <CommandBuffer *>command_buffer
    cdef Change *changes
    cdef cl_uint i
    cdef cl_int err
    if not object_is(command_buffer, KIND_COMMAND_BUFFER):
        return CL_INVALID_COMMAND_BUFFER_KHR
    err = check_update(buffer, num_configs, config_types, configs)
    if err != CL_SUCCESS or num_configs == 0:
        return err
    changes = <Change *>calloc(num_configs, sizeof(Change))
    if changes == NULL:
        return CL_OUT_OF_HOST_MEMORY
    mutex_lock(&buffer.lock)
    for i in range(num_configs):
        if err == CL_SUCCESS:
            err = stage(buffer, <ConfigPtr>configs[i], changes, i)
    if err == CL_SUCCESS:
        err = changes_commit(buffer, num_configs, changes)
    mutex_unlock(&buffer.lock)
    changes_free(num_configs, changes)
    return err


include "queries/mutable_command_info.pxi"


cdef cl_int get_mutable_command_info(cl_mutable_command_khr command, cl_mutable_command_info_khr param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef MutableCommand *handle = <MutableCommand *>command
    cdef CommandBuffer *buffer
    cdef Recorded recorded
    cdef RecordedLaunch launch
    if not object_is(command, KIND_MUTABLE_COMMAND):
        return CL_INVALID_MUTABLE_COMMAND_KHR
    buffer = <CommandBuffer *>handle.buffer
    mutex_lock(&buffer.lock)
    recorded = buffer.recorded[handle.index]
    launch = recorded.launch[0]
    mutex_unlock(&buffer.lock)
    return answer_mutable_command_info(buffer, &recorded, &launch, param_name, param_value_size, param_value,
                                       param_value_size_ret)
