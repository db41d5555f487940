# SPDX-License-Identifier: Apache-2.0
"""Launches of translated kernels on the host's threads."""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from clpy.abi cimport clpy_group_mem, clpy_launch
from clpy.atomics cimport atomic_add_i64, atomic_load_ptr
from clpy.device.base cimport Device, Launch, Task
from clpy.device.gpu.kept_samples cimport kept_find
from clpy.device.gpu.timing.chip_model cimport chip_holds
from clpy.device.gpu.timing.room cimport room_give, room_grow, room_take, rooms_keep
from clpy.device.gpu.timing.sample cimport sample_follows, sample_has, sample_make, sample_traced
from clpy.device.gpu.timing.simulated cimport simulated_close
from clpy.device.gpu.timing.waves cimport clpy_wave_sink
from clpy.device.host.fault cimport faults_go_on, faults_pause
from clpy.device.host.gang cimport give_way
from clpy.device.host.printf cimport clpy_printf
from clpy.futex cimport mutex_lock, mutex_unlock

from clpy import config
from clpy.compiler.runtime import functions

cdef bint traces_all = config.get("GPU_DETAIL") == "full"
# Of a launch, by all threads together, so that how many there are makes no difference.
cdef size_t most_words = config.get("GPU_TRACE_MB") << 18

if traces_all:                   # each launch tells as much, and half as much again when it is followed
    rooms_keep(most_words + most_words // 2)

cdef extern from "clpy_host_calls.h" nogil:
    enum:
        N_HOST_CALLS "CLPY_CALLS"

cdef enum:
    FIRST_WORDS = 1 << 16        # of a thread's room for traces; more than any block tells at once
    MOST_WORK = 1 << 18          # groups whose work is told apart
    COMPARED = 1 << 13           # instructions that wavefronts tell at most that are not followed
    PRINTED = 4 << 20            # bytes that a group may print
    RECORD = 16                  # bytes before a record's arguments

cdef struct Printed:             # compiler/amdgpu/printf_calls.py
    uint32_t used
    uint32_t room
    unsigned char data[1]


cdef struct Tells:               # of a group
    uint64_t instructions        # of each wavefront, at most
    uint64_t waves               # so many, the first; 0: all

# Of launches whose groups do not, and do, wait for others; these have one more behind them, for what runs the code
# (isa/library/launch.c).
cdef const void *host_calls[2][N_HOST_CALLS + 1]


cdef know_host_calls():
    """The core's functions, which are there before a program is."""
    from clpy.compiler.amdgpu.host_calls import NUMBERS
    cdef int i
    for i, name in enumerate(NUMBERS):
        host_calls[False][i] = host_calls[True][i] = <const void *><size_t>functions.get(name, 0)
    host_calls[True][N_HOST_CALLS] = <const void *>give_way


cdef Run *run_new(Device *dev, Task *task, uint64_t enqueued) noexcept nogil:
    cdef Run *run = <Run *>calloc(1, sizeof(Run))
    cdef const Facts *facts = <const Facts *>task.launch.traits.facts if task.launch != NULL else NULL
    if run == NULL:
        return NULL
    run.device, run.facts, run.enqueued = dev, facts, enqueued
    run.is_profiled, run.queue = task.is_profiled, task.queue
    if facts != NULL:
        run.counts = <uint64_t *>calloc(2 * facts.steps.n_blocks + 1, sizeof(uint64_t))
        if run.counts == NULL:
            free(run)
            return NULL
        run.lanes = run.counts + facts.steps.n_blocks
        choose_timing(run, task)
    return run


cdef void choose_timing(Run *run, const Task *task) noexcept nogil:
    cdef const size_t *size = task.launch.shape.local_size
    run.held = chip_holds(run.facts.chip, run.facts.vgprs, run.facts.sgprs, task.launch.local_bytes,
                          size[0] * size[1] * size[2], run.facts.wave_lanes, run.facts.has_barriers)
    kept_find(run, task)
    if run.reused == NULL and run.facts.traced != NULL:
        choose_traced(run, task.launch)
    elif run.reused != NULL and run.reused.sampled.first_work > 0:       # what groups do is counted here too
        run.sample.work = <float *>calloc(run.reused.sampled.sample.total, sizeof(float))


cdef void choose_traced(Run *run, const Launch *launch) noexcept nogil:
    sample_make(&run.sample, run.facts.chip, &run.held, launch.shape.num_groups, &run.facts.way, traces_all)
    run.untold = sample_traced(&run.sample)
    # Where there are no loops all groups do about the same.
    if run.untold < run.sample.total <= MOST_WORK and not run.facts.way.longest:
        run.sample.work = <float *>calloc(run.sample.total, sizeof(float))
    # A group may wait for one before it.
    # Where all units are followed, groups run in order.
    run.leads = (run.untold < run.sample.total and run.sample.n_units < run.sample.units
                 and not launch.traits.may_spin)


cdef void run_free(Run *run) noexcept nogil:
    cdef Sink *sink = run.sinks
    cdef Sink *following
    while sink != NULL:
        following = sink.next
        sink_free(sink)
        sink = following
    if run.followed != NULL:
        simulated_close(run.followed)
    free(run.followed)
    free(run.sampled)
    free(run.like.words)
    free(run.sample.work)
    free(run.counts)
    free(run)


cdef void sink_free(Sink *sink) noexcept nogil:
    free(sink.wave.printf_buffer)
    room_give(sink.room)
    free(sink.wave.counts)
    free(sink)


cdef void more_room(clpy_wave_sink *wave, uint32_t words) noexcept nogil:
    """Twice as much, at least. Where there is no memory, or all threads have told more than is wanted, what was told is
    forgotten, and the launch says so."""
    cdef Sink *sink = <Sink *>wave
    cdef size_t used = wave.at - sink.room.words
    cdef size_t room = min(2 * sink.room.n + words, most_words + 2 * FIRST_WORDS)
    cdef bint grown = False
    cdef int paused
    if not tells_too_much(sink.run):
        paused = faults_pause()
        grown = room_grow(&sink.room, used, room)
        faults_go_on(paused)
    if not grown:
        sink.run.failed = True
        used = 0
    wave.at = sink.room.words + used
    wave.end = sink.room.words + sink.room.n


cdef bint make_room_to_print(Sink *sink) noexcept nogil:
    cdef Printed *printed = <Printed *>malloc(sizeof(Printed) + PRINTED)
    sink.wave.printf_buffer = printed
    if printed == NULL:
        return False
    printed.used, printed.room = 0, PRINTED
    return True


cdef void print_records(Printed *printed) noexcept nogil:
    """What a work-group has left, in the order in which it came. A size is a size for what is taken; beyond that a
    kernel may have written anything."""
    cdef uint32_t at = 0
    cdef uint64_t size, format
    while at + RECORD <= printed.used <= printed.room:
        memcpy(&size, printed.data + at, sizeof(size))
        memcpy(&format, printed.data + at + sizeof(size), sizeof(format))
        if size < RECORD or size > printed.used - at:
            break
        clpy_printf(<const char *>format, printed.data + at + RECORD, size - RECORD)
        at += <uint32_t>size
    printed.used = 0


cdef void *sink_attach(Task *task) noexcept nogil:
    cdef Run *run = <Run *>task.own
    cdef Sink *sink = <Sink *>calloc(1, sizeof(Sink))
    if sink == NULL:
        return NULL
    sink.run = run
    sink.room = room_take(FIRST_WORDS, run.sample.total != 0)
    sink.wave.counts = <uint64_t *>calloc(2 * run.facts.steps.n_blocks + 1, sizeof(uint64_t))
    if sink.room.words == NULL or sink.wave.counts == NULL or (run.facts.prints and not make_room_to_print(sink)):
        sink_free(sink)
        return NULL
    sink.wave.lanes = sink.wave.counts + run.facts.steps.n_blocks
    sink.wave.at = sink.room.words
    sink.wave.end = sink.room.words + sink.room.n
    sink.wave.more = more_room
    sink.wave.host_calls = host_calls[task.launch.traits.spins]
    sink.wave.sizes = task.launch.sizes
    sink.wave.quiet = atomic_load_ptr(&(<Facts *>run.facts).quiet)
    mutex_lock(&run.lock)
    sink.next = run.sinks
    run.sinks = sink
    mutex_unlock(&run.lock)
    return sink


cdef void sink_detach(Task *task, void *observer) noexcept nogil:
    cdef Run *run = <Run *>task.own
    cdef Sink *sink = <Sink *>observer
    cdef int64_t i
    mutex_lock(&run.lock)
    for i in range(2 * run.facts.steps.n_blocks):
        run.counts[i] += sink.wave.counts[i]
    run.words += sink.wave.at - sink.room.words
    run.failed = run.failed or run.words > most_words
    mutex_unlock(&run.lock)


cdef bint tells_too_much(Run *run) noexcept nogil:
    cdef size_t words = 0
    cdef Sink *sink
    mutex_lock(&run.lock)
    sink = run.sinks
    mutex_unlock(&run.lock)
    while sink != NULL:
        words += sink.wave.at - sink.room.words
        sink = sink.next
    return run.failed or words > most_words


cdef inline Tells tells(const Run *run, int64_t group) noexcept nogil:
    """A group that is compared alone is by its first wavefront (timing/others.pyx)."""
    if not run.sample.total or not sample_has(&run.sample, group):
        return Tells(0, 0)
    if sample_follows(&run.sample, group):
        return Tells(run.sample.most_instructions, 0)
    return Tells(min(run.sample.most_instructions, <int64_t>COMPARED), 1)


cdef double work_of(const Sink *sink) noexcept nogil:
    """Cycles of all that the thread's groups have done so far, as if each wavefront were alone."""
    cdef const Steps *steps = &sink.run.facts.steps
    cdef double cycles = 0
    cdef int64_t block
    for block in range(steps.n_blocks):
        cycles += <double>sink.wave.counts[block] * sink.run.facts.alone[block]
    return cycles


cdef inline clpy_kernel_fn *plain_code(const Facts *facts) noexcept nogil:
    return <clpy_kernel_fn *>atomic_load_ptr(<void **>&facts.plain)


cdef void run_model(const clpy_launch *launch, const unsigned char *args, const clpy_group_mem *mem,
                    size_t gx_first, size_t gx_end, size_t gy, size_t gz) noexcept nogil:
    """Groups that follow each other and are run by the same code are one call."""
    cdef Run *run = (<Sink *>launch.observer).run
    cdef const Facts *facts = run.facts
    cdef int64_t row = launch.num_groups[0] * (gy + launch.num_groups[1] * gz)
    cdef size_t first = gx_first, end
    cdef Tells told, following
    cdef double before, done = work_of(<Sink *>launch.observer) if run.sample.work != NULL else 0
    if facts.construct != NULL:
        facts.construct()
    while first < gx_end:
        told = tells(run, row + first)
        end = first + 1
        while end < gx_end and not facts.prints and run.sample.work == NULL:
            following = tells(run, row + end)
            if following.instructions != told.instructions or following.waves != told.waves:
                break
            end += 1
        (<Sink *>launch.observer).wave.is_silent = told.instructions == 0
        (<Sink *>launch.observer).wave.most_waves = told.waves
        (<Sink *>launch.observer).wave.most_instructions = told.instructions
        (facts.traced if told.instructions else plain_code(facts))(launch, args, mem, first, end, gy, gz)
        if told.instructions:
            atomic_add_i64(&run.untold, first - end)
        if run.sample.work != NULL:
            before, done = done, work_of(<Sink *>launch.observer)
            run.sample.work[row + first] = <float>(done - before)
        if facts.prints:
            print_records(<Printed *>(<Sink *>launch.observer).wave.printf_buffer)
        first = end
