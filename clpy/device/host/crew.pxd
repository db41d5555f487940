# SPDX-License-Identifier: Apache-2.0
"""A pool as such: its threads, those that sleep and those that are called, and how many may be at work."""
from libc.stdint cimport int32_t, uint32_t
from clpy.atomics cimport atomic_load_i32, atomic_load_i32_relaxed, atomic_store_i32
from clpy.device.base cimport Task
from clpy.device.host.launch cimport Scratch
from clpy.device.host.runs cimport Runs
from clpy.device.host.task_list cimport Lanes, any_starved, has_any
from clpy.device.host.units cimport Cpus
from clpy.threads cimport thread_fn

cdef enum:
    STACK_BYTES = 8 << 20        # of a worker: touched as needed; the variables of a work-item may lie there
    ANY_PLACE = 0xffffffff       # of a thread that goes where the system puts it

# What threads wait for, awake, lies apart from what others write meanwhile: each look takes the cache line from them.
ctypedef struct Pool:
    int32_t lock
    unsigned char apart[124]
    int32_t limit                # threads at work at once
    Cpus *cpus                   # of a sub-device, owned: where its threads stay; NULL for the root's
    Lanes lanes
    int32_t at_work              # changed under the lock
    int32_t spare                # likewise: so many more, for contexts that nobody works for
    int32_t looks                # likewise: of the thread that sees to it; from one to the next is OVERDUE_NS
    bint takes_turns             # likewise: there is that thread
    Scratch *scratch             # of the threads not at work
    Runs *runs                   # of no launch now
    unsigned char apart_too[128]
    int32_t offers               # changed under the lock: there is something for a thread that is not at work
    unsigned char still_apart[124]
    int32_t searching            # atomic: threads that look for work, and those called that have not begun to
    int32_t sleeping             # atomic: threads that sleep and have not been called
    int32_t called               # atomic, futex: calls not yet answered
    bint is_pinned               # threads stay on processors of their own: they sleep as `place_of` these
    uint32_t caller              # place_of the processor that brought the latest task
    int32_t workers              # atomic: threads made
    int32_t numbers              # atomic: given to them, so that each has its own
    int32_t put_off              # atomic: something is in a list and nobody was called
    # of a sub-device
    int32_t refs                 # atomic: its device, its threads, and others for as long as they look at it
    int32_t closing              # atomic: the device is gone

# What a thread does, from its beginning to its end, with its pool for an argument; it lets go of the pool then.
cdef void crew_does(thread_fn life) noexcept
# Of a sub-device: its own n threads alone, on these processors (malloc'ed, taken over). NULL when out of resources.
cdef void *pool_new(int32_t n, Cpus *cpus) noexcept nogil
cdef void pool_close(void *pool) noexcept nogil          # the sub-device is gone, and with it all its tasks
cdef void keep(Pool *pool) noexcept nogil
cdef void release(Pool *pool) noexcept nogil
# Make sure that a thread looks at the lists, besides those that are called already. False: there is no thread.
cdef bint call_one(Pool *pool) noexcept nogil
# Likewise that n threads do, the caller of this not counted: a few are called, and call the others when they begin.
cdef void call_some(Pool *pool, int32_t n) noexcept nogil
# From searching to sleeping and back, as one of `places`. Returns at once when there is something to take after all.
cdef void sleep_until_called(Pool *pool, uint32_t places) noexcept nogil
# Under the lock: the task's groups cut into runs, for as many threads as it is worth; NULL when out of memory.
cdef Runs *runs_for(Pool *pool, Task *task) noexcept nogil
cdef void runs_give_back(Pool *pool, Task *task) noexcept nogil   # all of them have run, or will never
# Under the lock: have a thread look after contexts that nobody works for, while there are some.
cdef void begin_turns(Pool *pool) noexcept nogil


cdef inline uint32_t place_of(int processor) noexcept nogil:
    """A bit; some processors have the same one where there are more than 32."""
    return <uint32_t>1 << (processor & 31)


cdef inline bint may_take(Pool *pool) noexcept nogil:
    """A look without the lock: is there something, and may a thread that is not at work do it?"""
    return atomic_load_i32(&pool.offers) != 0


cdef inline int32_t most_at_work(Pool *pool) noexcept nogil:
    return pool.limit + atomic_load_i32_relaxed(&pool.spare)


cdef inline void survey(Pool *pool) noexcept nogil:
    """Under the lock, whenever the lists or who is at work have changed."""
    cdef bint offers = pool.at_work < most_at_work(pool) and has_any(&pool.lanes, NULL, pool.at_work >= pool.limit)
    if offers != pool.offers:
        atomic_store_i32(&pool.offers, offers)
    # A thread that is between two tasks will look at the lists itself.
    if not pool.takes_turns and pool.lanes.users >= most_at_work(pool) and any_starved(&pool.lanes):
        begin_turns(pool)
