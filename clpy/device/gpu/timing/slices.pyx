# SPDX-License-Identifier: Apache-2.0
"""Slices of the L2: see slices.pxd."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset
from clpy.device.gpu.timing.model cimport FEW, OF_MISS, Apart, Had, Model, Place, Seen, divisor

cdef enum:
    MOST_BANKS = 16              # that slices are of
    PARTS = 4                    # slices that a bank is, or the square of that: the number of a slice fits a byte
    LEAST_SETS = 12              # of each
    BUDGET = 1 << 16             # requests
    SCATTERED = 1 << 11          # likewise, where most are for lines that are anywhere
    MOST_OTHERS = 64             # a bit for each
    MOST_CHANNELS = 256

cdef uint64_t MULTIPLIER = 6364136223846793005       # of Knuth's MMIX


cdef uint32_t banks_of(const Model *model) noexcept nogil:
    """So many slices, where sets and blocks allow it: a power of two."""
    cdef uint32_t n = 1, blocks = model.l2.sets.by // model.interleave_lines.by
    if model.n_others > MOST_OTHERS or model.l2_channels.by > MOST_CHANNELS:
        return 1
    while 2 * n <= MOST_BANKS and model.banks.by % (2 * n) == 0 and blocks and blocks % (2 * n) == 0:
        n *= 2
    return n


cdef uint32_t parts_of(const Model *model, uint32_t n) noexcept nogil:
    cdef uint32_t channels = model.l2_channels.by
    if n == 1 or channels % PARTS:
        return 1
    if channels % (PARTS * PARTS) or channels * model.l2.sets.by < LEAST_SETS * n * PARTS * PARTS:
        return PARTS
    return PARTS * PARTS


cdef bint slices_open(Model *model, int64_t of_hit) noexcept nogil:
    cdef uint32_t n = banks_of(model), channels = model.l2_channels.by, each = model.interleave_lines.by
    cdef uint32_t parts = parts_of(model, n)
    cdef uint32_t of_bank[MOST_BANKS]
    cdef uint32_t ends[MOST_BANKS * PARTS * PARTS]
    cdef uint32_t channel, i, k, line
    cdef uint64_t random = 1
    model.slices.n = model.slices.followed = n * parts
    model.slices.parts = parts
    model.slices.left = SCATTERED * OF_MISS
    model.slices.of_hit = of_hit
    model.slices.lasts = model.l2.sets.by * channels * model.l2.ways
    model.slices.lines = divisor(n * channels * each)
    model.slices.places = <Place *> malloc(n * channels * each * sizeof(Place))
    model.slices.members = <uint32_t *> malloc(n * channels * each * sizeof(uint32_t))
    model.slices.had = <Had *> calloc(1 << HAD_BITS, sizeof(Had))
    if model.slices.places == NULL or model.slices.members == NULL or model.slices.had == NULL:
        return False
    for channel in range(channels):
        for i in range(n):                   # in any order, the same at all times
            random = random * MULTIPLIER + 1
            k = <uint32_t> ((random >> 33) % (i + 1))
            of_bank[i] = of_bank[k]
            of_bank[k] = i
        for i in range(n):
            for line in range(each):
                model.slices.places[(i * channels + channel) * each + line] = Place(
                    <uint16_t> (of_bank[i] * parts + channel % parts), <uint16_t> channel)
    for i in range(n * parts):
        ends[i] = i * channels * each // parts
    for line in range(n * channels * each):
        i = model.slices.places[line].slice_
        model.slices.members[ends[i]] = line
        ends[i] += 1
    return True


cdef void slices_close(Model *model) noexcept nogil:
    free(model.slices.places)
    free(model.slices.members)
    free(model.slices.had)


cdef void slices_fewer(Model *model) noexcept nogil:
    """Where there is no memory for what that takes, all is followed."""
    cdef Apart *apart
    cdef int64_t i, budget
    cdef bint is_regular = model.slices.regular > 0
    if is_regular and not model.slices.is_long:
        budget = max(<int64_t> BUDGET * model.slices.followed // model.slices.n, 2 * SCATTERED)
        model.slices.left, model.slices.is_long = (budget - SCATTERED) * OF_MISS, True
        return
    model.slices.left, model.slices.is_long = SCATTERED * OF_MISS, False
    model.slices.regular = 0
    if model.slices.followed == 1 or (is_regular and model.slices.followed <= model.slices.parts):
        return
    for i in range(model.n_aparts):
        apart = model.aparts + i
        if apart.seen == NULL:
            apart.seen = <Seen *> malloc(model.slices.lines.by * sizeof(Seen))
        if apart.seen == NULL:
            return
    model.slices.followed //= 2
    for i in range(model.n_aparts):
        memset(model.aparts[i].seen, 0, model.slices.lines.by * sizeof(Seen))


cdef void look(const Model *model, const Apart *apart, uint32_t line, Seen *seen) noexcept nogil:
    cdef int32_t i, k
    cdef uint32_t there
    cdef uint8_t channel
    seen.is_known, seen.followed, seen.n_channels = True, 0, 0
    for i in range(apart.n):
        there = line + <uint32_t> apart.lines[i]
        if is_followed(model, there):
            seen.followed |= <uint64_t> 1 << i
            continue
        channel = <uint8_t> model.slices.places[rest_of(model, there)].channel
        k = 0
        while k < seen.n_channels and seen.channels[k] != channel:
            k += 1
        if k == FEW:
            all_in_one(model, apart, line, seen)
            return
        if k == seen.n_channels:
            seen.channels[k], seen.lines[k], seen.times[k] = channel, 0, 0
            seen.n_channels += 1
        seen.lines[k] += 1
        seen.times[k] += <uint8_t> apart.times[i]


cdef void all_in_one(const Model *model, const Apart *apart, uint32_t line, Seen *seen) noexcept nogil:
    """Whatever channels they are on."""
    cdef int32_t i
    seen.n_channels, seen.lines[0], seen.times[0], seen.followed = -1, 0, 0, 0
    for i in range(apart.n):
        if is_followed(model, line + <uint32_t> apart.lines[i]):
            seen.followed |= <uint64_t> 1 << i
        else:
            seen.lines[0] += 1
            seen.times[0] += <uint8_t> apart.times[i]
