# SPDX-License-Identifier: Apache-2.0
"""From what threads wrote (include/clpy_wave.h) to a trace for each wavefront, the same whatever thread wrote it where.

Pieces are found, put in the order of groups and wavefronts, and copied together, the lines with the model's numbers:
buffers lie one behind the other in the order of the table, lines of no buffer behind them in the order in which they
appear, so that no address of the host is left. A prepared trace is as the header describes but that a line is one word
and wavefront headers are gone.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memset
from clpy.device.gpu.timing.model cimport MOST_GROUP_WAVES, GroupTrace
from clpy.device.gpu.timing.program cimport Program
from clpy.device.gpu.timing.waves cimport (CLPY_WAVE_ARGUMENTS, CLPY_WAVE_PRIVATE, UNIT_END, CLPY_WAVE_BEGINS,
                                           CLPY_WAVE_HEADER)

cdef enum:
    PAGE_LINES = 64              # buffers begin at pages of 4 KB
    SCRATCH_BIT = 0x80000000

ctypedef struct Piece:
    int64_t group                # its number in the launch
    int64_t order                # wavefront, then appearance
    const uint32_t *words        # behind the header
    int64_t n_words

ctypedef struct Pieces:
    Piece *list
    int64_t n, room


cdef class LineNumbers:
    """`buffers`: (address, size) of each buffer that the kernel can reach, or (address, size, first line number), in an
    order that does not depend on addresses."""

    def __init__(self, buffers=()):
        cdef uint64_t number = ARGUMENT_LINES
        rows = []
        for address, size, *fixed in buffers:
            first, behind = address >> 6, -(-(address + max(size, 1)) // 64)
            at = fixed[0] if fixed else number
            rows.append((first, behind, at))
            number = max(number, -(-(at + behind - first) // PAGE_LINES) * PAGE_LINES)
        if number >= SCRATCH_BIT // 2:
            raise ValueError("buffers of more than 64 GB in one launch")
        rows.sort()
        self.n_ranges = len(rows)
        self.ranges = <Range *> calloc(self.n_ranges + 1, sizeof(Range))
        self.room = 1024
        self.entries = <Entry *> calloc(self.room, sizeof(Entry))
        if self.ranges == NULL or self.entries == NULL:
            raise MemoryError("no memory for the numbers of lines")
        for i, (first, behind, at) in enumerate(rows):
            self.ranges[i].first, self.ranges[i].last, self.ranges[i].number = first, behind, at
        self.next_number = <uint32_t> number
        self.scratch_first = SCRATCH_BIT

    def __dealloc__(self):
        free(self.ranges)
        free(self.entries)

    cdef int64_t number_of(self, uint64_t line) except -1 nogil:
        cdef Range *found = self.ranges + self.latest
        cdef int64_t low = 0, high = self.n_ranges, middle
        if line & CLPY_WAVE_PRIVATE:
            line &= ~CLPY_WAVE_PRIVATE
            self.most_scratch = max(self.most_scratch, line)
            return SCRATCH_BIT | <int64_t> (line & (SCRATCH_BIT - 1))
        if line & CLPY_WAVE_ARGUMENTS:
            return <int64_t> (line % ARGUMENT_LINES)
        if found.first <= line < found.last:
            return found.number + <int64_t> (line - found.first)
        while low < high:
            middle = (low + high) // 2
            if line >= self.ranges[middle].last:
                low = middle + 1
            else:
                high = middle
        if low < self.n_ranges and line >= self.ranges[low].first:
            self.latest = low
            return self.ranges[low].number + <int64_t> (line - self.ranges[low].first)
        return self.unknown(line)

    cdef int64_t unknown(self, uint64_t line) except -1 nogil:
        """By a hash table: numbers in the order of appearance."""
        cdef uint64_t at = (line * <uint64_t> 0x9e3779b97f4a7c15) >> 32
        cdef Entry *entry
        while True:
            entry = self.entries + (at & (self.room - 1))
            if entry.line == line + 1:
                return entry.number
            if entry.line == 0:
                break
            at += 1
        entry.line = line + 1
        entry.number = self.next_number
        self.next_number += 1
        self.n_entries += 1
        if self.n_entries * 2 > self.room:
            self.grow()
        return self.next_number - 1

    cdef int grow(self) except -1 nogil:
        cdef Entry *old = self.entries
        cdef uint64_t i, at, n = self.room
        cdef Entry *wider = <Entry *> calloc(2 * n, sizeof(Entry))
        if wider == NULL:
            raise MemoryError("no memory for the numbers of lines")
        self.entries = wider
        self.room = 2 * n
        for i in range(n):
            if old[i].line:
                at = ((old[i].line - 1) * <uint64_t> 0x9e3779b97f4a7c15) >> 32
                while wider[at & (self.room - 1)].line:
                    at += 1
                wider[at & (self.room - 1)] = old[i]
        free(old)
        return 0


cdef int by_place(const void *a, const void *b) noexcept nogil:
    cdef const Piece *x = <const Piece *> a
    cdef const Piece *y = <const Piece *> b
    if x.group != y.group:
        return -1 if x.group < y.group else 1
    return -1 if x.order < y.order else 1


cdef int64_t block_words(Program program, const uint32_t *words, int64_t n) noexcept nogil:
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


cdef int add_piece(Pieces *pieces, const Piece *piece) except -1 nogil:
    cdef Piece *wider
    cdef int64_t i
    if pieces.n == pieces.room:
        wider = <Piece *> malloc((2 * pieces.room + 64) * sizeof(Piece))
        if wider == NULL:
            raise MemoryError("no memory for the traces of wavefronts")
        for i in range(pieces.n):
            wider[i] = pieces.list[i]
        free(pieces.list)
        pieces.list = wider
        pieces.room = 2 * pieces.room + 64
    pieces.list[pieces.n] = piece[0]
    pieces.n += 1
    return 0


cdef int find_pieces(Program program, const uint32_t *words, int64_t n, const int64_t *groups,
                     Pieces *pieces) except -1 nogil:
    """The pieces in what one thread wrote."""
    cdef int64_t at = 0, size
    cdef Piece piece
    while at < n:
        if words[at] != CLPY_WAVE_BEGINS or n - at < CLPY_WAVE_HEADER:
            raise ValueError("the trace of a wavefront does not begin with its header")
        if words[at + 1] >= groups[0] or words[at + 2] >= groups[1] or words[at + 3] >= groups[2]:
            raise ValueError("the trace of a wavefront names a group that the launch does not have")
        if words[at + 4] >= MOST_GROUP_WAVES:
            raise ValueError("the trace of a wavefront has a number that no group has wavefronts for")
        piece.group = words[at + 1] + groups[0] * (words[at + 2] + groups[1] * <int64_t> words[at + 3])
        piece.order = (<int64_t> words[at + 4] << 40) + pieces.n
        at += CLPY_WAVE_HEADER
        piece.words = words + at
        while at < n and words[at] != CLPY_WAVE_BEGINS:
            size = block_words(program, words + at, n - at)
            if size < 0:
                raise ValueError("the trace of a wavefront does not fit its program")
            at += size
        piece.n_words = words + at - piece.words
        add_piece(pieces, &piece)
    return 0


cdef uint32_t *copy_piece(Program program, LineNumbers lines, const Piece *piece, uint32_t *into) except NULL nogil:
    """Write the blocks of a piece; returns the end."""
    cdef const uint32_t *words = piece.words
    cdef const uint32_t *end = words + piece.n_words
    cdef uint32_t block, step, n, _
    while words < end:
        block = words[0]
        into[0] = block
        into += 1
        words += 1
        for step in range(program.memory[block], program.memory[block + 1]):
            n = words[0] & 0xffff
            into[0] = words[0]
            into += 1
            words += 1
            for _ in range(n):
                into[0] = <uint32_t> lines.number_of(words[0] | <uint64_t> words[1] << 32)
                into += 1
                words += 2
            if program.extra[step]:
                into[0] = words[0]
                into += 1
                words += 1
    return into


cdef int copy_waves(Program program, LineNumbers lines, Pieces *pieces, Batch *batch) except -1:
    """Fill a batch, whose memory is there."""
    cdef uint32_t *into = batch.words
    cdef int64_t i, group, number, wave = -1, latest_wave = -1
    cdef int64_t latest_group = batch.last_group
    for i in range(pieces.n):
        group = pieces.list[i].group
        number = pieces.list[i].order >> 40
        if group != latest_group:
            if group <= latest_group:
                raise ValueError(f"group {group} is traced behind a later one")
            latest_group, latest_wave = group, -1
            batch.groups[batch.n_groups].waves = batch.waves + wave + 1
            batch.n_groups += 1
        if number != latest_wave:
            if number != latest_wave + 1:
                raise ValueError(f"group {group} has no trace of wavefront {latest_wave + 1}")
            latest_wave = number
            wave += 1
            batch.groups[batch.n_groups - 1].n_waves += 1
            batch.waves[wave].at = into
        into = copy_piece(program, lines, pieces.list + i, into)
        batch.waves[wave].end = into
    batch.last_group = latest_group
    return check_ends(program, batch, wave + 1)


cdef int check_ends(Program program, Batch *batch, int64_t n_waves) except -1:
    """Each wavefront's last block is one that ends."""
    cdef int64_t i
    cdef const uint32_t *at
    cdef uint32_t block, step
    for i in range(n_waves):
        at = batch.waves[i].at
        if at == batch.waves[i].end:
            raise ValueError("a wavefront went through no block")
        while at < batch.waves[i].end:
            block = at[0]
            at += 1
            for step in range(program.memory[block], program.memory[block + 1]):
                at += 1 + (at[0] & 0xffff) + program.extra[step]
            if (program.steps[program.first[block + 1] - 1].unit == UNIT_END) != (at == batch.waves[i].end):
                raise ValueError("a wavefront's trace goes on behind its end, or does not come to it")
    return 0


cdef int prepare(Program program, LineNumbers lines, list sinks, groups, int64_t behind, Batch *batch) except -1:
    """What threads wrote, buffers of words, as a batch of groups, all of which come behind group number `behind`.
    `groups`: of the launch, by dimension."""
    cdef Pieces pieces
    cdef int64_t[3] sizes
    cdef const uint32_t[::1] words
    cdef int64_t total = 0
    memset(&pieces, 0, sizeof(Pieces))
    memset(batch, 0, sizeof(Batch))
    batch.last_group = behind
    sizes[0], sizes[1], sizes[2] = groups
    try:
        for sink in sinks:
            words = memoryview(sink).cast("B").cast("I")
            total += words.shape[0]
            if words.shape[0]:
                find_pieces(program, &words[0], words.shape[0], sizes, &pieces)
        if pieces.n == 0:
            raise ValueError("there are no wavefronts in the trace")
        qsort(pieces.list, pieces.n, sizeof(Piece), by_place)
        batch.words = <uint32_t *> malloc(total * sizeof(uint32_t))
        batch.waves = <WaveTrace *> calloc(pieces.n, sizeof(WaveTrace))
        batch.groups = <GroupTrace *> calloc(pieces.n, sizeof(GroupTrace))
        if batch.words == NULL or batch.waves == NULL or batch.groups == NULL:
            raise MemoryError("no memory for the traces of wavefronts")
        copy_waves(program, lines, &pieces, batch)
    except BaseException:
        batch_free(batch)
        raise
    finally:
        free(pieces.list)
    return 0


cdef void batch_free(Batch *batch) noexcept nogil:
    free(batch.words)
    free(batch.waves)
    free(batch.groups)
    memset(batch, 0, sizeof(Batch))
