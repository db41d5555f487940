# SPDX-License-Identifier: Apache-2.0
"""Caches of a chip, by lines of 64 bytes, each with the time when it is there: who asks for a line that is on its
way waits for it, and causes no second request.

- L1: of a compute unit, for vector loads. Stores go past it, atomics take the line out of it.
- Scalar cache: of up to four compute units.
- Instruction cache: of as many. A kernel's code finds room in it, and comes line by line, each when a wavefront is
  there: the code of a launch is in no cache before, and nothing is fetched ahead.
- L2: l2.pyx.
The least recently used line of a set gives way. The low bits of a line's number in its
channel choose the set.
"""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset
from clpy.device.gpu.timing.among cimport loads_among
from clpy.device.gpu.timing.dram cimport ask_again, moved_alone, opens_row
from clpy.device.gpu.timing.l2 cimport USUAL_WAYS as L2_WAYS
from clpy.device.gpu.timing.l2 cimport Line, l2_atomic, l2_line, l2_pass, l2_read, l2_write, write_back
from clpy.device.gpu.timing.link cimport is_of_host
from clpy.device.gpu.timing.model cimport (
    ORDERED, Cache, Channel, ComputeUnit, Model, Port, cache_find, cache_take, cache_take_of, divisor, line_of_wave,
    port_take, prefetch, remainder)
from clpy.device.gpu.timing.waves cimport CLPY_WAVE_RUN, nth_line

cdef extern from "<stdlib.h>" nogil:
    int posix_memalign(void **out, size_t align, size_t size)

cdef enum:
    AHEAD = 8                    # lines of a load
    USUAL_WAYS = 4               # of an L1
    HOST_LINE = 64

ctypedef struct Expected:        # a line that will be asked for
    Line of_l2
    uint32_t l1_set

cdef uint64_t FIRST_ORDER = 0xfedcba9876543210


cdef void *aligned_zeros(uint64_t size) noexcept nogil:
    """From the begin of a line of the host's cache on: what is as long as a line, or half of it, lies in one. NULL:
    there is no memory."""
    cdef void *zeros = NULL
    if posix_memalign(&zeros, HOST_LINE, size) != 0:
        return NULL
    memset(zeros, 0, size)
    return zeros


cdef bint cache_make(Cache *cache, int64_t size, uint32_t ways, uint32_t channels) noexcept nogil:
    """False: there is no memory."""
    cdef uint64_t lines = size // 64, sets = lines // ways, i
    cache.ways = ways
    cache.sets = divisor(<uint32_t> (lines // ways // channels))
    cache.stamp = 0
    cache.tags = <uint32_t *> aligned_zeros(lines * sizeof(uint32_t))
    cache.orders = <uint64_t *> calloc(sets + 1, sizeof(uint64_t))
    cache.stamps = <uint32_t *> calloc(lines if ways > ORDERED else 1, sizeof(uint32_t))
    cache.ready = <int64_t *> calloc(lines, sizeof(int64_t))
    cache.dirty = <uint8_t *> calloc(lines, 1)
    if (cache.tags == NULL or cache.orders == NULL or cache.stamps == NULL or cache.ready == NULL
            or cache.dirty == NULL):
        return False
    for i in range(sets):
        cache.orders[i] = FIRST_ORDER
    return True


cdef void cache_free(Cache *cache) noexcept nogil:
    free(cache.tags)
    free(cache.orders)
    free(cache.stamps)
    free(cache.ready)
    free(cache.dirty)


cdef inline int64_t vector_load(Model *model, ComputeUnit *unit, const Line *line, uint32_t set_,
                                int64_t at) noexcept nogil:
    """When the registers have what a load wants of the line, whose tag is looked up at `at` in a set of the L1."""
    cdef bint is_there
    cdef int64_t place
    cdef int64_t *slot
    cdef int64_t there
    if unit.l1.ways == USUAL_WAYS:
        place = cache_take_of(&unit.l1, USUAL_WAYS, set_, line.number, &is_there)
    else:
        place = cache_take(&unit.l1, set_, line.number, &is_there)
    if is_there:
        model.stats.l1_hits += 1
        return max(at + model.l1_hit, unit.l1.ready[place])
    model.stats.l1_misses += 1
    # A compute unit waits for so many lines at once: this one may ask when the one so many before it is there.
    slot = unit.misses + unit.next_miss
    unit.next_miss = unit.next_miss + 1 if unit.next_miss + 1 < model.l1_misses else 0
    there = l2_read(model, line, max(at, slot[0]) + model.l2_up) + model.l2_down
    there = port_take(&unit.fill, there, model.fill_cycles)
    slot[0] = there
    unit.l1.ready[place] = there
    return there


cdef inline void come(Model *model, ComputeUnit *unit, const Expected *line) noexcept nogil:
    """What a load of the line will look at comes into the host's own cache, which has no room for all of it."""
    prefetch(unit.l1.tags + line.l1_set * unit.l1.ways)
    prefetch(model.l2.tags + line.of_l2.set_ * model.l2.ways)
    prefetch(model.l2.orders + line.of_l2.set_)
    prefetch(model.l2.ready + line.of_l2.set_ * model.l2.ways)


cdef inline void expect(Model *model, ComputeUnit *unit, uint32_t number, Expected *line) noexcept nogil:
    line.of_l2 = l2_line(model, number)
    line.l1_set = remainder(number, unit.l1.sets)
    come(model, unit, line)


cdef int64_t block_loads(Model *model, ComputeUnit *unit, Line line, uint32_t l1_set, uint32_t n, int64_t start,
                         int64_t first, int64_t cycles) noexcept nogil:
    """As vector_load, of so many lines of a block of the device's own memory, where all units are followed: one channel
    has them all, and how busy it is stays in the host's registers. `first`: the cycle of the first of them."""
    cdef Channel *memory = model.channels + line.channel
    cdef Port door = model.l2_ports[line.channel], data = memory.data, opening = memory.opening, fill = unit.fill
    cdef int64_t done = 0, at, there, place, missed
    cdef int64_t *slot
    cdef bint is_there, is_latest = False       # the channel's latest request was for the block
    cdef uint32_t k, misses = 0, l2_misses = 0
    for k in range(n):
        at = start + min(first + k, cycles)
        missed = cache_take_of(&unit.l1, USUAL_WAYS, l1_set, line.number, &is_there)
        if is_there:
            done = max(done, max(at + model.l1_hit, unit.l1.ready[missed]))
        else:
            misses += 1
            slot = unit.misses + unit.next_miss
            unit.next_miss = unit.next_miss + 1 if unit.next_miss + 1 < model.l1_misses else 0
            there = port_take(&door, max(at, slot[0]) + model.l2_up, model.l2_line.own)
            place = cache_take_of(model.l2, L2_WAYS, line.set_, line.number, &is_there)
            if is_there:
                there = max(there, model.l2.ready[place])
            else:
                l2_misses += 1
                if model.l2.dirty[place]:
                    memory.data, memory.opening = data, opening
                    write_back(model, place, there)
                    data, opening = memory.data, memory.opening
                    is_latest = False
                if is_latest:
                    ask_again(memory)
                    there = moved_alone(model, &data, &opening, False, there)
                else:
                    is_latest = model.window > 0
                    there = moved_alone(model, &data, &opening, opens_row(model, memory, line.block), there)
                model.l2.ready[place] = there
            there = port_take(&fill, there + model.l2_down, model.fill_cycles)
            slot[0] = there
            unit.l1.ready[missed] = there
            done = max(done, there)
        line.number, line.set_ = line.number + 1, line.set_ + 1
        l1_set = l1_set + 1 if l1_set + 1 < unit.l1.sets.by else 0
    model.l2_ports[line.channel], memory.data, memory.opening, unit.fill = door, data, opening, fill
    model.stats.l1_hits += n - misses
    model.stats.l1_misses += misses
    model.stats.l2_read_lines += misses
    model.stats.l2_hits += misses - l2_misses
    model.stats.l2_misses += l2_misses
    model.stats.dram_read_lines += l2_misses
    return done


cdef inline bint is_usual(const Model *model, const ComputeUnit *unit, const Line *line, uint32_t n) noexcept nogil:
    """Whether block_loads is for them."""
    return (n > 1 and unit.l1.ways == USUAL_WAYS and model.l2.ways == L2_WAYS
            and not is_of_host(model, line.number) and not is_of_host(model, line.number + n - 1))


cdef int64_t run_loads(Model *model, ComputeUnit *unit, uint32_t number, uint32_t n, int64_t start,
                       int64_t cycles) noexcept nogil:
    """Of lines that follow each other: those of a block lie in sets of the L2 that do, too."""
    cdef int64_t done = start + cycles
    cdef uint32_t i = 0, k, some, l1_set = remainder(number, unit.l1.sets)
    cdef Line line
    while i < n:
        line = l2_line(model, number + i)
        some = min(n - i, line.left + 1)
        for k in range(some):
            prefetch(model.l2.tags + (line.set_ + k) * model.l2.ways)
        if is_usual(model, unit, &line, some):
            done = max(done, block_loads(model, unit, line, l1_set, some, start, i, cycles))
            l1_set = remainder(l1_set + some, unit.l1.sets)
            i += some
            continue
        for k in range(some):
            done = max(done, vector_load(model, unit, &line, l1_set, start + min(<int64_t> (i + k), cycles)))
            line.number, line.set_ = line.number + 1, line.set_ + 1
            l1_set = l1_set + 1 if l1_set + 1 < unit.l1.sets.by else 0
        i += some
    return done


cdef int64_t vector_loads(Model *model, ComputeUnit *unit, const uint32_t *words, uint32_t n, uint32_t scratch,
                          int64_t start, int64_t cycles) noexcept nogil:
    """When all of them have been there."""
    cdef int64_t done = start + cycles
    cdef uint32_t i
    cdef Expected ahead[AHEAD]
    cdef Expected *line
    if model.n_others:
        return loads_among(model, unit, words, n, scratch, start, cycles)
    if words[0] & CLPY_WAVE_RUN:
        return run_loads(model, unit, line_of_wave(words[1], scratch), n, start, cycles)
    for i in range(min(n, <uint32_t> AHEAD)):
        expect(model, unit, line_of_wave(words[1 + i], scratch), ahead + i)
    for i in range(n):
        line = ahead + i % AHEAD
        done = max(done, vector_load(model, unit, &line.of_l2, line.l1_set, start + min(<int64_t> i, cycles)))
        if i + AHEAD < n:
            expect(model, unit, line_of_wave(words[1 + i + AHEAD], scratch), line)
    return done


cdef int64_t past_loads(Model *model, ComputeUnit *unit, const uint32_t *words, uint32_t n, uint32_t scratch,
                        int64_t start, int64_t cycles) noexcept nogil:
    """The same of loads that no cache keeps anything of; those of Gen chips the L2 does, their L3."""
    cdef int64_t done = start + cycles, there
    cdef int64_t *slot
    cdef uint32_t i
    cdef Line line
    for i in range(n):
        line = l2_line(model, line_of_wave(nth_line(words, i), scratch))
        slot = unit.misses + unit.next_miss
        unit.next_miss = unit.next_miss + 1 if unit.next_miss + 1 < model.l1_misses else 0
        there = max(start + min(<int64_t> i, cycles), slot[0]) + model.l2_up
        there = (l2_read(model, &line, there) if model.is_gen else l2_pass(model, &line, there)) + model.l2_down
        slot[0] = port_take(&unit.fill, there, model.fill_cycles)
        done = max(done, slot[0])
    return done


cdef int64_t vector_store(Model *model, ComputeUnit *unit, uint32_t line, int64_t *at) noexcept nogil:
    """When the store is done, seen from the wavefront. A compute unit has so many lines on their way at once: `at`
    becomes the time when the line has left it."""
    cdef int64_t *slot = unit.stores + unit.next_store
    unit.next_store = unit.next_store + 1 if unit.next_store + 1 < model.l1_misses else 0
    at[0] = max(at[0], slot[0])
    slot[0] = l2_write(model, line, at[0] + model.l2_up) + model.l2_down
    return slot[0]


cdef int64_t vector_atomic(Model *model, ComputeUnit *unit, uint32_t number, int64_t at,
                           int64_t operations) noexcept nogil:
    """Atomics are done in the L2."""
    cdef int64_t mine = cache_find(&unit.l1, remainder(number, unit.l1.sets), number)
    if mine >= 0:
        unit.l1.tags[mine] = 0
    return l2_atomic(model, number, at + model.l2_up, operations) + model.l2_down


cdef int64_t scalar_load(Model *model, ComputeUnit *unit, uint32_t number, int64_t at) noexcept nogil:
    """When the scalar registers have what is wanted of the line."""
    cdef Cache *cache = model.scalars + unit.index // model.scalar_units
    cdef bint is_there
    cdef int64_t place = cache_take(cache, remainder(number, cache.sets), number, &is_there)
    cdef Line line
    cdef int64_t start = port_take(model.scalar_ports + unit.index // model.scalar_units, at, 1)
    if is_there:
        model.stats.scalar_hits += 1
        return max(start + model.smem_hit, cache.ready[place])
    model.stats.scalar_misses += 1
    line = l2_line(model, number)
    cache.ready[place] = l2_read(model, &line, start + model.smem_up) + model.smem_down
    return cache.ready[place]


cdef int64_t code_line(Model *model, int64_t *there, uint32_t line, int64_t at) noexcept nogil:
    """When a line of code is in the instruction cache whose lines are `there`; the first that wants it brings it from
    memory into the L2."""
    if there[line] == 0:
        if model.code[line] == 0:
            model.code[line] = at + model.smem_up + model.dram_latency
        there[line] = max(at + model.smem_up, model.code[line]) + model.smem_down
    return there[line]
