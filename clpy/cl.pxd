# SPDX-License-Identifier: Apache-2.0
"""Types of the OpenCL C API, declared from the system headers. Enumerants are in clpy.spec.consts."""
from libc.stdint cimport int32_t, uint32_t, uint64_t, intptr_t

cdef extern from "clpy_opencl.h":
    pass

cdef extern from "CL/cl.h" nogil:
    ctypedef int32_t cl_int
    ctypedef uint32_t cl_uint
    ctypedef uint64_t cl_ulong

    ctypedef struct _cl_platform_id:
        pass
    ctypedef _cl_platform_id *cl_platform_id
    ctypedef struct _cl_device_id:
        pass
    ctypedef _cl_device_id *cl_device_id
    ctypedef struct _cl_context:
        pass
    ctypedef _cl_context *cl_context
    ctypedef struct _cl_command_queue:
        pass
    ctypedef _cl_command_queue *cl_command_queue
    ctypedef struct _cl_mem:
        pass
    ctypedef _cl_mem *cl_mem
    ctypedef struct _cl_program:
        pass
    ctypedef _cl_program *cl_program
    ctypedef struct _cl_kernel:
        pass
    ctypedef _cl_kernel *cl_kernel
    ctypedef struct _cl_event:
        pass
    ctypedef _cl_event *cl_event
    ctypedef struct _cl_sampler:
        pass
    ctypedef _cl_sampler *cl_sampler

    ctypedef uint32_t cl_bool
    ctypedef uint64_t cl_bitfield
    ctypedef uint64_t cl_properties
    ctypedef uint64_t cl_device_type
    ctypedef uint32_t cl_platform_info
    ctypedef uint32_t cl_device_info
    ctypedef uint64_t cl_device_fp_config
    ctypedef uint32_t cl_device_mem_cache_type
    ctypedef uint32_t cl_device_local_mem_type
    ctypedef uint64_t cl_device_exec_capabilities
    ctypedef uint64_t cl_device_svm_capabilities
    ctypedef uint64_t cl_command_queue_properties
    ctypedef intptr_t cl_device_partition_property
    ctypedef uint64_t cl_device_affinity_domain
    ctypedef intptr_t cl_context_properties
    ctypedef uint32_t cl_context_info
    ctypedef uint64_t cl_queue_properties
    ctypedef uint32_t cl_command_queue_info
    ctypedef uint32_t cl_channel_order
    ctypedef uint32_t cl_channel_type
    ctypedef uint64_t cl_mem_flags
    ctypedef uint64_t cl_svm_mem_flags
    ctypedef uint32_t cl_mem_object_type
    ctypedef uint32_t cl_mem_info
    ctypedef uint64_t cl_mem_migration_flags
    ctypedef uint32_t cl_image_info
    ctypedef uint32_t cl_buffer_create_type
    ctypedef uint32_t cl_addressing_mode
    ctypedef uint32_t cl_filter_mode
    ctypedef uint32_t cl_sampler_info
    ctypedef uint64_t cl_map_flags
    ctypedef intptr_t cl_pipe_properties
    ctypedef uint32_t cl_pipe_info
    ctypedef uint32_t cl_program_info
    ctypedef uint32_t cl_program_build_info
    ctypedef uint32_t cl_program_binary_type
    ctypedef int32_t cl_build_status
    ctypedef uint32_t cl_kernel_info
    ctypedef uint32_t cl_kernel_arg_info
    ctypedef uint32_t cl_kernel_arg_address_qualifier
    ctypedef uint32_t cl_kernel_arg_access_qualifier
    ctypedef uint64_t cl_kernel_arg_type_qualifier
    ctypedef uint32_t cl_kernel_work_group_info
    ctypedef uint32_t cl_kernel_sub_group_info
    ctypedef uint32_t cl_event_info
    ctypedef uint32_t cl_command_type
    ctypedef uint32_t cl_profiling_info
    ctypedef uint64_t cl_sampler_properties
    ctypedef uint32_t cl_kernel_exec_info
    ctypedef uint64_t cl_device_atomic_capabilities
    ctypedef uint64_t cl_device_device_enqueue_capabilities
    ctypedef uint32_t cl_khronos_vendor_id
    ctypedef uint64_t cl_mem_properties
    ctypedef uint32_t cl_version

    ctypedef struct cl_image_format:
        cl_channel_order image_channel_order
        cl_channel_type image_channel_data_type

    ctypedef struct cl_image_desc:
        cl_mem_object_type image_type
        size_t image_width
        size_t image_height
        size_t image_depth
        size_t image_array_size
        size_t image_row_pitch
        size_t image_slice_pitch
        cl_uint num_mip_levels
        cl_uint num_samples
        cl_mem mem_object

    ctypedef struct cl_buffer_region:
        size_t origin
        size_t size

    ctypedef struct cl_name_version:
        cl_version version
        char name[64]

# Types of extensions that the system's headers may not have, or in an older form.
ctypedef struct _cl_command_buffer_khr:
    void *dispatch
ctypedef _cl_command_buffer_khr *cl_command_buffer_khr
ctypedef struct _cl_mutable_command_khr:
    void *dispatch
ctypedef _cl_mutable_command_khr *cl_mutable_command_khr
ctypedef uint32_t cl_sync_point_khr
ctypedef uint32_t cl_command_buffer_info_khr
ctypedef uint64_t cl_command_buffer_properties_khr
ctypedef uint64_t cl_command_buffer_flags_khr
ctypedef uint64_t cl_command_properties_khr
ctypedef uint64_t cl_mutable_dispatch_fields_khr
ctypedef uint64_t cl_mutable_dispatch_asserts_khr
ctypedef uint32_t cl_mutable_command_info_khr
ctypedef uint32_t cl_command_buffer_update_type_khr

ctypedef struct _cl_accelerator_intel:
    void *dispatch
ctypedef _cl_accelerator_intel *cl_accelerator_intel

ctypedef struct _cl_semaphore_khr:
    void *dispatch
ctypedef _cl_semaphore_khr *cl_semaphore_khr
ctypedef uint64_t cl_semaphore_properties_khr
ctypedef uint32_t cl_semaphore_info_khr
ctypedef uint64_t cl_semaphore_reimport_properties_khr
ctypedef uint64_t cl_semaphore_payload_khr
ctypedef uint32_t cl_external_semaphore_handle_type_khr
ctypedef uint32_t cl_external_memory_handle_type_khr
ctypedef uint64_t cl_svm_capabilities_khr
ctypedef uint64_t cl_svm_alloc_properties_khr
ctypedef uint64_t cl_svm_alloc_access_flags_khr
ctypedef uint64_t cl_svm_free_properties_khr
ctypedef uint64_t cl_svm_free_flags_khr
ctypedef uint32_t cl_svm_pointer_info_khr

ctypedef struct cl_mutable_dispatch_arg_khr:
    cl_uint arg_index
    size_t arg_size
    const void *arg_value

ctypedef struct cl_mutable_dispatch_exec_info_khr:
    cl_uint param_name
    size_t param_value_size
    const void *param_value

ctypedef struct cl_mutable_dispatch_config_khr:
    cl_mutable_command_khr command
    cl_uint num_args
    cl_uint num_svm_args
    cl_uint num_exec_infos
    cl_uint work_dim
    const cl_mutable_dispatch_arg_khr *arg_list
    const cl_mutable_dispatch_arg_khr *arg_svm_list
    const cl_mutable_dispatch_exec_info_khr *exec_info_list
    const size_t *global_work_offset
    const size_t *global_work_size
    const size_t *local_work_size

# Callbacks of the application. They are called without the GIL and without a lock.
ctypedef void (*context_notify_fn)(const char *errinfo, const void *private_info, size_t cb,
                                   void *user_data) noexcept nogil
ctypedef void (*context_destructor_fn)(cl_context context, void *user_data) noexcept nogil
ctypedef void (*program_notify_fn)(cl_program program, void *user_data) noexcept nogil
ctypedef void (*mem_destructor_fn)(cl_mem memobj, void *user_data) noexcept nogil
ctypedef void (*event_notify_fn)(cl_event event, cl_int status, void *user_data) noexcept nogil
ctypedef void (*native_kernel_fn)(void *args) noexcept nogil
ctypedef void (*svm_free_fn)(cl_command_queue queue, cl_uint n, void **pointers, void *user_data) noexcept nogil
