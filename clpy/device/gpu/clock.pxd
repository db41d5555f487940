# SPDX-License-Identifier: Apache-2.0
"""A model's clock, and the times of its commands on it."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from clpy.device.base cimport Device, Task
from clpy.device.gpu.timing.chip_model cimport ChipModel

ctypedef struct Clock:           # Device.impl
    int32_t lock
    int64_t ahead                # nanoseconds that the device's clock is ahead of the host's
    int64_t latest               # end of the commands that are done
    void *timeline               # PyObject*: clpy.device.gpu.timing.timeline.Timeline
    ChipModel model

cdef Clock *clock_new(object chip) except NULL
cdef uint64_t clock_now(Device *dev) noexcept nogil
# The verbs of a device that concern time.
cdef void clock_submit(Device *dev, Task *task, int here) noexcept nogil
cdef void clock_account(Device *dev, Task *task) noexcept nogil
cdef bint clock_help_until(Device *dev, int32_t *flag) noexcept nogil
