# SPDX-License-Identifier: Apache-2.0
"""Tasks that one thread runs from their beginning to their end: what is shorter than to call another thread, and what
is for no other. The pool does not count it among those at work."""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free
from clpy.atomics cimport atomic_add_i64, atomic_cas_i32, atomic_load_i32, atomic_load_i64_relaxed
from clpy.cl cimport cl_int
from clpy.device.base cimport TASK_KERNEL, Task, task_end
from clpy.device.host.away cimport away_begins, away_ends
from clpy.device.host.launch cimport Crowd, Scratch, Until, fits_short, run_groups, run_short
from clpy.signals cimport signals_are_mine
from clpy.spec.consts cimport CL_COMPLETE, CL_CONTEXT_TERMINATED_KHR


cdef inline bint is_stopped(Task *task) noexcept nogil:
    return task.stop != NULL and atomic_load_i32(task.stop) != 0


cdef void run_parts(Task *task) noexcept nogil:
    cdef int64_t part
    cdef cl_int status
    cdef int32_t none = 0
    while True:
        part = atomic_add_i64(&task.next_unit, 1)
        if part >= task.n_units:
            return
        status = CL_CONTEXT_TERMINATED_KHR if is_stopped(task) else task.run(task, <uint32_t>part)
        if status < 0:
            atomic_cas_i32(&task.error, &none, status)


cdef void run_long(Task *task) noexcept nogil:
    """Groups whose memory does not fit into the stack, or that may have to be left, or that somebody observes."""
    cdef Scratch scratch = Scratch(NULL, 0, NULL)
    cdef void *nothing_urgent = NULL
    cdef int32_t one_context = 1
    cdef Until until = Until(NULL, &nothing_urgent, &one_context, False)
    task.runs = NULL
    while atomic_load_i64_relaxed(&task.next_unit) < task.n_units:
        run_groups(task, &scratch, Crowd(1, 0), &until)
    free(scratch.block)


cdef void run_kernel(Task *task) noexcept nogil:
    cdef bint away = signals_are_mine()
    if away:
        away_begins()
    if task.stop == NULL and fits_short(task):
        run_short(task)
    else:
        run_long(task)
    if away:
        away_ends()


cdef void run_whole(Task *task) noexcept nogil:
    task.started(task)
    if task.flags & TASK_KERNEL:
        run_kernel(task)
    elif task.n_units > 1:
        run_parts(task)
    else:
        task.error = CL_CONTEXT_TERMINATED_KHR if is_stopped(task) else task.run(task, 0)
    task_end(task, task.error if task.error < 0 else CL_COMPLETE)
