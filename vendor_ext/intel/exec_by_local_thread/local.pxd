# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_int, cl_ulong
from clpy.core.command cimport Queue

cdef cl_int stay_in_caller(Queue *queue, cl_ulong flags) noexcept nogil
