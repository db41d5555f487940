# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_int
from clpy.core.command cimport Command

cdef cl_int launch_counters(Command *cmd, size_t size, void *value, size_t *size_ret) noexcept nogil
