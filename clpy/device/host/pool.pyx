# SPDX-License-Identifier: Apache-2.0
"""Threads of this process that work for devices: what is ready to run, who runs it, who sleeps. Root devices share one
pool, as they share the processors; each sub-device has its own.

Lists hold the tasks that still have something unclaimed: urgent ones (copies, fills), and kernels, by context. A thread
*at work* takes from their heads until there is nothing to take, and anew from time to time, so that contexts take
turns; at most `limit` threads are at work, workers or host threads that wait, so that kernels never compete for cores
with each other. Under `lock`: the lists, who is at work, and `users` of a task. Outside of it: the work itself, claims
of work-groups, sleeping and waking, all that completes a command.

A work-group cannot be put aside. Where all threads are in long ones, crew.pyx lets one more thread in, and more if need
be (`spare`), which work only for contexts that nobody else works for.

That no task is forgotten: whoever puts one into a list then makes sure of a thread that will look at the lists later.
That is a thread at work (it looks before it stops), or a *searching* one (it looks before it sleeps), or one it wakes.
A woken or new thread counts as searching from the moment it is called, so a burst of tasks wakes one thread; a thread
that stops searching because it found work looks once more and calls the next one where there is more to do.

Little work put there by a thread that may soon wait for it wakes nobody until pool_flush (`put_off`): waking a
thread costs more than the work.

The threads of a sub-device run on its processors alone, and only they work for it: no host thread helps, as it may be
be on any processor. A sub-device has one thread from the start, so there is always somebody to call; its pool goes when
the device is gone and the last thread has left.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc
from libc.string cimport memset
from clpy.atomics cimport (atomic_add_i32, atomic_load_i32, atomic_load_i32_relaxed, atomic_store_i32, atomic_store_i64,
                           atomic_xchg_i32, cpu_pause)
from clpy.cl cimport cl_int
from clpy.device.base cimport (Device, HERE_IF_SHORT, HERE_NEVER, HERE_WAITS, HERE_WHOLLY, TASK_FOREIGN, TASK_KERNEL,
                               TASK_SPLIT, Task, task_end)
from clpy.device.host.away cimport away_begins, away_ends, away_interrupted
from clpy.device.host.crew cimport (ANY_PLACE, Pool, call_one, call_some, crew_does, keep, may_take, place_of, release,
                                    runs_for, runs_give_back, sleep_until_called, survey)
from clpy.device.host.fault cimport faults_leave, faults_own_thread
from clpy.device.host.gang cimport gang_run, is_gang
from clpy.device.host.launch cimport (Crowd, Scratch, Until, count_groups, estimate_rest, fits_short, may_part,
                                     run_groups, scratch_trim, task_running)
from clpy.device.host.task_list cimport append, fail_all, has_any, leave, take_from
from clpy.device.host.units cimport machine_is_virtual, stay_on, stay_on_one
from clpy.device.host.whole cimport run_parts, run_whole
from clpy.futex cimport flag_wait, flag_wait_for, mutex_lock, mutex_unlock, now_ns
from clpy.host_thread cimport LEAST_STACK, clpy_host_state, host_go_back, host_leave_out, stack_has
from clpy.signals cimport LOOK_NS, signals_are_mine, signals_interrupt
from clpy.spec.consts cimport CL_COMPLETE, CL_OUT_OF_RESOURCES
from clpy.threads cimport at_fork_in_child

from clpy import config

cdef extern from "<sched.h>" nogil:
    int sched_getcpu()

cdef extern from "pool_thread.h" nogil:
    void *my_pool "clpy_my_pool"             # the pool this thread is at work for, else NULL
    void *my_scratch "clpy_my_scratch"       # meanwhile
    void *my_home "clpy_my_home"             # of a worker: the pool it belongs to
    int32_t my_number "clpy_my_number"       # likewise: its number there, from 1 on; 0 of a host thread

cdef enum:
    SHORT_NS = 5000              # less than this is run by the thread that enqueues it
    WORTH_WAKING_NS = 20000      # less than this is not worth a second thread that sleeps
    SHARE_NS = 10000             # nor less than this one that is awake
    SEARCH_NS = 50000            # how long a thread looks for work, or waits for its end, before it sleeps
    SEARCH_LEAST_NS = 2000
    SEARCH_MOST_NS = 200000      # where there was work again within that
    MOST_THREADS = 4096
    LONG_LOOKS = 2               # of crew: a thread that was in one task for longer was in a long work-group

cdef Pool root
cdef bint pins = config.get("PIN_THREADS") == "1" or config.get("PIN_THREADS") == "auto" and machine_is_virtual()


cdef void *pool_of_root(int32_t n) noexcept nogil:
    n = 1 if n < 1 else MOST_THREADS if n > MOST_THREADS else n
    if n > root.limit:
        root.limit = n
    return &root


cdef inline bint may_help(Pool *pool) noexcept nogil:
    """May the calling thread work for this pool? Its own threads always may: one may wait, in a native kernel. A host
    thread may have little stack left: kernels have their private memory there."""
    return pool.cpus == NULL and stack_has(LEAST_STACK) or my_home == pool


# ---- being at work ---------------------------------------------------------------------------------------------------

cdef void begin_work(Pool *pool) noexcept nogil:
    """Under the lock."""
    global my_scratch, my_pool
    cdef Scratch *scratch = pool.scratch
    if scratch != NULL:
        pool.scratch = scratch.next
    else:
        scratch = <Scratch *>calloc(1, sizeof(Scratch))
    if scratch != NULL:
        my_scratch = scratch
        my_pool = pool
        atomic_store_i32(&pool.at_work, pool.at_work + 1)


cdef void end_work(Pool *pool) noexcept nogil:
    """Under the lock."""
    global my_pool
    cdef Scratch *scratch = <Scratch *>my_scratch
    my_pool = NULL
    atomic_store_i32(&pool.at_work, pool.at_work - 1)
    scratch_trim(scratch)
    scratch.next = pool.scratch
    pool.scratch = scratch


cdef Task *take_next(Pool *pool, bint brief, bint *more) noexcept nogil:
    """Under the lock, by a thread at work. more: there is something for another one."""
    cdef Task *task = take_from(&pool.lanes, pool.at_work > pool.limit, brief)
    if task == NULL:
        end_work(pool)
    else:
        more[0] = has_any(&pool.lanes, task, pool.at_work >= pool.limit)
        if not more[0]:
            atomic_store_i32(&pool.put_off, 0)
    survey(pool)
    return task


cdef Task *take(Pool *pool, bint brief) noexcept nogil:
    """A task to work at. The thread is at work from then on, until this finds nothing. It is not at work elsewhere.
    brief: only what it is back from soon."""
    cdef Task *task = NULL
    cdef bint more = False
    mutex_lock(&pool.lock)
    if my_pool != pool and pool.offers:
        begin_work(pool)
    if my_pool == pool:
        task = take_next(pool, brief, &more)
    mutex_unlock(&pool.lock)
    if more:
        call_one(pool)
    return task


cdef void work_at(Pool *pool, Task *task, int32_t *stop, bint brief) noexcept nogil:
    """brief: by a thread that should be back soon."""
    work_then(pool, task, stop, brief, False)


cdef Task *work_on(Pool *pool, Task *task) noexcept nogil:
    """What to work at next; NULL when there is nothing, and the thread is at work no longer."""
    return work_then(pool, task, NULL, False, True)


cdef Task *work_then(Pool *pool, Task *task, int32_t *stop, bint brief, bint takes) noexcept nogil:
    """takes: the next task is taken where this one is left, under the same lock. Not where it is complete: what that
    sets free is among the next."""
    cdef Task *following = NULL
    cdef bint complete, more = False
    cdef cl_int status
    cdef int32_t since = atomic_load_i32_relaxed(&pool.looks)
    cdef Until until = Until(stop, <void **>&pool.lanes.urgent.head, &pool.lanes.contexts, brief)
    if task.error < 0:           # it was abandoned
        atomic_store_i64(&task.next_unit, task.n_units)
    elif task.flags & TASK_KERNEL:
        call_some(pool, worth_waking(task))
        if brief:
            away_begins()
        if is_gang(task):
            gang_run(task, <Scratch *>my_scratch, Crowd(pool.limit, my_number), pool.is_pinned)
        else:
            run_groups(task, <Scratch *>my_scratch, Crowd(pool.limit, my_number), &until)
        if brief:
            away_ends()
    else:
        call_some(pool, <int32_t>(task.n_units - 1))
        run_parts(task)
    mutex_lock(&pool.lock)
    complete = leave(&pool.lanes, task)
    if complete and task.runs != NULL:
        runs_give_back(pool, task)
    if pool.spare > 0 and atomic_load_i32_relaxed(&pool.looks) - since > LONG_LOOKS:
        atomic_store_i32(&pool.spare, pool.spare - 1)        # for this thread, or one like it
        survey(pool)
    if takes and not complete:
        following = take_next(pool, brief, &more)
    mutex_unlock(&pool.lock)
    if more:
        call_one(pool)
    if complete:
        status = task.error if task.error < 0 else CL_COMPLETE
        task_end(task, status)
        if takes:
            following = take(pool, brief)
    return following


cdef int32_t worth_waking(Task *task) noexcept nogil:
    """How many more threads; those that are at work on it now are a guess."""
    cdef uint64_t ns = estimate_rest(task)
    cdef int32_t n = task.most
    if ns != 0 and ns < <uint64_t>n * WORTH_WAKING_NS:
        n = <int32_t>(ns // WORTH_WAKING_NS) + 1
    return n - atomic_load_i32_relaxed(&task.users)


cdef int32_t worth_at_once(Task *task) noexcept nogil:
    """How many threads gain something: less for each of them is lost on the cache lines that they share."""
    cdef uint64_t ns
    cdef int64_t n = task.n_units if task.n_units < MOST_THREADS else MOST_THREADS
    if task.flags & TASK_KERNEL:
        ns = estimate_rest(task)
        if ns != 0 and ns // SHARE_NS + 1 < <uint64_t>n:
            n = <int64_t>(ns // SHARE_NS) + 1
    return <int32_t>n


cdef void worker_main(void *argument) noexcept nogil:
    global my_home, my_number
    cdef Pool *pool = <Pool *>argument
    my_home = pool
    my_number = atomic_add_i32(&pool.numbers, 1) + 1
    faults_own_thread()
    search(pool, settle(pool))
    release(pool)


cdef uint32_t settle(Pool *pool) noexcept nogil:
    """Where the calling worker stays, and its place there.

    Systems on virtual machines do not see which of their processors are idle, and wake a thread beside the one that
    calls it, which then waits for it: so each has a processor of its own there, if there are as many as threads.
    """
    cdef int processor = -1
    if pool.cpus != NULL:
        stay_on(pool.cpus)
    elif pins and pool.limit > 1 and my_number <= pool.limit:
        processor = stay_on_one(my_number - 1, pool.limit)
    if processor < 0:
        return ANY_PLACE
    pool.is_pinned = True
    return place_of(processor)


cdef void search(Pool *pool, uint32_t places) noexcept nogil:
    """A worker's life: until the pool closes."""
    cdef Task *task
    cdef uint64_t patience = SEARCH_NS, since
    while not atomic_load_i32(&pool.closing):
        task = take(pool, False)
        if task != NULL:
            atomic_add_i32(&pool.searching, -1)
            while task != NULL:
                task = work_on(pool, task)
            atomic_add_i32(&pool.searching, 1)
            continue
        since = now_ns()
        while root.limit > 1 and not may_take(pool) and now_ns() - since < patience:
            cpu_pause()
        if not may_take(pool):
            sleep_until_called(pool, places)
        patience = patience_after(now_ns() - since, patience)


cdef uint64_t patience_after(uint64_t waited, uint64_t patience) noexcept nogil:
    """How long to look for work next time. Where it came soon, so long that it would not have been in vain, as waking
    takes longer than it; else shorter and shorter."""
    if waited > SEARCH_MOST_NS:
        return patience // 2 if patience > 2 * SEARCH_LEAST_NS else SEARCH_LEAST_NS
    if 2 * waited <= patience:
        return patience
    return 2 * waited if 2 * waited < SEARCH_MOST_NS else SEARCH_MOST_NS


# ---- the verbs of the device -----------------------------------------------------------------------------------------

cdef bint run_here(Pool *pool, Task *task, int here) noexcept nogil:
    """Is it cheaper to run the task than to hand it over?"""
    cdef uint64_t ns
    if here == HERE_NEVER or task.flags & (TASK_SPLIT | TASK_FOREIGN) or not may_help(pool):
        return False
    if task.flags & TASK_KERNEL:
        ns = estimate_rest(task)
        if ns == 0 or ns > SHORT_NS or task.stop != NULL or not fits_short(task):
            return False
    run_whole(task)
    return True


cdef inline bint is_little(Task *task) noexcept nogil:
    cdef uint64_t ns
    if not task.flags & TASK_KERNEL:
        return False
    ns = estimate_rest(task)
    return ns < WORTH_WAKING_NS if ns else task.n_units == 1


cdef void pool_submit(Device *dev, Task *task, int here) noexcept nogil:
    cdef Pool *pool = <Pool *>dev.pool
    cdef bint alone, put_off, helps
    if task.flags & TASK_KERNEL:
        task.n_units = count_groups(task)
    else:
        task.n_units = task.n_parts if task.flags & TASK_SPLIT else 1
    task.next_unit = 0
    task.users = 0
    task.begun = task.is_listed = False
    task.error = 0
    if here == HERE_WHOLLY:
        run_whole(task)
        return
    if run_here(pool, task, here):
        return
    task.most = 1 if is_gang(task) else worth_at_once(task)
    task.runs = NULL
    helps = may_help(pool)
    keep(pool)                   # the task may be done, and with it the device gone, before this returns
    mutex_lock(&pool.lock)
    alone = not has_any(&pool.lanes, NULL, False)
    put_off = here == HERE_IF_SHORT and alone and helps and is_little(task)
    if put_off:
        atomic_store_i32(&pool.put_off, 1)
    if task.most > 1 and may_part(task):
        task.runs = runs_for(pool, task)
    append(&pool.lanes, task)
    if pool.is_pinned:
        pool.caller = place_of(sched_getcpu())
    survey(pool)
    mutex_unlock(&pool.lock)
    # A thread at work comes back to the lists itself; one that waits for the task is about to look there.
    if not (put_off or (alone and my_pool == pool) or (helps and here == HERE_WAITS)):
        if not call_one(pool):
            work_without_workers(pool)
    release(pool)


cdef void work_without_workers(Pool *pool) noexcept nogil:
    """The system gives us no thread at all: who brings work does it."""
    global my_pool, my_scratch
    cdef Task *task
    cdef void *pool_before = my_pool
    cdef void *scratch_before = my_scratch
    if my_pool == pool:
        return
    if task_running() != NULL:   # a kernel enqueues it: not inside of that, but when the next flushes or waits
        atomic_store_i32(&pool.put_off, 1)
        return
    my_pool = NULL
    task = take(pool, False)
    while task != NULL:
        task = work_on(pool, task)
    my_pool = pool_before
    my_scratch = scratch_before


cdef void pool_flush(Device *dev) noexcept nogil:
    cdef Pool *pool = <Pool *>dev.pool
    if atomic_load_i32_relaxed(&pool.put_off) and atomic_xchg_i32(&pool.put_off, 0):
        if not call_one(pool):
            work_without_workers(pool)


cdef bint look(int32_t *flag) noexcept nogil:
    """Sleep until the flag is raised, or it is time to look for signals, of a thread whose they are. False: one of them
    ends the wait."""
    if not signals_are_mine():
        flag_wait(flag)
        return True
    flag_wait_for(flag, LOOK_NS)
    return atomic_load_i32(flag) == 1 or not signals_interrupt()


cdef bint wait_alone(int32_t *flag) noexcept nogil:
    """Wait without helping: for a moment awake, as a thread that was called needs as long to begin."""
    cdef uint64_t until = now_ns() + (SEARCH_NS if root.limit > 1 else 0)
    while atomic_load_i32(flag) != 1 and now_ns() < until:
        cpu_pause()
    while atomic_load_i32(flag) != 1:
        if not look(flag):
            return False
    return True


cdef void rest(Pool *pool) noexcept nogil:
    """Be at work no longer, whatever there is to do."""
    mutex_lock(&pool.lock)
    end_work(pool)
    survey(pool)
    mutex_unlock(&pool.lock)
    if may_take(pool) and not call_one(pool):
        work_without_workers(pool)


cdef bint is_time(uint64_t *next) noexcept nogil:
    """To look for signals, again. A wait that ends soon does not ask what time it is."""
    cdef uint64_t now
    if next[0] == 0:
        next[0] = 1
        return False
    now = now_ns()
    if next[0] > 1 and now < next[0]:
        return False
    now, next[0] = next[0], now + LOOK_NS
    return now > 1


cdef bint handlers_interrupt(Pool *pool) noexcept nogil:
    """A handler may take long, and so may Python's lock: at work nowhere meanwhile."""
    if my_pool == pool:
        rest(pool)
    return signals_interrupt()


cdef bint help(Pool *pool, int32_t *flag) noexcept nogil:
    """A thread that has to look for signals does only what it is back from soon."""
    cdef bint looks = signals_are_mine(), refused
    cdef Task *task
    cdef uint64_t until, next_look = 0
    while atomic_load_i32(flag) != 1:
        if looks and is_time(&next_look) and handlers_interrupt(pool):
            return False
        task = take(pool, looks)
        if task != NULL:
            work_at(pool, task, flag, looks)
            if looks and away_interrupted() and handlers_interrupt(pool):
                return False
            continue
        refused = looks and may_take(pool)
        if refused and not call_one(pool):
            work_without_workers(pool)
        # Where all cores are at work, looking on would only take time from them.
        until = now_ns() + (SEARCH_NS if atomic_load_i32(&pool.at_work) < pool.limit else 0)
        while atomic_load_i32(flag) != 1 and (refused or not may_take(pool)) and now_ns() < until:
            cpu_pause()
        if (refused or not may_take(pool)) and not look(flag):
            return False
    return True


cdef bint pool_help_until(Device *dev, int32_t *flag) noexcept nogil:
    global my_pool, my_scratch
    cdef clpy_host_state host
    cdef Pool *pool = <Pool *>dev.pool
    cdef void *pool_before = my_pool
    cdef void *scratch_before = my_scratch
    cdef bint raised
    if not may_help(pool):
        return wait_alone(flag)
    if my_pool != pool:
        my_pool = NULL           # a worker of another device, which waits in a native kernel
    host = host_leave_out()
    raised = help(pool, flag)
    host_go_back(host)
    if my_pool == pool and pool_before != pool:
        rest(pool)
    if pool_before != pool:
        my_pool = pool_before
        my_scratch = scratch_before
    return raised


cdef void pool_abandon(Device *dev, uint32_t context) noexcept nogil:
    cdef Pool *pool = <Pool *>dev.pool
    mutex_lock(&pool.lock)
    fail_all(&pool.lanes, context, CL_OUT_OF_RESOURCES)
    mutex_unlock(&pool.lock)
    faults_leave(context)
    if may_take(pool) and not call_one(pool):
        work_without_workers(pool)


cdef void forget_workers() noexcept nogil:
    """In the child of a fork: no other thread is left, and what they were at is the parent's. Sub-devices are dead."""
    global my_pool, my_home
    cdef int32_t limit = root.limit
    memset(&root, 0, sizeof(root))
    root.limit = limit
    my_pool = my_home = NULL


at_fork_in_child(forget_workers)
crew_does(worker_main)
