# SPDX-License-Identifier: Apache-2.0
"""How long a launch takes on a chip, from what its wavefronts told. Without Python, but for launches that are noted
(CLPY_GPU_PROFILE)."""
from libc.stdint cimport int64_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from clpy.abi cimport clpy_image
from clpy.device.base cimport Launch
from clpy.device.gpu.execution cimport Run, Sink
from clpy.device.gpu.kept_samples cimport kept_after_reuse, kept_after_sample, kept_same_ways
from clpy.device.gpu.likeness cimport image_bytes
from clpy.device.gpu.record cimport Record, record_free, record_line, record_new
from clpy.device.gpu.timing.chip_model cimport ChipModel
from clpy.device.gpu.timing.formula cimport formula_cycles
from clpy.device.gpu.timing.lines cimport PLACE_BITS, Range
from clpy.device.gpu.timing.sample cimport sample_few, sample_groups, share_of_others
from clpy.device.gpu.timing.sampled cimport Sampled, estimate, is_whole, sampled_new
from clpy.device.gpu.timing.simulated cimport (Simulated, simulated_add, simulated_close, simulated_has_code,
                                               simulated_open, simulated_run, simulated_share)
from clpy.device.gpu.timing.trace cimport Words
from clpy.device.host_memory cimport find_host_fn, host_memory_find
from clpy.futex cimport mutex_lock, mutex_unlock

from clpy import config
from clpy.trace import report_fault

cdef extern from "Python.h" nogil:
    int Py_IsInitialized()
    int _Py_IsFinalizing()

cdef enum:
    MOST_BUFFERS = 29            # that, arguments and other memory are as many lines as the model numbers
    BUFFER_LINES = 1 << PLACE_BITS       # of the model's memory, for what each pointer argument points into

cdef bint notes = bool(config.get("GPU_PROFILE"))


cdef double launch_ns(const ChipModel *chip, const Launch *launch, Run *run, double *share) noexcept nogil:
    cdef const size_t *groups = launch.shape.num_groups
    cdef int64_t total = groups[0] * groups[1] * groups[2]
    cdef double cycles = -1, uncertainty = 0, ns
    cdef const Sampled *sampled = run.reused.sampled if run.reused != NULL else own_sample(chip, launch, run)
    share[0] = min(<double>total / max(run.held.groups_per_cu * chip.rates.n_units, 1), 1.0)
    if sampled != NULL:
        cycles = estimate(sampled, &run.facts.steps, chip, &run.held, run.counts, run.sample.work, &uncertainty)
    ns = chip.floor_ns + chip.cycle_ns * (cycles if cycles >= 0 else by_formula(chip, launch, run))
    if notes or run.is_profiled:
        keep(sampled, launch, run, ns, cycles, uncertainty)
    if run.reused != NULL:
        kept_after_reuse(run)
    else:
        kept_after_sample(run)
    return ns


cdef const Sampled *own_sample(const ChipModel *chip, const Launch *launch, Run *run) noexcept nogil:
    """Or that of a launch that did the same. NULL where nothing was followed."""
    if not run.is_followed and not run.failed:
        run.followed = follow(chip, launch, run)
    if run.followed != NULL:
        run.sampled = sampled_new(run.followed, &run.sample, run.counts, run.sample.work, notes or run.is_profiled)
    return run.reused.sampled if run.reused != NULL else run.sampled


cdef double by_formula(const ChipModel *chip, const Launch *launch, const Run *run) noexcept nogil:
    return formula_cycles(chip, &run.facts.steps, run.counts, run.lanes,
                          waves_of(launch, run.facts.wave_lanes), &run.held)


cdef int64_t waves_of(const Launch *launch, int64_t lanes) noexcept nogil:
    """Wavefronts of all groups: launch_time.waves_of, without Python."""
    cdef int64_t groups[3][2]
    cdef int64_t items[3][2]
    cdef int64_t kind, waves = 0, size, n
    cdef int i, k
    for i in range(3):
        size, n = launch.shape.local_size[i], launch.shape.global_size[i]
        groups[i][0], items[i][0] = n // size, size
        groups[i][1], items[i][1] = 1 if n % size else 0, n % size
    for kind in range(8):            # in each dimension whole groups, or the one that is left
        n = size = 1
        for i in range(3):
            k = kind >> i & 1
            n, size = n * groups[i][k], size * items[i][k]
        waves += n * ((size + lanes - 1) // lanes)
    return waves


cdef Simulated *follow(const ChipModel *chip, const Launch *launch, Run *run) noexcept nogil:
    cdef Simulated *it
    if not run.sample.total or not run.held.groups_per_cu:
        return NULL
    it = <Simulated *>malloc(sizeof(Simulated))
    if it != NULL and not simulated(it, chip, launch, run):
        free(it)
        it = NULL
    return it


cdef bint simulated(Simulated *it, const ChipModel *chip, const Launch *launch, Run *run) noexcept nogil:
    """False where it could not be, or need not (Run.reused): then `it` is closed."""
    cdef int64_t groups[3]
    cdef int64_t n, i
    cdef find_host_fn find_host = NULL
    cdef Range *ranges
    cdef Words *words = words_of(run, &i)
    cdef const char *wrong = b"no memory"
    if not chip.shares_memory:
        find_host = host_memory_find
    ranges = buffers(launch, run, find_host, &n)
    for n_dim in range(3):
        groups[n_dim] = launch.shape.num_groups[n_dim]
    if ranges == NULL or words == NULL:
        free(ranges)
        free(words)
        return False
    wrong = simulated_open(it, chip, &run.facts.steps, &run.held, run.facts.scratch_bytes, groups, run.sample.n_units,
                           ranges, n, find_host, NULL)
    it.is_full = run.facts.way.longest != 0 and run.sample.mine > sample_groups(&run.sample)
    if run.sample.n_units < run.sample.units:
        it.n_compared, it.number_below = run.sample.beside, run.sample.below
        it.few = sample_few(&run.held, &run.facts.way)
        it.period, it.in_block = run.sample.period, run.sample.units
    if wrong == NULL:
        wrong = simulated_add(it, words, i)
    free(words)
    if wrong == NULL and kept_same_ways(run, launch, it):
        simulated_close(it)
        return False
    if wrong != NULL or not simulated_share(it, share_of_others(&run.sample, &run.held)):
        simulated_close(it)
        return False
    if not is_whole(it, &run.sample):
        simulated_has_code(it)
    simulated_run(it, True)
    return True


cdef Words *words_of(Run *run, int64_t *n) noexcept nogil:
    """What each thread wrote; NULL: there is no memory."""
    cdef Sink *first
    cdef Sink *sink
    cdef Words *words
    mutex_lock(&run.lock)
    first = sink = run.sinks
    mutex_unlock(&run.lock)
    n[0] = 0
    while sink != NULL:
        n[0] += 1
        sink = sink.next
    words = <Words *>calloc(n[0] + 1, sizeof(Words))
    n[0] = 0
    sink = first
    while sink != NULL and words != NULL:
        if sink.wave.at > sink.room.words:
            words[n[0]].words, words[n[0]].n = sink.room.words, sink.wave.at - sink.room.words
            n[0] += 1
        sink = sink.next
    return words


cdef inline uint64_t lines_of(uintptr_t address, uint64_t size) noexcept nogil:
    """0 bytes: nobody knows how many."""
    return min(((address & 63) + size + 63) >> 6, <uint64_t>BUFFER_LINES) if size else BUFFER_LINES


cdef void add_range(Range *ranges, int64_t *n, uintptr_t address, uint64_t size, find_host_fn find_host) noexcept nogil:
    """What is there already is there once."""
    cdef uintptr_t first, behind
    cdef int64_t i
    for i in range(n[0]):
        if ranges[i].first == address >> 6:
            return
    if address and n[0] < MOST_BUFFERS:
        ranges[n[0]] = Range(address >> 6, (address >> 6) + lines_of(address, size),
                             <uint32_t>(n[0] + 1) * BUFFER_LINES,
                             find_host != NULL and find_host(address, &first, &behind))
        n[0] += 1


cdef Range *buffers(const Launch *launch, const Run *run, find_host_fn find_host, int64_t *n) noexcept nogil:
    """What the arguments point to, each with a place of its own in the model's memory. Where its size is not known, as
    of the host's own memory, it reaches to the next one. NULL: there is no memory."""
    cdef Range *ranges = <Range *>malloc((MOST_BUFFERS + 1) * sizeof(Range))
    cdef const uint32_t *images = run.facts.pointers + run.facts.n_pointers
    cdef const clpy_image *image
    cdef uintptr_t address = 0
    cdef uint64_t size = 0
    cdef int64_t i, k
    n[0] = 0
    if ranges == NULL:
        return NULL
    for i in range(run.facts.n_pointers):
        memcpy(&address, launch.args + run.facts.pointers[i], sizeof(address))
        if launch.sizes != NULL:
            memcpy(&size, <const char *>launch.sizes + run.facts.pointers[i], sizeof(size))
        add_range(ranges, n, address, size, find_host)
    for i in range(run.facts.n_images):
        memcpy(&image, launch.args + images[i], sizeof(image))
        if image != NULL and image_bytes(image):
            add_range(ranges, n, <uintptr_t>image.data, image_bytes(image), find_host)
    for i in range(n[0]):
        for k in range(n[0]):
            if ranges[k].first > ranges[i].first:
                ranges[i].last = min(ranges[i].last, ranges[k].first)
    return ranges


cdef void keep(const Sampled *it, const Launch *launch, Run *run, double ns, double cycles,
               double uncertainty) noexcept nogil:
    """For who asks, or has asked, for more than the time."""
    cdef Record *record = record_new(it, launch, run, ns, cycles, uncertainty)
    if record != NULL and notes:
        note(record)
    if run.is_profiled:
        run.told = record
    else:
        record_free(record)


cdef void note(Record *record) noexcept nogil:
    if not Py_IsInitialized() or _Py_IsFinalizing():
        return
    with gil:
        try:
            from clpy.device.gpu import launch_time
            launch_time.note(record_line(record))
        except Exception as error:
            report_fault("the counters of a launch on a model", error)
