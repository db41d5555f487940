# SPDX-License-Identifier: Apache-2.0
"""How long copies take, in nanoseconds, on an idle link.

By the AMD guide: memory that is pinned is copied by a DMA engine as it is. Of other memory, up to 32 KB go through a
staging buffer, up to 16 MB are pinned for the copy, and what is larger goes through two buffers of 16 MB in turn.
A device that shares the host's memory copies at that memory's speed, and maps for nothing.
"""
from libc.stdint cimport uint64_t
from clpy.device.gpu.timing.chip_model cimport ChipModel, chip_model_fill

cdef enum:
    PAGE = 4 << 10
    STAGED = 32 << 10            # up to here
    PINNED = 16 << 20            # up to here; behind it blocks of this size

cdef double HOST_COPY_GBS = 8.0  # what one thread copies, to and from a staging buffer, too
cdef double PAGE_NS = 100.0      # to pin one page
cdef double MAP_NS = 2000.0      # to map memory that the host can reach already


cdef double dma(const ChipModel *chip, uint64_t size) noexcept nogil:
    """By a DMA engine, from or to memory that is pinned."""
    return chip.setup_ns + size / chip.dma_gbs


cdef double host_transfer(const ChipModel *chip, uint64_t size, bint pinned) noexcept nogil:
    """Between host and device."""
    cdef double most = size / (chip.dma_gbs * chip.pageable)
    if chip.shares_memory or pinned:
        return dma(chip, size)
    if size <= STAGED:
        return dma(chip, size) + size / HOST_COPY_GBS
    if size <= PINNED:
        # No faster than the part of the rate that unpinned memory reaches, which what follows would be on a fast host.
        return chip.setup_ns + max(size / chip.dma_gbs + (size + PAGE - 1) // PAGE * PAGE_NS, most)
    return chip.setup_ns + most


cdef double map_time(const ChipModel *chip, uint64_t size) noexcept nogil:
    return MAP_NS if chip.shares_memory or size == 0 else MAP_NS + host_transfer(chip, size, True)


cdef double host_copy(uint64_t size) noexcept nogil:
    return size / HOST_COPY_GBS


cdef double device_copy(const ChipModel *chip, uint64_t size) noexcept nogil:
    """Within the device's memory: each byte is read and written."""
    return chip.floor_ns + size / chip.bandwidth_gbs * (1 / chip.efficiency + 1 / chip.write_efficiency)


cdef double fill_time(const ChipModel *chip, uint64_t size) noexcept nogil:
    return chip.floor_ns + size / (chip.bandwidth_gbs * chip.write_efficiency)


# ---- for tests and tools

cdef ChipModel model_of(object chip) except *:
    cdef ChipModel model
    chip_model_fill(&model, chip)
    return model


def dma_ns(chip, size):
    cdef ChipModel model = model_of(chip)
    return dma(&model, size)


def host_transfer_ns(chip, size, pinned=False):
    cdef ChipModel model = model_of(chip)
    return host_transfer(&model, size, pinned)


def device_copy_ns(chip, size):
    cdef ChipModel model = model_of(chip)
    return device_copy(&model, size)


def fill_ns(chip, size):
    cdef ChipModel model = model_of(chip)
    return fill_time(&model, size)


def map_ns(chip, size, host_memory=False):
    """Of a buffer: nothing is copied where the host reaches it (`host_memory`: CL_MEM_ALLOC_HOST_PTR and the like)."""
    cdef ChipModel model = model_of(chip)
    return map_time(&model, 0 if host_memory else size)
