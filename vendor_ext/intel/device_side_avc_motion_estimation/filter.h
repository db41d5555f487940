/* SPDX-License-Identifier: Apache-2.0
 * Pixels between pixels: what a vector points to in a reference, or two vectors in two of them.
 */
#ifndef CLPY_AVC_FILTER_H
#define CLPY_AVC_FILTER_H

#include "picture.h"

#define TAPS 4
#define RAW_PITCH 32

/* Sixteenths, by the fraction in quarters: of the pixel before, the one at the place, and two behind it. */
constant short FOUR_TAPS[4][TAPS] = {{0, 16, 0, 0}, {-1, 13, 5, -1}, {-2, 10, 10, -2}, {-1, 5, 13, -1}};

HELPER uchar four_taps(const MY uchar *at, int step, int fraction)
{
    int sum = 8;
    for (int i = 0; i < TAPS; i++)
        sum += FOUR_TAPS[fraction][i] * at[i * step];
    return (uchar)bound(sum >> 4, 256);
}

/* Pixels of a size at (x, y) quarters of a pixel, to rows of SIZE: first along rows, then along columns. */
HELPER void predict(const MY Work *w, Picture picture, int x, int y, int width, int height, MY uchar *to)
{
    uchar raw[(SIZE + TAPS - 1) * RAW_PITCH], rows[(SIZE + TAPS - 1) * SIZE];
    int fx = x & 3, fy = y & 3;
    read_pixels(picture, (x >> 2) - 1, (y >> 2) - 1, width + TAPS - 1, height + TAPS - 1, raw, RAW_PITCH);
    if (w->p.is_bilinear) {
        for (int i = 0; i < height; i++)
            for (int j = 0; j < width; j++) {
                const MY uchar *at = raw + (i + 1) * RAW_PITCH + j + 1;
                int top = at[0] * (4 - fx) + at[1] * fx, bottom = at[RAW_PITCH] * (4 - fx) + at[RAW_PITCH + 1] * fx;
                to[i * SIZE + j] = (top * (4 - fy) + bottom * fy + 8) >> 4;
            }
        return;
    }
    for (int i = 0; i < height + TAPS - 1; i++)
        for (int j = 0; j < width; j++)
            rows[i * SIZE + j] = four_taps(raw + i * RAW_PITCH + j, 1, fx);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++)
            to[i * SIZE + j] = four_taps(rows + i * SIZE + j, SIZE, fy);
}

/* What a vector, in quarters of a pixel, points to from a block of the macroblock. */
HELPER void predict_block(const MY Work *w, Block block, int direction, uint vector, MY uchar *to)
{
    int x = (w->p.source.x + block.x * PART) * 4 + x_of(vector);
    int y = (w->p.source.y + block.y * PART) * 4 + y_of(vector);
    predict(w, reference_picture(w, direction, block.quarter), x, y, block.width * PART, block.height * PART, to);
}

/* By a direction, with both the mean: the greater the weight, of 64, the more counts the backward one. */
HELPER void predict_from(const MY Work *w, Block block, int direction, ulong vectors, MY uchar *to)
{
    int weight = w->p.weight > 64 ? 64 : w->p.weight;
    predict_block(w, block, direction == BACKWARD ? BACKWARD : FORWARD,
                  half_of(vectors, direction == BACKWARD ? BACKWARD : FORWARD), to);
    if (direction != BOTH)
        return;
    uchar backward[SIZE * SIZE];
    predict_block(w, block, BACKWARD, half_of(vectors, BACKWARD), backward);
    for (int i = 0; i < block.height * PART; i++)
        for (int j = 0; j < block.width * PART; j++) {
            int at = i * SIZE + j;
            to[at] = ((64 - weight) * to[at] + weight * backward[at] + 32) >> 6;
        }
}

/* How far a block of the macroblock is from pixels in rows of SIZE. */
HELPER int distortion_of_block(const MY Work *w, const MY uchar *source, Block block, const MY uchar *other)
{
    int sum = 0, haar = is_haar(w, w->p.sad_adjustment);
    for (int i = 0; i < block.height; i++)
        for (int j = 0; j < block.width; j++)
            sum += distortion(source + ((block.y + i) * SIZE + block.x + j) * PART, SIZE,
                              other + (i * SIZE + j) * PART, SIZE, haar, w->p.ac_only);
    return sum;
}

/* Of the vectors that a direction has. */
HELPER int cost_of_vectors(const MY Work *w, Block block, int direction, ulong vectors)
{
    int cost = 0;
    for (int i = FORWARD; i <= BACKWARD; i++)
        if (direction == i || direction == BOTH)
            cost += cost_of_vector(w, i, block.quarter, x_of(half_of(vectors, i)), y_of(half_of(vectors, i)));
    return cost;
}

/* Of a part of the macroblock, beside its blocks: for its images. */
HELPER int cost_of_images(const MY Work *w, int quarter, int direction)
{
    int cost = direction == FORWARD ? 0 : u4u4(w->p.direction_penalty);
    for (int i = FORWARD; i <= BACKWARD; i++)
        if (direction == i || direction == BOTH)
            cost += reference_cost(w, id_of(w, i, quarter));
    return cost;
}

#endif
