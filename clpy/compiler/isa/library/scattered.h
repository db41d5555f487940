/* SPDX-License-Identifier: Apache-2.0
 * Loads and stores of 16 lanes whose places have nothing in common, for memory.c.
 */
#ifndef CLPY_ISA_SCATTERED_H
#define CLPY_ISA_SCATTERED_H

#include "lanes.h"

#define FEW 5       /* lanes that take less one by one */

typedef struct { uint8_t v; } plain_u8;

/* One lane's registers, from a place or to it. Words of private memory are 64 words apart. */
#define STRIDE(w, address) ((w) && (address) >> 32 == PRIVATE_APERTURE ? 256 : 4)

#define READ_WORDS(count)                                                                                             \
    for (uint32_t i = 0; i < count; i++)                                                                              \
        out->at[i][lane] = read_word(place + i * stride, stride);

#define WRITE_WORDS(count)                                                                                            \
    for (uint32_t i = 0; i < count; i++)                                                                              \
        write_word(place + i * stride, stride, data->at[i][lane]);

/* Lane by lane. `w` is NULL where addresses can only be the host's. */
#define SCATTERED(name, type, body)                                                                                   \
    APART static void name(wave *w, vu low, vu high, uint64_t base, uint32_t mask, uint32_t part, type)               \
    {                                                                                                                 \
        FOR_LANES(mask, lane) {                                                                                       \
            uint64_t address = FAR(high, lane, low) + base;                                                           \
            char *place = w ? flat_place(w, address, part * LANES + lane) : (char *)address;                          \
            uint32_t stride = STRIDE(w, address);                                                                     \
            (void)stride;                                                                                             \
            body                                                                                                      \
        }                                                                                                             \
    }

/* The host's addresses, for lanes that are off that of `nothing`. False where some are of private memory, or there are
 * few lanes. */
INLINE static inline int places_of(const wave *w, vu low, vu high, uint64_t base, uint32_t mask, const void *nothing,
                                   vq *places)
{
    vq address = CONVERT(low, vq) + (CONVERT(high, vq) << 32) + base, top = address >> 32;
    vl on = -CONVERT(AS(vm, (uint16_t)mask), vl);
    if (__builtin_popcount(mask) < FEW)
        return 0;
    if (w) {
        vl private = (vl)(top == PRIVATE_APERTURE) & on;
        if (bits_of(CONVERT(private, vm)))
            return 0;
        address = top == LOCAL_APERTURE ? (address & 0xffffffff) + (uint64_t)w->local : address;
    }
    *places = on ? address : (vq)(uint64_t)nothing;
    return 1;
}

/* All 16 lanes without a question between them: a third of the time of those that are on, one by one. */
#define GATHERED(name, type, count, read, body)                                                                       \
    SCATTERED(few_##name, type *out, body)                                                                            \
    APART static void name(wave *w, vu low, vu high, uint64_t base, uint32_t mask, uint32_t part, type *out)          \
    {                                                                                                                 \
        static const uint32_t nothing[count];                                                                         \
        vq places;                                                                                                    \
        if (!places_of(w, low, high, base, mask, nothing, &places)) {                                                 \
            few_##name(w, low, high, base, mask, part, out);                                                          \
            return;                                                                                                   \
        }                                                                                                             \
        for (uint32_t i = 0; i < count; i++) {                                                                        \
            vu words;                                                                                                 \
            for (uint32_t lane = 0; lane < LANES; lane++)                                                             \
                words[lane] = read((const char *)places[lane] + 4 * i);                                               \
            out->at[i] = words;                                                                                       \
        }                                                                                                             \
    }

INLINE static inline uint32_t word_u8(const char *p) { return *(const uint8_t *)p; }
INLINE static inline uint32_t word_i8(const char *p) { return (uint32_t)*(const int8_t *)p; }
INLINE static inline uint32_t word_u16(const char *p) { return ((const plain_u16 *)p)->v; }
INLINE static inline uint32_t word_i16(const char *p) { return (uint32_t)(int16_t)((const plain_u16 *)p)->v; }
INLINE static inline uint32_t word_b32(const char *p) { return ((const plain_u32 *)p)->v; }

GATHERED(gather_u8, single, 1, word_u8, out->at[0][lane] = *(uint8_t *)place;)
GATHERED(gather_i8, single, 1, word_i8, out->at[0][lane] = (uint32_t)*(int8_t *)place;)
GATHERED(gather_u16, single, 1, word_u16, out->at[0][lane] = read_short(place, stride);)
GATHERED(gather_i16, single, 1, word_i16, out->at[0][lane] = (uint32_t)(int16_t)read_short(place, stride);)
GATHERED(gather_b32, single, 1, word_b32, READ_WORDS(1))
GATHERED(gather_b64, pair, 2, word_b32, READ_WORDS(2))
GATHERED(gather_b96, triple, 3, word_b32, READ_WORDS(3))
GATHERED(gather_b128, quad, 4, word_b32, READ_WORDS(4))

/* Stores likewise, in the order of the lanes. */
#define SPREAD_OUT(name, type, count, word, body)                                                                     \
    SCATTERED(few_##name, const type *data, body)                                                                     \
    APART static void name(wave *w, vu low, vu high, uint64_t base, uint32_t mask, uint32_t part, const type *data)   \
    {                                                                                                                 \
        uint32_t nothing[count] = {0};                                                                                \
        type words = *data;                                                                                           \
        vq places;                                                                                                    \
        if (!places_of(w, low, high, base, mask, nothing, &places)) {                                                 \
            few_##name(w, low, high, base, mask, part, data);                                                         \
            return;                                                                                                   \
        }                                                                                                             \
        for (uint32_t lane = 0; lane < LANES; lane++)                                                                 \
            for (uint32_t i = 0; i < count; i++)                                                                      \
                ((word *)(places[lane] + 4 * i))->v = words.at[i][lane];                                              \
    }

SPREAD_OUT(scatter_b8, single, 1, plain_u8, *(uint8_t *)place = data->at[0][lane];)
SPREAD_OUT(scatter_b16, single, 1, plain_u16, write_short(place, stride, data->at[0][lane]);)
SPREAD_OUT(scatter_b32, single, 1, plain_u32, WRITE_WORDS(1))
SPREAD_OUT(scatter_b64, pair, 2, plain_u32, WRITE_WORDS(2))
SPREAD_OUT(scatter_b96, triple, 3, plain_u32, WRITE_WORDS(3))
SPREAD_OUT(scatter_b128, quad, 4, plain_u32, WRITE_WORDS(4))

#endif
