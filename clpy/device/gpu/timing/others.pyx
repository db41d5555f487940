# SPDX-License-Identifier: Apache-2.0
"""What compute units ask memory for that are not followed.

Their groups stand beside those of the followed ones in the NDRange, do the same, and so their lines are where those
would be that many groups further on: an instruction's lines in groups that are neighbours, in a row and from row to
row, say how far that is. What is behind the place where groups go different ways is compared too, each instruction's
first turn. Where they do not say it (indices from memory) others' lines are somewhere among those that the
instruction has been seen to touch.
"""
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, llabs, malloc
from libc.string cimport memcmp, memcpy
from clpy.device.gpu.timing.lines cimport SCRATCH_BIT
from clpy.device.gpu.timing.model cimport BESIDE, BY_ITSELF, OF_MISS, Apart, Asked, GroupTrace, Model, Step
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.simulated cimport Simulated
from clpy.device.gpu.timing.slices cimport slices_close, slices_open
from clpy.device.gpu.timing.waves cimport KIND_IMAGE_LOAD, KIND_IMAGE_SAMPLE, UNIT_LDS, UNIT_SMEM, lines_of, told_of

cdef enum:
    RIGHT = BESIDE               # one further on in their row
    BELOW                        # one of another row
    COMPARED
    NONE = -1                    # no line
    HASH = 40503
    ROWS_APART = 1 << 16         # lines, of many rows of memory
    UNEVEN = 4                   # distances may differ by this part of them
    MOST_COLUMNS = 16            # that are told apart

ctypedef struct Places:          # of the groups that are compared
    int64_t in_row               # groups that a row of the launch has
    int64_t right                # groups from the first to RIGHT; 0: there is no such group
    int64_t rows                 # to BELOW, likewise
    int64_t columns[MOST_COLUMNS]        # in which groups are followed, n_columns of the Model


cdef inline bint is_memory(const Steps *steps, int64_t step) noexcept nogil:
    return UNIT_SMEM <= steps.steps[step].unit <= UNIT_LDS


cdef bint is_regular(const int64_t *line) noexcept nogil:
    """Lines are whole numbers, distances of groups are not."""
    cdef int64_t all_ = line[BESIDE - 1] - line[0], i
    cdef int64_t most = max(llabs(all_) // ((BESIDE - 1) * UNEVEN), 1)
    for i in range(BESIDE - 1):
        if llabs(line[i + 1] - line[i] - all_ // (BESIDE - 1)) > most:
            return False
    return True


cdef inline bint is_image(const Step *step) noexcept nogil:
    """Then rows of pixels are uneven, and yet neighbours share them."""
    return KIND_IMAGE_LOAD <= step.kind <= KIND_IMAGE_SAMPLE


cdef bint is_even(const int64_t *line) noexcept nogil:
    """Whether distances of neighbours differ by no more than lines being whole."""
    cdef int64_t first = line[1] - line[0], i
    for i in range(1, BESIDE - 1):
        if llabs(line[i + 1] - line[i] - first) > 1:
            return False
    return True


cdef void mean_distances(const int64_t *line, const Places *places, int64_t *beside, int64_t *apart,
                         int64_t *below) noexcept nogil:
    """Lines from a group to the one that is `apart` groups further on in its row, and to the one below it."""
    beside[0], apart[0] = line[2] + line[3] - line[0] - line[1], BESIDE
    if places.right:
        beside[0], apart[0] = line[RIGHT] - line[0], places.right
    below[0] = beside[0] * places.in_row // apart[0]
    if places.rows:
        below[0] = (line[BELOW] - line[0]) // places.rows


cdef void regular(Simulated *it, Asked *asked, const int64_t *line, const Places *places) noexcept nogil:
    cdef int64_t beside, apart, i, below
    cdef const Apart **by_column
    mean_distances(line, places, &beside, &apart, &below)
    asked.apart = in_columns(it, places.columns[0], places, beside, apart, below)
    if it.model.n_columns == 1 or below == beside * places.in_row // apart:
        return
    by_column = <const Apart **> malloc(it.model.n_columns * sizeof(void *))
    if by_column == NULL:
        return
    for i in range(it.model.n_columns):
        by_column[i] = in_columns(it, places.columns[i], places, beside, apart, below)
        if by_column[i] == NULL:
            free(by_column)
            return
    asked.by_column = by_column


cdef const Apart *in_columns(Simulated *it, int64_t column, const Places *places, int64_t beside, int64_t apart,
                             int64_t below) noexcept nogil:
    """The groups of a block that begins in this column of the launch, seen from its first: behind it in its row, and
    then in the next ones."""
    cdef int64_t i
    for i in range(it.model.n_others):
        it.away[i] = clamped(to_other(it, i, column, places, beside, apart, below))
    return apart_of(it, True, True)


cdef inline int64_t to_other(const Simulated *it, int64_t i, int64_t column, const Places *places, int64_t beside,
                             int64_t apart, int64_t below) noexcept nogil:
    cdef int64_t place = column + (i + 1) * it.model.n_units
    return (place % places.in_row - column) * beside // apart + place // places.in_row * below


cdef inline int32_t clamped(int64_t away) noexcept nogil:
    return <int32_t> max(min(away, INT32_MAX), -INT32_MAX)


cdef void uneven(Simulated *it, Asked *asked, const int64_t *line, const Places *places) noexcept nogil:
    """Where it is not known how far each is, but how far they are on average: in the sets of the L2 that they would
    have then, which are used evenly, and not where any other is."""
    cdef const Model *m = &it.model
    cdef int64_t beside, apart, below, i, turn = m.l2.sets.by * <int64_t> m.l2_channels.by
    mean_distances(line, places, &beside, &apart, &below)
    turn *= max(BY_ITSELF // turn, 1)
    for i in range(m.n_others):
        it.away[i] = clamped((i + 1) * turn + to_other(it, i, 0, places, beside, apart, below))
    asked.apart = apart_of(it, False, False)


cdef void scratch(Simulated *it, Asked *asked) noexcept nogil:
    """Each wavefront's own, one compute unit's behind the other's."""
    cdef const Model *m = &it.model
    cdef int64_t i
    for i in range(m.n_others):
        it.away[i] = <int32_t> ((i + 1) * m.n_units * m.waves_per_simd * m.simds * m.scratch_lines)
    asked.apart = apart_of(it, True, False)


cdef void by_itself(Simulated *it, Asked *asked) noexcept nogil:
    """Where it is only known that others' lines are other ones; they lie in rows of memory like any."""
    cdef int32_t i
    for i in range(it.model.n_others):
        it.away[i] = (i + 1) * BY_ITSELF + <int32_t> (i * <int64_t> HASH % ROWS_APART)
    asked.apart = apart_of(it, False, False)


cdef const Apart *apart_of(Simulated *it, bint is_regular, bint by_groups) noexcept nogil:
    """The distances in `away`, each once. Where there is no memory they are not known."""
    cdef Model *m = &it.model
    cdef Apart *apart = m.aparts + m.n_aparts
    cdef int32_t i, k
    apart.lines = <int32_t *> malloc(3 * m.n_others * sizeof(int32_t))
    if apart.lines == NULL:
        return NULL
    apart.times = apart.lines + m.n_others
    apart.of_unit = apart.times + m.n_others
    apart.n, apart.is_regular, apart.by_groups = 0, is_regular, by_groups
    for i in range(m.n_others):
        k = 0
        while k < apart.n and apart.lines[k] != it.away[i]:
            k += 1
        if k == apart.n:
            apart.lines[k], apart.times[k] = it.away[i], 0
            apart.n += 1
        apart.times[k] += 1
        apart.of_unit[i] = k
    for i in range(<int32_t> m.n_aparts):
        if is_same(m.aparts + i, apart, m.n_others):
            free(apart.lines)
            return m.aparts + i
    m.n_aparts += 1
    return apart


cdef bint is_same(const Apart *apart, const Apart *other, int64_t n_others) noexcept nogil:
    return (apart.n == other.n and apart.by_groups == other.by_groups
            and memcmp(apart.lines, other.lines, apart.n * sizeof(int32_t)) == 0
            and memcmp(apart.of_unit, other.of_unit, n_others * sizeof(int32_t)) == 0)


cdef void judge(Simulated *it, int64_t step, const int64_t *line, const Places *places) noexcept nogil:
    """What the first lines that an instruction touches in the groups say of the others'."""
    cdef Model *m = &it.model
    m.asked[step].is_known = True            # by chance anything looks regular once
    if line[0] & <uint32_t> SCRATCH_BIT:
        scratch(it, m.asked + step)
    elif line[0] >= m.by_turn and (line[0] != line[1] or line[0] != line[2] or line[0] != line[3]):
        by_itself(it, m.asked + step)        # numbers in the order in which they appeared
    elif is_regular(line) and not is_even(line) and not is_image(it.steps.steps + step):
        uneven(it, m.asked + step, line, places)
    elif is_regular(line):
        regular(it, m.asked + step, line, places)


cdef void compare(Simulated *it, const uint32_t **at, uint32_t block, const Places *places) noexcept nogil:
    """The memory instructions of a block that all came to."""
    cdef Steps *steps = &it.steps
    cdef uint32_t memory = steps.memory[block]
    cdef int64_t line[COMPARED]
    cdef int64_t i, step
    cdef bint touches
    for step in range(steps.first[block], steps.first[block + 1]):
        if not is_memory(steps, step):
            continue
        touches = True
        for i in range(COMPARED):
            if at[i] == NULL:
                continue
            touches = touches and lines_of(at[i][0])
            line[i] = at[i][1] if touches else 0
            at[i] += 1 + told_of(at[i][0]) + steps.extra[memory]
        memory += 1
        if touches and not it.model.asked[step].is_known:
            judge(it, step, line, places)


cdef void compare_waves(Simulated *it, const GroupTrace *const *groups, const Places *places) noexcept nogil:
    """The first of each group, as far as they go the same way."""
    cdef const uint32_t *at[COMPARED]
    cdef const uint32_t *end[COMPARED]
    cdef uint32_t block
    cdef int64_t i
    for i in range(COMPARED):
        at[i] = end[i] = NULL
        if groups[i] != NULL:
            at[i], end[i] = groups[i].waves[0].at, groups[i].waves[0].end
    while True:
        for i in range(COMPARED):
            if at[i] != NULL and (at[i] >= end[i] or at[i][0] != at[0][0]):
                return
        block = at[0][0]
        for i in range(COMPARED):
            if at[i] != NULL:
                at[i] += 1
        compare(it, at, block, places)


cdef void first_lines(const Steps *steps, const GroupTrace *group, int64_t *line) noexcept nogil:
    """The first line that the group's first wavefront touches by each instruction; NONE: it does not."""
    cdef const uint32_t *at = group.waves[0].at
    cdef uint32_t block, memory
    cdef int64_t step
    for step in range(steps.n_steps):
        line[step] = NONE
    while at < group.waves[0].end:
        block, memory = at[0], steps.memory[at[0]]
        at += 1
        for step in range(steps.first[block], steps.first[block + 1]):
            if is_memory(steps, step):
                if line[step] == NONE and lines_of(at[0]):
                    line[step] = at[1]
                at += 1 + told_of(at[0]) + steps.extra[memory]
                memory += 1


cdef void compare_apart(Simulated *it, const GroupTrace *const *groups, const Places *places) noexcept nogil:
    """What is behind the place where groups part: there each instruction's first turn is taken for the same one."""
    cdef int64_t n = it.steps.n_steps, i, step
    cdef int64_t line[COMPARED]
    cdef int64_t *lines = <int64_t *> malloc(COMPARED * n * sizeof(int64_t))
    cdef Places known
    cdef bint touches
    if lines == NULL:
        return
    for i in range(COMPARED):
        if groups[i] != NULL:
            first_lines(&it.steps, groups[i], lines + i * n)
    for step in range(n):
        if it.model.asked[step].is_known or not is_memory(&it.steps, step):
            continue
        known, touches = places[0], True
        for i in range(COMPARED):
            line[i] = lines[i * n + step] if groups[i] != NULL else NONE
            touches = touches and (line[i] != NONE or i >= BESIDE)
        known.right = 0 if line[RIGHT] == NONE else known.right
        known.rows = 0 if line[BELOW] == NONE else known.rows
        if touches:
            judge(it, step, line, &known)
    free(lines)


cdef void find_columns(Simulated *it, Places *places) noexcept nogil:
    """Of many some are taken for those near them."""
    cdef Model *m = &it.model
    cdef int64_t i, column
    cdef int32_t k, nearest
    m.n_columns = 1
    places.columns[0] = 0
    for i in range(m.fed):
        m.groups[i].turn = <int32_t> (m.groups[i].number % it.period % it.in_block)
        column, nearest = (m.groups[i].number - m.groups[i].turn) % places.in_row, 0
        for k in range(1, m.n_columns):
            if llabs(places.columns[k] - column) < llabs(places.columns[nearest] - column):
                nearest = k
        if places.columns[nearest] != column and m.n_columns < MOST_COLUMNS:
            nearest = m.n_columns
            places.columns[nearest] = column
            m.n_columns += 1
        m.groups[i].column = nearest


cdef void find_in_rows(Simulated *it, Places *places) noexcept nogil:
    """As far as all go together, then without those that are further away, and then what is behind that."""
    cdef const GroupTrace *groups[COMPARED]
    cdef const GroupTrace *all_[COMPARED]
    cdef Places all_places
    cdef int64_t i, number
    places.right = places.rows = 0
    groups[RIGHT] = groups[BELOW] = NULL
    for i in range(BESIDE):
        groups[i] = it.compared + i
    for i in range(1, it.model.fed):
        number = it.model.groups[i].number
        if BESIDE <= number < places.in_row:
            groups[RIGHT], places.right = it.model.groups + i, number
        if number % places.in_row == 0:
            groups[BELOW], places.rows = it.model.groups + i, number // places.in_row
            break
    if groups[BELOW] == NULL and it.below.waves != NULL:
        groups[BELOW], places.rows = &it.below, it.number_below // places.in_row
    memcpy(all_, groups, sizeof(groups))
    all_places = places[0]
    compare_waves(it, groups, places)
    groups[BELOW], places.rows = NULL, 0
    compare_waves(it, groups, places)
    groups[RIGHT], places.right = NULL, 0
    compare_waves(it, groups, places)
    compare_apart(it, all_, &all_places)


cdef const Apart *scattered(Simulated *it) noexcept nogil:
    cdef int32_t i
    for i in range(it.model.n_others):
        it.away[i] = (i + 1) * BY_ITSELF
    return apart_of(it, False, False)


cdef bint find_others(Simulated *it) noexcept nogil:
    cdef Model *m = &it.model
    cdef Places places
    cdef int64_t i
    if not m.n_others:
        return True
    places.in_row = it.groups[0] if it.groups[0] > 1 else it.groups[1]
    find_columns(it, &places)
    it.away = <int32_t *> malloc(m.n_others * sizeof(int32_t))
    m.aparts = <Apart *> calloc(it.steps.n_steps * m.n_columns + 2, sizeof(Apart))   # one turns out to be there
    if it.away == NULL or m.aparts == NULL or not slices_open(m, 1 if it.few else OF_MISS):
        return False
    m.scattered = scattered(it)
    if m.scattered == NULL:
        return False
    for i in range(it.steps.n_steps):
        m.asked[i].low = ~<uint32_t> 0
    if it.n_compared == BESIDE:
        find_in_rows(it, &places)
    return True


cdef void others_close(Simulated *it) noexcept nogil:
    cdef int64_t i
    for i in range(it.model.n_aparts):
        free(it.model.aparts[i].lines)
        free(it.model.aparts[i].seen)
    free(it.model.aparts)
    for i in range(it.steps.n_steps if it.model.asked != NULL else 0):
        free(it.model.asked[i].by_column)
    slices_close(&it.model)
    free(it.away)
