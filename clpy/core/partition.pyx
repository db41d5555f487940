# SPDX-License-Identifier: Apache-2.0
"""Dividing devices. A sub-device is a copy of its parent with fewer compute units and threads of its own."""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_device_affinity_domain, cl_device_partition_property, cl_int, cl_uint
from clpy.core.object cimport KIND_DEVICE, object_drop, object_hold, object_new, object_take
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
                               CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                               CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_BY_NAMES_EXT,
                               CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_FAILED,
                               CL_INVALID_DEVICE_PARTITION_COUNT, CL_INVALID_PARTITION_NAME_EXT, CL_INVALID_VALUE,
                               CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS)

cdef enum:
    MOST_SCHEME_ENTRIES = 3      # of a scheme with one value: name, value, the closing 0
    LAST_NAME = -1               # CL_PARTITION_BY_NAMES_LIST_END_EXT


cdef bint is_divisible(const Device *dev) noexcept nogil:
    return dev.ops.open_part != NULL and dev.compute_units > 1


cdef cl_device_affinity_domain next_domain(Device *dev) noexcept nogil:
    """"the first level along which the device or sub-device may be further subdivided in the order NUMA, L4, L3, L2,
    L1", which is the order of the bits; 0: none."""
    cdef cl_device_affinity_domain domain = CL_DEVICE_AFFINITY_DOMAIN_NUMA
    while domain <= CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE:
        if dev.ops.along_domain(dev, domain, NULL) > 1:
            return domain
        domain <<= 1
    return 0


cdef cl_device_affinity_domain domains_of(Device *dev) noexcept nogil:
    cdef cl_device_affinity_domain domain = CL_DEVICE_AFFINITY_DOMAIN_NUMA, found = 0
    if not is_divisible(dev):
        return 0
    while domain <= CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE:
        if dev.ops.along_domain(dev, domain, NULL) > 1:
            found |= domain
        domain <<= 1
    return found | (CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE if found else 0)


# ---- schemes ---------------------------------------------------------------------------------------------------------

cdef bint make_room(Partition *to, size_t n, size_t n_properties) noexcept nogil:
    to.sizes = <cl_uint *>malloc(n * sizeof(cl_uint))
    to.properties = <cl_device_partition_property *>malloc(n_properties * sizeof(cl_device_partition_property))
    to.n_properties = n_properties
    return to.sizes != NULL and to.properties != NULL


cdef cl_int partition_equally(Device *dev, const cl_device_partition_property *list, Partition *to) noexcept nogil:
    cdef cl_uint i
    if list[2] != 0 or list[1] <= 0:
        return CL_INVALID_VALUE
    if not is_divisible(dev):
        return CL_DEVICE_PARTITION_FAILED
    if list[1] > dev.compute_units:
        return CL_INVALID_DEVICE_PARTITION_COUNT
    if list[1] == dev.compute_units:    # one part that has all: no partition
        return CL_DEVICE_PARTITION_FAILED
    to.n = dev.compute_units // <cl_uint>list[1]
    if not make_room(to, to.n, MOST_SCHEME_ENTRIES):
        return CL_OUT_OF_HOST_MEMORY
    for i in range(to.n):
        to.sizes[i] = <cl_uint>list[1]
    memcpy(to.properties, list, MOST_SCHEME_ENTRIES * sizeof(list[0]))
    return CL_SUCCESS


cdef cl_int partition_by_counts(Device *dev, const cl_device_partition_property *list, Partition *to) noexcept nogil:
    cdef cl_device_partition_property total = 0
    cdef size_t i, n = 0
    cdef bint is_too_much = False
    while list[1 + n] != 0:      # CL_DEVICE_PARTITION_BY_COUNTS_LIST_END
        # "requested for one or more sub-devices is less than zero", "exceeds CL_DEVICE_MAX_COMPUTE_UNITS"
        if list[1 + n] < 0 or list[1 + n] > dev.compute_units:
            is_too_much = True
        elif not is_too_much:
            total += list[1 + n]
            is_too_much = total > dev.compute_units
        n += 1
    # What comes after the end of the counts is not looked at: the list of Intel's SYCL runtime is over there.
    if n == 0:
        return CL_INVALID_VALUE
    if not is_divisible(dev):
        return CL_DEVICE_PARTITION_FAILED
    # CL_DEVICE_PARTITION_MAX_SUB_DEVICES is the number of compute units: more of them were too many units as well.
    if is_too_much:
        return CL_INVALID_DEVICE_PARTITION_COUNT
    to.n = <cl_uint>n
    if not make_room(to, n, n + 3):
        return CL_OUT_OF_HOST_MEMORY
    for i in range(n):
        to.sizes[i] = <cl_uint>list[1 + i]
    memcpy(to.properties, list, (n + 2) * sizeof(list[0]))
    to.properties[n + 2] = 0
    return CL_SUCCESS


cdef cl_int partition_by_domain(Device *dev, const cl_device_partition_property *list, Partition *to) noexcept nogil:
    cdef cl_device_affinity_domain domain = <cl_device_affinity_domain>list[1]
    if list[2] != 0 or domain == 0 or domain & (domain - 1) or domain > CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE:
        return CL_INVALID_VALUE
    if not is_divisible(dev) or next_domain(dev) == 0:
        return CL_DEVICE_PARTITION_FAILED
    if domain == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE:
        domain = next_domain(dev)
    if not make_room(to, dev.compute_units, MOST_SCHEME_ENTRIES):
        return CL_OUT_OF_HOST_MEMORY
    to.n = dev.ops.along_domain(dev, domain, to.sizes)
    # "valid but not are supported by in_device": those that CL_DEVICE_PARTITION_AFFINITY_DOMAIN does not list
    if to.n < 2:
        return CL_INVALID_VALUE
    to.properties[0] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN
    to.properties[1] = <cl_device_partition_property>domain
    to.properties[2] = 0
    return CL_SUCCESS


cdef bint is_named(const cl_device_partition_property *names, cl_uint n,
                   cl_device_partition_property name) noexcept nogil:
    cdef cl_uint i
    for i in range(n):
        if names[i] == name:
            return True
    return False


cdef cl_int partition_by_names(Device *dev, const cl_device_partition_property *list, Partition *to) noexcept nogil:
    """One sub-device, of the compute units with these numbers. None may be named twice, so there are not many."""
    cdef const cl_device_partition_property *names = list + 1
    cdef cl_uint n = 0
    while names[n] != LAST_NAME:
        if names[n] < 0 or names[n] >= dev.compute_units:
            return CL_INVALID_PARTITION_NAME_EXT
        if is_named(names, n, names[n]):
            return CL_INVALID_VALUE
        n += 1
    if n == 0 or names[n + 1] != 0:
        return CL_INVALID_VALUE
    if not is_divisible(dev):
        return CL_DEVICE_PARTITION_FAILED
    to.n = 1
    if not make_room(to, 1, n + 3):
        return CL_OUT_OF_HOST_MEMORY
    to.sizes[0] = n
    memcpy(to.properties, list, (n + 3) * sizeof(list[0]))
    return CL_SUCCESS


cdef cl_int partition_read(Device *dev, const cl_device_partition_property *properties, Partition *to) noexcept nogil:
    to.n = 0
    to.sizes = NULL
    to.properties = NULL
    if properties == NULL:
        return CL_INVALID_VALUE
    if properties[0] == CL_DEVICE_PARTITION_EQUALLY:
        return partition_equally(dev, properties, to)
    if properties[0] == CL_DEVICE_PARTITION_BY_COUNTS:
        return partition_by_counts(dev, properties, to)
    if properties[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN:
        return partition_by_domain(dev, properties, to)
    if properties[0] == CL_DEVICE_PARTITION_BY_NAMES_EXT:
        return partition_by_names(dev, properties, to)
    return CL_INVALID_VALUE


cdef void partition_free(Partition *to) noexcept nogil:
    free(to.sizes)
    free(to.properties)


# ---- sub-devices -----------------------------------------------------------------------------------------------------

cdef Device *make_part(Device *dev, cl_uint first_unit, cl_uint units, const Partition *wanted) noexcept nogil:
    cdef size_t bytes = wanted.n_properties * sizeof(cl_device_partition_property)
    cdef Device *part = <Device *>object_new(KIND_DEVICE)
    if part == NULL:
        return NULL
    memcpy(<unsigned char *>part + sizeof(clpy_object), <unsigned char *>dev + sizeof(clpy_object),
           sizeof(Device) - sizeof(clpy_object))
    object_hold(dev)
    part.parent = dev
    part.impl = part.pool = NULL
    part.first_unit = first_unit
    part.compute_units = units
    part.n_partition = wanted.n_properties
    part.partition = <cl_device_partition_property *>malloc(bytes)
    if part.partition != NULL:
        memcpy(part.partition, wanted.properties, bytes)
        if dev.ops.open_part(part):
            return part
    object_take(&part.obj)
    object_drop(part)
    return NULL


cdef cl_int make_parts(Device *dev, const Partition *wanted, Device **out) noexcept nogil:
    cdef cl_uint i, j, first = dev.first_unit
    for i in range(wanted.n):
        out[i] = make_part(dev, first, wanted.sizes[i], wanted)
        if out[i] == NULL:
            for j in range(i):
                object_take(&out[j].obj)
                object_drop(out[j])
            return CL_OUT_OF_RESOURCES
        first += wanted.sizes[i]
    return CL_SUCCESS


cdef void device_destroy(Device *dev) noexcept nogil:
    if dev.ops.close_part != NULL:
        dev.ops.close_part(dev)
    free(dev.partition)
    if dev.parent != NULL:
        object_drop(dev.parent)
