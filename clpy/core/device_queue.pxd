# SPDX-License-Identifier: Apache-2.0
"""Queues on a device, as the host sees them: what kernels enqueue to is in the device's hands.

They are a kind of their own, so that no function that takes a host queue takes one of these. In memory they are alike.
"""
from clpy.cl cimport cl_command_queue_properties, cl_int, cl_queue_properties, cl_uint
from clpy.core.command cimport Queue
from clpy.core.context cimport Context
from clpy.device.base cimport Device

# CL_OUT_OF_RESOURCES: the device has no more of them in this context. Where the context has a default queue for the
# device, and the properties ask for one, it is that queue, retained.
cdef cl_int device_queue_new(Context *ctx, Device *dev, cl_command_queue_properties properties, cl_uint size,
                             size_t n, const cl_queue_properties *list, Queue **out) noexcept nogil
cdef void *default_queue(Context *ctx, const Device *dev) noexcept nogil      # NULL: there is none
cdef void set_default_queue(Queue *queue) noexcept nogil
