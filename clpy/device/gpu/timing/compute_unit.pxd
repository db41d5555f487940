# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t
from clpy.device.gpu.timing.model cimport ComputeUnit, Model

cdef void run_unit(Model *model, ComputeUnit *unit, int64_t until) noexcept nogil
