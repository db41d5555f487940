# SPDX-License-Identifier: Apache-2.0
"""When commands start and end on the device's clock, in nanoseconds.

- The N-th queue of a context belongs to hardware queue N mod K, which does its commands in order, and to copy engine
  N mod E (AMD guide: queues that were created one after the other copy at the same time).
- A command starts when what it waits for is done, its hardware queue and, of a copy, its engine are free; on an idle
  queue not before dispatch.launch_us after the enqueue, on a busy one at once.
- Kernels of different hardware queues run at once as long as there is room: each takes a share of the device (its
  groups by those that fill it), first come, first served. One that finds only part of its share goes on as much slower.

The caller holds a lock of its own around each call, and calls in the order in which commands are started.
"""
from libc.stdint cimport int32_t, int64_t

from clpy import config

cdef enum:
    FAR = 0x7fffffffffffffff

cdef double LEAST = 1.0 / 1024   # a share that is smaller is none


cdef class Timeline:

    def __init__(self, chip):
        self.n_queues = min(chip.queues.hardware, config.get("GPU_RINGS") or MOST_QUEUES, MOST_QUEUES)
        self.n_engines = min(chip.queues.dma_engines, MOST_QUEUES)
        self.launch_ns = round(chip.dispatch.launch_us * 1000)
        self.n_running = 0

    cdef int64_t begin(self, int64_t queue, int64_t enqueued, int64_t ready) noexcept nogil:
        """The earliest start on a hardware queue."""
        return max(max(self.queue_free[queue % self.n_queues], ready), enqueued + self.launch_ns)

    cdef void kernel(self, int64_t queue, int64_t enqueued, int64_t ready, int64_t duration, double share,
                     int64_t *start, int64_t *end) noexcept nogil:
        """`share`: of the device that it fills when alone, up to 1."""
        self.forget(enqueued)
        self.place(self.begin(queue, enqueued, ready), duration, min(max(share, LEAST), 1.0), start, end)
        self.queue_free[queue % self.n_queues] = end[0]

    cdef void transfer(self, int64_t queue, int64_t enqueued, int64_t ready, int64_t duration,
                       int64_t *start, int64_t *end) noexcept nogil:
        cdef int64_t *engine = &self.engine_free[queue % self.n_engines]
        start[0] = max(max(max(self.queue_free[queue % self.n_queues], engine[0]), ready), enqueued)
        end[0] = start[0] + duration
        engine[0] = end[0]
        self.queue_free[queue % self.n_queues] = end[0]

    cdef void beside(self, int64_t queue, int64_t enqueued, int64_t ready, int64_t duration,
                     int64_t *start, int64_t *end) noexcept nogil:
        """What the host does in the queue's order, and no engine."""
        self.marker(queue, enqueued, ready, start, end)
        end[0] = start[0] + duration
        self.queue_free[queue % self.n_queues] = end[0]

    cdef void marker(self, int64_t queue, int64_t enqueued, int64_t ready, int64_t *start, int64_t *end) noexcept nogil:
        """A command that does nothing on the device."""
        start[0] = end[0] = max(max(self.queue_free[queue % self.n_queues], ready), enqueued)
        self.queue_free[queue % self.n_queues] = end[0]

    cdef double used(self, int64_t at, int64_t *until) noexcept nogil:
        """What is taken of the device at a time, and for how long that stays so."""
        cdef double sum = 0
        cdef int32_t i
        until[0] = FAR
        for i in range(self.n_running):
            if self.running[i].start <= at < self.running[i].end:
                sum += self.running[i].share
                until[0] = min(until[0], self.running[i].end)
            elif self.running[i].start > at:
                until[0] = min(until[0], self.running[i].start)
        return sum

    cdef void place(self, int64_t start, int64_t duration, double share, int64_t *first, int64_t *last) noexcept nogil:
        """Go through the times between which nothing changes, with what is left of the device in each."""
        cdef int64_t at = start, until = 0
        cdef double left = duration, free
        first[0] = -1
        while True:
            free = min(1.0 - self.used(at, &until), share)
            if free < LEAST and until != FAR:
                at = until
                continue
            if first[0] < 0:
                first[0] = at
            if until == FAR or left * share <= free * (until - at):
                last[0] = at + <int64_t> (left * share / max(free, LEAST))
                break
            self.note(at, until, free)
            left -= free * (until - at) / share
            at = until
        self.note(at, last[0], free)

    cdef void note(self, int64_t start, int64_t end, double share) noexcept nogil:
        """A time in which so much more of the device is taken. When there is no room for another, the first is
        forgotten."""
        cdef int32_t i
        if end <= start:
            return
        if self.n_running == MOST_RUNNING:
            for i in range(1, self.n_running):
                self.running[i - 1] = self.running[i]
            self.n_running -= 1
        self.running[self.n_running].start = start
        self.running[self.n_running].end = end
        self.running[self.n_running].share = share
        self.n_running += 1

    cdef void forget(self, int64_t before) noexcept nogil:
        """Nothing will start before this time any more."""
        cdef int32_t i, kept = 0
        for i in range(self.n_running):
            if self.running[i].end > before:
                self.running[kept] = self.running[i]
                kept += 1
        self.n_running = kept

    # ---- for tests and tools

    def add_kernel(self, queue, enqueued, duration, share=1.0, ready=0):
        """(start, end)"""
        cdef int64_t start = 0, end = 0
        self.kernel(queue, enqueued, ready, duration, share, &start, &end)
        return start, end

    def add_transfer(self, queue, enqueued, duration, ready=0):
        cdef int64_t start = 0, end = 0
        self.transfer(queue, enqueued, ready, duration, &start, &end)
        return start, end

    def add_marker(self, queue, enqueued, ready=0):
        cdef int64_t start = 0, end = 0
        self.marker(queue, enqueued, ready, &start, &end)
        return start, end

    def hardware_queue(self, queue):
        """Of the N-th queue that was created in a context."""
        return queue % self.n_queues
