# SPDX-License-Identifier: Apache-2.0
"""What stays on a device from one launch to the next: the lines of its L2.

At the end of a launch what was changed is written to memory, and stays in the cache. A line keeps its number as long as
buffers keep theirs, so whoever wants this gives buffers numbers of their own (LineNumbers), and tells when one is gone.
"""
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset
from clpy.device.gpu.timing.caches cimport cache_free, cache_make
from clpy.device.gpu.timing.lines cimport ARGUMENT_LINES


cdef class DeviceMemory:

    def __init__(self, chip):
        self.n_lines = chip.caches.l2_bytes // chip.caches.line_bytes
        if not cache_make(&self.l2, chip.caches.l2_bytes, chip.caches.l2_ways, chip.caches.l2_channels):
            raise MemoryError("no memory for the model of a cache")

    def __dealloc__(self):
        cache_free(&self.l2)

    cdef void drop(self, uint32_t first, uint32_t behind) noexcept nogil:
        cdef int64_t i
        for i in range(self.n_lines):
            if first < self.l2.tags[i] <= behind:      # a tag is one more than its line
                self.l2.tags[i] = 0
                self.l2.dirty[i] = 0

    def forget(self, first, n):
        """So many lines from that number on are a buffer's no more."""
        self.drop(first, first + n)

    cdef void begin(self, uint32_t unknown, uint32_t scratch) noexcept nogil:
        """A launch: all lines are there at its time 0, but those whose numbers mean something else now: arguments, and
        lines of no buffer, which have the numbers from `unknown` to `scratch`."""
        memset(self.l2.ready, 0, self.n_lines * sizeof(int64_t))
        memset(self.l2.dirty, 0, self.n_lines)
        self.drop(0, ARGUMENT_LINES)
        self.drop(unknown, scratch)

    cdef int64_t changed(self) noexcept nogil:
        """Lines that are still to be written."""
        cdef int64_t i, n = 0
        for i in range(self.n_lines):
            n += self.l2.dirty[i]
        return n
