# SPDX-License-Identifier: Apache-2.0
"""Where exceptions become error codes: used by the generated entries, and by nothing else."""
from clpy.cl cimport cl_int

cdef bint python_runs() noexcept nogil                    # may this thread take the GIL?
cdef cl_int code_of(str function, object error) noexcept  # with the GIL
