/* SPDX-License-Identifier: Apache-2.0
 * Pixels of the usual formats of images of two dimensions, for 16 lanes at once, whether they are on or not: each has a
 * place inside. The numbers are those of image_any.cl to the last bit, for images.cl.
 */
#ifndef CLPY_ISA_USUAL_PIXELS_H
#define CLPY_ISA_USUAL_PIXELS_H

#include "image.h"

#define LANES 16

typedef enum { UNUSUAL, BYTES_RGBA, BYTES_BGRA, BYTES_WHOLE, FOUR_WORDS, ONE_FLOAT } usual;
typedef struct { float16 at[4]; } colors;       /* red, green, blue and alpha of all lanes; bits of whole numbers */
typedef struct { int x[LANES], y[LANES]; } places;

/* Loops over lanes that become vectors. */
#define EACH_LANE \
    _Pragma("clang loop vectorize(enable) vectorize_width(16) interleave(disable)") \
    for (int lane = 0; lane < LANES; lane++)
#define ALL_LANES _Pragma("clang loop unroll(full)") for (int lane = 0; lane < LANES; lane++)
#define AS_FLOATS(words) __builtin_convertvector(__builtin_astype(words, int16), float16)

INTERNAL bool is_integer(view v) {
    uint type = v->channel_type;
    return (type >= CLK_SIGNED_INT8 && type <= CLK_UNSIGNED_INT32)
        || (type >= CLK_UNSIGNED_INT10X6_EXT && type <= CLK_UNSIGNED_INT14X2_EXT);
}

INTERNAL usual usual_format(view v, int dims, int layered) {
    if (dims != 2 || layered)
        return UNUSUAL;
    switch (FORMAT(v->channel_order, v->channel_type)) {
    case FORMAT(CLK_RGBA, CLK_UNORM_INT8):
        return BYTES_RGBA;
    case FORMAT(CLK_BGRA, CLK_UNORM_INT8):
        return BYTES_BGRA;
    case FORMAT(CLK_RGBA, CLK_UNSIGNED_INT8):
        return BYTES_WHOLE;
    case FORMAT(CLK_RGBA, CLK_SIGNED_INT32):
    case FORMAT(CLK_RGBA, CLK_UNSIGNED_INT32):
    case FORMAT(CLK_RGBA, CLK_FLOAT):
        return FOUR_WORDS;
    case FORMAT(CLK_R, CLK_FLOAT):
        return ONE_FLOAT;
    default:
        return UNUSUAL;
    }
}

INTERNAL uint16 words_at(view v, const __private places *p, uint behind) {
    uint16 words = (uint16)0;
    ALL_LANES
    words[lane] = AT(uint, address_of(v, (place){p->x[lane], p->y[lane], 0}, 2, 0) + behind);
    return words;
}

INTERNAL colors usual_texels(view v, usual format, const __private places *p) {
    colors c = {{(float16)0, (float16)0, (float16)0, (float16)1}};
    uint16 words = words_at(v, p, 0);
    switch (format) {
    case BYTES_RGBA:
    case BYTES_BGRA:
        c.at[1] = AS_FLOATS(words >> 8 & 255) * (1 / 255.0f);
        c.at[3] = AS_FLOATS(words >> 24) * (1 / 255.0f);
        c.at[format == BYTES_RGBA ? 0 : 2] = AS_FLOATS(words & 255) * (1 / 255.0f);
        c.at[format == BYTES_RGBA ? 2 : 0] = AS_FLOATS(words >> 16 & 255) * (1 / 255.0f);
        break;
    case BYTES_WHOLE:
        for (uint i = 0; i < 4; i++)
            c.at[i] = __builtin_astype(words >> 8 * i & 255, float16);
        break;
    case FOUR_WORDS:
        for (uint i = 1; i < 4; i++)
            c.at[i] = __builtin_astype(words_at(v, p, 4 * i), float16);
        c.at[0] = __builtin_astype(words, float16);
        break;
    default:
        c.at[0] = __builtin_astype(words, float16);
    }
    return c;
}

INTERNAL void put_inside(__private places *p, int lane, place size, place at) {
    at = bring_inside(size, at, 2, 0);
    p->x[lane] = at.x;
    p->y[lane] = at.y;
}

INTERNAL colors usual_loaded(view v, usual format, const __private uint *of) {
    place size = size_of(v, 0);
    places p;
    EACH_LANE
    put_inside(&p, lane, size, (place){(int)of[lane], (int)of[LANES + lane], 0});
    return usual_texels(v, format, &p);
}

INTERNAL float16 at_lanes(const __private float *of) {
    float16 x;
    __builtin_memcpy(&x, of, sizeof(x));
    return x;
}

/* With the border's color where `counts` is 0. */
INTERNAL colors with_border(view v, colors c, float16 counts) {
    for (int i = 0; i < 4; i++)
        c.at[i] = counts != 0 ? c.at[i] : (float16)(i < 3 ? 0 : border_alpha(v));
    return c;
}

INTERNAL colors usual_nearest(view v, usual format, uint s, const __private float *x, const __private float *y) {
    place size = size_of(v, 0);
    float counts[LANES];
    places p;
    EACH_LANE {
        place at = nearest_place(size, s, (point){x[lane], y[lane], 0}, 2, 0);
        counts[lane] = ADDRESSING(s) == CLPY_SAMPLER_CLAMP && !is_inside(size, at, 2) ? 0 : 1;
        put_inside(&p, lane, size, at);
    }
    return with_border(v, usual_texels(v, format, &p), at_lanes(counts));
}

/* The neighbours of all lanes along an axis. */
typedef struct { int at[2][LANES]; float counts[2][LANES], part[LANES]; } neighbourhood;

INTERNAL void find_neighbours(__private neighbourhood *found, const __private float *c, int size, uint s) {
    EACH_LANE {
        span n = neighbours(c[lane], size, s);
        found->at[0][lane] = n.first;
        found->at[1][lane] = n.second;
        found->counts[0][lane] = n.has_first ? 1 : 0;
        found->counts[1][lane] = n.has_second ? 1 : 0;
        found->part[lane] = n.part;
    }
}

INTERNAL colors usual_blended(view v, usual format, uint s, const __private float *x, const __private float *y) {
    neighbourhood across, along;
    colors sum = {{(float16)0, (float16)0, (float16)0, (float16)0}};
    find_neighbours(&across, x, (int)v->width, s);
    find_neighbours(&along, y, (int)v->height, s);
    float16 right = at_lanes(across.part), up = at_lanes(along.part);
    for (int i = 0; i < 4; i++) {
        places p;
        __builtin_memcpy(p.x, across.at[i & 1], sizeof(p.x));
        __builtin_memcpy(p.y, along.at[i >> 1], sizeof(p.y));
        float16 counts = at_lanes(across.counts[i & 1]) * at_lanes(along.counts[i >> 1]);
        float16 weight = (i & 1 ? right : 1 - right) * (i & 2 ? up : 1 - up);
        colors c = with_border(v, usual_texels(v, format, &p), counts);
        for (int k = 0; k < 4; k++)
            sum.at[k] += weight * c.at[k];
    }
    return sum;
}

INTERNAL colors usual_sampled(view v, usual format, uint s, const __private uint *of) {
    float x[LANES], y[LANES];
    __builtin_memcpy(x, of, sizeof(x));
    __builtin_memcpy(y, of + LANES, sizeof(y));
    bool blends = (s & CLPY_SAMPLER_LINEAR) && !is_integer(v);
    return blends ? usual_blended(v, format, s, x, y) : usual_nearest(v, format, s, x, y);
}

INTERNAL uint at_most_255(uint x) { return __builtin_elementwise_min(x, 255u); }

/* The words of pixels of four bytes. */
INTERNAL void usual_words(__private uint *words, usual format, const __private uint *bits) {
    if (format == BYTES_WHOLE) {
        EACH_LANE
        words[lane] = at_most_255(bits[lane]) | at_most_255(bits[LANES + lane]) << 8
            | at_most_255(bits[2 * LANES + lane]) << 16 | at_most_255(bits[3 * LANES + lane]) << 24;
        return;
    }
    const __private float *color = (const __private float *)bits;
    uint red = format == BYTES_RGBA ? 0 : 16, blue = 16 - red;
    EACH_LANE
    words[lane] = (uint)normal(color[lane], 255) << red | (uint)normal(color[LANES + lane], 255) << 8
        | (uint)normal(color[2 * LANES + lane], 255) << blue | (uint)normal(color[3 * LANES + lane], 255) << 24;
}

#endif
