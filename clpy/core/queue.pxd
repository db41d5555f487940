# SPDX-License-Identifier: Apache-2.0
"""Command queues: making, order, flush, finish. Design: runtime.md, "Queues"."""
from clpy.cl cimport cl_command_queue_properties, cl_int, cl_queue_properties
from clpy.core.command cimport Queue
from clpy.core.context cimport Context
from clpy.device.base cimport Device

# `list`: the application's property list of n entries incl. the closing 0, copied; n is 0 when it gave none.
cdef Queue *queue_new(Context *ctx, Device *dev, cl_command_queue_properties properties,
                      size_t n, const cl_queue_properties *list) noexcept nogil     # NULL when out of memory
# What a queue of either kind has, KIND_QUEUE or KIND_DEVICE_QUEUE; NULL when out of memory.
cdef Queue *queue_make(int kind, Context *ctx, Device *dev, cl_command_queue_properties properties,
                       size_t n, const cl_queue_properties *list) noexcept nogil
cdef void queue_let_go(Queue *q) noexcept nogil                                     # of it, when the queue goes
cdef void queue_flush(Queue *q) noexcept nogil
cdef cl_int queue_finish(Queue *q) noexcept nogil
