# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int32_t, int64_t

cdef enum:
    MOST_QUEUES = 64
    MOST_RUNNING = 256

ctypedef struct Running:         # a kernel that has its place on the device's clock
    int64_t start, end
    double share                 # of the device

cdef class Timeline:
    cdef readonly int32_t n_queues, n_engines
    cdef int64_t launch_ns
    cdef int64_t[MOST_QUEUES] queue_free     # when each hardware queue is done with what it has
    cdef int64_t[MOST_QUEUES] engine_free
    cdef Running[MOST_RUNNING] running
    cdef int32_t n_running
    cdef void kernel(self, int64_t queue, int64_t enqueued, int64_t ready, int64_t duration, double share,
                     int64_t *start, int64_t *end) noexcept nogil
    cdef void transfer(self, int64_t queue, int64_t enqueued, int64_t ready, int64_t duration,
                       int64_t *start, int64_t *end) noexcept nogil
    cdef void beside(self, int64_t queue, int64_t enqueued, int64_t ready, int64_t duration,
                     int64_t *start, int64_t *end) noexcept nogil
    cdef void marker(self, int64_t queue, int64_t enqueued, int64_t ready, int64_t *start, int64_t *end) noexcept nogil
    cdef int64_t begin(self, int64_t queue, int64_t enqueued, int64_t ready) noexcept nogil
    cdef void place(self, int64_t start, int64_t duration, double share, int64_t *first, int64_t *last) noexcept nogil
    cdef double used(self, int64_t at, int64_t *until) noexcept nogil
    cdef void note(self, int64_t start, int64_t end, double share) noexcept nogil
    cdef void forget(self, int64_t before) noexcept nogil
