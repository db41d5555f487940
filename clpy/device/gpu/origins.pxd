# SPDX-License-Identifier: Apache-2.0
"""Where the source has what a kernel of a model did wrong: in the line tables of the code that it was translated to."""
from libc.stdint cimport uintptr_t
from clpy.device.base cimport Launch
from clpy.device.gpu.execution cimport Facts

# With the GIL: the code that there is of a kernel by now.
cdef int origins_keep(Facts *facts, object kernel) except -1
# DeviceOps.find_place
cdef bint origins_find(const Launch *launch, uintptr_t at, char **place) noexcept nogil
