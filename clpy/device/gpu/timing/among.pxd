# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.model cimport ComputeUnit, Model

# When a followed unit's request has its line at the L2's door, that asks at `at`; the others ask behind it.
cdef int64_t read_among(Model *model, uint32_t number, int64_t at) noexcept nogil
# When the L2 has taken a followed unit's write, that its channel gets to at `start`.
cdef int64_t write_among(Model *model, uint32_t number, int64_t start) noexcept nogil
# What the compute units ask for that are not followed, when a followed one asks for a line, whose number within the
# slices is `rest`.
cdef void others_ask(Model *model, uint32_t number, uint32_t rest, int64_t at, bint writes) noexcept nogil
# As vector_loads of caches.pxd.
cdef int64_t loads_among(Model *model, ComputeUnit *unit, const uint32_t *words, uint32_t n, uint32_t scratch,
                         int64_t start, int64_t cycles) noexcept nogil
