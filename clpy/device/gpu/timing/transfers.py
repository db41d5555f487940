# SPDX-License-Identifier: Apache-2.0
"""How long copies take, in nanoseconds, on an idle link.

By the AMD guide: memory that is pinned is copied by a DMA engine as it is. Of other memory, up to 32 KB go through a
staging buffer, up to 16 MB are pinned for the copy, and what is larger goes through two buffers of 16 MB in turn.
A device that shares the host's memory copies at that memory's speed, and maps for nothing.
"""
KB, MB = 1 << 10, 1 << 20
STAGED = 32 * KB                 # up to here
PINNED = 16 * MB                 # up to here; behind it blocks of this size
HOST_COPY_GBS = 8.0              # what one thread copies to and from a staging buffer
PAGE_NS = 100.0                  # to pin one page of 4 KB
MAP_NS = 2000.0                  # to map memory that the host can reach already


def dma_ns(chip, size):
    """By a DMA engine, from or to memory that is pinned."""
    return chip.link.setup_us * 1000 + size / chip.link.dma_gbs


def host_transfer_ns(chip, size, pinned=False):
    """Between host and device."""
    if chip.memory.shared or pinned:
        return dma_ns(chip, size)
    if size <= STAGED:
        return dma_ns(chip, size) + size / HOST_COPY_GBS
    if size <= PINNED:
        # No faster than the part of the rate that unpinned memory reaches, which what follows would be on a fast host.
        pages = -(-size // (4 * KB))
        return chip.link.setup_us * 1000 + max(size / chip.link.dma_gbs + pages * PAGE_NS,
                                               size / (chip.link.dma_gbs * chip.link.pageable))
    return chip.link.setup_us * 1000 + size / (chip.link.dma_gbs * chip.link.pageable)


def device_copy_ns(chip, size):
    """Within the device's memory: each byte is read and written."""
    return chip.dispatch.floor_us * 1000 + size / chip.memory.bandwidth_gbs * (
        1 / chip.memory.efficiency + 1 / chip.memory.write_efficiency)


def fill_ns(chip, size):
    return chip.dispatch.floor_us * 1000 + size / (chip.memory.bandwidth_gbs * chip.memory.write_efficiency)


def map_ns(chip, size, host_memory=False):
    """Of a buffer: nothing is copied where the host reaches it (`host_memory`: CL_MEM_ALLOC_HOST_PTR and the like)."""
    if chip.memory.shared or host_memory:
        return MAP_NS
    return MAP_NS + host_transfer_ns(chip, size, pinned=True)
