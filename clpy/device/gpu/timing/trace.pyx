# SPDX-License-Identifier: Apache-2.0
"""From what threads wrote (include/clpy_wave.h) to a trace for each wavefront, the same whatever thread wrote it where.

Pieces are found, groups put in order, and the pieces of each wavefront copied together, the lines with the model's
numbers (lines.pyx), so that no address of the host is left. A prepared trace is as the header describes but that a line
is one word and wavefront headers are gone. Lines that follow each other may have numbers that do not.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcpy, memset
from clpy.device.gpu.timing.lines cimport SCRATCH_BIT, Lines, Range, is_run, latest_range, line_number, search_number
from clpy.device.gpu.timing.model cimport MOST_GROUP_WAVES, GroupTrace, WaveTrace
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.room cimport room_give, room_take
from clpy.device.gpu.timing.waves cimport (
    CLPY_WAVE_BEGINS, CLPY_WAVE_HEADER, CLPY_WAVE_LINES, CLPY_WAVE_PRIVATE, CLPY_WAVE_RUN, UNIT_BARRIER, UNIT_END,
    lines_of, told_of)

cdef enum:
    SCATTERED = 16               # lines of an access

ctypedef struct Piece:           # of a wavefront's trace, which goes on in another one
    const uint32_t *words        # behind the header
    int64_t n_words
    int64_t following            # 0: none; numbers of pieces begin at 1

ctypedef struct Way:             # of a wavefront: its pieces in order
    int64_t first, last

ctypedef struct Told:            # of a group, by one thread
    int64_t group                # its number in the launch
    Way ways[MOST_GROUP_WAVES]

ctypedef struct Pieces:
    Room room                    # for the list, which has no number 0
    Piece *list
    int64_t n
    Told *groups
    int64_t n_groups, groups_room
    int64_t n_words              # prepared ones, at most

ctypedef struct Place:           # of a group in Pieces.groups
    int64_t group, index

ctypedef struct Copy:            # of a wavefront's trace
    uint32_t *into
    int64_t n_blocks
    int unit                     # of the latest block's last step; UNIT_BARRIER: there is none yet
    int64_t scattered            # lines of accesses to many that do not follow each other

cdef const char *NO_MEMORY = b"no memory for the traces of wavefronts"


cdef int by_place(const void *a, const void *b) noexcept nogil:
    cdef const Place *x = <const Place *> a
    cdef const Place *y = <const Place *> b
    if x.group != y.group:
        return -1 if x.group < y.group else 1
    return -1 if x.index < y.index else 1


cdef inline int64_t most_lines(const uint32_t *words, int64_t n) noexcept nogil:
    """Words that the lines of a step may have when it is prepared. Those of private memory have numbers that follow
    each other, but for the last there are."""
    if words[0] & CLPY_WAVE_RUN and n > 2 and words[2] >> 31 and words[1] < SCRATCH_BIT - CLPY_WAVE_LINES:
        return 1
    return lines_of(words[0])


cdef int64_t block_words(const Steps *program, const uint32_t *words, int64_t n, int64_t *prepared) noexcept nogil:
    """Words of a block with what follows it; -1 where that is more than there are, or no block. `prepared` grows by
    as many as it may have in the end."""
    cdef uint32_t block = words[0], step
    cdef int64_t at = 1
    if block >= <uint32_t> program.n_blocks:
        return -1
    for step in range(program.memory[block], program.memory[block + 1]):
        if at >= n:
            return -1
        prepared[0] += 1 + most_lines(words + at, n - at) + program.extra[step]
        at += 1 + 2 * <int64_t> told_of(words[at]) + program.extra[step]
    prepared[0] += 1
    return at if at <= n else -1


cdef bint one_more(void **list, int64_t n, int64_t *room, size_t size) noexcept nogil:
    """Room for one more, which holds anything."""
    cdef int64_t more = 2 * room[0] + 64
    cdef void *moved
    if n < room[0]:
        return True
    moved = realloc(list[0], more * size)
    if moved == NULL:
        return False
    list[0], room[0] = moved, more
    return True


cdef Piece *add_piece(Pieces *pieces, int64_t group, uint32_t number) noexcept nogil:
    """The next piece of a group's wavefront; NULL: there is no memory. A thread tells of one group after the other."""
    cdef Told *told
    cdef Way *way
    if pieces.n_groups == 0 or pieces.groups[pieces.n_groups - 1].group != group:
        if not one_more(<void **> &pieces.groups, pieces.n_groups, &pieces.groups_room, sizeof(Told)):
            return NULL
        told = pieces.groups + pieces.n_groups
        memset(told, 0, sizeof(Told))
        told.group = group
        pieces.n_groups += 1
    told = pieces.groups + pieces.n_groups - 1
    pieces.n += 1
    pieces.list[pieces.n].following = 0
    way = told.ways + number
    if way.first:
        pieces.list[way.last].following = pieces.n
    else:
        way.first = pieces.n
    way.last = pieces.n
    return pieces.list + pieces.n


cdef const char *read_pieces(const Steps *program, const Words *sink, const int64_t *groups,
                             Pieces *pieces) noexcept nogil:
    """The pieces in what one thread wrote."""
    cdef const uint32_t *words = sink.words
    cdef int64_t at = 0, n = sink.n, size, group
    cdef Piece *piece
    while at < n:
        if words[at] != CLPY_WAVE_BEGINS or n - at < CLPY_WAVE_HEADER:
            return b"the trace of a wavefront does not begin with its header"
        if words[at + 1] >= groups[0] or words[at + 2] >= groups[1] or words[at + 3] >= groups[2]:
            return b"the trace of a wavefront names a group that the launch does not have"
        if words[at + 4] >= MOST_GROUP_WAVES:
            return b"the trace of a wavefront has a number that no group has wavefronts for"
        group = words[at + 1] + groups[0] * (words[at + 2] + groups[1] * <int64_t> words[at + 3])
        piece = add_piece(pieces, group, words[at + 4])
        if piece == NULL:
            return NO_MEMORY
        at += CLPY_WAVE_HEADER
        piece.words = words + at
        while at < n and words[at] != CLPY_WAVE_BEGINS:
            size = block_words(program, words + at, n - at, &pieces.n_words)
            if size < 0:
                return b"the trace of a wavefront does not fit its program"
            at += size
        piece.n_words = words + at - piece.words
    return NULL


cdef Place *in_order(Pieces *pieces) noexcept nogil:
    """The groups in the launch's order; NULL: there is no memory."""
    cdef Place *places = <Place *> malloc(pieces.n_groups * sizeof(Place))
    cdef bint sorted_ = True
    cdef int64_t i
    if places == NULL:
        return NULL
    for i in range(pieces.n_groups):
        places[i].group, places[i].index = pieces.groups[i].group, i
        sorted_ = sorted_ and (i == 0 or places[i - 1].group < places[i].group)
    if not sorted_:
        qsort(places, pieces.n_groups, sizeof(Place), by_place)
    return places


cdef void join(Pieces *pieces, Told *told, const Told *more) noexcept nogil:
    """What else was told of a group goes behind what was."""
    cdef int64_t i
    for i in range(MOST_GROUP_WAVES):
        if more.ways[i].first == 0:
            continue
        if told.ways[i].first:
            pieces.list[told.ways[i].last].following = more.ways[i].first
        else:
            told.ways[i].first = more.ways[i].first
        told.ways[i].last = more.ways[i].last


cdef inline uint32_t *copy_lines(Lines *lines, const uint32_t *words, uint32_t *into) noexcept nogil:
    """The lines that a step touches; NULL: there is no memory."""
    cdef uint32_t n = lines_of(words[0]), i
    cdef uint64_t line
    cdef int64_t number
    cdef Range found = latest_range(lines)       # most lines of a step are in one
    into[0] = words[0]
    if words[0] & CLPY_WAVE_RUN:
        return copy_run(lines, words[1] | <uint64_t> words[2] << 32, n, into)
    for i in range(n):
        memcpy(&line, words + 1 + 2 * i, sizeof(line))
        if line - found.first < found.last - found.first:
            into[1 + i] = found.number + <uint32_t> (line - found.first)
            continue
        number = search_number(lines, line)
        if number < 0:
            return NULL
        into[1 + i] = <uint32_t> number
        found = latest_range(lines)
    return into + 1 + n


cdef uint32_t *copy_run(Lines *lines, uint64_t line, uint32_t n, uint32_t *into) noexcept nogil:
    """So many lines that follow each other: as one where their numbers do, too."""
    cdef int64_t number
    cdef uint32_t i
    if line & CLPY_WAVE_PRIVATE and is_run(lines, line, n):
        into[1] = SCRATCH_BIT | <uint32_t> (line & (SCRATCH_BIT - 1))
        return into + 2
    for i in range(n):
        number = line_number(lines, line + i)
        if number < 0:
            return NULL
        into[1 + i] = <uint32_t> number
        if i == 0 and is_run(lines, line, n):
            return into + 2
    into[0] &= ~CLPY_WAVE_RUN
    return into + 1 + n


cdef const char *copy_piece(const Steps *program, Lines *lines, const Piece *piece, Copy *copy) noexcept nogil:
    """Write the blocks of a piece."""
    cdef const uint32_t *words = piece.words
    cdef const uint32_t *end = words + piece.n_words
    cdef uint32_t *into = copy.into
    cdef uint32_t block, step
    while words < end:
        if copy.unit == UNIT_END:
            return b"a wavefront's trace goes on behind its end"
        block = words[0]
        into[0] = block
        into += 1
        words += 1
        copy.n_blocks += 1
        copy.unit = program.steps[program.first[block + 1] - 1].unit
        for step in range(program.memory[block], program.memory[block + 1]):
            into = copy_lines(lines, words, into)
            if into == NULL:
                return NO_MEMORY
            if told_of(words[0]) >= SCATTERED:
                copy.scattered += told_of(words[0])
            words += 1 + 2 * told_of(words[0])
            if program.extra[step]:
                into[0] = words[0]
                into += 1
                words += 1
    copy.into = into
    return NULL


cdef const char *copy_wave(const Steps *program, Lines *lines, const Pieces *pieces, int64_t piece, WaveTrace *wave,
                           Copy *copy, GroupTrace *group) noexcept nogil:
    """A wavefront's last block is one that ends, or it was cut there: then it is none at whose end others wait."""
    cdef const char *wrong
    wave.at = copy.into
    copy.unit = UNIT_BARRIER
    while piece:
        wrong = copy_piece(program, lines, pieces.list + piece, copy)
        if wrong != NULL:
            return wrong
        piece = pieces.list[piece].following
    wave.end = copy.into
    if wave.at == wave.end:
        return b"a wavefront went through no block"
    if copy.unit == UNIT_BARRIER:
        return b"a wavefront's trace ends at a barrier"
    group.is_cut = group.is_cut or copy.unit != UNIT_END
    return NULL


cdef const char *copy_group(const Steps *program, Lines *lines, const Pieces *pieces, const Told *told, Copy *copy,
                            WaveTrace **wave, Batch *batch) noexcept nogil:
    cdef GroupTrace *group = batch.groups + batch.n_groups
    cdef int64_t i
    cdef const char *wrong
    if told.group <= batch.last_group:
        return b"a group is traced behind a later one"
    batch.last_group = group.number = told.group
    batch.n_groups += 1
    group.waves = wave[0]
    group.n_blocks = -copy.n_blocks
    for i in range(MOST_GROUP_WAVES):
        if told.ways[i].first == 0:
            continue
        if i != group.n_waves:
            return b"a group has no trace of one of its wavefronts"
        wrong = copy_wave(program, lines, pieces, told.ways[i].first, wave[0], copy, group)
        if wrong != NULL:
            return wrong
        group.n_waves += 1
        wave[0] += 1
    group.n_blocks += copy.n_blocks
    return NULL


cdef const char *copy_groups(const Steps *program, Lines *lines, Pieces *pieces, const Place *places,
                             Batch *batch) noexcept nogil:
    """Fill a batch, whose memory is there."""
    cdef WaveTrace *wave = batch.waves
    cdef Copy copy = Copy(batch.room.words, 0, UNIT_BARRIER, 0)
    cdef int64_t i = 0
    cdef Told *told
    cdef const char *wrong = NULL
    while i < pieces.n_groups and wrong == NULL:
        told = pieces.groups + places[i].index
        i += 1
        while i < pieces.n_groups and places[i].group == told.group:
            join(pieces, told, pieces.groups + places[i].index)
            i += 1
        wrong = copy_group(program, lines, pieces, told, &copy, &wave, batch)
    batch.scattered = copy.scattered
    return wrong


cdef bint make_list(Pieces *pieces, const Words *sinks, int64_t n_sinks) noexcept nogil:
    """Room for as many pieces as there may be, each with a header. What nobody writes to costs nothing."""
    cdef int64_t i, words = 0
    for i in range(n_sinks):
        words += sinks[i].n
    words = (words // CLPY_WAVE_HEADER + 2) * <int64_t> sizeof(Piece) // <int64_t> sizeof(uint32_t)
    pieces.room = room_take(words, False)
    pieces.list = <Piece *> pieces.room.words
    return pieces.list != NULL


cdef const char *fill(const Steps *program, Lines *lines, const Words *sinks, int64_t n_sinks, const int64_t *sizes,
                      Pieces *pieces, Batch *batch) noexcept nogil:
    cdef int64_t i
    cdef Place *places
    cdef const char *wrong = NO_MEMORY
    if not make_list(pieces, sinks, n_sinks):
        return wrong
    for i in range(n_sinks):
        wrong = read_pieces(program, sinks + i, sizes, pieces)
        if wrong != NULL:
            return wrong
    if pieces.n == 0:
        return b"there are no wavefronts in the trace"
    batch.room = room_take(pieces.n_words, False)
    batch.waves = <WaveTrace *> calloc(pieces.n, sizeof(WaveTrace))
    batch.groups = <GroupTrace *> calloc(pieces.n_groups, sizeof(GroupTrace))
    places = in_order(pieces)
    wrong = NO_MEMORY
    if batch.room.words != NULL and batch.waves != NULL and batch.groups != NULL and places != NULL:
        wrong = copy_groups(program, lines, pieces, places, batch)
    free(places)
    return wrong


cdef const char *prepare(const Steps *program, Lines *lines, const Words *sinks, int64_t n_sinks, const int64_t *sizes,
                         int64_t behind, Batch *batch) noexcept nogil:
    cdef Pieces pieces
    cdef const char *wrong
    memset(&pieces, 0, sizeof(Pieces))
    memset(batch, 0, sizeof(Batch))
    batch.last_group = behind
    wrong = fill(program, lines, sinks, n_sinks, sizes, &pieces, batch)
    if wrong != NULL:
        batch_free(batch)
    room_give(pieces.room)
    free(pieces.groups)
    return wrong


cdef void batch_free(Batch *batch) noexcept nogil:
    room_give(batch.room)
    free(batch.waves)
    free(batch.groups)
    memset(batch, 0, sizeof(Batch))
