# SPDX-License-Identifier: Apache-2.0
"""The CPU device's threads, and the three verbs of a device that concern them. One pool per process."""
from libc.stdint cimport int32_t
from clpy.device.base cimport Device, Task

cdef enum:
    STACK_BYTES = 8 << 20        # of a worker: touched as needed; the variables of a work-item may lie there

cdef void pool_set_threads(int32_t n) noexcept nogil        # at work at once, helping host threads included; before use
cdef void pool_submit(Device *dev, Task *task, int here) noexcept nogil
cdef void pool_help_until(Device *dev, int32_t *flag) noexcept nogil
cdef void pool_flush(Device *dev) noexcept nogil
