# SPDX-License-Identifier: Apache-2.0
"""From what threads wrote (include/clpy_wave.h) to a trace for each wavefront, the same whatever thread wrote it where.

Pieces are found, put in the order of groups and wavefronts, and copied together, the lines with the model's numbers
(lines.pyx), so that no address of the host is left. A prepared trace is as the header describes but that a line is one
word and wavefront headers are gone.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memset
from clpy.device.gpu.timing.lines cimport Lines, line_number
from clpy.device.gpu.timing.model cimport MOST_GROUP_WAVES, GroupTrace, WaveTrace
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.waves cimport UNIT_BARRIER, UNIT_END, CLPY_WAVE_BEGINS, CLPY_WAVE_HEADER

ctypedef struct Piece:
    int64_t group                # its number in the launch
    int64_t order                # wavefront, then appearance
    const uint32_t *words        # behind the header
    int64_t n_words

ctypedef struct Pieces:
    Piece *list
    int64_t n, room

cdef const char *NO_MEMORY = b"no memory for the traces of wavefronts"


cdef int by_place(const void *a, const void *b) noexcept nogil:
    cdef const Piece *x = <const Piece *> a
    cdef const Piece *y = <const Piece *> b
    if x.group != y.group:
        return -1 if x.group < y.group else 1
    return -1 if x.order < y.order else 1


cdef int64_t block_words(const Steps *program, const uint32_t *words, int64_t n) noexcept nogil:
    """Words of a block with what follows it; -1 where that is more than there are, or no block."""
    cdef uint32_t block = words[0], step
    cdef int64_t at = 1
    if block >= <uint32_t> program.n_blocks:
        return -1
    for step in range(program.memory[block], program.memory[block + 1]):
        if at >= n:
            return -1
        at += 1 + 2 * <int64_t> (words[at] & 0xffff) + program.extra[step]
    return at if at <= n else -1


cdef bint add_piece(Pieces *pieces, const Piece *piece) noexcept nogil:
    cdef Piece *wider
    if pieces.n == pieces.room:
        wider = <Piece *> realloc(pieces.list, (2 * pieces.room + 64) * sizeof(Piece))
        if wider == NULL:
            return False
        pieces.list = wider
        pieces.room = 2 * pieces.room + 64
    pieces.list[pieces.n] = piece[0]
    pieces.n += 1
    return True


cdef const char *read_pieces(const Steps *program, const Words *sink, const int64_t *groups,
                             Pieces *pieces) noexcept nogil:
    """The pieces in what one thread wrote."""
    cdef const uint32_t *words = sink.words
    cdef int64_t at = 0, n = sink.n, size
    cdef Piece piece
    while at < n:
        if words[at] != CLPY_WAVE_BEGINS or n - at < CLPY_WAVE_HEADER:
            return b"the trace of a wavefront does not begin with its header"
        if words[at + 1] >= groups[0] or words[at + 2] >= groups[1] or words[at + 3] >= groups[2]:
            return b"the trace of a wavefront names a group that the launch does not have"
        if words[at + 4] >= MOST_GROUP_WAVES:
            return b"the trace of a wavefront has a number that no group has wavefronts for"
        piece.group = words[at + 1] + groups[0] * (words[at + 2] + groups[1] * <int64_t> words[at + 3])
        piece.order = (<int64_t> words[at + 4] << 40) + pieces.n
        at += CLPY_WAVE_HEADER
        piece.words = words + at
        while at < n and words[at] != CLPY_WAVE_BEGINS:
            size = block_words(program, words + at, n - at)
            if size < 0:
                return b"the trace of a wavefront does not fit its program"
            at += size
        piece.n_words = words + at - piece.words
        if not add_piece(pieces, &piece):
            return NO_MEMORY
    return NULL


cdef uint32_t *copy_piece(const Steps *program, Lines *lines, const Piece *piece, uint32_t *into,
                          int64_t *n_blocks) noexcept nogil:
    """Write the blocks of a piece; returns the end, NULL where there is no memory."""
    cdef const uint32_t *words = piece.words
    cdef const uint32_t *end = words + piece.n_words
    cdef uint32_t block, step, n, _
    cdef int64_t number
    while words < end:
        block = words[0]
        into[0] = block
        into += 1
        words += 1
        n_blocks[0] += 1
        for step in range(program.memory[block], program.memory[block + 1]):
            n = words[0] & 0xffff
            into[0] = words[0]
            into += 1
            words += 1
            for _ in range(n):
                number = line_number(lines, words[0] | <uint64_t> words[1] << 32)
                if number < 0:
                    return NULL
                into[0] = <uint32_t> number
                into += 1
                words += 2
            if program.extra[step]:
                into[0] = words[0]
                into += 1
                words += 1
    return into


cdef const char *copy_waves(const Steps *program, Lines *lines, const Pieces *pieces, Batch *batch) noexcept nogil:
    """Fill a batch, whose memory is there."""
    cdef uint32_t *into = batch.words
    cdef int64_t i, group, number, wave = -1, latest_wave = -1
    cdef int64_t latest_group = batch.last_group
    cdef const char *wrong
    for i in range(pieces.n):
        group = pieces.list[i].group
        number = pieces.list[i].order >> 40
        if group != latest_group:
            if group <= latest_group:
                return b"a group is traced behind a later one"
            latest_group, latest_wave = group, -1
            batch.groups[batch.n_groups].waves = batch.waves + wave + 1
            batch.groups[batch.n_groups].number = group
            batch.n_groups += 1
        if number != latest_wave:
            if number != latest_wave + 1:
                return b"a group has no trace of one of its wavefronts"
            latest_wave = number
            wave += 1
            batch.groups[batch.n_groups - 1].n_waves += 1
            batch.waves[wave].at = into
        into = copy_piece(program, lines, pieces.list + i, into, &batch.n_blocks)
        if into == NULL:
            return NO_MEMORY
        batch.waves[wave].end = into
    batch.last_group = latest_group
    for i in range(wave + 1):
        wrong = check_end(program, batch.waves + i, batch)
        if wrong != NULL:
            return wrong
    return NULL


cdef const char *check_end(const Steps *program, const WaveTrace *wave, Batch *batch) noexcept nogil:
    """A wavefront's last block is one that ends, or it was cut there: then it is none at whose end others wait."""
    cdef const uint32_t *at = wave.at
    cdef uint32_t block = 0, step
    cdef int unit = UNIT_BARRIER
    if at == wave.end:
        return b"a wavefront went through no block"
    while at < wave.end:
        block = at[0]
        at += 1
        for step in range(program.memory[block], program.memory[block + 1]):
            at += 1 + (at[0] & 0xffff) + program.extra[step]
        unit = program.steps[program.first[block + 1] - 1].unit
        if unit == UNIT_END and at != wave.end:
            return b"a wavefront's trace goes on behind its end"
    if unit == UNIT_BARRIER:
        return b"a wavefront's trace ends at a barrier"
    batch.is_cut = batch.is_cut or unit != UNIT_END
    return NULL


cdef const char *fill(const Steps *program, Lines *lines, const Words *sinks, int64_t n_sinks, const int64_t *sizes,
                      Pieces *pieces, Batch *batch) noexcept nogil:
    cdef int64_t i, total = 0
    cdef const char *wrong
    for i in range(n_sinks):
        total += sinks[i].n
        wrong = read_pieces(program, sinks + i, sizes, pieces)
        if wrong != NULL:
            return wrong
    if pieces.n == 0:
        return b"there are no wavefronts in the trace"
    qsort(pieces.list, pieces.n, sizeof(Piece), by_place)
    batch.words = <uint32_t *> malloc(total * sizeof(uint32_t))
    batch.waves = <WaveTrace *> calloc(pieces.n, sizeof(WaveTrace))
    batch.groups = <GroupTrace *> calloc(pieces.n, sizeof(GroupTrace))
    if batch.words == NULL or batch.waves == NULL or batch.groups == NULL:
        return NO_MEMORY
    return copy_waves(program, lines, pieces, batch)


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
    free(pieces.list)
    return wrong


cdef void batch_free(Batch *batch) noexcept nogil:
    free(batch.words)
    free(batch.waves)
    free(batch.groups)
    memset(batch, 0, sizeof(Batch))
