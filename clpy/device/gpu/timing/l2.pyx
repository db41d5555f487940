# SPDX-License-Identifier: Apache-2.0
"""The L2 of a chip, in channels that take turns every interleave_bytes; each serves a line at a time.

Stores stay in it until their place is wanted; it knows which bytes were written, so that a store fetches nothing. It
keeps its lines from one launch to the next where both are given the same DeviceMemory; the others begin empty. Lines of
the host's memory go past it (link.pxd).

Where some compute units are followed the others' requests are made from theirs (others.pyx). Those of many go to some
sets only, for all of them (slices.pxd), and what becomes of a followed unit's request to another set is what became of
one of the latest by the same instruction.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset
from clpy.device.gpu.timing.dram cimport count_others, dram_read, dram_read_like, dram_write_like
from clpy.device.gpu.timing.link cimport is_of_host, link_read, link_write
from clpy.device.gpu.timing.model cimport (
    FINE, OF_MISS, SHARE_BITS, Apart, Asked, Channel, Had, Means, Model, Outcome, Seen, Service, port_among, port_more,
    prefetch, service_of)
from clpy.device.gpu.timing.slices cimport (
    SCATTERED_ROOM, follows_all, had, is_followed, learn, may_be_there, moved_to_followed, seen_from, slices_fewer)

cdef extern from * nogil:
    int lowest_bit "__builtin_ctzll"(uint64_t bits)

cdef enum:
    EXPECTED = 16                # lines of others
    FEW_LINES = 256              # a table; pixels are more
    LATEST_BITS = 8              # of requests that a mean is of
    MORE = 3                     # times as many requests for lines anywhere, where those are most

cdef uint64_t HASH = 0x9e3779b97f4a7c15

ctypedef struct Request:         # of others for a Line, without what is of no use here
    uint32_t number, set_, channel, block
    int32_t times

ctypedef struct Requests:
    Request some[EXPECTED]
    int n
    int64_t at
    bint writes
    int64_t of_hit               # see Slices


# ---- the others

cdef inline void mean(int32_t *value, bint is_so) noexcept nogil:
    value[0] += ((1 << SHARE_BITS if is_so else 0) - value[0]) >> LATEST_BITS


cdef inline void ask_one(Model *model, Requests *some, const Request *line) noexcept nogil:
    cdef bint is_there, reads = False, read_opens = False, writes = False, write_opens = False
    cdef Means *means = &model.asking.means
    cdef int64_t start = port_among(model.l2_ports + line.channel, some.at, &model.l2_line)
    cdef int64_t place = take(model, line.set_, line.number, &is_there)
    if not is_there:
        writes = model.l2.dirty[place]
        if writes:
            start = max(start, write_back(model, place, start))
            write_opens = model.opened
        model.l2.ready[place] = start
        if not some.writes:
            reads = True
            model.l2.ready[place] = dram_read(model, line.channel, line.block, start)
            read_opens = model.opened
        model.slices.age += 1
    model.slices.left -= some.of_hit if is_there else OF_MISS
    if some.writes:
        model.l2.dirty[place] = 1
    if line.times > 1:
        port_more(model.l2_ports + line.channel, some.at, (line.times - 1) * model.l2_cycles)
    mean(&means.reads, reads)
    mean(&means.read_opens, read_opens)
    mean(&means.writes, writes)
    mean(&means.write_opens, write_opens)


cdef void ask_memory(Model *model, Requests *some, const Request *line) noexcept nogil:
    """For a line that the L2 keeps nothing of, as often as units ask."""
    cdef Means *means = &model.asking.means
    cdef int64_t start, _
    for _ in range(line.times):
        start = port_among(model.l2_ports + line.channel, some.at, &model.l2_line)
        dram_read(model, line.channel, line.block, start)
        model.slices.left -= OF_MISS
        mean(&means.reads, True)
        mean(&means.read_opens, model.opened)
        mean(&means.writes, False)
        mean(&means.write_opens, False)


cdef void ask(Model *model, Requests *some) noexcept nogil:
    cdef int i
    for i in range(some.n):
        if model.vliw.goes_past:
            ask_memory(model, some, some.some + i)
        else:
            ask_one(model, some, some.some + i)
    some.n = 0


cdef inline void add(Model *model, Requests *some, uint32_t number, int32_t times) noexcept nogil:
    """They are made EXPECTED at a time: what they look at comes into the host's own cache meanwhile."""
    cdef Line line = l2_line(model, number)
    some.some[some.n] = Request(number, line.set_, line.channel, line.block, times)
    prefetch(model.l2.tags + line.set_ * model.l2.ways)
    prefetch(model.l2.orders + line.set_)
    prefetch(model.l2.ready + line.set_ * model.l2.ways)
    some.n += 1
    if some.n == EXPECTED:
        ask(model, some)


cdef void others_apart(Model *model, const Apart *apart, uint32_t number, Requests *some) noexcept nogil:
    """Where the distances are those from a block's first group to its others, the followed unit may have another one of
    them than the first; then they are seen from the first, which is another unit's."""
    cdef int own = -1, i
    model.slices.regular += MORE if apart.is_regular else -1
    if apart.is_regular:
        some.of_hit = model.slices.of_hit
    if model.turn and apart.by_groups:
        own = apart.of_unit[model.turn - 1]
        number -= <uint32_t> apart.lines[own]
    if not follows_all(model):
        some_apart(model, apart, number, own, some)
        return
    for i in range(apart.n):
        if i != own or apart.times[i] > 1:
            add(model, some, number + <uint32_t> apart.lines[i], apart.times[i] - (i == own))
    if own >= 0:
        add(model, some, number, 1)


cdef void some_apart(Model *model, const Apart *apart, uint32_t number, int own, Requests *some) noexcept nogil:
    """Of which some lie in sets that are followed."""
    cdef uint64_t mask
    cdef const Seen *seen = seen_from(model, apart, number)
    cdef int i
    if seen.n_channels < 0:
        keep_next_busy(model, seen.lines[0], seen.times[0], some.at)
    for i in range(seen.n_channels):
        keep_busy(model, seen.channels[i], seen.lines[i], seen.times[i], some.at)
    mask = seen.followed
    while mask:
        i = lowest_bit(mask)
        mask &= mask - 1
        if i != own or apart.times[i] > 1:
            add(model, some, number + <uint32_t> apart.lines[i], apart.times[i] - (i == own))
    if own >= 0 and is_followed(model, number):
        add(model, some, number, 1)


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


cdef Channel *keep_next_busy(Model *model, int64_t lines, int64_t times, int64_t at) noexcept nogil:
    """One channel after the other: many requests for lines anywhere come to the same for each. Which one it was."""
    cdef int channel = model.slices.next_channel
    keep_busy(model, channel, lines, times, at)
    model.slices.next_channel = channel + 1 if channel + 1 < <int> model.l2_channels.by else 0
    return model.channels + channel


cdef inline bint are_left_out(Model *model, const Apart *apart, uint32_t number, int64_t at) noexcept nogil:
    """Whether all that others ask for lies in sets that are not followed, on many channels, as it does with most
    requests where few sets are: then it is done here."""
    cdef const Seen *seen
    if follows_all(model) or (model.turn and apart.by_groups):
        return False
    seen = seen_from(model, apart, number)
    if seen.followed or seen.n_channels >= 0:
        return False
    model.slices.regular += MORE if apart.is_regular else -1
    keep_next_busy(model, seen.lines[0], seen.times[0], at)
    return True


cdef void others_anywhere(Model *model, Asked *asked, uint32_t number, Requests *some) noexcept nogil:
    """Among the lines that the instruction has been seen to touch. Of many it does not matter which, and as many of
    the requests are made as sets are followed."""
    cdef uint64_t n = <uint64_t> asked.high - asked.low + 1, random
    cdef bint moves = not follows_all(model) and n >= SCATTERED_ROOM * <uint64_t> model.slices.lines.by
    cdef uint32_t there, i, requests = model.n_others
    cdef int32_t made = 0
    model.slices.regular -= 1
    if moves:
        model.slices.part += requests * model.slices.followed
        requests = model.slices.part // model.slices.n
        model.slices.part %= model.slices.n
    for i in range(requests):
        random = (number + (i + 1) * HASH) * HASH
        there = asked.low + <uint32_t> ((random >> 32) * n >> 32)
        if moves:
            there = moved_to_followed(model, there, <uint32_t> (random * HASH >> 32))
        elif not is_followed(model, there):
            continue
        made += 1
        add(model, some, there, 1)
    if made < model.n_others:
        count_others(keep_next_busy(model, model.n_others - made, model.n_others - made, some.at))


cdef void others_ask(Model *model, uint32_t number, int64_t at, bint writes) noexcept nogil:
    """What the compute units ask for that are not followed, when a followed one asks for a line."""
    cdef Asked *asked = model.asking
    cdef Requests some
    if asked.apart != NULL and asked.by_column == NULL and are_left_out(model, asked.apart, number, at):
        return
    some.n, some.at, some.writes, some.of_hit = 0, at, writes, OF_MISS
    if asked.by_column != NULL:
        others_apart(model, asked.by_column[model.column], number, &some)
    elif asked.apart != NULL:
        others_apart(model, asked.apart, number, &some)
    else:
        asked.low, asked.high = min(asked.low, number), max(asked.high, number)
        asked.is_scattered = asked.low >= model.by_turn and asked.high - asked.low > FEW_LINES
        if asked.is_scattered:
            others_apart(model, model.scattered, number, &some)
        else:
            others_anywhere(model, asked, number, &some)
    ask(model, &some)
    if model.slices.left < 0:
        slices_fewer(model)


# ---- a followed unit's own

cdef int64_t read_like(Model *model, const Line *line, int64_t start, const Outcome *other) noexcept nogil:
    if not other.misses:
        model.stats.l2_hits += 1
        return start + other.wait
    model.stats.l2_misses += 1
    if other.writes:
        dram_write_like(model, line.channel, other.write_opens, start)
    return dram_read_like(model, line.channel, other.opens, start)


cdef int64_t l2_read_among(Model *model, const Line *line, int64_t start, int64_t at) noexcept nogil:
    cdef int64_t there = read_among(model, line, start)
    others_ask(model, line.number, at, False)
    return there


cdef int64_t read_among(Model *model, const Line *line, int64_t start) noexcept nogil:
    """Of a unit that is not alone."""
    cdef Had *before = had(model, line.number)
    cdef bint knows = before.line == line.number + 1, may_be = may_be_there(model, before, line.number)
    cdef Outcome outcome
    cdef int64_t there
    if is_followed(model, line.number) or not (may_be or model.asking.has_outcome):
        memset(&outcome, 0, sizeof(outcome))
        there = read_followed(model, line, start, &outcome)
        if knows:
            learn(model, before, not outcome.misses)
        if not may_be:
            model.asking.outcome, model.asking.has_outcome = outcome, True
    elif may_be:
        model.stats.l2_hits += 1
        there = max(start, before.ready)
    else:
        outcome = model.asking.outcome
        there = read_like(model, line, start, &outcome)
    model.slices.age += outcome.misses if not may_be or is_followed(model, line.number) else 0
    before.line, before.age, before.ready = line.number + 1, model.slices.age, there
    return there


cdef int64_t write_followed(Model *model, const Line *line, int64_t start, Outcome *outcome) noexcept nogil:
    cdef bint is_there
    cdef int64_t place = take(model, line.set_, line.number, &is_there)
    outcome.misses = not is_there
    if not is_there:
        outcome.writes = model.l2.dirty[place]
        if outcome.writes:
            start = max(start, write_back(model, place, start))
            outcome.write_opens = model.opened
        model.l2.ready[place] = start
    model.l2.dirty[place] = 1
    return start


cdef inline bint writes_back(Means *means) noexcept nogil:
    """Whether a followed unit's store takes the place of a line that was changed: as often as the others' do."""
    means.due += means.writes
    if means.due >> SHARE_BITS == 0:
        return False
    means.due -= 1 << SHARE_BITS
    return True


cdef int64_t write_among(Model *model, const Line *line, int64_t start) noexcept nogil:
    """Of a unit that is not alone."""
    cdef Asked *asked = model.asking
    if is_followed(model, line.number) or not asked.has_outcome:
        memset(&asked.outcome, 0, sizeof(asked.outcome))
        start = write_followed(model, line, start, &asked.outcome)
        asked.has_outcome = True
    elif writes_back(&asked.means):
        start = max(start, dram_write_like(model, line.channel, 2 * asked.means.write_opens > asked.means.writes,
                                           start))
    model.slices.age += asked.outcome.misses
    return start


cdef int64_t l2_pass(Model *model, const Line *line, int64_t at) noexcept nogil:
    cdef int64_t start = port_among(model.l2_ports + line.channel, at, &model.l2_line), there
    model.stats.l2_read_lines += 1
    if is_of_host(model, line.number):
        return link_read(model, start)
    there = dram_read(model, line.channel, line.block, start)
    if model.n_others:
        others_ask(model, line.number, at, False)
    return there


cdef int64_t l2_write(Model *model, uint32_t number, int64_t at) noexcept nogil:
    cdef Line line = l2_line(model, number)
    cdef int64_t start = port_among(model.l2_ports + line.channel, at, &model.l2_line)
    cdef Outcome outcome
    model.stats.l2_write_lines += 1
    if is_of_host(model, number):
        return link_write(model, start)
    if not model.n_others:
        return write_followed(model, &line, start, &outcome)
    start = write_among(model, &line, start)
    others_ask(model, number, at, True)
    return start


cdef int64_t l2_atomic(Model *model, uint32_t number, int64_t at, int64_t operations) noexcept nogil:
    """It is busy with the line for as many as meet at one address; those on the host's memory are done there."""
    cdef bint is_there
    cdef Line line = l2_line(model, number)
    cdef Service service = service_of(model, model.l2_cycles * operations)
    cdef int64_t start = port_among(model.l2_ports + line.channel, at, &service), place
    model.stats.atomics += operations
    model.stats.l2_read_lines += 1
    if is_of_host(model, number):
        model.stats.l2_misses += 1
        link_write(model, start)
        return link_read(model, start)
    if model.n_others:
        others_ask(model, number, at, True)
    place = take(model, line.set_, number, &is_there)
    if not is_there:
        model.stats.l2_misses += 1
        if model.l2.dirty[place]:
            write_back(model, place, start)
        model.l2.ready[place] = dram_read(model, line.channel, line.block, start)
    else:
        model.stats.l2_hits += 1
    model.l2.dirty[place] = 1
    return max(start, model.l2.ready[place]) + model.l2_cycles * operations
