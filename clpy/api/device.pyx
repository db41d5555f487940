# SPDX-License-Identifier: Apache-2.0
"""Devices."""
from clpy.api.command_buffer cimport command_buffer_device_info
from clpy.api.external_memory cimport external_memory_info
from clpy.api.info cimport info_bytes, info_list, info_object, info_ptr, info_size, info_u32, info_u64
from clpy.api.semaphore cimport semaphore_device_info
from clpy.api.svm_type cimport svm_type_info
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_device_id, cl_device_info, cl_device_partition_property, cl_device_type, cl_int,
                      cl_platform_id, cl_uint)
from clpy.core.device cimport MOST_DEVICES, device_answer, devices_of_type
from clpy.core.object cimport KIND_DEVICE, object_is, object_release, object_retain
from clpy.core.partition cimport Plan, domains_of, is_divisible, make_parts, plan_free, plan_partition
from clpy.core.platform cimport is_platform, the_platform
from clpy.device.base cimport Device, ImageLimits
from clpy.errors import CLError
from clpy.spec.consts cimport (CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, CL_DEVICE_EXECUTION_CAPABILITIES,
                               CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_IMAGE2D_MAX_HEIGHT, CL_DEVICE_IMAGE2D_MAX_WIDTH,
                               CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_WIDTH,
                               CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
                               CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
                               CL_DEVICE_IMAGE_SUPPORT, CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_MAX_COMPUTE_UNITS,
                               CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_MAX_NUM_SUB_GROUPS,
                               CL_DEVICE_MAX_ON_DEVICE_EVENTS, CL_DEVICE_MAX_ON_DEVICE_QUEUES, CL_DEVICE_MAX_PIPE_ARGS,
                               CL_DEVICE_MAX_READ_IMAGE_ARGS, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                               CL_DEVICE_MAX_SAMPLERS, CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_MAX_WORK_ITEM_SIZES,
                               CL_DEVICE_MAX_WRITE_IMAGE_ARGS, CL_DEVICE_MEM_BASE_ADDR_ALIGN, CL_DEVICE_PARENT_DEVICE,
                               CL_DEVICE_PARTITION_AFFINITY_DOMAIN, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                               CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_EQUALLY,
                               CL_DEVICE_PARTITION_MAX_SUB_DEVICES, CL_DEVICE_PARTITION_PROPERTIES,
                               CL_DEVICE_PARTITION_TYPE, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
                               CL_DEVICE_PIPE_MAX_PACKET_SIZE, CL_DEVICE_PIPE_SUPPORT, CL_DEVICE_PLATFORM,
                               CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
                               CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, CL_DEVICE_REFERENCE_COUNT,
                               CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_DEVICE_SVM_CAPABILITIES, CL_FALSE,
                               CL_INVALID_DEVICE, CL_INVALID_DEVICE_TYPE, CL_INVALID_PLATFORM, CL_INVALID_VALUE,
                               CL_SUCCESS, CL_TRUE)


cdef cl_int get_device_ids(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                           cl_device_id *devices, cl_uint *num_devices) noexcept nogil:
    cdef Device *found[MOST_DEVICES]
    cdef cl_uint n = 0
    cdef cl_int wanted
    if not is_platform(platform):
        return CL_INVALID_PLATFORM
    wanted = devices_of_type(device_type, found, &n)
    # The list: CL_INVALID_DEVICE_TYPE, CL_INVALID_VALUE, CL_DEVICE_NOT_FOUND.
    if wanted == CL_INVALID_DEVICE_TYPE:
        return wanted
    if info_list(found, sizeof(Device *), n, num_entries, devices, num_devices) != CL_SUCCESS:
        return CL_INVALID_VALUE
    return wanted


cdef bint image_limit(const Device *dev, cl_device_info param_name, size_t *value) noexcept:
    """A size among the limits of images; False for another query."""
    cdef const ImageLimits *most = &dev.images
    if param_name == CL_DEVICE_IMAGE2D_MAX_WIDTH:
        value[0] = most.width_2d
    elif param_name == CL_DEVICE_IMAGE2D_MAX_HEIGHT:
        value[0] = most.height_2d
    elif param_name == CL_DEVICE_IMAGE3D_MAX_WIDTH:
        value[0] = most.width_3d
    elif param_name == CL_DEVICE_IMAGE3D_MAX_HEIGHT:
        value[0] = most.height_3d
    elif param_name == CL_DEVICE_IMAGE3D_MAX_DEPTH:
        value[0] = most.depth_3d
    elif param_name == CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
        value[0] = most.buffer_width
    elif param_name == CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
        value[0] = most.array_size
    else:
        return False
    return True


cdef bint image_count(const Device *dev, cl_device_info param_name, cl_uint *value) noexcept:
    """Likewise, of those that are a cl_uint."""
    cdef const ImageLimits *most = &dev.images
    if param_name == CL_DEVICE_IMAGE_SUPPORT:
        value[0] = CL_TRUE if dev.has_images else CL_FALSE
    elif param_name == CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
        value[0] = most.pitch_align
    elif param_name == CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
        value[0] = most.base_align
    elif param_name == CL_DEVICE_MAX_READ_IMAGE_ARGS:
        value[0] = most.read_args
    elif param_name == CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
        value[0] = most.write_args
    elif param_name == CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
        value[0] = most.read_write_args
    elif param_name == CL_DEVICE_MAX_SAMPLERS:
        value[0] = most.samplers
    else:
        return False
    return True


cdef bint own_queue_info(const Device *dev, cl_device_info param_name, cl_uint *value) noexcept nogil:
    """A number among the limits of queues on the device; False for another query."""
    if param_name == CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
        value[0] = dev.queues.preferred_size
    elif param_name == CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
        value[0] = dev.queues.max_size
    elif param_name == CL_DEVICE_MAX_ON_DEVICE_QUEUES:
        value[0] = dev.queues.most
    elif param_name == CL_DEVICE_MAX_ON_DEVICE_EVENTS:
        value[0] = dev.queues.events
    else:
        return False
    return True


cdef bint pipe_info(const Device *dev, cl_device_info param_name, cl_uint *value) noexcept nogil:
    """Likewise of pipes."""
    if param_name == CL_DEVICE_PIPE_SUPPORT:
        value[0] = CL_TRUE if dev.pipes.packet_size else CL_FALSE
    elif param_name == CL_DEVICE_MAX_PIPE_ARGS:
        value[0] = dev.pipes.args
    elif param_name == CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
        value[0] = dev.pipes.reservations
    elif param_name == CL_DEVICE_PIPE_MAX_PACKET_SIZE:
        value[0] = dev.pipes.packet_size
    else:
        return False
    return True


cdef bint sub_group_info(const Device *dev, cl_device_info param_name, cl_uint *value) noexcept nogil:
    if param_name == CL_DEVICE_MAX_NUM_SUB_GROUPS:
        value[0] = dev.sub_groups.most
    elif param_name == CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
        value[0] = CL_TRUE if dev.sub_groups.independent else CL_FALSE
    else:
        return False
    return True


cdef bint is_about_parts(cl_device_info param_name) noexcept nogil:
    return (param_name == CL_DEVICE_PARTITION_MAX_SUB_DEVICES or param_name == CL_DEVICE_PARTITION_PROPERTIES
            or param_name == CL_DEVICE_PARTITION_AFFINITY_DOMAIN or param_name == CL_DEVICE_PARTITION_TYPE)


cdef cl_int parts_info(Device *dev, cl_device_info param_name, size_t size, void *value,
                       size_t *size_ret) noexcept nogil:
    cdef cl_device_partition_property list[3]
    cdef size_t n = 0
    if param_name == CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        return info_u32(dev.compute_units if is_divisible(dev) else 1, size, value, size_ret)
    if param_name == CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
        return info_u64(domains_of(dev), size, value, size_ret)
    if param_name == CL_DEVICE_PARTITION_TYPE and dev.partition != NULL:
        return info_bytes(dev.partition, dev.n_partition * sizeof(list[0]), size, value, size_ret)
    # "If the device cannot be partitioned [...], a value of 0 will be returned"; as for the type of a root device
    if param_name == CL_DEVICE_PARTITION_TYPE or not is_divisible(dev):
        return info_size(0, size, value, size_ret)
    list[0] = CL_DEVICE_PARTITION_EQUALLY
    list[1] = CL_DEVICE_PARTITION_BY_COUNTS
    list[2] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN
    n = 3 if domains_of(dev) else 2
    return info_bytes(list, n * sizeof(list[0]), size, value, size_ret)


cdef cl_int get_device_info(cl_device_id device, cl_device_info param_name, size_t param_value_size, void *param_value,
                            size_t *param_value_size_ret) except? -9999:
    cdef Device *dev = <Device *>device
    cdef size_t limit = 0
    cdef cl_uint count = 0
    if not object_is(device, KIND_DEVICE):
        raise CLError(CL_INVALID_DEVICE, "not a device")
    if param_name == CL_DEVICE_MAX_COMPUTE_UNITS:
        return info_u32(dev.compute_units, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return info_size(dev.max_work_group_size, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return info_bytes(dev.max_work_item_sizes, sizeof(dev.max_work_item_sizes), param_value_size, param_value,
                          param_value_size_ret)
    if param_name == CL_DEVICE_LOCAL_MEM_SIZE:
        return info_u64(dev.local_mem_size, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_GLOBAL_MEM_SIZE:
        return info_u64(dev.global_mem_size, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return info_u64(dev.max_alloc_size, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_MEM_BASE_ADDR_ALIGN:     # in bits
        return info_u32(dev.mem_base_align_bytes * 8, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_EXECUTION_CAPABILITIES:
        return info_u64(dev.exec_capabilities, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_SVM_CAPABILITIES:
        return info_u64(dev.svm_capabilities, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_PLATFORM:
        return info_ptr(the_platform(), param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_PARENT_DEVICE:
        return info_ptr(dev.parent, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_REFERENCE_COUNT:
        # "If the device is a root-level device, a reference count of one is returned."
        return info_u32(1 if dev.parent == NULL else atomic_load_i32(&dev.obj.app_refs), param_value_size, param_value,
                        param_value_size_ret)
    if image_limit(dev, param_name, &limit):
        return info_size(limit, param_value_size, param_value, param_value_size_ret)
    if image_count(dev, param_name, &count):
        return info_u32(count, param_value_size, param_value, param_value_size_ret)
    if (own_queue_info(dev, param_name, &count) or pipe_info(dev, param_name, &count)
            or sub_group_info(dev, param_name, &count)):
        return info_u32(count, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
        return info_u64(dev.queues.properties, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
        return info_u64(dev.queues.capabilities, param_value_size, param_value, param_value_size_ret)
    if is_about_parts(param_name):
        return parts_info(dev, param_name, param_value_size, param_value, param_value_size_ret)
    if command_buffer_device_info(dev, param_name, param_value_size, param_value, param_value_size_ret) == CL_SUCCESS:
        return CL_SUCCESS
    if semaphore_device_info(param_name, param_value_size, param_value, param_value_size_ret) == CL_SUCCESS:
        return CL_SUCCESS
    if svm_type_info(dev, param_name, param_value_size, param_value, param_value_size_ret) == CL_SUCCESS:
        return CL_SUCCESS
    if external_memory_info(dev, param_name, param_value_size, param_value, param_value_size_ret) == CL_SUCCESS:
        return CL_SUCCESS
    answer = device_answer(dev, param_name)
    if answer is None:
        raise CLError(CL_INVALID_VALUE, f"no device query {param_name:#x}")
    return info_object(answer, param_value_size, param_value, param_value_size_ret)


cdef cl_int create_sub_devices(cl_device_id in_device, const cl_device_partition_property *properties,
                               cl_uint num_devices, cl_device_id *out_devices,
                               cl_uint *num_devices_ret) noexcept nogil:
    cdef Device *dev = <Device *>in_device
    cdef Plan plan
    cdef cl_int err
    if not object_is(in_device, KIND_DEVICE):
        return CL_INVALID_DEVICE
    err = plan_partition(dev, properties, &plan)
    # "if out_devices is not NULL and num_devices is less than the number of sub-devices"
    if err == CL_SUCCESS and out_devices != NULL:
        err = CL_INVALID_VALUE if num_devices < plan.n else make_parts(dev, &plan, <Device **>out_devices)
    if err == CL_SUCCESS and num_devices_ret != NULL:
        num_devices_ret[0] = plan.n
    plan_free(&plan)
    return err


cdef cl_int retain_device(cl_device_id device) noexcept nogil:
    if not object_is(device, KIND_DEVICE):
        return CL_INVALID_DEVICE
    # "no effect" on a root-level device
    return CL_SUCCESS if (<Device *>device).parent == NULL else object_retain(device, KIND_DEVICE)


cdef cl_int release_device(cl_device_id device) noexcept nogil:
    if not object_is(device, KIND_DEVICE):
        return CL_INVALID_DEVICE
    return CL_SUCCESS if (<Device *>device).parent == NULL else object_release(device, KIND_DEVICE)
