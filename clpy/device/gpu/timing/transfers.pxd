# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint64_t
from clpy.device.gpu.timing.chip_model cimport ChipModel

cdef double host_transfer(const ChipModel *chip, uint64_t size, bint pinned) noexcept nogil
# A map, of which so many bytes go over the link, and by the processor, where both ends are the host's.
cdef double map_time(const ChipModel *chip, uint64_t size) noexcept nogil
cdef double host_copy(uint64_t size) noexcept nogil
cdef double device_copy(const ChipModel *chip, uint64_t size) noexcept nogil
cdef double fill_time(const ChipModel *chip, uint64_t size) noexcept nogil
