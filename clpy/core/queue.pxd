# SPDX-License-Identifier: Apache-2.0
"""Command queues: order, flush, finish. Design: runtime.md, "Queues"."""
from libc.stdint cimport int32_t, int64_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_int, cl_uint, cl_command_queue_properties, cl_queue_properties
from clpy.core.context cimport Context
from clpy.device.base cimport Device

cdef struct Command   # clpy.core.command

ctypedef struct Queue:
    clpy_object obj
    Context *context             # held
    Device *device               # held
    cl_command_queue_properties properties
    size_t n_property_list       # entries incl. the closing 0; 0 when made without a list
    cl_queue_properties *property_list
    cl_uint size                 # CL_QUEUE_SIZE, 0 where the application gave none
    int32_t lock                 # guards tail and barrier
    Command *tail                # in order: the last command; held
    Command *barrier             # out of order: the last barrier; held
    int64_t unfinished           # commands enqueued and not complete

cdef void queue_flush(Queue *q) noexcept nogil
cdef cl_int queue_finish(Queue *q) noexcept nogil
