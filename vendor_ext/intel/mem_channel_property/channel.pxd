# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_int, cl_ulong

cdef cl_int takes(cl_ulong name, cl_ulong value) noexcept nogil
