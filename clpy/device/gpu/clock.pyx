# SPDX-License-Identifier: Apache-2.0
"""A model's clock, and the times of its commands on it.

The clock goes as the host's does, but that a host thread that waits finds as much time gone as the chip would have
taken, however long the execution took here. Commands get their places when they are done here, from the times of what
they waited for, by timing/timeline.pyx.
"""
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc
from clpy.cl cimport cl_int
from clpy.device.base cimport (Device, FLOW_AT_HOST, FLOW_NONE, FLOW_ON_DEVICE, HERE_NEVER, HERE_WAITS, TASK_KERNEL,
                               TASK_PINNED, Task, TaskHooks)
from clpy.device.gpu.ahead cimport order
from clpy.device.gpu.duration cimport launch_ns
from clpy.device.gpu.execution cimport Run, run_free, run_new, sink_attach, sink_detach
from clpy.device.gpu.timing.chip_model cimport chip_model_fill
from clpy.device.gpu.timing.timeline cimport Timeline
from clpy.device.gpu.timing.transfers cimport device_copy, fill_time, host_copy, host_transfer, map_time
from clpy.device.host.pool cimport pool_help_until, pool_submit
from clpy.futex cimport mutex_lock, mutex_unlock, now_ns
from clpy.gil cimport gil_give, gil_take
from clpy.spec.consts cimport (CL_COMMAND_FILL_BUFFER, CL_COMMAND_FILL_IMAGE, CL_COMMAND_MAP_BUFFER,
                               CL_COMMAND_MAP_IMAGE, CL_COMMAND_SVM_MEMFILL, CL_COMMAND_UNMAP_MEM_OBJECT,
                               CL_OUT_OF_RESOURCES)

from clpy import config

cdef bint is_model = config.get("GPU_CLOCK") == "model"
cdef bint notes = bool(config.get("GPU_PROFILE"))
cdef TaskHooks kernel_hooks, other_hooks


cdef Clock *clock_new(object chip) except NULL:
    cdef Clock *clock = <Clock *>calloc(1, sizeof(Clock))
    if clock == NULL:
        raise MemoryError
    timeline = Timeline(chip)
    Py_INCREF(timeline)
    clock.timeline = <void *>timeline
    chip_model_fill(&clock.model, chip)
    return clock


cdef uint64_t clock_now(Device *dev) noexcept nogil:
    return <uint64_t>(<int64_t>now_ns() + (<Clock *>dev.impl).ahead)


cdef bint clock_help_until(Device *dev, int32_t *flag) noexcept nogil:
    """For the host the time passes that the chip takes."""
    cdef Clock *clock = <Clock *>dev.impl
    cdef int64_t before = clock_now(dev)
    # Launches that are noted are seen by Python: this thread must not keep its lock meanwhile.
    cdef void *gil = gil_give() if notes else NULL
    cdef bint raised = pool_help_until(dev, flag)
    gil_take(gil)
    if not is_model:
        return raised
    mutex_lock(&clock.lock)
    clock.ahead = max(before, clock.latest) - <int64_t>now_ns()
    mutex_unlock(&clock.lock)
    return raised


cdef inline bint is_child(const Task *task) noexcept nogil:
    """Before it is started: a kernel of the host's has enqueued nothing yet."""
    return task.kin != NULL


cdef uint64_t when_enqueued(Device *dev, const Task *task) noexcept nogil:
    """A kernel's children are there when it has ended on the chip, however long it took here."""
    if is_child(task) and task.ready_ns and is_model:
        return task.ready_ns
    return task.enqueued_ns if task.enqueued_ns else clock_now(dev)


cdef void clock_submit(Device *dev, Task *task, int here) noexcept nogil:
    cdef bint is_kernel = task.flags & TASK_KERNEL != 0
    cdef Run *run = run_new(dev, task, when_enqueued(dev, task))
    if run == NULL:
        task.finished(task, CL_OUT_OF_RESOURCES)
        return
    run.is_child = is_child(task)
    task.own = run
    task.hooks = &kernel_hooks if is_kernel else &other_hooks
    # What the chip takes is no time of a thread that only enqueues.
    pool_submit(dev, task, here if here == HERE_WAITS or not is_kernel else HERE_NEVER)


cdef void done(Task *task, cl_int status) noexcept nogil:
    cdef Run *run = <Run *>task.own
    if is_model:
        place(run.device, task, run, status)
    task.own = NULL
    task.told = run.told
    run_free(run)
    task.finished(task, status)


cdef void clock_account(Device *dev, Task *task) noexcept nogil:
    if is_model:
        place(dev, task, NULL, 0)


cdef void place(Device *dev, Task *task, Run *run, cl_int status) noexcept nogil:
    """The task's times, and that the device is taken for as long."""
    cdef Clock *clock = <Clock *>dev.impl
    cdef int64_t enqueued = run.enqueued if run != NULL else task.enqueued_ns if task.enqueued_ns else clock_now(dev)
    cdef int64_t start = 0, end = 0
    cdef double duration = 0, share = 1
    if status >= 0 and (task.flow != FLOW_NONE or task.flags & TASK_KERNEL or is_map(task)):
        duration = took(clock, task, run, &share)
    mutex_lock(&clock.lock)
    if run != NULL and run.is_child:
        place_child(<Timeline>clock.timeline, task, enqueued, duration, share, &start, &end)
    else:
        reserve(<Timeline>clock.timeline, task, enqueued, duration, share, &start, &end)
    clock.latest = max(clock.latest, end)
    mutex_unlock(&clock.lock)
    task.start_ns, task.end_ns = start, end


cdef void place_child(Timeline timeline, Task *task, int64_t enqueued, double duration, double share, int64_t *start,
                      int64_t *end) noexcept nogil:
    """As if alone, since nothing says in which order those run that wait for nothing; who adds up what they use
    (core/children) has the end of all."""
    start[0] = max(enqueued, <int64_t>task.ready_ns) + (timeline.launch_ns if task.flags & TASK_KERNEL else 0)
    end[0] = start[0] + <int64_t>duration
    task.used_ns = <uint64_t>(duration * share)


cdef void reserve(Timeline timeline, const Task *task, int64_t enqueued, double duration, double share, int64_t *start,
                  int64_t *end) noexcept nogil:
    if task.flags & TASK_KERNEL:
        timeline.kernel(task.queue, enqueued, task.ready_ns, <int64_t>duration, share, start, end)
    elif task.flow == FLOW_AT_HOST or task.flow == FLOW_NONE and duration:
        timeline.beside(task.queue, enqueued, task.ready_ns, <int64_t>duration, start, end)
    elif task.flow != FLOW_NONE:
        timeline.transfer(task.queue, enqueued, task.ready_ns, <int64_t>duration, start, end)
    else:
        timeline.marker(task.queue, enqueued, task.ready_ns, start, end)


cdef inline bint is_map(const Task *task) noexcept nogil:
    return task.type == CL_COMMAND_MAP_BUFFER or task.type == CL_COMMAND_MAP_IMAGE


cdef double took(Clock *clock, const Task *task, Run *run, double *share) noexcept nogil:
    """Nanoseconds. The host program may be waiting with Python's lock in its hands: nothing here wants it."""
    if task.flags & TASK_KERNEL:
        return launch_ns(&clock.model, task.launch, run, share)
    if is_map(task):
        return map_time(&clock.model, task.bytes if task.flow != FLOW_NONE else 0)
    if task.type == CL_COMMAND_UNMAP_MEM_OBJECT and clock.model.shares_memory:
        return 0
    if task.flow == FLOW_AT_HOST:
        return host_copy(task.bytes)
    if task.type in (CL_COMMAND_FILL_BUFFER, CL_COMMAND_FILL_IMAGE, CL_COMMAND_SVM_MEMFILL):
        return fill_time(&clock.model, task.bytes)
    if task.flow == FLOW_ON_DEVICE:
        return device_copy(&clock.model, task.bytes)
    return host_transfer(&clock.model, task.bytes, task.flags & TASK_PINNED)


kernel_hooks.attach, kernel_hooks.detach, kernel_hooks.done = sink_attach, sink_detach, done
kernel_hooks.order = order
other_hooks.done = done
