# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_int, cl_ulong
from clpy.device.base cimport Device

cdef cl_int are_taken(const Device *dev, cl_ulong name) noexcept nogil
