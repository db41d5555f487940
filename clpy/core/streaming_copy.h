/* SPDX-License-Identifier: Apache-2.0
 * Copies that go past the caches.
 */
#ifndef CLPY_STREAMING_COPY_H
#define CLPY_STREAMING_COPY_H

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

static void clpy_copy_streaming(unsigned char *d, const unsigned char *s, size_t n) {
    size_t head = (64 - ((uintptr_t)d & 63)) & 63;
    if (n < head + 64) { memcpy(d, s, n); return; }
    memcpy(d, s, head);
    d += head; s += head; n -= head;
    for (; n >= 64; d += 64, s += 64, n -= 64) {
        _mm_prefetch((const char *)s + 512, _MM_HINT_NTA);
        __m128i a = _mm_loadu_si128((const __m128i *)s), b = _mm_loadu_si128((const __m128i *)(s + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(s + 32)), e = _mm_loadu_si128((const __m128i *)(s + 48));
        _mm_stream_si128((__m128i *)d, a); _mm_stream_si128((__m128i *)(d + 16), b);
        _mm_stream_si128((__m128i *)(d + 32), c); _mm_stream_si128((__m128i *)(d + 48), e);
    }
    _mm_sfence();
    memcpy(d, s, n);
}

/* pat: 256 bytes of the repeated pattern, so that any phase below 128 has 128 bytes ahead of it */
static void clpy_fill_streaming(unsigned char *d, const unsigned char *pat, size_t n) {
    size_t head = (128 - ((uintptr_t)d & 127)) & 127;
    if (n < head + 128) { memcpy(d, pat, n); return; }
    memcpy(d, pat, head);
    __m128i v[8];
    memcpy(v, pat + head, 128);
    d += head; n -= head;
    for (; n >= 128; d += 128, n -= 128)
        for (int i = 0; i < 8; i++) _mm_stream_si128((__m128i *)(d + 16 * i), v[i]);
    _mm_sfence();
    memcpy(d, v, n);
}

#endif
