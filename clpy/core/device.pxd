# SPDX-License-Identifier: Apache-2.0
"""Choosing devices of the platform, and their answers to queries."""
from clpy.cl cimport cl_device_type, cl_int, cl_uint
from clpy.device.base cimport Device

cdef enum:
    MOST_DEVICES = 64

# The root devices of these types, in order: CL_SUCCESS, CL_INVALID_DEVICE_TYPE or CL_DEVICE_NOT_FOUND.
cdef cl_int devices_of_type(cl_device_type type, Device **found, cl_uint *n) noexcept nogil
# With the GIL. The bytes of an answer; None when the device has no such query.
cdef object device_answer(Device *dev, int param)
# Whether it lists an extension. Takes the GIL: for what is asked once in a while.
cdef bint device_lists(const Device *dev, const char *extension) noexcept nogil
