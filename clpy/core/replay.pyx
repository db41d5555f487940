# SPDX-License-Identifier: Apache-2.0
"""Running a command buffer: one command of a queue, whose task starts the steps that wait for nothing; each step that
ends starts those that waited for it, and the last one completes the command.

A replay costs no allocation once one like it has run: its tasks are kept by the schedule. Neither does it touch a
reference count, a queue or an event per step. One thread at a time *drives* a replay, that is, hands ready steps to
their devices; short ones run right there. A step that ends meanwhile, on that thread or another, leaves its successors
to the driver, so a chain of any length runs in a loop. A driver that is at it for long hands the next steps over
without running them: the thread may be the application's, in the middle of an enqueue.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from clpy.abi cimport clpy_object
from clpy.atomics cimport atomic_add_i32, atomic_cas_i32, atomic_load_i32
from clpy.cl cimport cl_int
from clpy.core.command cimport (CMD_SPANS_QUEUES, Command, Queue, Wait, command_discard, command_finish, command_new,
                                command_place, command_uses)
from clpy.core.ndrange cimport launch_specialize
from clpy.core.object cimport KIND_SCHEDULE, kind_register, object_drop, object_hold, object_new_internal
from clpy.core.recorded cimport Recorded
from clpy.core.report cimport tell_fault
from clpy.device.base cimport (Device, HERE_IF_SHORT, HERE_NEVER, Task, device_root, task_has_body, time_at_least,
                               time_at_most)
from clpy.futex cimport mutex_lock, mutex_unlock, now_ns
from clpy.spec.consts cimport (CL_COMMAND_COMMAND_BUFFER_KHR, CL_COMPLETE, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)
from clpy.stack cimport stack_push, stack_take

cdef enum:
    LOOK_EVERY = 16              # steps: at the clock
    DRIVE_NS = 100000            # so long a thread runs short steps one after the other

# The payload of the command that is enqueued.
cdef struct ReplayJob:
    Schedule *schedule           # held, as something the command uses
    Replay *replay               # while it runs


# ---- schedules -------------------------------------------------------------------------------------------------------

cdef Schedule *schedule_blank(uint32_t n, uint32_t n_after) noexcept nogil:
    cdef Schedule *schedule = <Schedule *>object_new_internal(KIND_SCHEDULE)
    if schedule == NULL:
        return NULL
    schedule.steps = <Step *>calloc(<size_t>n + 1, sizeof(Step))
    schedule.after = <uint32_t *>malloc((<size_t>n_after + 1) * sizeof(uint32_t))
    if schedule.steps == NULL or schedule.after == NULL:
        object_drop(schedule)
        return NULL
    schedule.n_after = n_after
    return schedule


cdef void destroy(clpy_object *obj) noexcept nogil:
    cdef Schedule *schedule = <Schedule *>obj
    cdef Replay *replay = schedule.idle
    cdef Replay *following
    cdef uint32_t i
    while replay != NULL:
        following = replay.next
        free(replay)
        replay = following
    for i in range(schedule.n_steps):
        object_drop(schedule.steps[i].command)
    free(schedule.steps)
    free(schedule.after)


cdef void fill_successors(Schedule *schedule, const Recorded *recorded, const uint32_t *waits) noexcept nogil:
    """From lists of whom each waits for to lists of who waits for each."""
    cdef uint32_t i, j, at = 0
    cdef Step *before
    for j in range(schedule.n_after):
        schedule.steps[waits[j]].n_after += 1
    for i in range(schedule.n_steps):
        schedule.steps[i].first_after = at
        at += schedule.steps[i].n_after
        schedule.steps[i].n_after = 0
    j = 0
    for i in range(schedule.n_steps):
        while j < recorded[i].waits_end:
            before = &schedule.steps[waits[j]]
            schedule.after[before.first_after + before.n_after] = i
            before.n_after += 1
            schedule.steps[i].n_before += 1
            j += 1


cdef Schedule *schedule_new(uint32_t n, const Recorded *recorded, const uint32_t *waits) noexcept nogil:
    cdef uint32_t i
    cdef Schedule *schedule = schedule_blank(n, recorded[n - 1].waits_end if n else 0)
    if schedule == NULL:
        return NULL
    for i in range(n):
        object_hold(recorded[i].command)
        schedule.steps[i].command = recorded[i].command
        schedule.steps[i].device = recorded[i].device
    schedule.n_steps = n
    fill_successors(schedule, recorded, waits)
    return schedule


cdef Schedule *schedule_copy(const Schedule *schedule) noexcept nogil:
    cdef uint32_t i
    cdef Schedule *copy = schedule_blank(schedule.n_steps, schedule.n_after)
    if copy == NULL:
        return NULL
    memcpy(copy.steps, schedule.steps, schedule.n_steps * sizeof(Step))
    memcpy(copy.after, schedule.after, schedule.n_after * sizeof(uint32_t))
    copy.n_steps = schedule.n_steps
    for i in range(schedule.n_steps):
        object_hold(schedule.steps[i].command)
    return copy


cdef void schedule_replace(Schedule *schedule, uint32_t i, Command *command) noexcept nogil:
    cdef Replay *replay = schedule.idle
    object_hold(command)
    object_drop(schedule.steps[i].command)
    schedule.steps[i].command = command
    while replay != NULL:
        adopt(&replay.steps[i], command)
        replay = replay.next


# ---- one execution ---------------------------------------------------------------------------------------------------

cdef void adopt(StepRun *run, const Command *recorded) noexcept nogil:
    """Do what the recorded command does. Its payload stays where it is: it is read only."""
    run.task.command = recorded.task.command
    run.task.flags = recorded.task.flags
    run.task.n_parts = recorded.task.n_parts
    run.task.run = recorded.task.run
    run.task.stop = recorded.task.stop
    run.task.type = recorded.task.type
    run.task.flow = recorded.task.flow
    run.task.bytes = recorded.task.bytes
    run.task.queue = recorded.task.queue
    run.task.context = recorded.task.context
    run.task.launch = NULL
    run.kernel = NULL
    if recorded.task.launch != NULL:
        run.launch = recorded.task.launch[0]
        run.task.launch = &run.launch
        run.kernel = recorded.payload.kernel.kernel
        run.code = recorded.payload.kernel.code


cdef Replay *replay_new(Schedule *schedule) noexcept nogil:
    cdef size_t size = sizeof(Replay) + schedule.n_steps * sizeof(StepRun)
    cdef Replay *replay = <Replay *>malloc(size)
    cdef StepRun *run
    cdef uint32_t i
    if replay == NULL:
        return NULL
    memset(replay, 0, size)
    replay.schedule = schedule
    for i in range(schedule.n_steps):
        run = &replay.steps[i]
        run.replay = replay
        run.step = &schedule.steps[i]
        run.waits = run.step.n_before
        run.task.started = step_started
        run.task.finished = step_finished
        adopt(run, run.step.command)
    return replay


cdef Replay *take_replay(Schedule *schedule) noexcept nogil:
    cdef Replay *replay
    mutex_lock(&schedule.lock)
    replay = schedule.idle
    if replay != NULL:
        schedule.idle = replay.next
    mutex_unlock(&schedule.lock)
    return replay if replay != NULL else replay_new(schedule)


cdef void give_back(Replay *replay) noexcept nogil:
    cdef Schedule *schedule = replay.schedule
    mutex_lock(&schedule.lock)
    replay.next = schedule.idle
    schedule.idle = replay
    mutex_unlock(&schedule.lock)


cdef Task *first_ready(Replay *replay) noexcept nogil:
    """The steps that wait for none, in the order they were recorded in, but the last one first: a stack."""
    cdef Task *ready = NULL
    cdef uint32_t i
    for i in range(replay.schedule.n_steps):
        if replay.steps[i].step.n_before == 0:
            replay.steps[i].task.next = ready
            ready = &replay.steps[i].task
    return ready


cdef cl_int begin(Task *task, uint32_t part) noexcept nogil:
    """The task of the command that was enqueued."""
    cdef Command *cmd = <Command *>task.command
    cdef ReplayJob *job = <ReplayJob *>cmd.payload.bytes
    cdef Replay *replay = take_replay(job.schedule)
    if replay == NULL:
        return CL_OUT_OF_HOST_MEMORY
    job.replay = replay
    replay.command = cmd
    replay.error = 0
    replay.unfinished = <int32_t>replay.schedule.n_steps + 1
    replay.ready = first_ready(replay)
    replay.signals = 1
    drive(replay)
    return CL_COMPLETE


cdef void begun(Task *task, cl_int status) noexcept nogil:
    cdef Command *cmd = <Command *>task.command
    if status < 0:
        command_finish(cmd, status)
    else:
        arrive((<ReplayJob *>cmd.payload.bytes).replay)


cdef void arrive(Replay *replay) noexcept nogil:
    """A step has ended, and its thread drives the replay no more: the replay may be gone after this."""
    cdef Command *cmd
    cdef cl_int status
    if atomic_add_i32(&replay.unfinished, -1) != 1:
        return
    cmd = replay.command
    status = replay.error if replay.error < 0 else CL_COMPLETE
    give_back(replay)
    command_finish(cmd, status)


cdef uint32_t steps_of(const Command *cmd) noexcept nogil:
    return (<const ReplayJob *>cmd.payload.bytes).schedule.n_steps


# ---- steps -----------------------------------------------------------------------------------------------------------

cdef void step_started(Task *task) noexcept nogil:
    pass


cdef inline bint has_clock_of(const StepRun *run, const Device *dev) noexcept nogil:
    return device_root(run.step.device) == device_root(dev)


cdef void report_times(StepRun *run) noexcept nogil:
    """A step that its device gave times, to the command; they are forgotten before the next replay."""
    cdef Task *whole = &run.replay.command.task
    if has_clock_of(run, run.replay.command.queue.device):
        time_at_most(&whole.start_ns, run.task.start_ns)
        time_at_least(&whole.end_ns, run.task.end_ns)
    run.task.start_ns = run.task.end_ns = run.task.ready_ns = 0


cdef bint release_successors(StepRun *run) noexcept nogil:
    """True where one of them became ready."""
    cdef Replay *replay = run.replay
    cdef const Step *step = run.step
    cdef const uint32_t *after = replay.schedule.after + step.first_after
    cdef StepRun *target
    cdef uint32_t i
    cdef bint any_ready = False
    for i in range(step.n_after):
        target = &replay.steps[after[i]]
        if run.task.end_ns and has_clock_of(run, target.step.device):
            time_at_least(&target.task.ready_ns, run.task.end_ns)
        if atomic_add_i32(&target.waits, -1) != 1:
            continue
        any_ready = True
        stack_push(<void **>&replay.ready, &target.task)
    return any_ready


cdef void step_finished(Task *task, cl_int status) noexcept nogil:
    cdef StepRun *run = <StepRun *>task
    cdef Replay *replay = run.replay
    cdef int32_t none = 0
    cdef bint ready
    if task.fault != NULL:
        tell_fault(run.step.command, replay.command.context, task, status)
    if status < 0:
        atomic_cas_i32(&replay.error, &none, status)
    ready = release_successors(run)
    if task.end_ns:
        report_times(run)
    if ready and atomic_add_i32(&replay.signals, 1) == 0:
        drive(replay)
    arrive(replay)


cdef inline void **kept_of(const StepRun *run) noexcept nogil:
    """Steps that were recorded for the queue that runs them are in its order. In another queue, or in several, nobody
    knows what runs meanwhile."""
    cdef void **kept = run.replay.command.task.kept
    return kept if kept == run.step.command.task.kept else NULL


cdef void run_step(StepRun *run, int here) noexcept nogil:
    cdef Device *dev = run.step.device
    run.waits = run.step.n_before
    run.task.kept = kept_of(run)
    if run.replay.command.task.ready_ns and has_clock_of(run, run.replay.command.queue.device):
        time_at_least(&run.task.ready_ns, run.replay.command.task.ready_ns)
    if not task_has_body(&run.task):
        if dev.ops.account != NULL:
            dev.ops.account(dev, &run.task)
        step_finished(&run.task, CL_COMPLETE)
    elif atomic_load_i32(&run.replay.error) < 0:
        # After an error the rest is passed through without being run: it takes no time.
        run.task.ready_ns = 0
        step_finished(&run.task, CL_COMPLETE)
    else:
        if run.kernel != NULL:
            launch_specialize(&run.launch, run.kernel, run.code, False)
        dev.ops.submit(dev, &run.task, here)
        # Little work may be put off until its device is flushed or waited for: nobody does that to any but the first.
        if run.replay.command.flags & CMD_SPANS_QUEUES:
            dev.ops.flush(dev)


cdef void drive(Replay *replay) noexcept nogil:
    """Until nothing is ready. The caller has taken `signals` from 0 to 1, and has not arrived yet."""
    cdef int32_t seen = 1, before
    cdef uint32_t n = 0
    cdef uint64_t until = 0
    cdef int here = HERE_IF_SHORT
    cdef Task *task
    cdef Task *following
    while True:
        task = <Task *>stack_take(<void **>&replay.ready)
        while task != NULL:
            following = task.next
            run_step(<StepRun *>task, here)
            task = following
            n += 1
            if n % LOOK_EVERY == 0 and here == HERE_IF_SHORT:
                if until == 0:
                    until = now_ns() + DRIVE_NS
                elif now_ns() > until:
                    here = HERE_NEVER
        before = atomic_add_i32(&replay.signals, -seen)
        if before == seen:
            return
        seen = before - seen


# ---- the command -----------------------------------------------------------------------------------------------------

cdef cl_int schedule_enqueue(Schedule *schedule, Queue *q, uint32_t flags, const Wait *wait) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    cdef ReplayJob *job
    cdef Command *cmd = command_new(q, CL_COMMAND_COMMAND_BUFFER_KHR, &err)
    if cmd == NULL:
        return err
    err = command_uses(cmd, schedule)
    if err != CL_SUCCESS:
        command_discard(cmd)
        return err
    job = <ReplayJob *>cmd.payload.bytes
    job.schedule = schedule
    job.replay = NULL
    cmd.flags |= flags
    cmd.task.run = begin
    cmd.task.finished = begun
    return command_place(cmd, wait)


if kind_register(KIND_SCHEDULE, sizeof(Schedule), destroy) != CL_SUCCESS:
    raise MemoryError("no address space for command buffers")
