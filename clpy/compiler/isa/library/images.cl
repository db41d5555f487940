// SPDX-License-Identifier: Apache-2.0
// Image instructions, for 16 lanes: what the chip's texture units do. Pixels and samples come from the functions that
// the CPU device has (clpy/compiler/builtins/image_any.cl).
//
// Words of lanes lie as registers do: `of` is coordinates, 16 numbers for each register, `data` colors, `to` results.
// `image` is the address of a clpy_image and `type` the word of the chip's descriptor that has the kind of image in its
// upper four bits; `s0`, `s1` and `s2` are words of the chip's sampler.
#include "image.h"
#include "usual_pixels.h"

#define FOR_LANES(mask, lane) \
    for (uint left = (mask), lane; left && (lane = (uint)__builtin_ctz(left), 1); left &= left - 1)
#define least __builtin_elementwise_min
#define most __builtin_elementwise_max
#define nearest_even __builtin_elementwise_rint

// Kinds of images in the chip's descriptors.
#define TYPE_1D 8u
#define TYPE_2D 9u
#define TYPE_3D 10u
#define TYPE_1D_ARRAY 12u
#define TYPE_2D_ARRAY 13u

// How an instruction says which level: not at all, by a number behind its coordinates, by how fast those change, or by
// a number behind three coordinates, of which the image may have fewer.
#define LEVEL_0 0u
#define LEVEL_GIVEN 1u
#define LEVEL_OF_STEPS 2u
#define LEVEL_BEHIND 3u

typedef __private const uint *words;
typedef struct { int dims, layered; } shape;

INTERNAL view to_view(ulong image) { return (view)image; }

INTERNAL shape shape_of(uint type) {
    uint kind = type >> 28;
    return (shape){kind == TYPE_3D ? 3 : kind == TYPE_2D || kind == TYPE_2D_ARRAY ? 2 : 1,
                   kind == TYPE_1D_ARRAY || kind == TYPE_2D_ARRAY};
}

INTERNAL bool is_signed(view v) { return v->channel_type <= CLK_SIGNED_INT32; }

INTERNAL void give(__private uint *to, uint lane, uint4 color) {
    for (int i = 0; i < 4; i++)
        to[LANES * i + lane] = color[i];
}

INTERNAL void give_all(__private uint *to, colors c) { __builtin_memcpy(to, &c, sizeof(c)); }

// How to do all lanes at once; UNUSUAL: it is done lane by lane, or no lane is on.
INTERNAL usual format_at_once(view v, shape s, uint mask, uint how) {
    return how == LEVEL_0 && mask ? usual_format(v, s.dims, s.layered) : UNUSUAL;
}

INTERNAL place place_in(words of, uint lane, shape s) {
    place p = {(int)of[lane], 0, 0};
    if (s.dims > 1)
        p.y = (int)of[LANES + lane];
    if (s.dims > 2 || s.layered)
        p.z = (int)of[LANES * s.dims - (s.dims > 2 ? LANES : 0) + lane];
    return p;
}

// Of an image that has but one.
INTERNAL uint level_of_image(view v, uint how) {
    return how != LEVEL_OF_STEPS && v->num_mip_levels == 1 ? LEVEL_0 : how;
}

INTERNAL uint level_in(words of, uint lane, shape s, uint how) {
    uint behind = how == LEVEL_BEHIND ? 3 : (uint)(s.dims + s.layered);
    return how == LEVEL_GIVEN || how == LEVEL_BEHIND ? of[LANES * behind + lane] : 0;
}

#define PLAIN (CLPY_SAMPLER_NEAREST | CLPY_SAMPLER_CLAMP_TO_EDGE)

// A pixel of a level behind the first: its number fits a float.
INTERNAL uint4 pixel_of_level(view v, place p, uint level, shape s) {
    float4 at = (float4)((float)p.x, (float)p.y, (float)p.z, 0);
    level = least(level, v->num_mip_levels - 1);
    return is_integer(v) ? __clpy_sample_u(v, PLAIN, at, level, s.dims, s.layered)
        : as_uint4(__clpy_sample_f(v, PLAIN, at, level, s.dims, s.layered));
}

void image_load(__private uint *to, words of, ulong image, uint type, uint mask, uint how) {
    view v = to_view(image);
    shape s = shape_of(type);
    how = level_of_image(v, how);
    usual format = format_at_once(v, s, mask, how);
    if (format != UNUSUAL) {
        give_all(to, usual_loaded(v, format, of));
        return;
    }
    FOR_LANES(mask, lane) {
        place p = place_in(of, lane, s);
        uint level = level_in(of, lane, s, how);
        if (level) {
            give(to, lane, pixel_of_level(v, p, level, s));
            continue;
        }
        p = bring_inside(size_of(v, s.layered), p, s.dims, s.layered);
        int4 at = (int4)(p.x, p.y, p.z, 0);
        give(to, lane, is_integer(v) ? __clpy_pixel_u(v, at, s.dims, s.layered)
             : as_uint4(__clpy_pixel_f(v, at, s.dims, s.layered)));
    }
}

INTERNAL void store_usual(words data, words of, view v, uint mask, usual format) {
    uint packed[LANES];
    if (format != FOUR_WORDS && format != ONE_FLOAT)
        usual_words(packed, format, data);
    FOR_LANES(mask, lane) {
        place p = {(int)of[lane], (int)of[LANES + lane], 0};
        if (!is_inside(size_of(v, 0), p, 2))
            continue;
        bytes at = address_of(v, p, 2, 0);
        if (format == FOUR_WORDS)
            AT(uint4, at) = (uint4)(data[lane], data[LANES + lane], data[2 * LANES + lane], data[3 * LANES + lane]);
        else
            AT(uint, at) = format == ONE_FLOAT ? data[lane] : packed[lane];
    }
}

void image_store(words data, words of, ulong image, uint type, uint mask, uint how) {
    view v = to_view(image);
    shape s = shape_of(type);
    usual format = format_at_once(v, s, mask, how);
    if (format != UNUSUAL) {
        store_usual(data, of, v, mask, format);
        return;
    }
    FOR_LANES(mask, lane) {
        place p = place_in(of, lane, s);
        uint level = level_in(of, lane, s, how);
        uint4 color = (uint4)(data[lane], data[LANES + lane], data[2 * LANES + lane], data[3 * LANES + lane]);
        int4 c = (int4)(p.x, p.y, p.z, 0);
        if (!is_integer(v))
            __clpy_put_in_level(v, level, c, s.dims, s.layered, as_float4(color));
        else if (is_signed(v))
            __clpy_put_in_level(v, level, c, s.dims, s.layered, as_int4(color));
        else
            __clpy_put_in_level(v, level, c, s.dims, s.layered, color);
    }
}

// --- samplers

#define WRAP 0u
#define MIRROR 1u
#define LAST_TEXEL 2u
#define NOT_NORMALIZED (1u << 15)
#define LINEAR (1u << 22)
#define MIP_LINEAR (2u << 26)

// The CLPY_SAMPLER_* bits of a chip's sampler, but for its levels.
INTERNAL uint sampler_of(uint s0, uint s2) {
    uint wrap = s0 & 7;
    uint s = wrap == WRAP ? CLPY_SAMPLER_REPEAT : wrap == MIRROR ? CLPY_SAMPLER_MIRRORED_REPEAT
        : wrap == LAST_TEXEL ? CLPY_SAMPLER_CLAMP_TO_EDGE : CLPY_SAMPLER_CLAMP;
    s |= s0 & NOT_NORMALIZED ? 0 : CLPY_SAMPLER_NORMALIZED;
    s |= s2 & LINEAR ? CLPY_SAMPLER_LINEAR : CLPY_SAMPLER_NEAREST;
    return s | (s2 & MIP_LINEAR ? CLPY_SAMPLER_MIP_LINEAR : 0);
}

INTERNAL float4 point_in(words of, uint lane, shape s, uint how) {
    of += how == LEVEL_OF_STEPS ? 2 * LANES * s.dims : 0;
    place p = place_in(of, lane, s);
    return (float4)(as_float(p.x), as_float(p.y), as_float(p.z), 0);
}

// Pixels of level 0 that a step to the next pixel of the screen goes over, as a power of two.
INTERNAL float squared_length(words step, uint lane, view v, shape s) {
    float x = as_float(step[lane]) * (float)(int)v->width, sum = x * x;
    if (s.dims > 1) {
        float y = as_float(step[LANES + lane]) * (float)(int)v->height;
        sum += y * y;
    }
    if (s.dims > 2) {
        float z = as_float(step[2 * LANES + lane]) * (float)(int)v->depth;
        sum += z * z;
    }
    return sum;
}

INTERNAL float detail(words of, uint lane, view v, uint s1, shape s, uint how) {
    if (how == LEVEL_0)
        return 0;
    float lod = as_float(level_in(of, lane, s, how));
    if (how == LEVEL_OF_STEPS) {
        float longest = most(squared_length(of, lane, v, s), squared_length(of + LANES * s.dims, lane, v, s));
        lod = 0.5f * __builtin_elementwise_log2(longest);
    }
    float low = (float)(int)(s1 & 4095) / 256.0f, high = (float)(int)(s1 >> 12 & 4095) / 256.0f;
    return within(within(lod, low, high), 0, (float)(int)(v->num_mip_levels - 1));
}

void image_sample(__private uint *to, words of, ulong image, uint type, uint mask, uint how, uint s0, uint s1,
                  uint s2) {
    view v = to_view(image);
    shape s = shape_of(type);
    uint sampler = sampler_of(s0, s2);
    how = level_of_image(v, how);
    bool blends = how != LEVEL_0 && (sampler & CLPY_SAMPLER_MIP_LINEAR);
    usual format = format_at_once(v, s, mask, how);
    if (format != UNUSUAL) {
        give_all(to, usual_sampled(v, format, sampler, of));
        return;
    }
    FOR_LANES(mask, lane) {
        float4 c = point_in(of, lane, s, how);
        float lod = detail(of, lane, v, s1, s, how);
        if (is_integer(v)) {
            give(to, lane, __clpy_sample_u(v, sampler, c, (uint)(int)nearest_even(lod), s.dims, s.layered));
            continue;
        }
        uint level = (uint)(int)(blends ? lod : nearest_even(lod));
        float4 color = __clpy_sample_f(v, sampler, c, level, s.dims, s.layered);
        if (blends) {
            float part = lod - (float)(int)level;
            uint next = least(level + 1, v->num_mip_levels - 1);
            color = (1 - part) * color + part * __clpy_sample_f(v, sampler, c, next, s.dims, s.layered);
        }
        give(to, lane, as_uint4(color));
    }
}

// --- blocks of Intel's: bytes of rows of an image, which lie in registers 4, 8, 16, ... bytes apart

// In the words of a message: bytes of a row, and rows, each without one.
INTERNAL int block_width(uint size) { return (int)(size & 63) + 1; }
INTERNAL int block_rows(uint size) { return (int)(size >> 16 & 63) + 1; }

INTERNAL int block_pitch(uint size) {
    int pitch = 4;
    while (pitch < block_width(size))
        pitch *= 2;
    return pitch;
}

INTERNAL bytes row_of(view v, int y) { return (bytes)v->data + (ulong)(uint)y * v->row_pitch; }
INTERNAL int row_bytes(view v) { return (int)(v->width * v->pixel_bytes); }

// Where to read instead of `at`: beyond the ends of a row is its first or last pixel.
INTERNAL int byte_inside(view v, int at) {
    int unit = (int)v->pixel_bytes, pixel = (at < 0 ? at - unit + 1 : at) / unit;
    return bound(pixel, (int)v->width) * unit + at - pixel * unit;
}

// Rows of whole words that lie within those of the image.
INTERNAL bool is_inside(view v, int x, int width) { return x >= 0 && width % 4 == 0 && x <= row_bytes(v) - width; }

typedef uint any_word __attribute__((aligned(1)));

void media_load(__private uint *to, ulong image, int x, int y, uint size) {
    view v = to_view(image);
    int width = block_width(size), pitch = block_pitch(size);
    bool inside = is_inside(v, x, width);
    for (int i = 0; i < block_rows(size); i++) {
        bytes row = row_of(v, bound(y + i, (int)v->height));
        __private uchar *out = (__private uchar *)to + i * pitch;
        if (inside)
            for (int j = 0; j < width; j += 4)
                *(__private uint *)(out + j) = *(__global any_word *)(row + x + j);
        else
            for (int j = 0; j < width; j++)
                out[j] = row[byte_inside(v, x + j)];
    }
}

void media_store(words data, ulong image, int x, int y, uint size) {
    view v = to_view(image);
    int width = block_width(size), pitch = block_pitch(size);
    bool inside = is_inside(v, x, width);
    for (int i = 0; i < block_rows(size); i++) {
        __private const uchar *from = (__private const uchar *)data + i * pitch;
        if ((uint)(y + i) >= v->height)
            continue;
        bytes row = row_of(v, y + i);
        if (inside)
            for (int j = 0; j < width; j += 4)
                *(__global any_word *)(row + x + j) = *(__private const uint *)(from + j);
        else
            for (int j = 0; j < width; j++)
                if ((uint)(x + j) < (uint)row_bytes(v))
                    row[x + j] = from[j];
    }
}

// --- for the trace: where the pixels of an access are, `to` 64 addresses for each; levels lie where the first does

INTERNAL ulong texel_address(view v, place p, shape s) {
    return (ulong)address_of(v, bring_inside(size_of(v, s.layered), p, s.dims, s.layered), s.dims, s.layered);
}

uint image_places(__private ulong *to, words of, ulong image, uint type, uint mask, uint part) {
    view v = to_view(image);
    shape s = shape_of(type);
    FOR_LANES(mask, lane)
        to[LANES * part + lane] = texel_address(v, place_in(of, lane, s), s);
    return 1 | v->pixel_bytes << 8;
}

uint image_sample_places(__private ulong *to, words of, ulong image, uint type, uint mask, uint how, uint s0, uint s2,
                         uint part) {
    view v = to_view(image);
    shape s = shape_of(type);
    uint sampler = sampler_of(s0, s2), texels = sampler & CLPY_SAMPLER_LINEAR ? 1u << s.dims : 1;
    place size = size_of(v, s.layered);
    FOR_LANES(mask, lane) {
        float4 c = point_in(of, lane, s, how);
        place near = nearest_place(size, sampler, (point){c.x, c.y, c.z}, s.dims, s.layered);
        span x = {near.x, near.x, 0}, y = {near.y, near.y, 0}, z = {near.z, near.z, 0};
        if (texels > 1) {
            x = neighbours(c.x, size.x, sampler);
            y = s.dims > 1 ? neighbours(c.y, size.y, sampler) : y;
            z = s.dims > 2 ? neighbours(c.z, size.z, sampler) : z;
        }
        for (uint i = 0; i < texels; i++) {
            place p = {i & 1 ? x.second : x.first, i & 2 ? y.second : y.first, i & 4 ? z.second : z.first};
            to[64 * i + LANES * part + lane] = texel_address(v, p, s);
        }
    }
    return texels | v->pixel_bytes << 8;
}

// The first and the last bytes of a block's rows.
uint media_places(__private ulong *to, ulong image, int x, int y, uint size) {
    view v = to_view(image);
    for (int i = 0; i < block_rows(size) && i < LANES; i++) {
        ulong row = (ulong)row_of(v, bound(y + i, (int)v->height));
        to[i] = row + (ulong)byte_inside(v, x);
        to[64 + i] = row + (ulong)byte_inside(v, x + block_width(size) - 1);
    }
    return 2 | 1 << 8;
}
