# SPDX-License-Identifier: Apache-2.0
"""Samples of launches, for those of the same queue that are like them (likeness.pyx). These run with the code that only
counts, and the kept times of blocks by their own counts are their time.

- What is kept belongs to a queue in order: each launch of it ends before the next begins, so which samples are there
  does not depend on threads. Nothing is kept of kernels with volatile or atomic reads, whose counts may, nor where
  pointers in memory lead to other memory than that of arguments, which is not compared.
- Where the counts of a launch turn out to be others than those of the sample, its time is by them all the same: when
  they are known it is too late for a trace. But the next ones have samples of their own, until one agrees with the one
  before; the next time until two do, then four.
- After many uses a launch is sampled anew, for what counts do not show: indices in memory that lead elsewhere by now.
- With CLPY_GPU_DETAIL=full all launches are traced, and one whose wavefronts went the same way through the same
  lines is not followed on the chip once more: that would come to the same.
- The sample that was used longest ago goes when there are too many, and those of kernels that are gone go with the next
  launch.
"""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from clpy.atomics cimport atomic_load_i32
from clpy.device.base cimport Launch, Task
from clpy.device.gpu.execution cimport Kept, KeptSamples, Run
from clpy.device.gpu.facts cimport facts_drop, facts_gone, facts_hold
from clpy.device.gpu.likeness cimport is_alike, likeness_of, likeness_of_ways
from clpy.device.gpu.timing.simulated cimport Simulated
from clpy.device.gpu.timing.sampled cimport Sampled, sampled_differs, sampled_knows

from clpy import config

cdef bint keeps = config.get("GPU_REUSE") and config.get("GPU_CLOCK") == "model"
cdef bint reuses = keeps and config.get("GPU_DETAIL") == "sample"
cdef bint compares = keeps and config.get("GPU_DETAIL") == "full"
cdef bint notes = bool(config.get("GPU_PROFILE"))

cdef enum:
    MOST = 64                    # of a queue
    MOST_BYTES = 16 << 20
    MOST_USES = 32               # of one
    MOST_NEEDED = 16

cdef double SAME = 0.03          # part of a launch's cycles by which counts may differ


cdef void kept_free(Kept *kept) noexcept nogil:
    free(kept.like.words)
    free(kept.sampled)
    facts_drop(kept.facts)
    free(kept)


cdef void kept_drop(void *all_) noexcept nogil:
    cdef Kept *kept = (<KeptSamples *>all_).first
    cdef Kept *following
    while kept != NULL:
        following = kept.next
        kept_free(kept)
        kept = following
    free(all_)


cdef void trim(KeptSamples *all_) noexcept nogil:
    """To what there is room for, of kernels that are there."""
    cdef Kept **place = &all_.first
    cdef Kept *kept
    cdef size_t bytes = 0
    cdef int64_t n = 0
    while place[0] != NULL:
        kept = place[0]
        if n < MOST and bytes + kept.sampled.bytes <= MOST_BYTES and not atomic_load_i32(&kept.facts.is_gone):
            n, bytes = n + 1, bytes + kept.sampled.bytes
            place = &kept.next
        else:
            place[0] = kept.next
            kept_free(kept)


cdef KeptSamples *samples_of(const Task *task) noexcept nogil:
    """Of its queue; NULL: there are none, or there is no memory."""
    cdef KeptSamples *all_
    cdef int32_t gone = facts_gone()
    if task.kept == NULL:
        return NULL
    all_ = <KeptSamples *>task.kept[0]
    if all_ == NULL:
        task.kept[0] = calloc(1, sizeof(KeptSamples))
        return <KeptSamples *>task.kept[0]
    if all_.seen_gone != gone:
        all_.seen_gone = gone
        trim(all_)
    return all_


cdef Kept *find(Run *run) noexcept nogil:
    """It is the one that was used last, then."""
    cdef Kept **place = &run.kept.first
    cdef Kept *kept
    while place[0] != NULL:
        kept = place[0]
        if is_alike(&kept.like, &run.like):
            place[0] = kept.next
            kept.next = run.kept.first
            run.kept.first = kept
            return kept
        place = &kept.next
    return NULL


cdef inline bint is_enough(const Kept *kept, const Run *run) noexcept nogil:
    """For who wants to know more than the time."""
    return kept.sampled.stalls != NULL or not (notes or run.is_profiled)


cdef void kept_find(Run *run, const Task *task) noexcept nogil:
    cdef Kept *kept
    run.kept = samples_of(task)
    if run.kept == NULL:
        return
    run.kept.launches += 1
    run.launch = run.kept.launches
    if not reuses or task.launch.traits.may_spin or run.facts.traced == NULL:
        return
    run.like = likeness_of(task.launch, run.facts)
    kept = find(run) if run.like.words != NULL else NULL
    if kept != NULL and kept.uses < MOST_USES and kept.agreed >= kept.needed and is_enough(kept, run):
        run.reused = kept


cdef bint kept_same_ways(Run *run, const Launch *launch, const Simulated *traced) noexcept nogil:
    cdef Kept *kept
    if not compares or run.kept == NULL:
        return False
    run.like = likeness_of_ways(launch, run.facts, traced)
    kept = find(run) if run.like.words != NULL else NULL
    if kept != NULL and is_enough(kept, run):
        run.reused = kept
    return run.reused != NULL


cdef bint agrees(const Sampled *sampled, const Run *run) noexcept nogil:
    cdef int64_t n = run.facts.steps.n_blocks
    return sampled_knows(sampled, n, run.counts) and sampled_differs(sampled, n, run.counts) <= SAME


cdef void kept_after_reuse(Run *run) noexcept nogil:
    cdef Kept *kept = run.reused
    kept.uses += 1
    if not agrees(kept.sampled, run):
        kept.agreed, kept.needed = 0, min(max(2 * kept.needed, 1), MOST_NEEDED)


cdef void kept_after_sample(Run *run) noexcept nogil:
    cdef Kept *kept
    if run.like.words == NULL or run.sampled == NULL or (run.sampled.strays and not compares):
        return
    kept = find(run)
    if kept == NULL:
        kept = <Kept *>calloc(1, sizeof(Kept))
        if kept == NULL:
            return
        kept.facts, kept.like = facts_hold(run.facts), run.like
        run.like.words = NULL
        kept.next = run.kept.first
        run.kept.first = kept
    elif agrees(kept.sampled, run):
        kept.agreed += 1
    else:
        kept.agreed, kept.needed = 0, max(kept.needed, 1)
    free(kept.sampled)
    kept.sampled, kept.launch, kept.uses = run.sampled, run.launch, 0
    run.sampled = NULL
    trim(run.kept)
