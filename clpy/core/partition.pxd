# SPDX-License-Identifier: Apache-2.0
"""Dividing devices: what a partition scheme makes of a device, and the sub-devices."""
from clpy.cl cimport cl_device_affinity_domain, cl_device_partition_property, cl_int, cl_uint
from clpy.device.base cimport Device

ctypedef struct Partition:
    cl_uint n                                    # sub-devices
    cl_uint *sizes                               # compute units of each
    size_t n_properties                          # what each reports as CL_DEVICE_PARTITION_TYPE, incl. the closing 0
    cl_device_partition_property *properties

cdef bint is_divisible(const Device *dev) noexcept nogil                      # into two parts at least
# CL_DEVICE_AFFINITY_DOMAIN_*: along which of them there would be two parts at least.
cdef cl_device_affinity_domain domains_of(Device *dev) noexcept nogil
# CL_SUCCESS or the error of clCreateSubDevices; CL_INVALID_PARTITION_NAME_EXT for a compute unit that is not there.
# partition_free either way.
cdef cl_int partition_read(Device *dev, const cl_device_partition_property *properties, Partition *to) noexcept nogil
cdef void partition_free(Partition *to) noexcept nogil
cdef cl_int make_parts(Device *dev, const Partition *wanted, Device **out) noexcept nogil      # all of them or none
cdef void device_destroy(Device *dev) noexcept nogil                          # of a sub-device: its end
