# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_int, cl_ulong
from clpy.core.context cimport Context

cdef cl_int in_host_memory(const Context *ctx, cl_ulong flags, size_t size, const void *host_ptr) noexcept nogil
