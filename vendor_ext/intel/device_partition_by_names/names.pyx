# SPDX-License-Identifier: Apache-2.0
"""Sub-devices of named compute units: which devices can be divided so."""
from clpy.cl cimport cl_int, cl_ulong
from clpy.device.base cimport Device
from clpy.spec.consts cimport CL_INVALID_VALUE, CL_SUCCESS


cdef cl_int are_taken(const Device *dev, cl_ulong name) noexcept nogil:
    return CL_SUCCESS if dev.ops.open_part != NULL else CL_INVALID_VALUE
