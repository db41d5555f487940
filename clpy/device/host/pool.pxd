# SPDX-License-Identifier: Apache-2.0
"""Threads that work for devices and for parts of them, and the verbs of a device that concern them."""
from libc.stdint cimport int32_t, uint32_t
from clpy.device.base cimport Device, Task

# Pools: Device.pool.
# Of all root devices together: at most n threads at work at once, helping host threads included; the largest n counts.
cdef void *pool_of_root(int32_t n) noexcept nogil
cdef void pool_submit(Device *dev, Task *task, int here) noexcept nogil
cdef bint pool_help_until(Device *dev, int32_t *flag) noexcept nogil
cdef void pool_flush(Device *dev) noexcept nogil
cdef void pool_abandon(Device *dev, uint32_t context) noexcept nogil
