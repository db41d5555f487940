# SPDX-License-Identifier: Apache-2.0
"""What a launch on a model came to. It is written without Python; what Python makes of it is in launch_time.py."""
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from clpy.device.base cimport Launch
from clpy.device.gpu.execution cimport Facts, Run
from clpy.device.gpu.facts cimport facts_drop, facts_hold
from clpy.device.gpu.timing.model cimport STALL_COUNT, USE_COUNT
from clpy.device.gpu.timing.sample cimport sample_groups
from clpy.device.gpu.timing.sampled cimport Sampled


cdef Record *record_new(const Sampled *it, const Launch *launch, const Run *run, double ns, double cycles,
                        double uncertainty) noexcept nogil:
    cdef int64_t n_blocks = run.facts.steps.n_blocks, n_steps = run.facts.steps.n_steps, i
    cdef Record *record = <Record *>calloc(1, sizeof(Record) + sizeof(int64_t) * (
        3 * n_blocks + (STALL_COUNT + USE_COUNT) * n_steps))
    if record == NULL:
        return NULL
    record.facts = facts_hold(run.facts)
    record.counts = <uint64_t *>(record + 1)
    record.lanes = record.counts + n_blocks
    record.visits = record.lanes + n_blocks
    record.stalls = <int64_t *>record.visits + n_blocks
    record.uses = record.stalls + STALL_COUNT * n_steps
    for i in range(3):
        record.global_size[i] = launch.shape.global_size[i]
        record.local_size[i] = launch.shape.local_size[i]
    record.lds_bytes = launch.local_bytes
    record.ns, record.cycles, record.uncertainty = ns, cycles, uncertainty
    record.queue, record.launch = run.queue, run.launch
    memcpy(record.counts, run.counts, n_blocks * sizeof(uint64_t))
    memcpy(record.lanes, run.lanes, n_blocks * sizeof(uint64_t))
    if it != NULL:
        followed(record, it, run)
    return record


cdef void followed(Record *record, const Sampled *it, const Run *run) noexcept nogil:
    cdef int64_t n_steps = run.facts.steps.n_steps
    record.is_followed = True
    record.traced = sample_groups(&run.sample) if run.sample.total else 0
    record.sampled = run.launch if run.reused == NULL else run.reused.launch
    record.stats, record.dirty_lines = it.stats, it.dirty_lines
    memcpy(record.visits, it.visits, run.facts.steps.n_blocks * sizeof(uint64_t))
    if it.stalls != NULL:
        memcpy(record.stalls, it.stalls, STALL_COUNT * n_steps * sizeof(int64_t))
        memcpy(record.uses, it.uses, USE_COUNT * n_steps * sizeof(int64_t))


cdef void record_free(void *record) noexcept nogil:
    if record != NULL:
        facts_drop((<Record *>record).facts)
        free(record)


cdef object told(const Record *record):
    """launch_time.Told."""
    from clpy.device.gpu import launch_time
    cdef const Facts *facts = record.facts
    cdef int64_t i, n_blocks = facts.steps.n_blocks, n_steps = facts.steps.n_steps
    local_size = tuple([record.local_size[i] for i in range(3)])
    return launch_time.Told(
        kernel=launch_time.kernel(facts.kernel), program=<object>facts.program,
        resources=launch_time.Resources(facts.vgprs, facts.sgprs, record.lds_bytes, facts.scratch_bytes,
                                        local_size[0] * local_size[1] * local_size[2], facts.wave_lanes,
                                        facts.has_barriers),
        global_size=tuple([record.global_size[i] for i in range(3)]), local_size=local_size,
        counts=[record.counts[i] for i in range(n_blocks)], lanes=[record.lanes[i] for i in range(n_blocks)],
        ns=record.ns, cycles=record.cycles, uncertainty=record.uncertainty if record.is_followed else None,
        traced=record.traced, queue=record.queue, launch=record.launch or None, sampled=record.sampled or None,
        stats=record.stats if record.is_followed else None, dirty_lines=record.dirty_lines,
        visits=[record.visits[i] for i in range(n_blocks)],
        stalls=[record.stalls[i] for i in range(STALL_COUNT * n_steps)],
        uses=[record.uses[i] for i in range(USE_COUNT * n_steps)])


cdef object record_line(void *record):
    from clpy.device.gpu import launch_time
    return launch_time.line(told(<const Record *>record))


cdef object record_text(void *record):
    from clpy import notation
    return notation.dumps(record_line(record))
