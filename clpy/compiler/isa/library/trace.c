/* SPDX-License-Identifier: Apache-2.0
 * What the traced variant of a kernel tells its sink (include/clpy_wave.h has the words). How many cycles an access
 * takes is the rule of clpy/device/gpu/timing/access.py.
 */
#include "wave.h"

#define LINE_BITS 6
#define MOST_LINES (2 * WAVE + 2)
#define SLOTS 512           /* of the set of lines that an access touches */
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
    if (!w->sink)
        return;
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
    if (!w->sink)
        return;
    *room(w, 1) = word;
    w->sink->at++;
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

typedef struct { uint64_t lines[MOST_LINES]; uint16_t slots[SLOTS]; uint32_t count; } line_set;

static inline uint64_t line_of(const wave *w, uint64_t address)
{
    if (address >> 63)
        return PRIVATE | (address & ~PRIVATE) >> LINE_BITS;
    if (address - w->kernarg < w->kernarg_bytes)
        return CLPY_WAVE_ARGUMENTS | (address - w->kernarg) >> LINE_BITS;
    return address >> LINE_BITS;
}

static inline void add_line(line_set *set, uint64_t line)
{
    uint32_t slot = (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 55);
    for (; set->slots[slot]; slot = (slot + 1) % SLOTS)
        if (set->lines[set->slots[slot] - 1] == line)
            return;
    set->lines[set->count] = line;
    set->slots[slot] = (uint16_t)++set->count;
}

/* Lines of one lane's access: it may reach into a second. */
static inline void add_access(const wave *w, line_set *set, uint64_t address, uint32_t bytes)
{
    uint64_t first = line_of(w, address), last = line_of(w, address + bytes - 1);
    add_line(set, first);
    if (last != first)
        add_line(set, last);
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

static uint32_t quarter_cycles(const wave *w, uint32_t mask, uint32_t first, uint32_t bytes, uint32_t is_load)
{
    line_set set = {.count = 0};
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    for (uint32_t i = 0; i < LANES; i++)
        if (mask >> i & 1)
            add_access(w, &set, w->address[first + i], bytes);
    if (!lanes || (is_load && bytes <= 4 && set.count == 1))
        return lanes ? 1 : 0;
    uint32_t by_address = (lanes + 3) / 4, by_bytes = (lanes * bytes + 63) / 64;
    uint32_t most = by_address > by_bytes ? by_address : by_bytes;
    return most > set.count ? most : set.count;
}

/* The most lanes that go to one address. */
static uint32_t most_on_one(const wave *w, uint64_t exec)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < WAVE; i++) {
        uint32_t same = 0;
        for (uint32_t k = i; k < WAVE; k++)
            same += (exec >> i & exec >> k & 1) && w->address[i] == w->address[k];
        most = same > most ? same : most;
    }
    return most;
}

/* A load, store or atomic (kind 0, 1, 2) of `bytes` a lane; it takes `least` cycles. */
APART void trace_vector(wave *w, uint64_t exec, uint32_t bytes, uint32_t kind, uint32_t least)
{
    if (!w->sink)
        return;
    line_set set = {.count = 0};
    uint32_t cycles = 0;
    for (uint32_t i = 0; i < WAVE; i++)
        if (exec >> i & 1)
            add_access(w, &set, w->address[i], bytes);
    for (uint32_t first = 0; first < WAVE; first += LANES)
        cycles += quarter_cycles(w, exec >> first & ALL, first, bytes, kind == 0);
    write_lines(w, &set, cycles > least ? cycles : least);
    if (kind == 2)
        trace_word(w, most_on_one(w, exec));
}

APART void trace_scalar(wave *w, uint64_t address, uint32_t bytes)
{
    if (!w->sink)
        return;
    line_set set = {.count = 0};
    for (uint64_t at = address & ~UINT64_C(63); at < address + bytes; at += 64)
        add_line(&set, line_of(w, at < address ? address : at));
    write_lines(w, &set, 0);
}

/* Cycles of the LDS for an access of so many words a lane: lanes by as many as have a bank for each word. */
APART uint32_t local_cycles(wave *w, uint64_t exec, uint32_t words, uint32_t is_atomic)
{
    uint32_t step = BANKS / words, cycles = 0;
    for (uint32_t first = 0; first < WAVE; first += step) {
        uint32_t load[BANKS] = {0}, most = 0, found[BANKS * 2], count = 0;
        for (uint32_t i = first; i < first + step && i < WAVE; i++) {
            for (uint32_t word = 0; exec >> i & 1 && word < words; word++) {
                uint32_t place = (uint32_t)(w->address[i] - (uint64_t)w->local) / 4 + word, k = 0;
                while (!is_atomic && k < count && found[k] != place)
                    k++;
                if (is_atomic || k == count) {
                    found[count++ % (BANKS * 2)] = place;
                    load[place % BANKS]++;
                }
            }
        }
        for (uint32_t bank = 0; bank < BANKS; bank++)
            most = load[bank] > most ? load[bank] : most;
        cycles += most;
    }
    return cycles;
}

APART void trace_local(wave *w, uint64_t exec, uint32_t cycles, uint32_t least, uint32_t is_atomic)
{
    trace_word(w, (cycles > least ? cycles : least) << 16);
    if (is_atomic)
        trace_word(w, most_on_one(w, exec));
}
