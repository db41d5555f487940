# SPDX-License-Identifier: Apache-2.0
"""The groups of a sample run ahead of the others, and one thread follows them on the chip while the other threads go
on: afterwards they would have nothing to do. The numbers are the same.

Kernels whose groups may wait for earlier ones run in order, and are followed when all is done (duration.pyx)."""
from libc.stdint cimport int32_t, int64_t
from clpy.atomics cimport atomic_cas_i32, atomic_load_i64
from clpy.device.base cimport Task
from clpy.device.gpu.duration cimport follow
from clpy.device.gpu.execution cimport Run, tells_too_much
from clpy.device.gpu.timing.sample cimport Sample, sample_groups
from clpy.device.host.fault cimport faults_go_on, faults_pause


cdef int64_t order(Task *task, int64_t at, int64_t n, int64_t *first) noexcept nogil:
    cdef Run *run = <Run *>task.own
    cdef int64_t traced = sample_groups(&run.sample)
    if not run.leads:
        first[0] = at
        return n
    if at < traced:
        return in_turn(at, n, run.sample.row, run.sample.period, 0, first)
    follow_now(task, run)
    return other(&run.sample, at - traced, n, first)


cdef int64_t in_turn(int64_t at, int64_t n, int64_t row, int64_t period, int64_t start, int64_t *first) noexcept nogil:
    """Of rows of as many groups, one in each period, from `start` on."""
    first[0] = at // row * period + start + at % row
    return min(n, row - at % row)


cdef int64_t other(const Sample *sample, int64_t at, int64_t n, int64_t *first) noexcept nogil:
    """Of those that are not traced: between the rows that are, and behind them all."""
    cdef int64_t gap = sample.period - sample.row
    if at < gap * sample.n_rows:
        return in_turn(at, n, gap, sample.period, sample.row, first)
    first[0] = at + sample_groups(sample)
    return n


cdef void follow_now(Task *task, Run *run) noexcept nogil:
    """By the first thread that finds all of them done."""
    cdef int32_t nobody = 0
    cdef int paused
    if atomic_load_i64(&run.untold) > 0 or not atomic_cas_i32(&run.is_followed, &nobody, 1):
        return
    paused = faults_pause()
    if not tells_too_much(run):
        run.followed = follow(run.facts.chip, task.launch, run)
    faults_go_on(paused)
