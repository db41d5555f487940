# SPDX-License-Identifier: Apache-2.0
"""Gang scheduling: a launch whose groups all run at the same time has a thread for each, and they can meet.

The thread of the pool that takes the launch runs one group; for each other one there is a thread of its own, made for
this launch. So no launch waits for threads that another one has, and groups that look at memory until another one has
written it go on, too, as the system shares the processors out. To the pool the launch is one thread's work.

A group that ends is waited for no longer. Where one of them fails, or is to be left, so are those that wait for it.

Nobody asks for that in a launch whose groups wait in a loop for what others write (passes/spinning.py). It has as many
threads as the pool at first, each for one group after the other, in their order: that does where groups wait for
earlier ones. Where no group begins or ends for a while, there are twice as many from then on.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free
from libc.string cimport memset
from clpy.abi cimport CLPY_LAUNCH_CONCURRENT
from clpy.atomics cimport (atomic_add_i32, atomic_load_i32, atomic_load_i32_relaxed, atomic_load_i64_relaxed,
                           atomic_store_i32, cpu_pause)
from clpy.device.base cimport TASK_KERNEL, Task
from clpy.device.host.crew cimport STACK_BYTES
from clpy.device.host.fault cimport faults_go_on, faults_leave_here, faults_leave_now, faults_own_thread, faults_pause
from clpy.device.host.guard cimport guard_stop_here
from clpy.device.host.launch cimport Crowd, Scratch, Until, give_up, run_groups
from clpy.device.host.units cimport stay_on_one
from clpy.futex cimport (flag_raise, flag_wait, futex_wait_for, futex_wake, mutex_lock, mutex_unlock, now_ns)
from clpy.spec.consts cimport CL_OUT_OF_RESOURCES
from clpy.threads cimport pthread_t, thread_end, thread_make

from clpy.compiler.runtime import functions

cdef extern from "<sched.h>" nogil:
    int sched_yield()

cdef extern from "gang_thread.h" nogil:
    uint32_t my_turns "clpy_my_turns"        # around loops that wait, of all kernels that this thread ran
    void *my_gang "clpy_my_gang"             # the Gang whose group this thread runs, else NULL

cdef enum:
    SPIN_NS = 20000              # at the barrier, before sleeping: others run at the same time
    LOOK_NS = 20000000           # asleep, before looking whether the kernel is to be left
    ALL = 1 << 30
    PATIENCE_NS = 2000000        # no group begins or ends for so long: more threads; then twice as long, and so on
    TURNS = 64                   # around a loop that waits, before another thread may have the processor
    MOST_GROWN = 1024            # groups of a launch that gets threads as it needs them; more have to be in order

cdef struct Gang:
    Task *task
    Crowd crowd
    bint pinned
    int32_t go                   # flag: all threads are there, or it was given up
    int32_t lock                 # guards `running` and `arrived`
    int32_t running              # threads that have not ended
    int32_t arrived              # of them, at the barrier
    int32_t phase                # barriers passed; futex, atomic
    int32_t ended                # threads; futex, atomic

cdef struct Member:              # a thread that is there only for the gang
    Gang *gang
    int32_t number
    pthread_t thread


cdef bint is_gang(const Task *task) noexcept nogil:
    if not task.flags & TASK_KERNEL or task.n_units <= 1:
        return False
    return task.launch.shape.flags & CLPY_LAUNCH_CONCURRENT or (
        task.launch.traits.spins and task.n_units <= MOST_GROWN)


# ---- the barrier -----------------------------------------------------------------------------------------------------

cdef bint release_if_all(Gang *gang) noexcept nogil:
    """Under the lock. All that have not ended are at the barrier: they go on."""
    if gang.arrived < gang.running:
        return False
    gang.arrived = 0
    atomic_store_i32(&gang.phase, gang.phase + 1)
    return True


cdef void wait_for_phase(Gang *gang, int32_t before, int *paused) noexcept nogil:
    """Until the others are there. Does not return where the kernel is to be left meanwhile."""
    cdef unsigned long long until = now_ns() + SPIN_NS
    while atomic_load_i32(&gang.phase) == before and now_ns() < until:
        cpu_pause()
    while atomic_load_i32(&gang.phase) == before:
        futex_wait_for(&gang.phase, before, LOOK_NS)
        faults_go_on(paused[0])
        leave_if_wanted(gang)
        paused[0] = faults_pause()


cdef void leave_if_wanted(Gang *gang) noexcept nogil:
    guard_stop_here()
    faults_leave_here()
    if atomic_load_i32_relaxed(&gang.task.error) < 0:        # another group has failed, and will not come
        faults_leave_now()


cdef void clpy_meet() noexcept nogil:
    """For the JIT: `void __clpy_meet(void)`. By one work-item of a group: until all groups have called it. Where the
    group is alone, or its launch is none of the kind, it is there already."""
    cdef Gang *gang = <Gang *>my_gang
    cdef int32_t before
    cdef bint all_there
    cdef int paused
    if gang == NULL:
        return
    leave_if_wanted(gang)
    paused = faults_pause()
    mutex_lock(&gang.lock)
    before = gang.phase
    gang.arrived += 1
    all_there = release_if_all(gang)
    mutex_unlock(&gang.lock)
    if all_there:
        futex_wake(&gang.phase, ALL)
    else:
        wait_for_phase(gang, before, &paused)
    faults_go_on(paused)


cdef inline bint meets(const Task *task) noexcept nogil:
    """It has been asked for: groups may call clpy_meet."""
    return task.launch.shape.flags & CLPY_LAUNCH_CONCURRENT


cdef void clpy_spin() noexcept nogil:
    """For the JIT: `void __clpy_spin(void)`. A work-item waits for what another group writes, which may want this
    processor."""
    global my_turns
    my_turns += 1
    if my_turns % TURNS:
        cpu_pause()
    else:
        give_way()


cdef void give_way() noexcept nogil:
    """A work-item has waited for some time."""
    guard_stop_here()            # nobody else sees to it while this thread is here, not in the kernel
    faults_leave_here()
    sched_yield()


# ---- threads ---------------------------------------------------------------------------------------------------------

cdef void run_member(Gang *gang, Scratch *scratch) noexcept nogil:
    """A group, or more where another thread comes late; none when it was given up."""
    global my_gang
    cdef void *nothing_urgent = NULL
    cdef int32_t one_context = 1
    cdef Until until = Until(NULL, &nothing_urgent, &one_context, False)
    cdef void *before = my_gang
    cdef bint others_go_on
    my_gang = gang if meets(gang.task) else NULL
    run_groups(gang.task, scratch, gang.crowd, &until)
    my_gang = before
    mutex_lock(&gang.lock)
    gang.running -= 1
    others_go_on = gang.running > 0 and release_if_all(gang)
    mutex_unlock(&gang.lock)
    if others_go_on or atomic_load_i32_relaxed(&gang.task.error) < 0:
        futex_wake(&gang.phase, ALL)
    atomic_add_i32(&gang.ended, 1)
    futex_wake(&gang.ended, 1)


cdef void member_main(void *argument) noexcept nogil:
    cdef Member *member = <Member *>argument
    cdef Gang *gang = member.gang
    cdef Scratch scratch = Scratch(NULL, 0, NULL)
    cdef int32_t leader = gang.crowd.number - 1
    if gang.pinned:              # not where the leader stays
        stay_on_one(member.number + 1 if 0 <= leader <= member.number else member.number, gang.crowd.n_threads)
    faults_own_thread()
    flag_wait(&gang.go)
    run_member(gang, &scratch)
    free(scratch.block)


cdef int32_t make_members(Gang *gang, Member *members, int32_t made, int32_t n) noexcept nogil:
    """... beside those that are made, until there are n. How many of them are there."""
    cdef char name[16]
    cdef int32_t i
    for i in range(made, n):
        members[i].gang = gang
        members[i].number = i
        snprintf(name, sizeof(name), b"clpy-gang-%d", i)
        if not thread_make(member_main, &members[i], name, STACK_BYTES, &members[i].thread):
            return i
    return n


cdef int32_t run_all(Gang *gang, Member *members, int32_t n, Scratch *scratch) noexcept nogil:
    """All groups at the same time, one of them here. How many threads were made."""
    cdef int32_t made = make_members(gang, members, 0, n - 1)
    if made < n - 1:
        give_up(gang.task, CL_OUT_OF_RESOURCES)
    flag_raise(&gang.go)
    run_member(gang, scratch)
    return made


cdef int32_t run_growing(Gang *gang, Member *members, int32_t n) noexcept nogil:
    """No group here: this thread looks on. How many were made."""
    cdef int32_t made = 0, ended = 0, now_ended, wanted = gang.crowd.n_threads
    cdef int64_t begun = 0, now
    cdef unsigned long long patience = PATIENCE_NS, since = now_ns()
    flag_raise(&gang.go)
    while True:
        if made < wanted and made < n:
            made = make_members(gang, members, made, min(wanted, n))
            if made == 0:
                give_up(gang.task, CL_OUT_OF_RESOURCES)
                return 0
        futex_wait_for(&gang.ended, ended, patience)
        now_ended, now = atomic_load_i32(&gang.ended), atomic_load_i64_relaxed(&gang.task.next_unit)
        if now_ended == made:
            return made
        if now != begun or now_ended != ended:
            begun, ended, since = now, now_ended, now_ns()
        elif now < n and now_ns() - since >= patience:
            wanted, patience, since = 2 * made, 2 * patience, now_ns()


cdef void gang_run(Task *task, Scratch *scratch, Crowd crowd, bint pinned) noexcept nogil:
    cdef int32_t i, made = 0, n = <int32_t>task.n_units
    cdef Gang gang
    cdef Member *members = <Member *>calloc(n, sizeof(Member))
    memset(&gang, 0, sizeof(gang))
    gang.task, gang.crowd, gang.pinned, gang.running = task, crowd, pinned and meets(task), n
    if members == NULL:
        give_up(task, CL_OUT_OF_RESOURCES)
        return
    made = run_all(&gang, members, n, scratch) if meets(task) else run_growing(&gang, members, n)
    for i in range(made):
        thread_end(members[i].thread, NULL)
    free(members)


functions["__clpy_meet"] = <size_t>&clpy_meet
functions["__clpy_spin"] = <size_t>&clpy_spin
