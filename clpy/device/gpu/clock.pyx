# SPDX-License-Identifier: Apache-2.0
"""A model's clock, and the times of its commands on it.

The clock goes as the host's does, but that a host thread that waits finds as much time gone as the chip would have
taken, however long the execution took here. Commands get their places when they are done here, from the times of what
they waited for, by timing/timeline.pyx.
"""
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy
from clpy.cl cimport cl_int
from clpy.device.base cimport (Device, FLOW_NONE, FLOW_ON_DEVICE, HERE_NEVER, HERE_WAITS, Launch, TASK_KERNEL, Task,
                               TaskHooks)
from clpy.device.gpu.execution cimport Run, Sink, run_free, run_new, sink_attach, sink_detach, traced_groups
from clpy.device.gpu.timing.timeline cimport Timeline
from clpy.device.host.pool cimport pool_help_until, pool_submit
from clpy.futex cimport mutex_lock, mutex_unlock, now_ns
from clpy.spec.consts cimport CL_COMMAND_FILL_BUFFER, CL_COMMAND_FILL_IMAGE, CL_COMMAND_SVM_MEMFILL, \
    CL_OUT_OF_RESOURCES

from clpy import config
from clpy.device.gpu import launch_time
from clpy.trace import report_fault

cdef enum:
    MOST_BUFFERS = 14            # that, and arguments, are as many lines as the model numbers

# Of the model's memory, for what each pointer argument points into: lines, and bytes.
BUFFER_LINES = 1 << 26
BUFFER_BYTES = BUFFER_LINES << 6

cdef bint is_model = config.get("GPU_CLOCK") == "model"
cdef TaskHooks kernel_hooks, other_hooks


cdef Clock *clock_new(object chip) except NULL:
    cdef Clock *clock = <Clock *>calloc(1, sizeof(Clock))
    if clock == NULL:
        raise MemoryError
    timeline = Timeline(chip)
    Py_INCREF(timeline)
    Py_INCREF(chip)
    clock.timeline, clock.chip = <void *>timeline, <void *>chip
    return clock


cdef uint64_t clock_now(Device *dev) noexcept nogil:
    return <uint64_t>(<int64_t>now_ns() + (<Clock *>dev.impl).ahead)


cdef bint clock_help_until(Device *dev, int32_t *flag) noexcept nogil:
    """For the host the time passes that the chip takes."""
    cdef Clock *clock = <Clock *>dev.impl
    cdef int64_t before = clock_now(dev)
    cdef bint raised = pool_help_until(dev, flag)
    if not is_model:
        return raised
    mutex_lock(&clock.lock)
    clock.ahead = max(before, clock.latest) - <int64_t>now_ns()
    mutex_unlock(&clock.lock)
    return raised


cdef void clock_submit(Device *dev, Task *task, int here) noexcept nogil:
    cdef bint is_kernel = task.flags & TASK_KERNEL != 0
    cdef Run *run = run_new(dev, task, task.enqueued_ns if task.enqueued_ns else clock_now(dev))
    if run == NULL:
        task.finished(task, CL_OUT_OF_RESOURCES)
        return
    task.own = run
    task.hooks = &kernel_hooks if is_kernel else &other_hooks
    # What the chip takes is no time of a thread that only enqueues.
    pool_submit(dev, task, here if here == HERE_WAITS or not is_kernel else HERE_NEVER)


cdef void done(Task *task, cl_int status) noexcept nogil:
    cdef Run *run = <Run *>task.own
    if is_model:
        place(run.device, task, run, status)
    task.own = NULL
    run_free(run)
    task.finished(task, status)


cdef void clock_account(Device *dev, Task *task) noexcept nogil:
    if is_model:
        place(dev, task, NULL, 0)


cdef void place(Device *dev, Task *task, const Run *run, cl_int status) noexcept nogil:
    """The task's times, and that the device is taken for as long."""
    cdef Clock *clock = <Clock *>dev.impl
    cdef int64_t enqueued = run.enqueued if run != NULL else task.enqueued_ns if task.enqueued_ns else clock_now(dev)
    cdef int64_t start = 0, end = 0
    cdef double duration = 0, share = 1
    if status >= 0 and (task.flow != FLOW_NONE or task.flags & TASK_KERNEL):
        duration = took(clock, task, run, &share)
    with gil:                    # before the lock, which nobody keeps who wants Python's
        mutex_lock(&clock.lock)
        reserve(<Timeline>clock.timeline, task, enqueued, duration, share, &start, &end)
        clock.latest = max(clock.latest, end)
        mutex_unlock(&clock.lock)
    task.start_ns, task.end_ns = start, end


cdef void reserve(Timeline timeline, const Task *task, int64_t enqueued, double duration, double share, int64_t *start,
                  int64_t *end) noexcept nogil:
    if task.flags & TASK_KERNEL:
        timeline.kernel(task.queue, enqueued, task.ready_ns, <int64_t>duration, share, start, end)
    elif task.flow != FLOW_NONE:
        timeline.transfer(task.queue, enqueued, task.ready_ns, <int64_t>duration, start, end)
    else:
        timeline.marker(task.queue, enqueued, task.ready_ns, start, end)


cdef double took(Clock *clock, const Task *task, const Run *run, double *share) noexcept nogil:
    with gil:
        try:
            if task.flags & TASK_KERNEL:
                ns, share[0] = launch_time.kernel_ns(run.facts.kernel, told(task.launch, run))
                return ns
            is_fill = task.type in (CL_COMMAND_FILL_BUFFER, CL_COMMAND_FILL_IMAGE, CL_COMMAND_SVM_MEMFILL)
            return launch_time.copy_ns(<object>clock.chip, task.flow != FLOW_ON_DEVICE, is_fill, task.bytes)
        except Exception as error:
            report_fault("the time of a command on a model", error)
            return 0


cdef object told(const Launch *launch, const Run *run):
    cdef Sink *sink = run.sinks
    cdef size_t i
    cdef list traces = []
    cdef int64_t total = launch.shape.num_groups[0] * launch.shape.num_groups[1] * launch.shape.num_groups[2]
    while sink != NULL and not run.failed:
        if sink.wave.at > sink.words:
            traces.append(<bytes>(<char *>sink.words)[:(sink.wave.at - sink.words) * sizeof(sink.words[0])])
        sink = sink.next
    return launch_time.Told(
        tuple([launch.shape.global_size[i] for i in range(3)]), tuple([launch.shape.local_size[i] for i in range(3)]),
        tuple([launch.shape.num_groups[i] for i in range(3)]), launch.local_bytes,
        [run.counts[i] for i in range(run.facts.n_blocks)], [run.lanes[i] for i in range(run.facts.n_blocks)],
        traces, traced_groups(run, total) if traces else 0, buffers(launch, run))


cdef list buffers(const Launch *launch, const Run *run):
    """What the arguments point to, each with a place of its own in the model's memory. It reaches to the next one: how
    large it is the device does not know, and needs not."""
    cdef uintptr_t address = 0
    cdef dict places = {}
    for offset in launch_time.kernel(run.facts.kernel).facts["pointers"]:
        memcpy(&address, launch.args + <size_t>offset, sizeof(address))
        if address and address not in places and len(places) < MOST_BUFFERS:
            places[address] = (len(places) + 1) * BUFFER_LINES
    starts = [*sorted(places), 1 << 62]
    return [(start, min(following - start, BUFFER_BYTES), places[start])
            for start, following in zip(starts, starts[1:])]


kernel_hooks.attach, kernel_hooks.detach, kernel_hooks.done = sink_attach, sink_detach, done
other_hooks.done = done
