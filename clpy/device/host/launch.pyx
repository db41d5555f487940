# SPDX-License-Identifier: Apache-2.0
"""Running the work-groups of a launch.

Threads claim consecutive groups: along the first dimension first, so that neighbours share cache lines and pages; many
at the beginning, few at the end, so that no thread is left waiting for another. Where each has a run of its own, see
runs.pxd; else all claim in the order of the groups.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free
from libc.string cimport memset
from clpy.abi cimport CLPY_LAUNCH_CONCURRENT, CLPY_LAUNCH_ZERO_LOCAL, clpy_group_mem, clpy_launch, clpy_observer
from clpy.atomics cimport (atomic_add_i64, atomic_cas_i32, atomic_cas_i64, atomic_load_i32_relaxed,
                           atomic_load_i64_relaxed, atomic_load_ptr, atomic_store_i64)
from clpy.device.base cimport TASK_KERNEL, Launch, Task
from clpy.device.host.each_group cimport call_kernel
from clpy.device.host.fault cimport Catcher, faults_are_exact, faults_catch, faults_tell
from clpy.device.host.guard cimport Guard, guard_enter, guard_leave, guard_run
from clpy.device.host.printf cimport printf_flush
from clpy.device.host.runs cimport (MOST_GROUPS, Runs, Sizes, clamped, costs_learn, costs_matter, learned,
                                    runs_are_empty, runs_claim, runs_join, runs_leave, runs_note, sizes_for)
from clpy.futex cimport now_ns
from clpy.host_thread cimport clpy_fp_state, fp_enter, fp_leave
from clpy.spec.consts cimport CL_CONTEXT_TERMINATED_KHR, CL_OUT_OF_RESOURCES

cdef extern from "<stdlib.h>" nogil:
    int posix_memalign(void **out, size_t align, size_t size)

cdef extern from "launch_thread.h" nogil:
    uint32_t short_runs "clpy_short_runs"
    void *running "clpy_task_running"        # the Task whose groups this thread runs, else NULL

cdef enum:
    GROUP_ALIGN = 128            # of the memory of a group
    ROUND_UP = 4096              # scratch grows to a multiple of this
    KEEP_MOST = 4 << 20          # scratch above this size is given back when the thread runs out of work
    ON_STACK = 16 << 10          # group memory of a short launch: in the stack frame of the calling thread
    PART_NS = 20000              # with less than this for a thread its groups are not cut into runs: a cache line each
    TURN_NS = 2000000            # of a context, where others have something to do
    BRIEF_TURN_NS = 50000000     # of a thread that should be back soon
    TIME_DOWN = 4                # a launch's time goes down by a quarter of what it is too high
    MEASURE_EVERY = 8            # short launches: the clock costs as much as they do


cdef Task *task_running() noexcept nogil:
    return <Task *>running


cdef int64_t count_groups(Task *task) noexcept nogil:
    cdef const clpy_launch *shape = &task.launch.shape
    return <int64_t>(shape.num_groups[0] * shape.num_groups[1] * shape.num_groups[2])


# ---- time ------------------------------------------------------------------------------------------------------------

cdef uint64_t group_ns(Launch *launch) noexcept nogil:
    if launch.ns_per_group == NULL or launch.traits.spins:      # nobody can say what it will be
        return 0
    return <uint64_t>atomic_load_i64_relaxed(<int64_t *>launch.ns_per_group)


cdef uint64_t estimate_rest(Task *task) noexcept nogil:
    return group_ns(task.launch) * <uint64_t>(task.n_units - atomic_load_i64_relaxed(&task.next_unit))


cdef bint may_part(Task *task) noexcept nogil:
    """A device that observes sees groups in their order."""
    cdef uint64_t ns
    if not task.flags & TASK_KERNEL or task.launch.traits.may_spin or task.n_units > MOST_GROUPS:
        return False
    ns = estimate_rest(task)
    return ((ns == 0 or ns >= <uint64_t>task.most * PART_NS)
            and (task.hooks == NULL or task.hooks.attach == NULL))


cdef void learn(Launch *launch, uint64_t elapsed, int64_t groups) noexcept nogil:
    """Updates of several threads may be lost: it is an estimate."""
    cdef uint64_t known, seen = elapsed // <uint64_t>groups
    if launch.took != NULL:
        atomic_add_i64(&launch.took.ns, <int64_t>elapsed)
        atomic_add_i64(&launch.took.groups, groups)
    if launch.ns_per_group == NULL:
        return
    known = learned(group_ns(launch), seen if seen else 1, TIME_DOWN)
    if known != group_ns(launch):
        atomic_store_i64(<int64_t *>launch.ns_per_group, <int64_t>known)


cdef void was_left(Catcher *catcher, Task *task) noexcept nogil:
    """In the middle: how long it takes is not known any more."""
    if task.launch.ns_per_group != NULL:
        atomic_store_i64(<int64_t *>task.launch.ns_per_group, 0)
    faults_tell(catcher, task)


# ---- claims ----------------------------------------------------------------------------------------------------------

cdef int64_t claim_next(Task *task, int32_t n_threads, int64_t *first) noexcept nogil:
    """In the order of the groups, or that of the device."""
    cdef int64_t n, at = atomic_load_i64_relaxed(&task.next_unit)
    cdef Sizes sizes = sizes_for(group_ns(task.launch), task.n_units, n_threads)
    # each other group has a thread of its own, or may need one
    cdef bint alone = task.launch.shape.flags & CLPY_LAUNCH_CONCURRENT or task.launch.traits.spins
    while at < task.n_units:
        n = 1 if alone else clamped((task.n_units - at) // (8 * n_threads), task.n_units - at, sizes)
        if atomic_cas_i64(&task.next_unit, &at, at + n):
            first[0] = at
            return n
    return 0


cdef struct Work:                # the arguments of run_claims
    Task *task
    const clpy_launch *shape     # see run_range
    const clpy_group_mem *mem
    Catcher *at
    Guard *guard                 # NULL: nobody can want the task to end
    int32_t n_threads
    int32_t run                  # that is this thread's own, or -1
    const Until *until


cdef int64_t claim(Work *work, int64_t *first) noexcept nogil:
    """The number of groups claimed, from first[0] on; 0 when none is left."""
    cdef Task *task = work.task
    cdef int64_t n
    if task.runs == NULL:
        return claim_next(task, work.n_threads, first)
    if atomic_load_i64_relaxed(&task.next_unit) >= task.n_units:
        return 0
    n = runs_claim(<Runs *>task.runs, work.run, sizes_for(group_ns(task.launch), task.n_units, work.n_threads), first)
    if runs_are_empty(<Runs *>task.runs):
        atomic_store_i64(&task.next_unit, task.n_units)
    return n


cdef void run_range(const Launch *launch, const clpy_launch *shape, const clpy_group_mem *mem, Catcher *at,
                    int64_t first, int64_t n) noexcept nogil:
    """Groups first .. first + n - 1, counted along x, then y, then z: one call per row, or per group where its memory
    has to be cleared, or a fault is to be told with its group. `at` is told of each. `shape`: the launch's, or a copy
    with an observer for this thread."""
    cdef size_t nx = shape.num_groups[0], ny = shape.num_groups[1], row = <size_t>first // nx
    cdef size_t x = <size_t>first - row * nx, z = row // ny, y = row - z * ny, here, left = <size_t>n
    cdef bint clears = shape.flags & CLPY_LAUNCH_ZERO_LOCAL, exact = faults_are_exact()
    at.kernel[0], at.kernel[1] = launch.returns[0], launch.returns[1]
    while left > 0:
        here = nx - x if nx - x < left else left
        if exact:
            here = 1
        if clears:
            here = 1
            memset(mem.local, 0, launch.local_bytes)
        at.x, at.n, at.y, at.z = x, here, y, z
        call_kernel(launch.code, shape, launch.args, mem, x, x + here, y, z)
        left -= here
        x += here
        if x < nx:
            continue
        x = 0
        y += 1
        if y == ny:
            y = 0
            z += 1


# ---- memory of a group -----------------------------------------------------------------------------------------------

cdef bint grow(unsigned char **block, size_t *size, size_t wanted) noexcept nogil:
    cdef void *fresh = NULL
    if wanted <= size[0]:
        return True
    wanted = (wanted + ROUND_UP - 1) & ~<size_t>(ROUND_UP - 1)
    free(block[0])
    block[0] = NULL
    size[0] = 0
    if posix_memalign(&fresh, GROUP_ALIGN, wanted) != 0:
        return False
    block[0] = <unsigned char *>fresh
    size[0] = wanted
    return True


cdef void scratch_free(Scratch *scratch) noexcept nogil:
    free(scratch.block)
    free(scratch)


cdef void scratch_trim(Scratch *scratch) noexcept nogil:
    if scratch.size > KEEP_MOST:
        free(scratch.block)
        scratch.block = NULL
        scratch.size = 0


cdef inline uintptr_t aligned(uintptr_t at) noexcept nogil:
    return (at + GROUP_ALIGN - 1) & ~<uintptr_t>(GROUP_ALIGN - 1)


cdef void lay_out(clpy_group_mem *mem, unsigned char *block, const Launch *launch) noexcept nogil:
    """Context memory right behind local memory: two places whose addresses are alike in the lower 12 bits hold each
    other up, as the processor takes a load from the one for a load of what was just stored to the other."""
    mem.local = block
    mem.context = <unsigned char *>aligned(<uintptr_t>block + launch.local_bytes)


# ---- running ---------------------------------------------------------------------------------------------------------

cdef void give_up(Task *task, int32_t error) noexcept nogil:
    cdef int32_t none = 0
    atomic_cas_i32(&task.error, &none, error)
    atomic_store_i64(&task.next_unit, task.n_units)


cdef struct Range:               # the arguments of run_range
    const Launch *launch
    const clpy_launch *shape
    const clpy_group_mem *mem
    Catcher *at
    int64_t first
    int64_t n


cdef void run_whole_range(void *argument) noexcept nogil:
    cdef Range *r = <Range *>argument
    run_range(r.launch, r.shape, r.mem, r.at, r.first, r.n)


cdef bint run_guarded(Work *work, int64_t first, int64_t n) noexcept nogil:
    """run_range, for a task that may be wanted to end. False: it was."""
    cdef Range r = Range(work.task.launch, work.shape, work.mem, work.at, first, n)
    if guard_run(work.guard, run_whole_range, &r):
        return True
    give_up(work.task, CL_CONTEXT_TERMINATED_KHR)
    return False


cdef int64_t run_claim(Work *work, int64_t at, int64_t n) noexcept nogil:
    """All that was claimed. Nanoseconds of it that went to the device's choice of groups; -1: the task is to end."""
    cdef Task *task = work.task
    cdef int64_t first = at, here = n, chosen = 0
    cdef bint in_order = task.hooks == NULL or task.hooks.order == NULL
    cdef uint64_t before
    while n > 0:
        if not in_order:
            before = now_ns()
            here = task.hooks.order(task, at, n, &first)
            chosen += <int64_t>(now_ns() - before)
        if work.guard == NULL:
            run_range(task.launch, work.shape, work.mem, work.at, first, here)
        elif not run_guarded(work, first, here):
            return -1
        at += here
        n -= here
    return chosen


cdef inline bint is_time_to_leave(const Until *until, uint64_t spent) noexcept nogil:
    if until.stop != NULL and atomic_load_i32_relaxed(until.stop) == 1:
        return True
    if atomic_load_ptr(until.urgent) != NULL:
        return True
    return spent > TURN_NS and (atomic_load_i32_relaxed(until.contexts) > 1
                                or (until.brief and spent > BRIEF_TURN_NS))


cdef void run_claims(void *argument) noexcept nogil:
    cdef Work *work = <Work *>argument
    cdef Task *task = work.task
    cdef int64_t first = 0, n, chosen
    cdef uint64_t begin = now_ns(), before = begin, after, busy = 0, least = 0
    while True:
        n = claim(work, &first)
        if n == 0:
            break
        chosen = run_claim(work, first, n)
        if chosen < 0:
            break
        after = now_ns()
        before += <uint64_t>chosen
        busy += after - before
        if least == 0 or (after - before) // <uint64_t>n < least:
            least = (after - before) // <uint64_t>n + 1
        if task.runs != NULL and costs_matter(group_ns(task.launch)):
            costs_learn(task.launch.costs, task.n_units, first, n, after - before)
        learn(task.launch, after - before, n)
        before = after
        if is_time_to_leave(work.until, after - begin):
            break
    if task.runs != NULL and least:
        runs_note(<Runs *>task.runs, busy, least)


cdef void run_groups(Task *task, Scratch *scratch, Crowd crowd, const Until *until) noexcept nogil:
    cdef clpy_launch own
    if task.hooks == NULL or task.hooks.attach == NULL:
        run_claimed(task, &task.launch.shape, scratch, crowd, until)
        return
    own = task.launch.shape
    own.observer = <clpy_observer *>task.hooks.attach(task)
    if own.observer == NULL:
        give_up(task, CL_OUT_OF_RESOURCES)
        return
    run_claimed(task, &own, scratch, crowd, until)
    task.hooks.detach(task, own.observer)


cdef void run_claimed(Task *task, const clpy_launch *shape, Scratch *scratch, Crowd crowd,
                      const Until *until) noexcept nogil:
    global running
    cdef Launch *launch = task.launch
    cdef clpy_group_mem mem
    cdef clpy_fp_state fp
    cdef Guard guard
    cdef Catcher catcher
    cdef Work work = Work(task, shape, &mem, &catcher, NULL, crowd.n_threads, -1, until)
    cdef void *before = running
    if not grow(&scratch.block, &scratch.size, aligned(launch.local_bytes) + launch.context_bytes):
        give_up(task, CL_OUT_OF_RESOURCES)
        return
    lay_out(&mem, scratch.block, launch)
    running = task
    fp = fp_enter()
    if task.stop != NULL:
        work.guard = &guard
        guard_enter(&guard, task.stop)
    if task.runs != NULL:
        work.run = runs_join(<Runs *>task.runs, crowd.number)
    if not faults_catch(&catcher, task.context, run_claims, &work):
        was_left(&catcher, task)
    if task.runs != NULL:
        runs_leave(<Runs *>task.runs, work.run)
    if task.stop != NULL:
        guard_leave(&guard)
    fp_leave(fp)
    running = before
    printf_flush()


cdef bint fits_short(Task *task) noexcept nogil:
    if task.hooks != NULL and task.hooks.attach != NULL:
        return False
    return task.launch.local_bytes + task.launch.context_bytes <= ON_STACK - 2 * GROUP_ALIGN


cdef void run_short(Task *task) noexcept nogil:
    if task.launch.local_bytes == 0 and task.launch.context_bytes == 0:
        run_with(task, NULL)
    else:
        run_on_stack(task)


cdef void run_on_stack(Task *task) noexcept nogil:
    cdef unsigned char room[ON_STACK]
    run_with(task, room)


cdef void run_with(Task *task, unsigned char *room) noexcept nogil:
    global short_runs, running
    cdef Launch *launch = task.launch
    cdef clpy_group_mem mem
    cdef clpy_fp_state fp
    cdef Catcher catcher
    cdef Range whole = Range(launch, &launch.shape, &mem, &catcher, 0, task.n_units)
    cdef uint64_t before = 0
    cdef void *outer = running
    running = task
    lay_out(&mem, <unsigned char *>aligned(<uintptr_t>room), launch)
    short_runs += 1
    if short_runs % MEASURE_EVERY == 0 or launch.took != NULL:
        before = now_ns()
    fp = fp_enter()
    if not faults_catch(&catcher, task.context, run_whole_range, &whole):
        was_left(&catcher, task)
    fp_leave(fp)
    running = outer
    printf_flush()
    if before and task.error == 0:
        learn(launch, now_ns() - before, task.n_units)
