# SPDX-License-Identifier: Apache-2.0
"""Command queues: order, flush, finish. Design: runtime.md, "Queues"."""
from clpy.cl cimport cl_int
from clpy.core.command cimport Queue

cdef void queue_flush(Queue *q) noexcept nogil
cdef cl_int queue_finish(Queue *q) noexcept nogil
