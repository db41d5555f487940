# SPDX-License-Identifier: Apache-2.0
"""The machine as this process may use it: processors, memory, caches."""
from libc.stdint cimport uint32_t, uint64_t

ctypedef struct Caches:          # bytes; 0 where there is none. Sizes are of one cache, not of all cores together
    uint64_t l1d, l2, l3
    uint32_t line
    uint32_t cores               # physical cores
    uint32_t numa_nodes

cdef extern from "<stdint.h>":
    const uint64_t NO_LIMIT "UINT64_MAX"

cdef uint32_t usable_cpus() noexcept nogil      # affinity mask and cgroup quota; at least 1
cdef uint64_t usable_memory() noexcept nogil    # bytes: RAM, or the cgroup's or the option's limit where that is less
cdef uint64_t available_memory() noexcept nogil  # bytes that can be had now, swap too; no limit where nobody says
cdef uint64_t private_memory() noexcept nogil   # bytes of this process that are its own and in memory
cdef const Caches *caches() noexcept nogil      # asks hwloc the first time: a few ms
