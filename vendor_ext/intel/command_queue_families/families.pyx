# SPDX-License-Identifier: Apache-2.0
"""The family that a queue is of, and its place in it: the only ones there are (answers.py)."""
from clpy.api.check cimport property_value
from clpy.api.info cimport info_u32
from clpy.cl cimport cl_int, cl_ulong
from clpy.core.command cimport Queue
from clpy.core.device cimport device_lists
from clpy.device.base cimport Device
from clpy.spec.consts cimport CL_INVALID_VALUE, CL_QUEUE_FAMILY_INTEL, CL_QUEUE_INDEX_INTEL, CL_SUCCESS

cdef enum:
    FAMILIES = 1
    QUEUES = 1
    NOT_THERE = 99      # no family or index that could be valid


cdef bint has_families(const Device *dev) noexcept nogil:
    return device_lists(dev, "cl_intel_command_queue_families")


cdef cl_int takes(const Device *dev, const cl_ulong *list, cl_ulong name, cl_ulong value) noexcept nogil:
    """Neither without the other, and both below what the device has of them."""
    if (has_families(dev) and property_value(list, CL_QUEUE_FAMILY_INTEL, NOT_THERE) < FAMILIES
            and property_value(list, CL_QUEUE_INDEX_INTEL, NOT_THERE) < QUEUES):
        return CL_SUCCESS
    return CL_INVALID_VALUE


cdef cl_int family(Queue *q, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return info_u32(0, size, value, size_ret) if has_families(q.device) else CL_INVALID_VALUE


cdef cl_int index(Queue *q, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return info_u32(0, size, value, size_ret) if has_families(q.device) else CL_INVALID_VALUE
