# SPDX-License-Identifier: Apache-2.0
"""Running the work-groups of a launch: claims, memory of a group, floating-point state, how long a group takes."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from clpy.abi cimport clpy_launch
from clpy.cl cimport cl_int
from clpy.device.base cimport Launch, Task

ctypedef struct Scratch:         # one per thread at work; contents do not outlive a group
    unsigned char *block         # local memory, then context memory
    size_t size
    Scratch *next                # in the pool's list of those not in use

ctypedef struct Crowd:           # that may be at work on a launch
    int32_t n_threads
    int32_t number               # of this one, the same for all launches

ctypedef struct Until:           # when a thread is to leave a launch between two claims
    int32_t *stop                # it becomes 1; NULL: it cannot
    void **urgent                # it is not NULL
    int32_t *contexts            # more than one have something to do, and this one had its turn
    bint brief                   # the thread should be back soon

cdef Task *task_running() noexcept nogil                    # in a function that a kernel calls: the kernel's
cdef int64_t count_groups(Task *task) noexcept nogil
# Nanoseconds all unclaimed groups will take one thread; 0 when the kernel has not been measured.
cdef uint64_t estimate_rest(Task *task) noexcept nogil
# May the groups of the task begin in any order, and is it worth cutting them into runs for so many threads?
cdef bint may_part(Task *task) noexcept nogil
cdef uint64_t group_ns(Launch *launch) noexcept nogil       # what one takes, ns; 0 where it is not known
# Claim and run groups until none is left, or until it is time to leave.
cdef void run_groups(Task *task, Scratch *scratch, Crowd crowd, const Until *until) noexcept nogil
# The same of one thread, with `shape` for the launch's.
cdef void run_claimed(Task *task, const clpy_launch *shape, Scratch *scratch, Crowd crowd,
                      const Until *until) noexcept nogil
# A short launch as a whole on the calling thread, where its group memory is small enough for that and nobody observes.
cdef bint fits_short(Task *task) noexcept nogil
cdef void run_short(Task *task) noexcept nogil
cdef void give_up(Task *task, int32_t error) noexcept nogil     # nobody claims any more groups of it
cdef void scratch_free(Scratch *scratch) noexcept nogil     # with its memory
cdef void scratch_trim(Scratch *scratch) noexcept nogil     # gives back what is unusually big
