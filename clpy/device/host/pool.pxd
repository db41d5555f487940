# SPDX-License-Identifier: Apache-2.0
"""Threads that work for devices and for parts of them, and the three verbs of a device that concern them."""
from libc.stdint cimport int32_t
from clpy.device.base cimport Device, Task
from clpy.device.host.units cimport Cpus

cdef enum:
    STACK_BYTES = 8 << 20        # of a worker: touched as needed; the variables of a work-item may lie there

# Pools: Device.pool.
# Of all root devices together: at most n threads at work at once, helping host threads included; the largest n counts.
cdef void *pool_of_root(int32_t n) noexcept nogil
# Of a sub-device: its own n threads alone, on these processors (malloc'ed, taken over). NULL when out of resources.
cdef void *pool_new(int32_t n, Cpus *cpus) noexcept nogil
cdef void pool_close(void *pool) noexcept nogil          # the sub-device is gone, and with it all its tasks
cdef void pool_submit(Device *dev, Task *task, int here) noexcept nogil
cdef void pool_help_until(Device *dev, int32_t *flag) noexcept nogil
cdef void pool_flush(Device *dev) noexcept nogil
