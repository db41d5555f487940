# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t
from clpy.device.gpu.timing.chip_model cimport Held

# Whether groups have so unlike an amount of work that the end of the launch is another one.
cdef bint is_uneven(const float *work, int64_t n) noexcept nogil
# Cycles of a launch whose groups have so much work each, in cycles of wavefronts that are alone; `even`: if it were the
# same of all. Less than 0: there is no memory.
cdef double uneven_cycles(const float *work, int64_t n, const Held *held, int64_t units, double even) noexcept nogil
# Of a launch whose groups the chip holds at once: `finish` is the time of the first unit's, `arithmetic` what SIMDs
# need at least, on average. Less than 0: there is no memory.
cdef double resident_cycles(const float *work, int64_t n, const Held *held, int64_t units, double arithmetic,
                            double finish) noexcept nogil
