/* SPDX-License-Identifier: Apache-2.0
 * Pixels of images, how far blocks of them are from each other, and what vectors cost.
 */
#ifndef CLPY_AVC_PICTURE_H
#define CLPY_AVC_PICTURE_H

#include "avc.h"

#define PART 4                  /* pixels along the least block */
#define PARTS 16               /* of 4 x 4 pixels in a macroblock */
#define ABS_DIFF(a, b) (__builtin_elementwise_max(a, b) - __builtin_elementwise_min(a, b))
typedef uchar16 any_uchar16 __attribute__((aligned(1)));

/* The luma of an image, or of one of its fields: rows in turn. */
typedef struct {
    bytes data;
    long pitch;
    int step, width, height;
} Picture;

HELPER Picture picture_of(view v, int is_field, int field)
{
    is_field = is_field && v->height > 1;
    bytes data = v->data + (is_field && field ? v->row_pitch : 0);
    int height = is_field ? ((int)v->height + !field) / 2 : (int)v->height;
    return (Picture){data, (long)v->row_pitch << is_field, (int)v->pixel_bytes, (int)v->width, height};
}

HELPER Picture source_picture(const MY Work *w)
{
    return picture_of(w->source, w->p.is_field & 1, w->p.source_field);
}

/* Of a direction and an 8 x 8 block. */
HELPER Picture reference_picture(const MY Work *w, int direction, int quarter)
{
    return picture_of(w->reference[direction][quarter], w->p.is_field & 2,
                      w->reference_fields >> (4 * direction + quarter) & 1);
}

/* Pixels from (x, y) on, beyond the edges the nearest ones. */
HELPER void read_pixels(Picture picture, int x, int y, int width, int height, MY uchar *to, int pitch)
{
    for (int row = 0; row < height; row++) {
        bytes from = picture.data + bound(y + row, picture.height) * picture.pitch;
        if (x >= 0 && x + width <= picture.width && picture.step == 1) {
            for (int column = 0; column < width; column++)
                to[row * pitch + column] = from[x + column];
        } else {
            for (int column = 0; column < width; column++)
                to[row * pitch + column] = from[bound(x + column, picture.width) * picture.step];
        }
    }
}

HELPER void read_source(const MY Work *w, MY uchar *source)
{
    read_pixels(source_picture(w), w->p.source.x, w->p.source.y, SIZE, SIZE, source, SIZE);
}

/* --- distortions */

HELPER int absolute(int x) { return x < 0 ? -x : x; }

/* Of 4 x 4 differences: absolute values in the basis of Haar; without the first one, of their sum, if ac_only. */
HELPER int sum_of_haar(const MY int *d, int ac_only)
{
    int sums[4], details = 0;
    for (int i = 0; i < 4; i++) {
        const MY int *q = d + i / 2 * 8 + i % 2 * 2;
        int top = q[0] + q[1], bottom = q[4] + q[5], left = q[0] - q[1], right = q[4] - q[5];
        sums[i] = top + bottom;
        details += absolute(top - bottom) + absolute(left + right) + absolute(left - right);
    }
    int top = sums[0] + sums[1], bottom = sums[2] + sums[3], left = sums[0] - sums[1], right = sums[2] - sums[3];
    int coarse = (ac_only ? 0 : absolute(top + bottom)) + absolute(top - bottom) + absolute(left + right)
               + absolute(left - right);
    return (2 * details + coarse + 2) >> 2;
}

HELPER int is_haar(const MY Work *w, uint adjustment)
{
    return w->p.ac_only || adjustment == CLK_AVC_ME_SAD_ADJUST_MODE_HAAR_INTEL;
}

/* How far 4 x 4 pixels are from others. */
HELPER int distortion(const MY uchar *a, int pitch_a, const MY uchar *b, int pitch_b, int haar, int ac_only)
{
    int d[16], sum = 0;
    for (int i = 0; i < 16; i++)
        d[i] = a[i / 4 * pitch_a + i % 4] - b[i / 4 * pitch_b + i % 4];
    if (haar)
        return sum_of_haar(d, ac_only);
    for (int i = 0; i < 16; i++)
        sum += absolute(d[i]);
    return sum;
}

/* --- what comes to the distortion */

/* Of a distance in quarters of a pixel. The table has its values at 0, 1, 2, 4, ... 64 units, linear between them. */
HELPER int cost_of_distance(const MY Work *w, int distance)
{
    ulong table = as_ulong(w->p.cost_table);
    int shift = w->p.cost_precision & 3, unit = 1 << shift, k = 0;
    if (distance > unit * 64) {
        int cost = u4u4(table >> 56) + (distance >> shift) - 64;
        return cost > 255 ? 255 : cost;
    }
    while (k < 7 && distance >= unit << k)
        k++;
    int low = k ? unit << (k - 1) : 0, at = u4u4(table >> 8 * k & 255);
    int rise = k < 7 ? u4u4(table >> 8 * (k + 1) & 255) - at : 0;
    return at + rise * (distance - low) / ((k ? low : unit));
}

/* Of a vector, by its distance from the center of an 8 x 8 block. */
HELPER int cost_of_vector(const MY Work *w, int direction, int quarter, int x, int y)
{
    if (!w->p.has_costs)
        return 0;
    uint center = half_of(w->centers[quarter], direction);
    return cost_of_distance(w, absolute(x - x_of(center))) + cost_of_distance(w, absolute(y - y_of(center)));
}

HELPER int reference_cost(const MY Work *w, uint id)
{
    int times = id == 0 ? 0 : id < 3 ? 1 : id < 7 ? 2 : 3;
    return u4u4(w->p.reference_penalty) * times;
}

/* Of a macroblock of a major shape, of an 8 x 8 block of a minor one. */
HELPER int shape_cost(const MY Work *w, int shape)
{
    int byte = shape == OF_16x16 ? 4 : shape == OF_16x8 || shape == OF_8x16 ? 0 : shape == OF_8x8 ? 1
             : shape == OF_4x4 ? 3 : 2;
    return u4u4(w->p.shape_penalty >> 8 * byte & 255);
}

HELPER uint id_of(const MY Work *w, int direction, int quarter)
{
    return w->reference_ids >> (8 * quarter + 4 * direction) & 15;
}

/* --- shapes: blocks in units of 4 pixels */

typedef struct { int x, y, width, height, quarter; } Block;

HELPER int blocks_of(int shape)
{
    return shape == OF_16x16 || shape == OF_8x8 ? 1 : shape == OF_4x4 ? 4 : 2;
}

/* Block `number` of a shape: of the macroblock, or of the 8 x 8 block `quarter`. */
HELPER Block block_of(int shape, int quarter, int number)
{
    int x = quarter % 2 * 2, y = quarter / 2 * 2;
    switch (shape) {
    case OF_16x16:
        return (Block){0, 0, 4, 4, 0};
    case OF_16x8:
        return (Block){0, number * 2, 4, 2, number * 2};
    case OF_8x16:
        return (Block){number * 2, 0, 2, 4, number};
    case OF_8x4:
        return (Block){x, y + number, 2, 1, quarter};
    case OF_4x8:
        return (Block){x + number, y, 1, 2, quarter};
    case OF_4x4:
        return (Block){x + number % 2, y + number / 2, 1, 1, quarter};
    }
    return (Block){x, y, 2, 2, quarter};
}

#endif
