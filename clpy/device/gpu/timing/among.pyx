# SPDX-License-Identifier: Apache-2.0
"""The L2 where only some compute units are followed.

The others' requests are made from those of the followed ones (others.pyx). Those of many go to some sets only, for all
of them (slices.pxd), and what becomes of a followed unit's request to another set is what became of one of the latest
by the same instruction.

A launch that is sampled is here for most of its time. So lines are told apart by as little as each step wants to know:
their place in the slices says whether they are followed, and their channel.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset
from clpy.device.gpu.timing.dram cimport count_others, dram_read_like, dram_write_like, opens_row
from clpy.device.gpu.timing.l2 cimport Line, l2_line, read_followed, take, write_back, write_followed
from clpy.device.gpu.timing.link cimport is_of_host, link_read
from clpy.device.gpu.timing.model cimport (
    FINE, OF_MISS, SHARE_BITS, Apart, Asked, Channel, ComputeUnit, Had, Means, Model, Outcome, Place, Seen,
    cache_take, cache_take_of, line_of_wave, port_among, port_more, port_take, prefetch, remainder)
from clpy.device.gpu.timing.slices cimport (
    SCATTERED_ROOM, follows_all, had, is_followed, is_place_followed, learn, may_be_there, moved_to_followed, rest_of,
    seen_from, slices_fewer)
from clpy.device.gpu.timing.waves cimport nth_line

cdef extern from * nogil:
    int lowest_bit "__builtin_ctzll"(uint64_t bits)

cdef extern from "clpy_means.h" nogil:
    void move_means "clpy_move_means"(int32_t *means, uint32_t what, int32_t whole, int bits)

cdef enum:
    TOGETHER = 64                # lines of a load
    MANY_LINES = 16              # likewise
    MOST_WAITING = 4
    USUAL_WAYS = 4               # of an L1
    EXPECTED = 16                # lines of others
    FEW_LINES = 256              # a table; pixels are more
    LATEST_BITS = 8              # of requests that a mean is of
    MORE = 3                     # times as many requests for lines anywhere, where those are most

cdef enum:                       # what became of a request: bits, in the order of Means
    READS = 1
    READ_OPENS = 2
    WRITES = 4
    WRITE_OPENS = 8

cdef uint64_t HASH = 0x9e3779b97f4a7c15

ctypedef struct Asking:          # what others do behind a followed unit's request
    int64_t at
    int64_t of_hit               # see Slices
    bint writes

ctypedef struct Request:         # of others for a Line, without what is of no use here
    uint32_t number, set_, channel, block
    int32_t times


# ---- the others

cdef inline void became(Model *model, uint32_t what) noexcept nogil:
    move_means(&model.asking.means.reads, what, 1 << SHARE_BITS, LATEST_BITS)


cdef void ask(Model *model, const Asking *how, uint32_t number, uint32_t set_, uint32_t channel, uint32_t block,
              int32_t times) noexcept nogil:
    cdef bint is_there, opens
    cdef uint32_t what = 0
    cdef int64_t start = port_among(model.l2_ports + channel, how.at, &model.l2_line)
    cdef int64_t place = take(model, set_, number, &is_there)
    model.slices.left -= how.of_hit if is_there else OF_MISS
    if not is_there:
        if model.l2.dirty[place]:
            start = max(start, write_back(model, place, start))
            what = WRITES | WRITE_OPENS * model.opened
        if not how.writes:
            opens = opens_row(model, model.channels + channel, block)
            start = dram_read_like(model, channel, opens, start)
            what |= READS | READ_OPENS * opens
        model.l2.ready[place] = start
        model.slices.age += 1
    if how.writes:
        model.l2.dirty[place] = 1
    if times > 1:
        port_more(model.l2_ports + channel, how.at, (times - 1) * model.l2_cycles)
    became(model, what)


cdef void ask_memory(Model *model, const Asking *how, uint32_t channel, uint32_t block, int32_t times) noexcept nogil:
    """For a line that the L2 keeps nothing of, as often as units ask."""
    cdef int64_t start, _
    cdef bint opens
    for _ in range(times):
        start = port_among(model.l2_ports + channel, how.at, &model.l2_line)
        opens = opens_row(model, model.channels + channel, block)
        dram_read_like(model, channel, opens, start)
        model.slices.left -= OF_MISS
        became(model, READS | READ_OPENS * opens)


cdef inline void ask_for(Model *model, const Asking *how, uint32_t number, int32_t times) noexcept nogil:
    cdef Line line = l2_line(model, number)
    if model.vliw.goes_past:
        ask_memory(model, how, line.channel, line.block, times)
    else:
        ask(model, how, number, line.set_, line.channel, line.block, times)


cdef void ask_for_all(Model *model, const Asking *how, const Apart *apart, uint32_t number, int own) noexcept nogil:
    """EXPECTED at a time: what they look at comes into the host's own cache meanwhile."""
    cdef Request some[EXPECTED]
    cdef Line line
    cdef int i = 0, k, n
    while i < apart.n:
        n = 0
        while i < apart.n and n < EXPECTED:
            if i != own or apart.times[i] > 1:
                line = l2_line(model, number + <uint32_t> apart.lines[i])
                some[n] = Request(line.number, line.set_, line.channel, line.block, apart.times[i] - (i == own))
                prefetch(model.l2.tags + line.set_ * model.l2.ways)
                prefetch(model.l2.orders + line.set_)
                prefetch(model.l2.ready + line.set_ * model.l2.ways)
                n += 1
            i += 1
        for k in range(n):
            if model.vliw.goes_past:
                ask_memory(model, how, some[k].channel, some[k].block, some[k].times)
            else:
                ask(model, how, some[k].number, some[k].set_, some[k].channel, some[k].block, some[k].times)
    if own >= 0:
        ask_for(model, how, number, 1)


cdef void ask_for_some(Model *model, const Asking *how, const Apart *apart, uint32_t number, int own,
                       uint64_t mask) noexcept nogil:
    """Those that lie in sets that are followed."""
    cdef int i
    while mask:
        i = lowest_bit(mask)
        mask &= mask - 1
        if i != own or apart.times[i] > 1:
            ask_for(model, how, number + <uint32_t> apart.lines[i], apart.times[i] - (i == own))
    if own >= 0 and is_followed(model, number):
        ask_for(model, how, number, 1)


cdef inline void not_regular(Model *model) noexcept nogil:
    """What has been taken longer for, as most were, is not waited for when they turn out not to be."""
    model.slices.regular -= 1
    if model.slices.regular == 0 and model.slices.is_long:
        model.slices.left = -1


cdef inline void keep_others_busy(Model *model, int32_t n, int64_t at) noexcept nogil:
    if n:
        count_others(keep_next_busy(model, n, n, at))


cdef inline void others_apart(Model *model, const Apart *apart, uint32_t number, uint32_t rest,
                              Asking *how) noexcept nogil:
    """Where the distances are those from a block's first group to its others, the followed unit may have another one of
    them than the first; then they are seen from the first, which is another unit's."""
    cdef const Seen *seen
    cdef int own = -1, i
    if apart.is_regular:
        model.slices.regular += MORE
        how.of_hit = model.slices.of_hit
    else:
        not_regular(model)
    if model.turn and apart.by_groups:
        own = apart.of_unit[model.turn - 1]
        number -= <uint32_t> apart.lines[own]
        rest = rest_of(model, number)
    if follows_all(model):
        ask_for_all(model, how, apart, number, own)
        return
    seen = seen_from(model, apart, number, rest)
    if seen.n_channels < 0:
        keep_next_busy(model, seen.lines[0], seen.times[0], how.at)
    for i in range(seen.n_channels):
        keep_busy(model, seen.channels[i], seen.lines[i], seen.times[i], how.at)
    if seen.followed or own >= 0:
        ask_for_some(model, how, apart, number, own, seen.followed)


cdef void keep_busy(Model *model, int channel, int64_t lines, int64_t times, int64_t at) noexcept nogil:
    """As the instruction's requests do on average."""
    cdef const Means *means = &model.asking.means
    cdef Channel *memory = model.channels + channel
    cdef int64_t work = means.reads * model.dram_fine + means.writes * model.dram_write_fine
    cdef int64_t opening = means.read_opens * model.row_fine + means.write_opens * model.row_write_fine
    port_more(model.l2_ports + channel, at, times * model.l2_cycles)
    port_more(&memory.data, at * FINE, lines * work >> SHARE_BITS)
    port_more(&memory.opening, at * FINE, lines * opening >> SHARE_BITS)
    memory.part += lines * (means.reads + means.writes)
    model.slices.reads += lines * means.reads
    model.slices.writes += lines * means.writes
    model.slices.coming += lines * means.reads
    model.slices.age += model.slices.coming >> SHARE_BITS
    model.slices.coming &= (1 << SHARE_BITS) - 1


cdef inline Channel *keep_next_busy(Model *model, int64_t lines, int64_t times, int64_t at) noexcept nogil:
    """One channel after the other: many requests for lines anywhere come to the same for each. Those of a load that
    touches many lines do so for MOST_WAITING of them together. Which one it was."""
    cdef int channel = model.slices.next_channel
    model.slices.waiting += 1
    model.slices.waiting_lines += lines
    model.slices.waiting_times += times
    if model.slices.waiting < model.slices.most_waiting:
        return model.channels + channel
    keep_busy(model, channel, model.slices.waiting_lines, model.slices.waiting_times, at)
    model.slices.waiting = model.slices.waiting_lines = model.slices.waiting_times = 0
    model.slices.next_channel = channel + 1 if channel + 1 < <int> model.l2_channels.by else 0
    return model.channels + channel


cdef inline uint64_t any_of(uint64_t number, uint32_t i) noexcept nogil:
    return (number + (i + 1) * HASH) * HASH


cdef inline uint32_t line_anywhere(const Asked *asked, uint64_t random) noexcept nogil:
    return asked.low + <uint32_t> ((random >> 32) * (<uint64_t> asked.high - asked.low + 1) >> 32)


cdef inline void others_anywhere(Model *model, const Asked *asked, uint32_t number, const Asking *how) noexcept nogil:
    """Among the lines that the instruction has been seen to touch."""
    cdef uint64_t n = <uint64_t> asked.high - asked.low + 1, mask = 0
    cdef uint32_t i
    cdef int32_t made = 0
    not_regular(model)
    if follows_all(model):
        for i in range(model.n_others):
            ask_for(model, how, line_anywhere(asked, any_of(number, i)), 1)
        return
    if n >= SCATTERED_ROOM * <uint64_t> model.slices.lines.by:
        others_moved(model, asked, number, how)
        return
    for i in range(model.n_others):
        if is_followed(model, line_anywhere(asked, any_of(number, i))):
            mask |= <uint64_t> 1 << i
            made += 1
    keep_others_busy(model, model.n_others - made, how.at)
    while mask:
        ask_for(model, how, line_anywhere(asked, any_of(number, lowest_bit(mask))), 1)
        mask &= mask - 1


cdef inline void others_moved(Model *model, const Asked *asked, uint32_t number, const Asking *how) noexcept nogil:
    """Of many lines it does not matter which, and as many of the requests are made as sets are followed."""
    cdef uint32_t i, requests, part = model.slices.part + model.n_others * model.slices.followed
    cdef uint64_t random
    requests = part >> lowest_bit(model.slices.n)
    model.slices.part = part & (model.slices.n - 1)
    keep_others_busy(model, model.n_others - <int32_t> requests, how.at)
    for i in range(requests):
        random = any_of(number, i)
        ask_for(model, how, moved_to_followed(model, line_anywhere(asked, random), <uint32_t> (random * HASH >> 32)), 1)


cdef inline const Apart *apart_of(Model *model, Asked *asked, uint32_t number) noexcept nogil:
    """Where the others' lines are when a unit asks for one; NULL: anywhere."""
    if asked.by_column != NULL:
        return asked.by_column[model.column]
    if asked.apart != NULL:
        return asked.apart
    asked.low, asked.high = min(asked.low, number), max(asked.high, number)
    asked.is_scattered = asked.low >= model.by_turn and asked.high - asked.low > FEW_LINES
    return model.scattered if asked.is_scattered else NULL


cdef void others_ask(Model *model, uint32_t number, uint32_t rest, int64_t at, bint writes) noexcept nogil:
    cdef const Apart *apart = apart_of(model, model.asking, number)
    cdef Asking how = Asking(at, OF_MISS, writes)
    if apart != NULL:
        others_apart(model, apart, number, rest, &how)
    else:
        others_anywhere(model, model.asking, number, &how)
    if model.slices.left < 0:
        slices_fewer(model)


# ---- a followed unit's own

cdef inline int64_t read_like(Model *model, uint32_t channel, int64_t start, const Outcome *other) noexcept nogil:
    if not other.misses:
        model.stats.l2_hits += 1
        return start + other.wait
    model.stats.l2_misses += 1
    if other.writes:
        dram_write_like(model, channel, other.write_opens, start)
    return dram_read_like(model, channel, other.opens, start)


cdef int64_t read_own(Model *model, Had *before, uint32_t number, bint in_sight, bint may_be,
                      int64_t start) noexcept nogil:
    """Of a line in a set that is followed, or by an instruction that has not come to one yet."""
    cdef Line line = l2_line(model, number)
    cdef bint knows = before.line == number + 1
    cdef Outcome outcome
    cdef int64_t there
    memset(&outcome, 0, sizeof(outcome))
    there = read_followed(model, &line, start, &outcome)
    if knows:
        learn(model, before, not outcome.misses)
    if not may_be:
        model.asking.outcome, model.asking.has_outcome = outcome, True
    if in_sight or not may_be:
        model.slices.age += outcome.misses
    return there


cdef inline int64_t read_one(Model *model, uint32_t number, uint32_t rest, int64_t at) noexcept nogil:
    """As read_among, where it is known which of the slices' lines it is."""
    cdef Place place = model.slices.places[rest]
    cdef int64_t start = port_among(model.l2_ports + place.channel, at, &model.l2_line), there
    cdef Had *before = had(model, number)
    cdef bint may_be, in_sight = is_place_followed(model, place)
    model.stats.l2_read_lines += 1
    if is_of_host(model, number):
        model.stats.l2_misses += 1
        return link_read(model, start)
    may_be = may_be_there(model, before, number)
    if in_sight or not (may_be or model.asking.has_outcome):
        there = read_own(model, before, number, in_sight, may_be, start)
    elif may_be:
        model.stats.l2_hits += 1
        there = max(start, before.ready)
    else:
        there = read_like(model, place.channel, start, &model.asking.outcome)
        model.slices.age += model.asking.outcome.misses
    before.line, before.age, before.ready = number + 1, <uint32_t> model.slices.age, there
    others_ask(model, number, rest, at, False)
    return there


cdef int64_t read_among(Model *model, uint32_t number, int64_t at) noexcept nogil:
    return read_one(model, number, rest_of(model, number), at)


cdef inline int64_t load_one(Model *model, ComputeUnit *unit, uint32_t number, uint32_t rest,
                             int64_t at) noexcept nogil:
    """When the registers have what a load wants of the line, whose tag is looked up at `at`."""
    cdef uint32_t set_ = remainder(number, unit.l1.sets)
    cdef bint is_there
    cdef int64_t place, there
    cdef int64_t *slot
    if unit.l1.ways == USUAL_WAYS:
        place = cache_take_of(&unit.l1, USUAL_WAYS, set_, number, &is_there)
    else:
        place = cache_take(&unit.l1, set_, number, &is_there)
    if is_there:
        model.stats.l1_hits += 1
        return max(at + model.l1_hit, unit.l1.ready[place])
    model.stats.l1_misses += 1
    slot = unit.misses + unit.next_miss
    unit.next_miss = unit.next_miss + 1 if unit.next_miss + 1 < model.l1_misses else 0
    there = read_one(model, number, rest, max(at, slot[0]) + model.l2_up) + model.l2_down
    there = port_take(&unit.fill, there, model.fill_cycles)
    slot[0] = unit.l1.ready[place] = there
    return there


cdef int64_t loads_among(Model *model, ComputeUnit *unit, const uint32_t *words, uint32_t n, uint32_t scratch,
                         int64_t start, int64_t cycles) noexcept nogil:
    cdef int64_t done = start + cycles
    cdef uint32_t numbers[TOGETHER]
    cdef uint32_t rests[TOGETHER]
    cdef uint32_t i = 0, k, some
    cdef const Seen *seen = model.asking.apart.seen if model.asking.apart != NULL else NULL
    model.slices.most_waiting = MOST_WAITING if n >= MANY_LINES else 1
    while i < n:
        some = min(n - i, <uint32_t> TOGETHER)
        for k in range(some):
            numbers[k] = line_of_wave(nth_line(words, i + k), scratch)
            rests[k] = rest_of(model, numbers[k])
            prefetch(had(model, numbers[k]))
            prefetch(seen + rests[k])
        for k in range(some):
            done = max(done, load_one(model, unit, numbers[k], rests[k], start + min(<int64_t> (i + k), cycles)))
        i += some
    model.slices.most_waiting = 1
    return done


cdef inline bint writes_back(Means *means) noexcept nogil:
    """Whether a followed unit's store takes the place of a line that was changed: as often as the others' do."""
    means.due += means.writes
    if means.due >> SHARE_BITS == 0:
        return False
    means.due -= 1 << SHARE_BITS
    return True


cdef int64_t write_among(Model *model, uint32_t number, int64_t start) noexcept nogil:
    cdef Asked *asked = model.asking
    cdef Line line = l2_line(model, number)
    if is_followed(model, number) or not asked.has_outcome:
        memset(&asked.outcome, 0, sizeof(asked.outcome))
        start = write_followed(model, &line, start, &asked.outcome)
        asked.has_outcome = True
    elif writes_back(&asked.means):
        start = max(start, dram_write_like(model, line.channel, 2 * asked.means.write_opens > asked.means.writes,
                                           start))
    model.slices.age += asked.outcome.misses
    return start
