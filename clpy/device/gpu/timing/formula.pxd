# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint64_t
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.program cimport Steps

# `visits`, `lanes`: by block, of all wavefronts.
cdef double formula_cycles(const ChipModel *chip, const Steps *steps, const uint64_t *visits, const uint64_t *lanes,
                           int64_t waves, const Held *held) noexcept nogil
