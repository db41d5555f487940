/* SPDX-License-Identifier: Apache-2.0
 * The lines of memory that an access touches, put together and written for the sink.
 */
#ifndef CLPY_ISA_LINES_H
#define CLPY_ISA_LINES_H

#include "places.h"

#define LINE_BITS 6
#define MOST_LINES (2 * WAVE + 2)
#define HASH_BITS 8
#define HASHES (1 << HASH_BITS)

static inline uint32_t *room(wave *w, uint32_t words)
{
    clpy_wave_sink *sink = w->sink;
    if ((uint64_t)(sink->end - sink->at) < words)
        sink->more(sink, words);
    return sink->at;
}

static inline uint64_t line_of(const wave *w, uint64_t address)
{
    if (address >> 63)
        return PRIVATE | (address & ~PRIVATE) >> LINE_BITS;
    if (address - w->kernarg < w->kernarg_bytes)
        return CLPY_WAVE_ARGUMENTS | (address - w->kernarg) >> LINE_BITS;
    return address >> LINE_BITS;
}

static inline vq lines_of(const wave *w, vq address)
{
    vq plain = (address & ~PRIVATE) >> LINE_BITS | (address & PRIVATE), place = address - w->kernarg;
    return place < w->kernarg_bytes ? CLPY_WAVE_ARGUMENTS | place >> LINE_BITS : plain;
}

/* Lines in the order of first touch, from 1 on. While each is above the one before, a line above the latest is new.
 * Then there is for each value of a hash the number of the latest that has it, 0 where there is none, and behind a line
 * that of the one before. `quarter` says in which one a line was touched last, and `here` how many the quarter touches
 * that is being told. */
typedef struct {
    uint64_t lines[MOST_LINES + 1], latest;
    uint32_t count, number, here, is_sorted;
    uint8_t quarter[MOST_LINES + 1], next[MOST_LINES + 1], head[HASHES];
} line_set;

static inline void begin_lines(line_set *set)
{
    set->count = set->number = 0;
    set->latest = 0;
    set->is_sorted = 1;
}

static inline void begin_quarter(line_set *set)
{
    set->number++;
    set->here = 0;
}

static inline uint8_t *head_of(line_set *set, uint64_t line)
{
    return &set->head[line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS)];
}

static inline void link_line(line_set *set, uint32_t at)
{
    uint8_t *head = head_of(set, set->lines[at]);
    set->next[at] = *head;
    *head = (uint8_t)at;
}

static APART void link_lines(line_set *set)
{
    set->is_sorted = 0;
    __builtin_memset(set->head, 0, HASHES);
    for (uint32_t at = 1; at <= set->count; at++)
        link_line(set, at);
}

/* The line's number; 0: it is new. */
static inline uint32_t find_line(line_set *set, uint64_t line)
{
    uint32_t at;
    if (set->is_sorted) {
        if (line > set->latest || !set->count)
            return 0;
        if (line == set->latest)
            return set->count;
        link_lines(set);
    }
    for (at = *head_of(set, line); at && set->lines[at] != line;)
        at = set->next[at];
    return at;
}

static inline void add_line(line_set *set, uint64_t line)
{
    if (set->here && line == set->latest)
        return;
    uint32_t at = find_line(set, line);
    set->latest = line;
    if (!at) {
        if (set->count == MOST_LINES)
            return;
        at = ++set->count;
        set->lines[at] = line;
        if (!set->is_sorted)
            link_line(set, at);
    } else if (set->quarter[at] == set->number) {
        return;
    }
    set->quarter[at] = (uint8_t)set->number;
    set->here++;
}

/* Of a quarter's lanes, the bits of `left`, those before the first whose line is lower than one before it: such need no
 * search. The others. */
static inline uint32_t add_rising(line_set *set, const uint64_t *lines, uint32_t left)
{
    uint64_t latest = set->latest;
    uint32_t count = set->count, is_new;
    if (!set->is_sorted || count + LANES > MOST_LINES)
        return left;
    if (count && lines[__builtin_ctz(left)] == latest) {
        set->quarter[count] = (uint8_t)set->number;
        set->here = 1;
    }
    for (; left; left &= left - 1, count += is_new) {
        uint64_t line = lines[__builtin_ctz(left)];
        is_new = line != latest || !count;
        if (line < latest)
            break;
        set->lines[count + 1] = latest = line;
        set->quarter[count + 1] = (uint8_t)set->number;
    }
    set->here += count - set->count;
    set->count = count;
    set->latest = latest;
    return left;
}

/* So many that follow the first one. */
static inline void write_run(wave *w, uint64_t line, uint32_t count, uint32_t cycles)
{
    uint32_t *at = room(w, 3);
    *at++ = count | CLPY_WAVE_RUN | cycles << 16;
    __builtin_memcpy(at, &line, sizeof(line));
    w->sink->at = at + 2;
}

static void write_lines(wave *w, const line_set *set, uint32_t cycles)
{
    uint32_t count = set->count, same = 1;
    while (same < count && set->lines[1 + same] == set->lines[1] + same)
        same++;
    if (count > 1 && same == count) {
        write_run(w, set->lines[1], count, cycles);
        return;
    }
    uint32_t *at = room(w, 1 + 2 * count);
    *at++ = count | cycles << 16;
    __builtin_memcpy(at, &set->lines[1], 8 * count);
    w->sink->at = at + 2 * count;
}

/* Lanes whose lines, none of which is lower than the one before, are new: bit by bit. False where that is not so, or
 * where a lane reaches into a second line or into memory that line_of() numbers otherwise. */
static inline int rising(const wave *w, vq address, vq last, uint32_t mask, uint32_t *fresh)
{
    vq lines = address >> LINE_BITS;
    vq before = __builtin_shufflevector(lines, lines, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
    vl steps = (vl)lines - (vl)before;
    vl other = (vl)((address ^ last) >> LINE_BITS) | (vl)(address >> 63) | (vl)((vq)steps >> 63)
               | ((vl)(address - w->kernarg < (vq)w->kernarg_bytes) & 1);
    *fresh = bits_of(CONVERT(steps != 0, vm)) | 1;
    return mask == ALL && bits_of(CONVERT(other != 0, vm)) == 0;
}

/* Lines of the accesses of 16 lanes: one may reach into a second. */
static inline void quarter_lines(const wave *w, line_set *set, uint32_t mask, uint32_t first, uint32_t bytes)
{
    vq address = *(const vq *)&w->address[first], last = address + (bytes - 1);
    vl same = ((address ^ address[0]) | (last ^ last[0])) >> LINE_BITS == 0;
    uint32_t fresh;
    begin_quarter(set);
    if (mask == ALL && bits_of(CONVERT(same, vm)) == ALL) {
        add_line(set, line_of(w, address[0]));
        add_line(set, line_of(w, last[0]));
        return;
    }
    if (rising(w, address, last, mask, &fresh)) {
        for (; fresh; fresh &= fresh - 1)
            add_line(set, w->address[first + __builtin_ctz(fresh)] >> LINE_BITS);
        return;
    }
    vq lines[2] = {lines_of(w, address), lines_of(w, last)};
    const uint64_t *one = (const uint64_t *)lines;
    uint32_t wide = mask & bits_of(CONVERT((vl)(lines[0] != lines[1]), vm));
    for (uint32_t left = wide ? mask : add_rising(set, one, mask); left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        add_line(set, one[lane]);
        if (wide >> lane & 1)
            add_line(set, one[LANES + lane]);
    }
}

/* The most lanes that go to one address. */
static uint32_t most_on_one(const wave *w, uint64_t exec)
{
    uint32_t most = 0;
    for (uint64_t left = exec; left;) {
        uint64_t one = w->address[__builtin_ctzll(left)], same = 0;
        for (uint32_t first = 0; first < WAVE; first += LANES) {
            vl equal = *(const vq *)&w->address[first] == (vq)one;
            same |= (uint64_t)bits_of(CONVERT(equal, vm)) << first;
        }
        uint32_t lanes = (uint32_t)__builtin_popcountll(same & left);
        most = lanes > most ? lanes : most;
        left &= ~same;
    }
    return most;
}

#endif
