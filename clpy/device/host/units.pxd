# SPDX-License-Identifier: Apache-2.0
"""Compute units that are processors: which processors each stands for, and which of them share a cache or memory.

A device has a run of its parent's units, or those of them that it was made from by their names. Units that share
something are neighbours in this order, so each part that a device is divided into along a domain is a run as well.
"""
from clpy.cl cimport cl_device_affinity_domain, cl_uint
from clpy.device.base cimport Device

ctypedef struct Cpus:            # a set of processors; malloc'ed as one block
    size_t size                  # bytes of the bits that follow

# DeviceOps.along_domain
cdef cl_uint units_along(Device *dev, cl_device_affinity_domain domain, cl_uint *sizes) noexcept nogil
cdef Cpus *cpus_of(const Device *dev) noexcept nogil         # NULL when out of memory
# The calling thread on the i-th of the process's n processors from now on, which it gives the number of; -1 where these
# are not n, or the system refuses.
cdef int stay_on_one(int i, int n) noexcept nogil
cdef bint machine_is_virtual() noexcept nogil
cdef void stay_on(const Cpus *cpus) noexcept nogil           # the calling thread, from now on
