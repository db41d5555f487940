# SPDX-License-Identifier: Apache-2.0
"""Devices."""
from clpy.api.info cimport info_bytes, info_list, info_object, info_ptr, info_size, info_u32
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_device_id, cl_device_info, cl_device_partition_property, cl_device_type,
                      cl_external_memory_handle_type_khr, cl_int, cl_platform_id, cl_uint)
from clpy.core.device cimport MOST_DEVICES, device_answer, devices_of_type
from clpy.core.object cimport KIND_DEVICE, object_is, object_release, object_retain
from clpy.core.partition cimport (Partition, domains_of, is_divisible, make_parts, partition_free,
                                 partition_read)
from clpy.core.platform cimport is_platform
from clpy.device.base cimport SVM_TYPE_COUNT, Device, device_root
from clpy.errors import CLError
from clpy.extensions import that_fit
from clpy.spec.consts cimport (CL_DEVICE_EXTENSIONS, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                               CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_BY_NAMES_EXT,
                               CL_DEVICE_PARTITION_EQUALLY, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
                               CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, CL_INVALID_DEVICE, CL_INVALID_DEVICE_TYPE,
                               CL_INVALID_PARTITION_NAME_EXT, CL_INVALID_PLATFORM, CL_INVALID_VALUE, CL_SUCCESS)
from clpy.trace import trace

cdef enum:
    LEAST_FIXED_ARRAY = 1024     # bytes


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


include "properties/partition.pxi"


# ---- answers that are more than a value

cdef cl_int reference_count(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    # "If the device is a root-level device, a reference count of one is returned."
    return info_u32(1 if dev.parent == NULL else atomic_load_i32(&dev.obj.app_refs), size, value, size_ret)


cdef cl_int partition_type(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    # for a root device one zero, as where "the device cannot be partitioned"
    if dev.partition == NULL:
        return info_size(0, size, value, size_ret)
    return info_bytes(dev.partition, dev.n_partition * sizeof(dev.partition[0]), size, value, size_ret)


cdef cl_int partition_properties(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    cdef cl_device_partition_property list[4]
    cdef size_t n = 2
    # "If the device cannot be partitioned [...], a value of 0 will be returned"
    if not is_divisible(dev):
        return info_size(0, size, value, size_ret)
    list[0] = CL_DEVICE_PARTITION_EQUALLY
    list[1] = CL_DEVICE_PARTITION_BY_COUNTS
    if domains_of(dev):
        list[n] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN
        n += 1
    if other_partition_property(dev, CL_DEVICE_PARTITION_BY_NAMES_EXT) == CL_SUCCESS:
        list[n] = CL_DEVICE_PARTITION_BY_NAMES_EXT
        n += 1
    return info_bytes(list, n * sizeof(list[0]), size, value, size_ret)


cdef cl_int sync_devices(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return info_ptr(device_root(dev), size, value, size_ret)


cdef cl_int memory_handle_types(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    cdef cl_external_memory_handle_type_khr types[2]
    types[0] = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR
    types[1] = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR
    return info_bytes(types, (2 if dev.has_dma_bufs else 1) * sizeof(types[0]), size, value, size_ret)


cdef inline bint is_fixed_array(size_t size) noexcept nogil:
    """Programs older than most extensions have `char list[2048]` and take any error for the end. Who asks for the size
    comes with that, and it is no power of two of all sizes."""
    return size >= LEAST_FIXED_ARRAY and size & (size - 1) == 0


cdef bytes shortened(bytes list, size_t size):
    """List of extensions, with the zero at its end, in `size` bytes: whole names."""
    cdef bytes text = " ".join(that_fit(list[:-1].decode().split(), size - 1)).encode() + b"\0"
    trace(1, f"the list of extensions has {len(list)} bytes, and the program room for {size}: it gets {len(text)} of "
             "them (CLPY_HIDE_EXTENSIONS chooses others)")
    return text


cdef cl_int answer_in_python(Device *dev, cl_device_info param_name, size_t size, void *value,
                             size_t *size_ret) except? -9999:
    answer = device_answer(dev, param_name)
    if answer is None:
        raise CLError(CL_INVALID_VALUE, f"no device query {param_name:#x}")
    if param_name == CL_DEVICE_EXTENSIONS and value != NULL and size < <size_t>len(answer) and is_fixed_array(size):
        answer = shortened(answer, size)
    return info_object(answer, size, value, size_ret)


include "queries/device_info.pxi"


cdef cl_int get_device_info(cl_device_id device, cl_device_info param_name, size_t param_value_size, void *param_value,
                            size_t *param_value_size_ret) except? -9999:
    if not object_is(device, KIND_DEVICE):
        raise CLError(CL_INVALID_DEVICE, "not a device")
    return answer_device_info(<Device *>device, param_name, param_value_size, param_value, param_value_size_ret)


# ---- sub-devices

cdef cl_int create_sub_devices(cl_device_id in_device, const cl_device_partition_property *properties,
                               cl_uint num_devices, cl_device_id *out_devices,
                               cl_uint *num_devices_ret) noexcept nogil:
    cdef Device *dev = <Device *>in_device
    cdef Partition partition
    cdef cl_int err
    if not object_is(in_device, KIND_DEVICE):
        return CL_INVALID_DEVICE
    # A vendor's extension brings this scheme here; cl_ext_device_fission has it in a function of its own.
    if (properties != NULL and properties[0] == CL_DEVICE_PARTITION_BY_NAMES_EXT
            and other_partition_property(dev, CL_DEVICE_PARTITION_BY_NAMES_EXT) != CL_SUCCESS):
        return CL_INVALID_VALUE
    err = partition_read(dev, properties, &partition)
    if err == CL_INVALID_PARTITION_NAME_EXT:
        err = CL_INVALID_VALUE
    # "if out_devices is not NULL and num_devices is less than the number of sub-devices"
    if err == CL_SUCCESS and out_devices != NULL:
        err = CL_INVALID_VALUE if num_devices < partition.n else make_parts(dev, &partition, <Device **>out_devices)
    if err == CL_SUCCESS and num_devices_ret != NULL:
        num_devices_ret[0] = partition.n
    partition_free(&partition)
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
