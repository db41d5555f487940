# SPDX-License-Identifier: Apache-2.0
"""Where exceptions become error codes: used by the generated entries, and by nothing else."""
from clpy.cl cimport cl_int

cdef cl_int code_of(str function, object error) noexcept
