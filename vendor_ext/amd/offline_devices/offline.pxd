# SPDX-License-Identifier: Apache-2.0
"""Chips that CLPY_DEVICES does not name, as devices that nothing can be run on."""
from clpy.cl cimport cl_device_type, cl_int, cl_uint, cl_ulong, context_notify_fn
from clpy.device.base cimport Device

cdef cl_int takes(cl_ulong name, cl_ulong value, context_notify_fn notify) noexcept nogil
# Adds the others to the `n` devices of a context of this type; there is room for MOST_DEVICES of core/device.
cdef cl_int add_devices(cl_ulong value, cl_device_type type, Device **found, cl_uint *n) noexcept nogil
