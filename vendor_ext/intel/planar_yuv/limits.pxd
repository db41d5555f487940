# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_int
from clpy.device.base cimport Device

cdef cl_int max_width(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int max_height(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
