# SPDX-License-Identifier: Apache-2.0
"""The channel of memory that a buffer is to be in."""
from clpy.cl cimport cl_int, cl_ulong
from clpy.spec.consts cimport CL_SUCCESS


cdef cl_int takes(cl_ulong name, cl_ulong value) noexcept nogil:
    """"If the value is not valid [...] it may be ignored without emission of any warning or error.\""""
    return CL_SUCCESS
