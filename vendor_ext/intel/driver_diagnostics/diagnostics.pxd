# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_int, cl_ulong, context_notify_fn

cdef cl_int takes(cl_ulong name, cl_ulong value, context_notify_fn notify) noexcept nogil
