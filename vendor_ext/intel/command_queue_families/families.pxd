# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_int, cl_ulong
from clpy.core.command cimport Queue
from clpy.device.base cimport Device

cdef cl_int takes(const Device *dev, const cl_ulong *list, cl_ulong name, cl_ulong value) noexcept nogil
cdef cl_int family(Queue *q, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int index(Queue *q, size_t size, void *value, size_t *size_ret) noexcept nogil
