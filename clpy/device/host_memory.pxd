# SPDX-License-Identifier: Apache-2.0
"""Which memory is the host's, for devices that have memory of their own and reach the host's over a link."""
from libc.stdint cimport uintptr_t

# The memory that an address lies in. False: it is not the host's.
ctypedef bint (*find_host_fn)(uintptr_t address, uintptr_t *first, uintptr_t *behind) noexcept nogil

# Whoever has such memory says how it is found; at the start, before there are devices.
cdef int host_memory_by(find_host_fn find) except -1
cdef bint host_memory_find(uintptr_t address, uintptr_t *first, uintptr_t *behind) noexcept nogil
