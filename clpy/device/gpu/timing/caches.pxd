# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint32_t, uint64_t
from clpy.device.gpu.timing.model cimport Cache, ComputeUnit, Model

# Zeros from the begin of a line of the host's cache on; NULL: there is no memory.
cdef void *aligned_zeros(uint64_t size) noexcept nogil
cdef bint cache_make(Cache *cache, int64_t size, uint32_t ways, uint32_t channels) noexcept nogil
cdef void cache_free(Cache *cache) noexcept nogil
# Of a load: its words, and lines, one in each of so many cycles from `start` on; `scratch` is the first line of the
# wavefront's.
cdef int64_t vector_loads(Model *model, ComputeUnit *unit, const uint32_t *words, uint32_t n, uint32_t scratch,
                          int64_t start, int64_t cycles) noexcept nogil
# `at`: when it is asked, and then, when it has left the compute unit.
cdef int64_t past_loads(Model *model, ComputeUnit *unit, const uint32_t *words, uint32_t n, uint32_t scratch,
                        int64_t start, int64_t cycles) noexcept nogil
cdef int64_t vector_store(Model *model, ComputeUnit *unit, uint32_t line, int64_t *at) noexcept nogil
cdef int64_t vector_atomic(Model *model, ComputeUnit *unit, uint32_t line, int64_t at,
                           int64_t operations) noexcept nogil
cdef int64_t code_line(Model *model, int64_t *there, uint32_t line, int64_t at) noexcept nogil
cdef int64_t scalar_load(Model *model, ComputeUnit *unit, uint32_t line, int64_t at) noexcept nogil
