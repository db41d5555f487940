# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int32_t, int64_t
from clpy.device.gpu.timing.model cimport ComputeUnit, Model

cdef void dispatch_first(Model *model) noexcept nogil
cdef void dispatch_more(Model *model, ComputeUnit *unit, int64_t now) noexcept nogil
cdef void wave_done(Model *model, ComputeUnit *unit, int32_t slot) noexcept nogil
