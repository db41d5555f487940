/* SPDX-License-Identifier: Apache-2.0
 * What the traced variant of a kernel tells its sink (include/clpy_wave.h has the words). How many cycles an access
 * takes is the rule of clpy/device/gpu/timing/access.py.
 */
#include "lines.h"

#define BANKS 32        /* at most */

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

/* What the address unit takes for 16 lanes. */
static inline uint32_t quarter_cycles(uint32_t lanes, uint32_t lines, uint32_t bytes, uint32_t is_load)
{
    if (!lanes || (is_load && bytes <= 4 && lines == 1))
        return lanes ? 1 : 0;
    uint32_t by_address = (lanes + 3) / 4, by_bytes = (lanes * bytes + 63) / 64;
    uint32_t most = by_address > by_bytes ? by_address : by_bytes;
    return most > lines ? most : lines;
}

static inline uint32_t lines_between(uint64_t address, uint32_t bytes)
{
    return (uint32_t)(((address + bytes - 1) >> LINE_BITS) - (address >> LINE_BITS)) + 1;
}

/* Lanes that are all on, whose places lie side by side. Words of 32 bits and more lie in each quarter as in the first.
 * False where there are lines among them that line_of() numbers otherwise. */
static inline int trace_row(wave *w, uint64_t place, uint32_t bytes, uint32_t is_load, uint32_t least)
{
    uint64_t address = place & ~PRIVATE;
    if (place + WAVE * bytes > w->kernarg && place < w->kernarg + w->kernarg_bytes)
        return 0;
    uint32_t size = LANES * bytes, cycles = quarter_cycles(LANES, lines_between(address, size), bytes, is_load);
    if (bytes >= 4)
        cycles *= PARTS;
    else
        for (uint32_t part = 1; part < PARTS; part++)
            cycles += quarter_cycles(LANES, lines_between(address + part * size, size), bytes, is_load);
    write_run(w, address >> LINE_BITS | (place & PRIVATE), lines_between(address, PARTS * size),
              cycles > least ? cycles : least);
    return 1;
}

/* Lanes that are all on, at one place. */
static APART void trace_one(wave *w, uint64_t place, uint32_t bytes, uint32_t is_load, uint32_t least)
{
    line_set set;
    begin_lines(&set);
    begin_quarter(&set);
    add_line(&set, line_of(w, place));
    add_line(&set, line_of(w, place + (bytes - 1)));
    uint32_t cycles = PARTS * quarter_cycles(LANES, set.here, bytes, is_load);
    write_lines(w, &set, cycles > least ? cycles : least);
}

/* An access to the places in `address`. */
static APART void trace_vector(wave *w, uint64_t exec, uint32_t access)
{
    line_set set;
    uint32_t cycles = 0, bytes = BYTES(access), is_load = KIND(access) == LOAD, least = LEAST(access);
    begin_lines(&set);
    for (uint32_t first = 0; first < WAVE; first += LANES) {
        uint32_t mask = exec >> first & ALL;
        if (!mask)
            continue;
        quarter_lines(w, &set, mask, first, bytes);
        cycles += quarter_cycles((uint32_t)__builtin_popcount(mask), set.here, bytes, is_load);
    }
    write_lines(w, &set, cycles > least ? cycles : least);
    if (KIND(access) == ATOMIC)
        trace_word(w, most_on_one(w, exec));
}

/* Whether all lanes are on and lie side by side, or at one place, seen from the first lane's: then it is told. */
static inline int is_told(wave *w, uint64_t exec, const vu *low, uint32_t more, uint64_t base, uint32_t access)
{
    uint32_t bytes = BYTES(access), step = low[0][1] - low[0][0], first = low[0][0] + more;
    if (exec != ~UINT64_C(0) || KIND(access) == ATOMIC || (step && step != bytes) || first > FURTHEST
        || !are_in_steps(low, step))
        return 0;
    if (step)
        return trace_row(w, base + first, bytes, KIND(access) == LOAD, LEAST(access));
    trace_one(w, base + first, bytes, KIND(access) == LOAD, LEAST(access));
    return 1;
}

static inline void tell_near(wave *w, uint64_t exec, const vu *low, uint32_t more, uint64_t base, uint32_t access)
{
    if (is_told(w, exec, low, more, base, access))
        return;
    for (uint32_t part = 0; part < PARTS; part++)
        place_near(w, low[part] + more, base, part);
    trace_vector(w, exec, access);
}

static inline void tell_far(wave *w, uint64_t exec, const vu *low, const vu *high, uint64_t base, uint32_t access)
{
    if (are_in_steps(high, 0) && is_told(w, exec, low, 0, base + ((uint64_t)high[0][0] << 32), access))
        return;
    for (uint32_t part = 0; part < PARTS; part++)
        place_far(w, low[part], high[part], base, part);
    trace_vector(w, exec, access);
}

static inline void tell_flat(wave *w, uint64_t exec, const vu *low, const vu *high, uint64_t base, uint32_t access)
{
    uint32_t top = high[0][0];
    if (top != LOCAL_APERTURE && top != PRIVATE_APERTURE && are_in_steps(high, 0)
        && is_told(w, exec, low, 0, base + ((uint64_t)top << 32), access))
        return;
    for (uint32_t part = 0; part < PARTS; part++)
        place_flat(w, low[part], high[part], base, part);
    trace_vector(w, exec, access);
}

APART void trace_near(wave *w, uint64_t exec, uint32_t at, uint32_t more, uint64_t base, uint32_t access)
{
    tell_near(w, exec, registers(w, at), more, base, access);
}

/* Addresses that lie as those in registers do. */
APART void trace_near_at(wave *w, uint64_t exec, const vu (*at)[PARTS], uint32_t more, uint64_t base, uint32_t access)
{
    tell_near(w, exec, at[0], more, base, access);
}

#define TRACE_WIDE(form)                                                                                              \
    APART void trace_##form(wave *w, uint64_t exec, uint32_t at, uint64_t base, uint32_t access)                      \
    {                                                                                                                 \
        tell_##form(w, exec, registers(w, at), registers(w, at + 1), base, access);                                   \
    }                                                                                                                 \
    APART void trace_##form##_at(wave *w, uint64_t exec, const vu (*at)[PARTS], uint64_t base, uint32_t access)       \
    {                                                                                                                 \
        tell_##form(w, exec, at[0], at[1], base, access);                                                             \
    }

TRACE_WIDE(far)
TRACE_WIDE(flat)

/* The same dword of each lane's own memory lies side by side. */
APART void trace_private(wave *w, uint64_t exec, uint32_t at, uint32_t more, uint64_t base, uint32_t access)
{
    const vu *low = registers(w, at);
    uint64_t offset = base - (uint64_t)w->scratch;
    uint32_t first = low[0][0] + more;
    if (exec == ~UINT64_C(0) && BYTES(access) == 4 && KIND(access) != ATOMIC && first <= FURTHEST / WAVE
        && (at == NO_REGISTER || are_in_steps(low, 0))
        && trace_row(w, (private_word(first) + offset) | PRIVATE, 4, KIND(access) == LOAD, LEAST(access)))
        return;
    for (uint32_t part = 0; part < PARTS; part++)
        place_private(w, low[part] + more, base, part);
    trace_vector(w, exec, access);
}

APART void trace_either(wave *w, uint64_t exec, uint32_t at, uint32_t more, uint64_t words, uint64_t offset,
                        uint32_t access)
{
    uint64_t base = (words & UINT64_C(0xffffffffffff)) + offset;
    (words >> 63 ? trace_private : trace_near)(w, exec, at, more, base, access);
}

/* Of an image: `found` says how many pixels a lane touches, and behind 8 bits the bytes of one; `places` has
 * 64 addresses for each. The texture unit takes four pixels in the time of one address. */
APART void trace_image(wave *w, const uint64_t *places, uint64_t exec, uint32_t found, uint32_t is_store)
{
    if (!w->tells)
        return;
    line_set set;
    uint32_t texels = found & 255, bytes = found >> 8, cycles = 0;
    begin_lines(&set);
    for (uint32_t texel = 0; texel < texels; texel++) {
        __builtin_memcpy(w->address, &places[texel * WAVE], sizeof(w->address));
        for (uint32_t first = 0; first < WAVE; first += LANES) {
            uint32_t mask = exec >> first & ALL;
            if (!mask)
                continue;
            quarter_lines(w, &set, mask, first, bytes);
            if (!texel)
                cycles += quarter_cycles((uint32_t)__builtin_popcount(mask), set.here, bytes, !is_store);
        }
    }
    cycles *= (texels + 3) / 4;
    write_lines(w, &set, is_store && cycles < 16 ? 16 : cycles);
}

APART void trace_scalar(wave *w, uint64_t address, uint32_t bytes)
{
    if (!w->tells)
        return;
    uint64_t first = address >> LINE_BITS, count = ((address + bytes - 1) >> LINE_BITS) - first + 1;
    uint32_t *words = room(w, 1 + 2 * (uint32_t)count);
    *words++ = (uint32_t)count;
    for (uint64_t i = 0; i < count; i++, words += 2) {
        uint64_t line = line_of(w, i ? (first + i) << LINE_BITS : address);
        __builtin_memcpy(words, &line, sizeof(line));
    }
    w->sink->at = words;
}

/* Different words of lanes that want banks at once: for each bank the number of the first one's entry, and behind an
 * entry that of the next; 0: none. */
typedef struct { uint32_t place[BANKS + 1], next[BANKS + 1], count; uint8_t head[BANKS], load[BANKS]; } bank_table;

/* How often the bank is wanted now. Atomics do not share a word. */
static inline uint32_t want(bank_table *table, uint32_t place, uint32_t is_atomic, uint32_t banks)
{
    uint32_t bank = place & (banks - 1), entry = table->head[bank];
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
static inline int are_plain(vu x, vu y)
{
    vu first = (vu)x[0], row = first + IOTA(vu) * 4;
    return is_zero((x ^ row) | (y ^ (row + 64))) || is_zero((x ^ first) | (y ^ first));
}

/* The first word of each lane; `low` and `high` are those of lanes that take part, or change no least and most. */
typedef struct { uint32_t place[WAVE], low[WAVE], high[WAVE]; } word_list;

static inline void list_words(const vu *lanes, uint32_t more, uint64_t exec, word_list *list)
{
    for (uint32_t part = 0; part < PARTS; part++) {
        vu place = (lanes[part] + more) >> 2;
        vm active = AS(vm, (uint16_t)(exec >> part * LANES));
        *(vu *)&list->place[part * LANES] = place;
        *(vu *)&list->low[part * LANES] = choose(active, place, ~(vu){0});
        *(vu *)&list->high[part * LANES] = choose(active, place, (vu){0});
    }
}

/* From the least to the most first word of lanes from `first` to `end`; the other way round where none takes part. */
typedef struct { uint32_t low, high; } extent;

static inline extent extent_of(const word_list *list, uint32_t first, uint32_t end)
{
    extent all = {~0u, 0};
    for (; first + LANES <= end; first += LANES) {
        vu low, high;
        __builtin_memcpy(&low, &list->low[first], sizeof(low));
        __builtin_memcpy(&high, &list->high[first], sizeof(high));
        uint32_t least = __builtin_reduce_min(low), most = __builtin_reduce_max(high);
        all.low = least < all.low ? least : all.low;
        all.high = most > all.high ? most : all.high;
    }
    for (; first < end; first++) {
        all.low = list->low[first] < all.low ? list->low[first] : all.low;
        all.high = list->high[first] > all.high ? list->high[first] : all.high;
    }
    return all;
}

/* How often the bank that most want is wanted by lanes from `first` to `end`: not twice where all words lie within as
 * many as there are banks. */
static uint32_t most_wanted(const word_list *list, uint64_t exec, uint32_t first, uint32_t end, uint32_t words,
                            uint32_t is_atomic, uint32_t banks)
{
    bank_table table;
    extent all = extent_of(list, first, end);
    uint32_t most = 0;
    if (all.low > all.high)
        return 0;
    if (all.high - all.low + words <= banks && !is_atomic)
        return 1;
    table.count = 0;
    __builtin_memset(table.head, 0, sizeof(table.head) + sizeof(table.load));
    for (uint32_t i = first; i < end; i++) {
        for (uint32_t word = 0; exec >> i & 1 && word < words; word++) {
            uint32_t load = want(&table, list->place[i] + word, is_atomic, banks);
            most = load > most ? load : most;
        }
    }
    return most;
}

/* Cycles of the LDS for an access of so many words a lane: lanes by as many as have a bank for each word. */
APART uint32_t local_cycles(wave *w, uint64_t exec, uint32_t at, uint32_t more, uint32_t words, uint32_t is_atomic,
                            uint32_t banks)
{
    const vu *lanes = registers(w, at);
    uint32_t step = banks / words, cycles = 0;
    word_list list;
    if (!w->tells)
        return 0;
    if (words == 1 && !is_atomic && exec == ~UINT64_C(0) && are_plain(lanes[0], lanes[1])
        && are_plain(lanes[2], lanes[3]))
        return WAVE / banks;
    list_words(lanes, more, exec, &list);
    for (uint32_t first = 0; first < WAVE; first += step) {
        uint32_t end = first + step < WAVE ? first + step : WAVE;
        cycles += most_wanted(&list, exec, first, end, words, is_atomic, banks);
    }
    for (uint32_t part = 0; part < PARTS && is_atomic; part++)
        place_near(w, lanes[part] + more, (uint64_t)w->local, part);
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
