# SPDX-License-Identifier: Apache-2.0
"""The threads of a pool: made, called, asleep, gone.

At most `limit` threads are at work, for all contexts together. A work-group cannot be put aside, so where all of them
are in long ones, a context may have nobody that works for it. Then a thread that is there only meanwhile lets one more
in at a time, which works for such contexts alone, and stops when there are none.
"""
from libc.stdint cimport int32_t, uint32_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free
from clpy.atomics cimport atomic_add_i32, atomic_cas_i32, atomic_load_i32, atomic_store_i32
from clpy.device.base cimport Task
from clpy.device.host.launch cimport Scratch, group_ns, scratch_free
from clpy.device.host.runs cimport Runs, runs_cut, runs_new, runs_settle
from clpy.device.host.task_list cimport any_overdue, any_starved, free_lanes
from clpy.device.host.units cimport Cpus
from clpy.futex cimport futex_wait_as, futex_wake, futex_wake_those, mutex_lock, mutex_unlock, nap
from clpy.threads cimport thread_fn, thread_start

cdef enum:
    MANY = 4096                  # threads: more than there are
    MOST_SPARE = 32
    OVERDUE_NS = 10000000        # how long a context that nobody works for waits for a thread: at most twice that
    LOOKS = 100                  # so often is looked after there was one for the last time
    FAN_OUT = 4                  # threads that one calls at once: each costs it some microseconds

cdef extern from "<sched.h>" nogil:
    int sched_getcpu()

cdef thread_fn worker_life


cdef void crew_does(thread_fn life) noexcept:
    global worker_life
    worker_life = life


# ---- pools of sub-devices --------------------------------------------------------------------------------------------

cdef void *pool_new(int32_t n, Cpus *cpus) noexcept nogil:
    cdef Pool *pool = <Pool *>calloc(1, sizeof(Pool))
    if pool == NULL:
        free(cpus)
        return NULL
    pool.limit = n
    pool.cpus = cpus
    pool.refs = 1
    atomic_add_i32(&pool.workers, 1)
    if not make_worker(pool, 0):
        release(pool)
        return NULL
    return pool


cdef void keep(Pool *pool) noexcept nogil:
    if pool.cpus != NULL:
        atomic_add_i32(&pool.refs, 1)


cdef void release(Pool *pool) noexcept nogil:
    if pool.cpus != NULL and atomic_add_i32(&pool.refs, -1) == 1:
        pool_destroy(pool)


cdef void pool_destroy(Pool *pool) noexcept nogil:
    cdef Scratch *scratch = pool.scratch
    cdef Scratch *following
    cdef Runs *runs
    while scratch != NULL:
        following = scratch.next
        scratch_free(scratch)
        scratch = following
    while pool.runs != NULL:
        runs = pool.runs
        pool.runs = runs.next
        free(runs)
    free_lanes(&pool.lanes)
    free(pool.cpus)
    free(pool)


cdef void pool_close(void *closed) noexcept nogil:
    cdef Pool *pool = <Pool *>closed
    atomic_store_i32(&pool.closing, 1)
    atomic_add_i32(&pool.called, MANY)       # each finds a call
    futex_wake(&pool.called, MANY)
    release(pool)


# ---- calling and sleeping --------------------------------------------------------------------------------------------

cdef int32_t wake(Pool *pool, int32_t wanted) noexcept nogil:
    """How many of those that sleep were called, `wanted` at most."""
    cdef int32_t n = atomic_load_i32(&pool.sleeping), some
    while n > 0:
        some = wanted if wanted < n else n
        if atomic_cas_i32(&pool.sleeping, &n, n - some):
            atomic_add_i32(&pool.searching, some)
            atomic_add_i32(&pool.called, some)
            wake_sleepers(pool, some)
            return some
    return 0


cdef void wake_sleepers(Pool *pool, int32_t n) noexcept nogil:
    """Those that do not disturb this thread, nor the one that brought the task and may do some of it, come first."""
    if pool.is_pinned:
        n -= futex_wake_those(&pool.called, n, ~(place_of(sched_getcpu()) | pool.caller))
    if n > 0:
        futex_wake(&pool.called, n)


cdef bint call_one(Pool *pool) noexcept nogil:
    if atomic_load_i32(&pool.searching) > 0 or atomic_load_i32(&pool.at_work) >= most_at_work(pool):
        return True
    return wake(pool, 1) == 1 or one_more(pool)


cdef void call_some(Pool *pool, int32_t n) noexcept nogil:
    cdef int32_t room = most_at_work(pool) - atomic_load_i32(&pool.at_work)
    n = min(min(n, room) - atomic_load_i32(&pool.searching), FAN_OUT)
    if n > 0:
        n -= wake(pool, n)
    while n > 0:
        one_more(pool)
        n -= 1


cdef bint one_more(Pool *pool) noexcept nogil:
    """Make a worker, where there may be more. False: there is none at all."""
    cdef int32_t n = atomic_load_i32(&pool.workers)
    while n < most_at_work(pool):
        if atomic_cas_i32(&pool.workers, &n, n + 1):
            return make_worker(pool, n)
    return True


cdef bint make_worker(Pool *pool, int32_t index) noexcept nogil:
    cdef char name[16]
    atomic_add_i32(&pool.searching, 1)
    snprintf(name, sizeof(name), b"clpy-%d" if pool.cpus == NULL else b"clpy-sub-%d", index)
    keep(pool)
    if thread_start(worker_life, pool, name, STACK_BYTES):
        return True
    release(pool)
    atomic_add_i32(&pool.searching, -1)
    return atomic_add_i32(&pool.workers, -1) > 1


cdef bint answer_call(Pool *pool) noexcept nogil:
    cdef int32_t n = atomic_load_i32(&pool.called)
    while n > 0:
        if atomic_cas_i32(&pool.called, &n, n - 1):
            return True
    return False


cdef void sleep_until_called(Pool *pool, uint32_t places) noexcept nogil:
    cdef int32_t n
    atomic_add_i32(&pool.sleeping, 1)
    atomic_add_i32(&pool.searching, -1)
    if may_take(pool):
        n = atomic_load_i32(&pool.sleeping)
        while n > 0:
            if atomic_cas_i32(&pool.sleeping, &n, n - 1):
                atomic_add_i32(&pool.searching, 1)
                return
        # Somebody has called this thread meanwhile: the call is there, or will be in a moment.
    while not answer_call(pool):
        futex_wait_as(&pool.called, 0, places)


# ---- runs of groups --------------------------------------------------------------------------------------------------

cdef Runs *runs_for(Pool *pool, Task *task) noexcept nogil:
    cdef Runs *runs = pool.runs
    if runs != NULL:
        pool.runs = runs.next
    else:
        runs = runs_new(pool.limit)
    if runs != NULL:
        runs_cut(runs, task.most, task.n_units, task.launch.costs, group_ns(task.launch))
    return runs


cdef void runs_give_back(Pool *pool, Task *task) noexcept nogil:
    cdef Runs *runs = <Runs *>task.runs
    if task.error == 0 and task.launch.costs != NULL:
        runs_settle(runs, task.n_units, task.launch.costs)
    runs.next = pool.runs
    pool.runs = runs


# ---- contexts that nobody works for ----------------------------------------------------------------------------------

cdef void begin_turns(Pool *pool) noexcept nogil:
    keep(pool)
    pool.takes_turns = thread_start(let_in, pool, b"clpy-turns", 0)
    if not pool.takes_turns:
        release(pool)


cdef int32_t spare_now(Pool *pool) noexcept nogil:
    """Under the lock: how many more than the limit there may be."""
    if pool.lanes.users < pool.limit:
        any_overdue(&pool.lanes)
        return 0
    if any_overdue(&pool.lanes) and pool.at_work >= pool.limit + pool.spare and pool.spare < MOST_SPARE:
        return pool.spare + 1
    return pool.spare


cdef void let_in(void *argument) noexcept nogil:
    cdef Pool *pool = <Pool *>argument
    cdef int32_t left = LOOKS
    cdef bint offers
    while left > 0:
        nap(OVERDUE_NS)
        mutex_lock(&pool.lock)
        left = LOOKS if pool.spare > 0 or any_starved(&pool.lanes) else left - 1
        atomic_store_i32(&pool.spare, spare_now(pool))
        atomic_store_i32(&pool.looks, pool.looks + 1)
        if left == 0:
            pool.takes_turns = False
        survey(pool)
        offers = pool.offers
        mutex_unlock(&pool.lock)
        if offers:
            call_one(pool)
    release(pool)
