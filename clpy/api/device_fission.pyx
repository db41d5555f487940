# SPDX-License-Identifier: Apache-2.0
"""cl_ext_device_fission: the core's sub-devices, by other names. Lists of properties have as many entries there."""
from libc.stdlib cimport free, malloc
from clpy.api.info cimport info_bytes, info_u32
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_device_affinity_domain, cl_device_id, cl_device_partition_property, cl_int, cl_uint,
                      cl_ulong)
from clpy.core.object cimport KIND_DEVICE, object_is
from clpy.core.partition cimport Partition, domains_of, make_parts, partition_free, partition_read
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_AFFINITY_DOMAIN_L1_CACHE_EXT, CL_AFFINITY_DOMAIN_L4_CACHE_EXT,
                               CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT, CL_AFFINITY_DOMAIN_NUMA_EXT,
                               CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
                               CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                               CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_DEVICE_PARTITION_BY_COUNTS,
                               CL_DEVICE_PARTITION_BY_COUNTS_EXT, CL_DEVICE_PARTITION_BY_NAMES_EXT,
                               CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_EQUALLY_EXT,
                               CL_DEVICE_PARTITION_FAILED, CL_DEVICE_PARTITION_FAILED_EXT, CL_INVALID_DEVICE,
                               CL_INVALID_DEVICE_PARTITION_COUNT, CL_INVALID_PARTITION_COUNT_EXT, CL_INVALID_VALUE,
                               CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)

cdef enum:
    MOST_DOMAINS = 5             # NUMA nodes, and caches of four levels

cdef cl_ulong[4] schemes = [CL_DEVICE_PARTITION_EQUALLY_EXT, CL_DEVICE_PARTITION_BY_COUNTS_EXT,
                            CL_DEVICE_PARTITION_BY_NAMES_EXT, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT]


cdef bint can_be_divided(const Device *dev) noexcept nogil:
    return dev.ops.open_part != NULL


# ---- names

cdef cl_ulong domain_of(cl_ulong name) noexcept nogil:
    """The core's name of an affinity domain; 0 for none."""
    if name == CL_AFFINITY_DOMAIN_NUMA_EXT:
        return CL_DEVICE_AFFINITY_DOMAIN_NUMA
    if name == CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT:
        return CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE
    if CL_AFFINITY_DOMAIN_L1_CACHE_EXT <= name <= CL_AFFINITY_DOMAIN_L4_CACHE_EXT:
        return CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE >> (name - CL_AFFINITY_DOMAIN_L1_CACHE_EXT)
    return 0


cdef cl_ulong name_of(cl_ulong domain) noexcept nogil:
    """The extension's name of an affinity domain that a device was divided along."""
    cdef cl_ulong name = CL_AFFINITY_DOMAIN_L1_CACHE_EXT
    while name <= CL_AFFINITY_DOMAIN_L4_CACHE_EXT:
        if domain_of(name) == domain:
            return name
        name += 1
    return CL_AFFINITY_DOMAIN_NUMA_EXT


cdef cl_device_partition_property scheme_of(cl_ulong name) noexcept nogil:
    """The core's name of a scheme; 0 for none."""
    if name == CL_DEVICE_PARTITION_EQUALLY_EXT:
        return CL_DEVICE_PARTITION_EQUALLY
    if name == CL_DEVICE_PARTITION_BY_COUNTS_EXT:
        return CL_DEVICE_PARTITION_BY_COUNTS
    if name == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT:
        return CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN
    return CL_DEVICE_PARTITION_BY_NAMES_EXT if name == CL_DEVICE_PARTITION_BY_NAMES_EXT else 0


cdef cl_ulong style_of(cl_device_partition_property scheme) noexcept nogil:
    """The extension's name of a scheme that a device was divided by."""
    cdef size_t i = 0
    while scheme_of(schemes[i]) != scheme:
        i += 1
    return schemes[i]


cdef size_t length_of(const cl_ulong *properties) noexcept nogil:
    """Of a list with one scheme other than by names, with its closing 0; what stands there is checked later."""
    cdef size_t n = 1
    if properties[0] == CL_DEVICE_PARTITION_BY_COUNTS_EXT:
        while properties[n] != 0:        # CL_PARTITION_BY_COUNTS_LIST_END_EXT
            n += 1
    return n + 2


# ---- dividing

cdef cl_int own_error(cl_int err, cl_ulong scheme) noexcept nogil:
    if err == CL_DEVICE_PARTITION_FAILED:
        return CL_DEVICE_PARTITION_FAILED_EXT
    if err == CL_INVALID_DEVICE_PARTITION_COUNT:
        return CL_INVALID_PARTITION_COUNT_EXT
    # "was requested, but all compute units in in_device share the same cache at the level requested"
    if err == CL_INVALID_VALUE and scheme == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT:
        return CL_DEVICE_PARTITION_FAILED_EXT
    return err


cdef cl_int read(Device *dev, const cl_ulong *properties, Partition *to) noexcept nogil:
    cdef size_t i, n
    cdef cl_device_partition_property *list
    cdef cl_int err
    if properties[0] == CL_DEVICE_PARTITION_BY_NAMES_EXT:        # the same list, which may be without an end
        return own_error(partition_read(dev, <const cl_device_partition_property *>properties, to), properties[0])
    n = length_of(properties)
    if properties[n - 1] != 0:
        return CL_INVALID_VALUE
    if properties[0] == CL_DEVICE_PARTITION_EQUALLY_EXT and properties[1] == 0:
        return CL_INVALID_PARTITION_COUNT_EXT
    if properties[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT and domain_of(properties[1]) == 0:
        return CL_INVALID_VALUE
    list = <cl_device_partition_property *>malloc(n * sizeof(cl_device_partition_property))
    if list == NULL:
        return CL_OUT_OF_HOST_MEMORY
    for i in range(n):
        list[i] = <cl_device_partition_property>properties[i]
    list[0] = scheme_of(properties[0])
    if properties[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT:
        list[1] = <cl_device_partition_property>domain_of(properties[1])
    elif properties[0] == CL_DEVICE_PARTITION_EQUALLY_EXT and list[1] < 0:      # more than any device has
        list[1] = dev.compute_units + <cl_device_partition_property>1
    err = own_error(partition_read(dev, list, to), properties[0])
    free(list)
    return err


cdef cl_int create_sub_devices_ext(cl_device_id in_device, const cl_ulong *properties, cl_uint num_entries,
                                   cl_device_id *out_devices, cl_uint *num_devices) noexcept nogil:
    cdef Device *dev = <Device *>in_device
    cdef Partition partition
    cdef cl_uint n
    cdef cl_int err
    if not object_is(in_device, KIND_DEVICE):
        return CL_INVALID_DEVICE
    if properties == NULL or (num_entries == 0 if out_devices != NULL else num_devices == NULL):
        return CL_INVALID_VALUE
    if not can_be_divided(dev) or scheme_of(properties[0]) == 0:
        return CL_INVALID_VALUE
    partition.n = 0
    partition.sizes = NULL
    partition.properties = NULL
    err = read(dev, properties, &partition)
    n = partition.n
    if err == CL_SUCCESS and out_devices != NULL:
        # "the minimum of num_entries and the number of devices created by the partition scheme"
        partition.n = min(n, num_entries)
        err = make_parts(dev, &partition, <Device **>out_devices)
    if err == CL_SUCCESS and num_devices != NULL:
        num_devices[0] = n
    partition_free(&partition)
    return err


# ---- answers

cdef cl_int fission_types(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    if not can_be_divided(dev):
        return CL_INVALID_VALUE
    return info_bytes(schemes, sizeof(schemes), size, value, size_ret)


cdef cl_int fission_domains(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    cdef cl_ulong found[MOST_DOMAINS]
    cdef cl_device_affinity_domain domains, each = CL_DEVICE_AFFINITY_DOMAIN_NUMA
    cdef size_t n = 0
    if not can_be_divided(dev):
        return CL_INVALID_VALUE
    domains = domains_of(dev)
    while each <= CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE:
        if domains & each:
            found[n] = name_of(each)
            n += 1
        each <<= 1
    return info_bytes(found, n * sizeof(cl_ulong), size, value, size_ret)


cdef cl_int fission_references(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    if not can_be_divided(dev):
        return CL_INVALID_VALUE
    return info_u32(1 if dev.parent == NULL else atomic_load_i32(&dev.obj.app_refs), size, value, size_ret)


cdef cl_int fission_style(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    """The list that the device was made from, in the words of the extension; of a root device an empty one."""
    cdef cl_ulong *list
    cdef size_t i
    cdef cl_int err
    if not can_be_divided(dev):
        return CL_INVALID_VALUE
    if dev.partition == NULL:
        return info_bytes(NULL, 0, size, value, size_ret)
    list = <cl_ulong *>malloc(dev.n_partition * sizeof(cl_ulong))
    if list == NULL:
        return CL_OUT_OF_HOST_MEMORY
    for i in range(dev.n_partition):
        list[i] = <cl_ulong>dev.partition[i]
    list[0] = style_of(dev.partition[0])
    if list[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT:
        list[1] = name_of(list[1])
    err = info_bytes(list, dev.n_partition * sizeof(cl_ulong), size, value, size_ret)
    free(list)
    return err
