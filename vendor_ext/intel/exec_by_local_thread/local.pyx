# SPDX-License-Identifier: Apache-2.0
"""Queues whose commands run in the thread that enqueues them. How, is the core's (Queue.in_caller)."""
from clpy.cl cimport cl_int, cl_ulong
from clpy.core.command cimport Queue
from clpy.spec.consts cimport CL_DEVICE_TYPE_GPU, CL_INVALID_QUEUE_PROPERTIES, CL_SUCCESS


cdef cl_int stay_in_caller(Queue *queue, cl_ulong flags) noexcept nogil:
    """Of a new queue. "if the target device doesn't support the corresponding execution mode\""""
    if queue.device.type & CL_DEVICE_TYPE_GPU:
        return CL_INVALID_QUEUE_PROPERTIES
    queue.in_caller = True
    return CL_SUCCESS
