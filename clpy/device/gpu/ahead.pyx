# SPDX-License-Identifier: Apache-2.0
"""The groups of a sample run ahead of the others, and one thread follows them on the chip while the other threads go
on: afterwards they would have nothing to do. The numbers are the same.

Kernels whose groups may wait for earlier ones run in order, and are followed when all is done (duration.pyx)."""
from libc.stdint cimport int32_t, int64_t
from clpy.atomics cimport atomic_cas_i32, atomic_load_i64
from clpy.device.base cimport Task
from clpy.device.gpu.duration cimport follow
from clpy.device.gpu.execution cimport Run, tells_too_much
from clpy.device.gpu.timing.sample cimport Sample, sample_groups, sample_traced, sample_turn
from clpy.device.host.fault cimport faults_go_on, faults_pause


cdef int64_t order(Task *task, int64_t at, int64_t n, int64_t *first) noexcept nogil:
    cdef Run *run = <Run *>task.own
    cdef int64_t traced = sample_traced(&run.sample), compared = run.sample.beside - run.sample.n_units
    cdef int64_t below = run.sample.below, more = 1 if below else 0, rank
    if not run.leads:
        first[0] = at
        return n
    if at < run.sample.beside:
        first[0] = at
        return min(n, run.sample.beside - at)
    if at < run.sample.beside + more:
        first[0] = below
        return 1
    if at < traced:
        at -= compared + more
        first[0] = followed(&run.sample, at // run.sample.row, at % run.sample.row)
        return 1
    follow_now(task, run)
    at += compared - traced
    if below:
        rank = below - below // run.sample.units                      # among the others
        rank -= followed(&run.sample, 0, below // run.sample.units) < below
        if at < rank:
            n = min(n, rank - at)
        else:
            at += 1
    return other(&run.sample, at, n, first)


cdef inline int64_t followed(const Sample *sample, int64_t row, int64_t block) noexcept nogil:
    return row * sample.period + block * sample.units + sample_turn(sample, row, block)


cdef int64_t beside_followed(const Sample *sample, int64_t row, int64_t at, int64_t n, int64_t *first) noexcept nogil:
    """Of a block's groups, of which one is followed; `first` becomes more."""
    cdef int64_t others = sample.units - 1, block = at // others, turn = sample_turn(sample, row, block)
    at %= others
    first[0] += block * sample.units + at + (at >= turn)
    return min(n, (turn if at < turn else others) - at)


cdef int64_t other(const Sample *sample, int64_t at, int64_t n, int64_t *first) noexcept nogil:
    """Of those that are not traced: of other units, behind those, and behind them all."""
    cdef int64_t others = sample.span - sample.row, rest = sample.period - sample.row, place = at % rest if rest else 0
    if at >= rest * sample.n_rows:
        first[0] = at + sample_groups(sample)
        return n
    first[0] = at // rest * sample.period
    if place < others:
        return beside_followed(sample, at // rest, place, min(n, others - place), first)
    first[0] += sample.row + place
    return min(n, rest - place)


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
