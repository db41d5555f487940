# SPDX-License-Identifier: Apache-2.0
"""Running the work-groups of a launch: claims, memory of a group, floating-point state, how long a group takes."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from clpy.cl cimport cl_int
from clpy.device.base cimport Task

ctypedef struct Scratch:         # one per thread at work; contents do not outlive a group
    unsigned char *block         # local memory, then context memory
    size_t size
    Scratch *next                # in the pool's list of those not in use

cdef int64_t count_groups(Task *task) noexcept nogil
# Nanoseconds all unclaimed groups will take one thread; 0 when the kernel has not been measured.
cdef uint64_t estimate_rest(Task *task) noexcept nogil
# Claim and run groups until none is left, `*stop` becomes 1, `*other` is not NULL (stop and other may be NULL), or for
# so long that others should have their turn.
cdef void run_groups(Task *task, Scratch *scratch, int32_t n_threads, int32_t *stop, void **other) noexcept nogil
# A short launch as a whole on the calling thread, where its group memory is small enough for that and nobody observes.
cdef bint fits_short(Task *task) noexcept nogil
cdef void run_short(Task *task) noexcept nogil
cdef void scratch_free(Scratch *scratch) noexcept nogil     # with its memory
cdef void scratch_trim(Scratch *scratch) noexcept nogil     # gives back what is unusually big
