# SPDX-License-Identifier: Apache-2.0
"""Queues on a device, as the host sees them: what kernels enqueue to is in the device's hands.

They are a kind of their own, so that no function that takes a host queue takes one of these.
"""
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_command_queue_properties, cl_int, cl_queue_properties, cl_uint
from clpy.core.context cimport Context
from clpy.device.base cimport Device

ctypedef struct DeviceQueue:
    clpy_object obj
    Context *context             # held
    Device *device               # held
    cl_command_queue_properties properties
    size_t n_property_list       # entries incl. the closing 0
    cl_queue_properties *property_list
    cl_uint size                 # bytes

# CL_OUT_OF_RESOURCES: the device has no more of them in this context. Where the context has a default queue for the
# device, and the properties ask for one, it is that queue, retained.
cdef cl_int device_queue_new(Context *ctx, Device *dev, cl_command_queue_properties properties, cl_uint size,
                             size_t n, const cl_queue_properties *list, DeviceQueue **out) noexcept nogil
cdef void *default_queue(Context *ctx, const Device *dev) noexcept nogil      # NULL: there is none
cdef void set_default_queue(DeviceQueue *queue) noexcept nogil
