/* SPDX-License-Identifier: Apache-2.0
 * What the traced variant of a Gen chip's kernel tells of its messages (include/clpy_wave.h has the words). The data
 * port takes a line of memory a cycle, and local memory has a bank for each of 16 words: the rules of
 * clpy/device/gpu/timing/access.py. A message has 8, 16 or 32 lanes, bit by bit of `mask`, and their places are in
 * `address`.
 */
#include "lines.h"

#define BANKS 16
#define PORT_BYTES 64

void trace_word(wave *w, uint32_t word);

/* Private memory of the thread, which lies in the host's like all other. */
static inline uint64_t own_place(const wave *w, uint64_t address, uint32_t private_bytes)
{
    uint64_t offset = address - (uint64_t)w->scratch;
    return offset < private_bytes ? PRIVATE | offset : address;
}

/* Lanes of a message that the port takes at once: such as have as many bytes as it moves. */
static inline uint32_t lanes_at_once(uint32_t bytes)
{
    uint32_t lanes = LANES;
    while (lanes > 1 && lanes * bytes > PORT_BYTES)
        lanes /= 2;
    return lanes;
}

/* `access`: bytes a lane, kind << 8, the least cycles << 16. */
APART void trace_gen_memory(wave *w, uint32_t mask, uint32_t lanes, uint32_t access, uint32_t private_bytes)
{
    line_set set;
    uint32_t cycles = 0, bytes = BYTES(access), step = lanes_at_once(bytes);
    if (!w->tells)
        return;
    for (uint32_t left = private_bytes ? mask : 0; left; left &= left - 1) {
        uint64_t *place = &w->address[__builtin_ctz(left)];
        *place = own_place(w, *place, private_bytes);
    }
    begin_lines(&set);
    for (uint32_t first = 0; first < lanes; first += step) {
        uint32_t some = mask & ((1u << step) - 1) << first;
        if (!some)
            continue;
        quarter_lines(w, &set, some >> (first & ~(LANES - 1)) & ALL, first & ~(LANES - 1), bytes);
        cycles += set.here;
    }
    uint32_t least = LEAST(access) > 1 ? LEAST(access) : 1;
    write_lines(w, &set, cycles > least ? cycles : least);
    if (KIND(access) == ATOMIC)
        trace_word(w, most_on_one(w, mask));
}

/* A block: so many bytes that follow each other, whatever the lanes. */
APART void trace_gen_block(wave *w, uint64_t address, uint32_t bytes, uint32_t private_bytes)
{
    if (!w->tells)
        return;
    uint64_t place = own_place(w, address, private_bytes), last = (place & (PORT_BYTES - 1)) + bytes - 1;
    uint32_t count = (uint32_t)(last >> LINE_BITS) + 1;
    write_run(w, line_of(w, place), count, count);
}

/* In how many cycles all of them have their word: words of one bank come one after the other. What several lanes read
 * comes once. */
static uint32_t bank_cycles(const uint32_t *words, uint32_t count, uint32_t is_load)
{
    uint32_t wanted[BANKS] = {0}, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t is_there = 0;
        for (uint32_t k = 0; is_load && k < i; k++)
            is_there |= words[k] == words[i];
        uint32_t load = wanted[words[i] % BANKS] += !is_there;
        most = load > most ? load : most;
    }
    return most;
}

/* All 16 lanes of whole words side by side, or that read one place: no bank is wanted twice by those at once. */
static inline int is_plain(const wave *w, uint32_t mask, uint32_t lanes, uint32_t access)
{
    vq away = *(const vq *)w->address - w->address[0], row = away ^ IOTA(vq) * (uint64_t)BYTES(access);
    if (mask != ALL || lanes != LANES || BYTES(access) % 4 || BYTES(access) > 16 || KIND(access) == ATOMIC)
        return 0;
    return __builtin_reduce_or(row) == 0 || (KIND(access) == LOAD && __builtin_reduce_or(away) == 0);
}

/* Local memory: `address` has offsets. As many lanes at once as have a bank for each of their words. */
APART void trace_gen_local(wave *w, uint32_t mask, uint32_t lanes, uint32_t access)
{
    uint32_t each = (BYTES(access) + 3) / 4, cycles = 0, words[BANKS], count = 0;
    if (!w->tells)
        return;
    uint32_t step = each < BANKS ? BANKS / each : 1;
    if (is_plain(w, mask, lanes, access)) {
        cycles = (LANES + step - 1) / step;
        lanes = 0;
    }
    for (uint32_t first = 0; first < lanes; first += step) {
        count = 0;
        for (uint32_t lane = first; lane < first + step && lane < lanes; lane++)
            for (uint32_t word = 0; mask >> lane & 1 && word < each && count < BANKS; word++)
                words[count++] = (uint32_t)(w->address[lane] >> 2) + word;
        cycles += bank_cycles(words, count, KIND(access) == LOAD);
    }
    trace_word(w, (cycles > LEAST(access) ? cycles : LEAST(access)) << 16);
    if (KIND(access) == ATOMIC)
        trace_word(w, most_on_one(w, mask));
}
