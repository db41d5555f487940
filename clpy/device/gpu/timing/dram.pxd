# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.model cimport Model

cdef int64_t dram_read(Model *model, uint32_t channel, uint32_t line, int64_t at) noexcept nogil
cdef void dram_write(Model *model, uint32_t channel, uint32_t line, int64_t at) noexcept nogil
