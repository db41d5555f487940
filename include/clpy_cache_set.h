/* SPDX-License-Identifier: Apache-2.0
 * A set of a simulated cache (clpy/device/gpu/timing): which one has a line, which of its ways, and in what order they
 * were used.
 */
#ifndef CLPY_CACHE_SET_H
#define CLPY_CACHE_SET_H

#include <stdint.h>
#include <emmintrin.h>
/* The quotient by a number for which clpy_reciprocal() was taken: exact, and many times as fast as a division. */
static inline uint64_t clpy_reciprocal(uint32_t by) { return (UINT64_C(1) << 63) / by + 1; }
static inline uint32_t clpy_quotient(uint32_t n, uint64_t reciprocal) {
    return (uint32_t)((unsigned __int128)reciprocal * ((uint64_t)n << 1) >> 64);
}
#define CLPY_EACH_FOUR 0x1111111111111111ull
static inline __m128i clpy_same_tags(const uint32_t *tags, uint32_t tag) {
    return _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)tags), _mm_set1_epi32((int)tag));
}
/* Four ways at a time, which every x86-64 can do; sixteen with one question at the end. */
static inline int64_t clpy_find_tag(const uint32_t *tags, uint32_t ways, uint32_t tag) {
    uint32_t way = 0;
    if (ways == 16) {
        __m128i low = _mm_packs_epi32(clpy_same_tags(tags, tag), clpy_same_tags(tags + 4, tag));
        __m128i high = _mm_packs_epi32(clpy_same_tags(tags + 8, tag), clpy_same_tags(tags + 12, tag));
        int found = _mm_movemask_epi8(_mm_packs_epi16(low, high));
        return found ? __builtin_ctz(found) : -1;
    }
    for (; way + 4 <= ways; way += 4) {
        int found = _mm_movemask_ps(_mm_castsi128_ps(clpy_same_tags(tags + way, tag)));
        if (found)
            return way + __builtin_ctz(found);
    }
    for (; way < ways; way++)
        if (tags[way] == tag)
            return way;
    return -1;
}
/* The way goes to the front, those that were before it one place on. */
static inline uint64_t clpy_use_way(uint64_t order, uint64_t way) {
    uint64_t other = order ^ way * CLPY_EACH_FOUR, is_it = (other - CLPY_EACH_FOUR) & ~other & 8 * CLPY_EACH_FOUR;
    uint64_t up_to = (16ull << (__builtin_ctzll(is_it) - 3)) - 1;
    return (order & ~up_to) | (order << 4 & up_to) | way;
}
/* Likewise of the last of so many, at least one. */
static inline uint64_t clpy_last_way_first(uint64_t order, uint32_t ways) {
    uint64_t up_to = UINT64_MAX >> (64 - 4 * ways);
    return (order & ~up_to) | (order << 4 & up_to) | (order >> 4 * (ways - 1) & 15);
}

#endif
