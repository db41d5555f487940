/* SPDX-License-Identifier: Apache-2.0
 * Means of the latest requests to a simulated L2 (clpy/device/gpu/timing): four at a time, in fixed point.
 */
#ifndef CLPY_MEANS_H
#define CLPY_MEANS_H

#include <stdint.h>
#include <emmintrin.h>

/* One more request, of which the n-th is so where `what` has bit n: then that mean goes towards `whole`, else to 0, by
 * a part of the way that is 1 by 2 to the power of `bits`. */
static inline void clpy_move_means(int32_t *means, uint32_t what, int32_t whole, int bits) {
    __m128i each = _mm_set_epi32(8, 4, 2, 1), old = _mm_loadu_si128((const __m128i *)means);
    __m128i is_so = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)what), each), each);
    __m128i way = _mm_sub_epi32(_mm_and_si128(is_so, _mm_set1_epi32(whole)), old);
    _mm_storeu_si128((__m128i *)means, _mm_add_epi32(old, _mm_srai_epi32(way, bits)));
}

#endif
