/* SPDX-License-Identifier: Apache-2.0
 * What the traced variant of a kernel tells its sink (include/clpy_wave.h has the words). How many cycles an access
 * takes is the rule of clpy/device/gpu/timing/access.py.
 */
#include "wave.h"

#define LINE_BITS 6
#define MOST_LINES (2 * WAVE + 2)
#define BANKS 32
#define PRIVATE CLPY_WAVE_PRIVATE

static inline uint32_t *room(wave *w, uint32_t words)
{
    clpy_wave_sink *sink = w->sink;
    if ((uint64_t)(sink->end - sink->at) < words)
        sink->more(sink, words);
    return sink->at;
}

APART void trace_wave(wave *w)
{
    if (!w->tells)
        return;
    w->goes_on = 1;
    uint32_t *at = room(w, CLPY_WAVE_HEADER);
    at[0] = CLPY_WAVE_BEGINS;
    for (int i = 0; i < 3; i++)
        at[1 + i] = w->group[i];
    at[4] = w->index;
    at[5] = w->lanes;
    w->sink->at = at + CLPY_WAVE_HEADER;
}

APART void trace_word(wave *w, uint32_t word)
{
    if (!w->tells)
        return;
    *room(w, 1) = word;
    w->sink->at++;
}

/* A block of so many instructions. One behind a barrier is told in any case, or the others would wait there. */
APART void trace_block(wave *w, uint32_t block, uint32_t instructions)
{
    if (w->tells && w->told >= w->sink->most_instructions && !w->goes_on)
        w->tells = 0;
    w->told += instructions;
    w->goes_on = 0;
    trace_word(w, block);
}

/* Addresses of 16 lanes as the trace has them: bit 63 for private memory. */
#define PUT(part, value) *(vq *)&w->address[(part) * LANES] = (value)

void place_near(wave *w, vu low, uint64_t base, uint32_t part) { PUT(part, base + CONVERT(low, vq)); }

void place_far(wave *w, vu low, vu high, uint64_t base, uint32_t part)
{
    PUT(part, base + CONVERT(low, vq) + (CONVERT(high, vq) << 32));
}

static inline vq private_place(vu low, uint64_t offset, uint32_t part)
{
    vu word = (low >> 2) * 256u + (low & 3u) + (IOTA(vu) + part * LANES) * 4u;
    return (CONVERT(word, vq) + offset) | PRIVATE;
}

void place_private(wave *w, vu low, uint64_t base, uint32_t part)
{
    PUT(part, private_place(low, base - (uint64_t)w->scratch, part));
}

void place_flat(wave *w, vu low, vu high, uint64_t base, uint32_t part)
{
    vq address = base + CONVERT(low, vq) + (CONVERT(high, vq) << 32), top = address >> 32;
    vq local = (address & 0xfffffffful) + (uint64_t)w->local;
    vq private = private_place(CONVERT(address, vu), 0, part);
    address = top == LOCAL_APERTURE ? local : address;
    PUT(part, top == PRIVATE_APERTURE ? private : address);
}

void place_either(wave *w, vu low, uint64_t words, uint64_t offset, uint32_t part)
{
    uint64_t base = (words & UINT64_C(0xffffffffffff)) + offset;
    if (words >> 63)
        place_private(w, low, base, part);
    else
        place_near(w, low, base, part);
}

static inline uint64_t line_of(const wave *w, uint64_t address)
{
    if (address >> 63)
        return PRIVATE | (address & ~PRIVATE) >> LINE_BITS;
    if (address - w->kernarg < w->kernarg_bytes)
        return CLPY_WAVE_ARGUMENTS | (address - w->kernarg) >> LINE_BITS;
    return address >> LINE_BITS;
}

/* Lines in the order of first touch. `low` and `high` are the least and the greatest of them, `seen` has a bit for the
 * last bits of each: most lines are new or the last one again, which these tell without a search. */
typedef struct { uint64_t lines[MOST_LINES], low, high, seen; uint32_t count; } line_set;

static inline int is_among(const line_set *set, uint64_t line)
{
    for (uint32_t i = set->count; i-- > 0;)
        if (set->lines[i] == line)
            return 1;
    return 0;
}

static inline void add_line(line_set *set, uint64_t line)
{
    uint64_t bit = UINT64_C(1) << (line & 63);
    if (!set->count) {
        set->low = set->high = line;
        set->seen = 0;
    } else if (line > set->high) {
        set->high = line;
    } else if (line < set->low) {
        set->low = line;
    } else if (set->lines[set->count - 1] == line || (set->seen & bit && is_among(set, line))) {
        return;
    }
    set->seen |= bit;
    set->lines[set->count++] = line;
}

/* All of a quarter's: behind the others at once where all are higher. */
static inline void add_lines(line_set *set, const line_set *quarter)
{
    uint32_t n = quarter->count, is_rising = !set->count || quarter->lines[0] > set->high;
    for (uint32_t i = 1; i < n; i++)
        is_rising &= quarter->lines[i] > quarter->lines[i - 1];
    if (!is_rising || set->count + n > MOST_LINES) {
        for (uint32_t i = 0; i < n; i++)
            add_line(set, quarter->lines[i]);
        return;
    }
    if (!set->count) {
        set->low = quarter->lines[0];
        set->seen = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        set->seen |= UINT64_C(1) << (quarter->lines[i] & 63);
        set->lines[set->count + i] = quarter->lines[i];
    }
    set->high = quarter->lines[n - 1];
    set->count += n;
}

static void write_lines(wave *w, const line_set *set, uint32_t cycles)
{
    uint32_t *at = room(w, 1 + 2 * set->count);
    *at++ = set->count | cycles << 16;
    for (uint32_t i = 0; i < set->count; i++) {
        *at++ = (uint32_t)set->lines[i];
        *at++ = (uint32_t)(set->lines[i] >> 32);
    }
    w->sink->at = at;
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
    set->count = 0;
    if (mask == ALL && bits_of(CONVERT(same, vm)) == ALL) {
        add_line(set, line_of(w, address[0]));
        add_line(set, line_of(w, last[0]));
        return;
    }
    if (rising(w, address, last, mask, &fresh)) {
        for (; fresh; fresh &= fresh - 1)
            set->lines[set->count++] = w->address[first + __builtin_ctz(fresh)] >> LINE_BITS;
        return;
    }
    for (uint32_t i = 0; i < LANES; i++) {
        if (mask >> i & 1) {
            add_line(set, line_of(w, w->address[first + i]));
            add_line(set, line_of(w, w->address[first + i] + bytes - 1));
        }
    }
}

/* What the address unit takes for 16 lanes. */
static inline uint32_t quarter_cycles(uint32_t lanes, uint32_t lines, uint32_t bytes, uint32_t is_load)
{
    if (!lanes || (is_load && bytes <= 4 && lines == 1))
        return lanes ? 1 : 0;
    uint32_t by_address = (lanes + 3) / 4, by_bytes = (lanes * bytes + 63) / 64;
    uint32_t most = by_address > by_bytes ? by_address : by_bytes;
    return most > lines ? most : lines;
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

/* A load, store or atomic (kind 0, 1, 2) of `bytes` a lane; it takes `least` cycles. */
APART void trace_vector(wave *w, uint64_t exec, uint32_t bytes, uint32_t kind, uint32_t least)
{
    if (!w->tells)
        return;
    line_set all, quarter;
    uint32_t cycles = 0;
    all.count = 0;
    for (uint32_t first = 0; first < WAVE; first += LANES) {
        uint32_t mask = exec >> first & ALL;
        if (!mask)
            continue;
        quarter_lines(w, &quarter, mask, first, bytes);
        add_lines(&all, &quarter);
        cycles += quarter_cycles((uint32_t)__builtin_popcount(mask), quarter.count, bytes, kind == 0);
    }
    write_lines(w, &all, cycles > least ? cycles : least);
    if (kind == 2)
        trace_word(w, most_on_one(w, exec));
}

/* Of an image: `found` says how many pixels a lane touches, and behind 8 bits the bytes of one; `places` has
 * 64 addresses for each. The texture unit takes four pixels in the time of one address. */
APART void trace_image(wave *w, const uint64_t *places, uint64_t exec, uint32_t found, uint32_t is_store)
{
    if (!w->tells)
        return;
    line_set all, quarter;
    uint32_t texels = found & 255, bytes = found >> 8, cycles = 0;
    all.count = 0;
    for (uint32_t texel = 0; texel < texels; texel++) {
        __builtin_memcpy(w->address, &places[texel * WAVE], sizeof(w->address));
        for (uint32_t first = 0; first < WAVE; first += LANES) {
            uint32_t mask = exec >> first & ALL;
            if (!mask)
                continue;
            quarter_lines(w, &quarter, mask, first, bytes);
            for (uint32_t i = 0; i < quarter.count && all.count < MOST_LINES; i++)
                add_line(&all, quarter.lines[i]);
            if (!texel)
                cycles += quarter_cycles((uint32_t)__builtin_popcount(mask), quarter.count, bytes, !is_store);
        }
    }
    cycles *= (texels + 3) / 4;
    write_lines(w, &all, is_store && cycles < 16 ? 16 : cycles);
}

APART void trace_scalar(wave *w, uint64_t address, uint32_t bytes)
{
    if (!w->tells)
        return;
    line_set set;
    set.count = 0;
    for (uint64_t at = address & ~UINT64_C(63); at < address + bytes; at += 64)
        add_line(&set, line_of(w, at < address ? address : at));
    write_lines(w, &set, 0);
}

/* Different words of lanes that want banks at once: for each bank the number of the first one's entry, and behind an
 * entry that of the next; 0: none. */
typedef struct { uint32_t place[BANKS + 1], next[BANKS + 1], count; uint8_t head[BANKS], load[BANKS]; } bank_table;

/* How often the bank is wanted now. Atomics do not share a word. */
static inline uint32_t want(bank_table *table, uint32_t place, uint32_t is_atomic)
{
    uint32_t bank = place % BANKS, entry = table->head[bank];
    for (; entry && !is_atomic; entry = table->next[entry])
        if (table->place[entry] == place)
            return table->load[bank];
    entry = ++table->count;
    table->place[entry] = place;
    table->next[entry] = table->head[bank];
    table->head[bank] = (uint8_t)entry;
    return ++table->load[bank];
}

/* Words of 32 lanes that follow each other, or are one: no bank is wanted twice. */
static inline int is_plain(const wave *w, uint32_t first)
{
    const vq x = *(const vq *)&w->address[first], y = *(const vq *)&w->address[first + LANES], one = (vq)x[0];
    vl row = (x == one + IOTA(vq) * 4) & (y == one + IOTA(vq) * 4 + 64), same = (x == one) & (y == one);
    return bits_of(CONVERT(row, vm)) == ALL || bits_of(CONVERT(same, vm)) == ALL;
}

/* Cycles of the LDS for an access of so many words a lane: lanes by as many as have a bank for each word. */
APART uint32_t local_cycles(wave *w, uint64_t exec, uint32_t words, uint32_t is_atomic)
{
    uint32_t step = BANKS / words, cycles = 0;
    if (!w->tells)
        return 0;
    if (words == 1 && !is_atomic && exec == ~UINT64_C(0) && is_plain(w, 0) && is_plain(w, WAVE / 2))
        return 2;
    for (uint32_t first = 0; first < WAVE; first += step) {
        bank_table table;
        uint32_t most = 0;
        table.count = 0;
        __builtin_memset(table.head, 0, sizeof(table.head) + sizeof(table.load));
        for (uint32_t i = first; i < first + step && i < WAVE; i++) {
            for (uint32_t word = 0; exec >> i & 1 && word < words; word++) {
                uint32_t place = (uint32_t)(w->address[i] - (uint64_t)w->local) / 4 + word;
                uint32_t load = want(&table, place, is_atomic);
                most = load > most ? load : most;
            }
        }
        cycles += most;
    }
    return cycles;
}

APART void trace_local(wave *w, uint64_t exec, uint32_t cycles, uint32_t least, uint32_t is_atomic)
{
    if (!w->tells)
        return;
    trace_word(w, (cycles > least ? cycles : least) << 16);
    if (is_atomic)
        trace_word(w, most_on_one(w, exec));
}
