/* SPDX-License-Identifier: Apache-2.0
 * Prediction of a macroblock from the pixels beside it, by the modes of H.264 (8.3.1 to 8.3.4). Blocks of n x n pixels
 * have their neighbours in an array: from the lower left upwards, the corner, then to the right, n + 1 + 2 n of them.
 */
#ifndef CLPY_AVC_INTRA_H
#define CLPY_AVC_INTRA_H

#include "picture.h"

#define CORNER(n) (n)
#define TOP(n) ((n) + 1)
#define NEIGHBOURS(n) (3 * (n) + 1)
#define MODES 9
#define DC 2
#define PLANE 4                 /* of 16 x 16 */

/* Bits of the mask that programs give. */
#define HAS_LEFT CLK_AVC_ME_INTRA_NEIGHBOR_LEFT_MASK_ENABLE_INTEL
#define HAS_TOP CLK_AVC_ME_INTRA_NEIGHBOR_UPPER_MASK_ENABLE_INTEL
#define HAS_RIGHT CLK_AVC_ME_INTRA_NEIGHBOR_UPPER_RIGHT_MASK_ENABLE_INTEL
#define HAS_CORNER CLK_AVC_ME_INTRA_NEIGHBOR_UPPER_LEFT_MASK_ENABLE_INTEL

/* The macroblock with its neighbours, as rows: the first row is above, the first column to the left. */
#define FIELD_PITCH 32
typedef struct { uchar at[(SIZE + 1) * FIELD_PITCH]; } Field;

HELPER Field field_of(const MY Work *w, const MY uchar *source)
{
    Field field;
    field.at[0] = w->p.corner;
    for (int i = 0; i < SIZE + 8; i++)
        field.at[1 + i] = w->top[i];
    for (int i = 0; i < SIZE; i++) {
        field.at[(i + 1) * FIELD_PITCH] = w->left[i];
        for (int j = 0; j < SIZE; j++)
            field.at[(i + 1) * FIELD_PITCH + 1 + j] = source[i * SIZE + j];
    }
    return field;
}

/* Which neighbours n x n pixels at (x, y) have: blocks that come later in H.264's order are not there yet. */
HELPER int neighbours_of(int own, int n, int x, int y)
{
    int column = x / n, row = y / n, last = SIZE / n - 1;
    int has = (x ? HAS_LEFT : own & HAS_LEFT) | (y ? HAS_TOP : own & HAS_TOP);
    int right = row == 0 ? own & (column == last ? HAS_RIGHT : HAS_TOP) : column != last && !(column & row & 1);
    int corner = x && y ? HAS_CORNER : x ? own & HAS_TOP : y ? own & HAS_LEFT : own & HAS_CORNER;
    return has | (right ? HAS_RIGHT : 0) | (corner ? HAS_CORNER : 0);
}

/* Where those further right are not there, the last one above is. */
HELPER void read_neighbours(const MY Field *field, int n, int x, int y, int has, MY uchar *e)
{
    const MY uchar *above = field->at + y * FIELD_PITCH + x;
    for (int i = 0; i <= n; i++)
        e[n - i] = above[i * FIELD_PITCH];
    for (int i = 0; i < 2 * n; i++)
        e[TOP(n) + i] = above[1 + (i < n || (has & HAS_RIGHT && x + i < SIZE + 8) ? i : n - 1)];
}

/* What 8 x 8 are predicted from is made smoother first: along the neighbours that there are, as a row. */
HELPER void smooth(MY uchar *e, int has)
{
    uchar from[NEIGHBOURS(8)];
    int first = has & HAS_LEFT ? 0 : has & HAS_CORNER ? CORNER(8) : TOP(8);
    int last = has & HAS_TOP ? NEIGHBOURS(8) - 1 : has & HAS_CORNER ? CORNER(8) : CORNER(8) - 1;
    for (int i = 0; i < NEIGHBOURS(8); i++)
        from[i] = e[i];
    for (int i = first; i <= last; i++) {
        int is_gap = !(has & HAS_CORNER);       /* then left and above do not meet */
        int before = i == first || (is_gap && i == TOP(8)) ? from[i] : from[i - 1];
        int after = i == last || (is_gap && i == CORNER(8) - 1) ? from[i] : from[i + 1];
        if (i != CORNER(8) || !is_gap)
            e[i] = (before + 2 * from[i] + after + 2) >> 2;
    }
}

HELPER int is_mode_there(int mode, int has)
{
    switch (mode) {
    case 0: case 3: case 7:
        return has & HAS_TOP;
    case 1: case 8:
        return has & HAS_LEFT;
    case DC:
        return 1;
    }
    return (has & HAS_LEFT) && (has & HAS_TOP) && (has & HAS_CORNER);
}

HELPER int mean(const MY uchar *e, int n, int has)
{
    int sum = 0, count = 0;
    for (int i = 0; i < n; i++)
        sum += (has & HAS_LEFT ? e[i] : 0) + (has & HAS_TOP ? e[TOP(n) + i] : 0);
    count = (has & HAS_LEFT ? n : 0) + (has & HAS_TOP ? n : 0);
    return count ? (sum + count / 2) / count : 128;
}

HELPER int two(const MY uchar *e, int i) { return (e[i] + e[i + 1] + 1) >> 1; }
HELPER int three(const MY uchar *e, int i) { return (e[i - 1] + 2 * e[i] + e[i + 1] + 2) >> 2; }

/* The pixel at (x, y) of n x n in a mode. */
HELPER int predicted(const MY uchar *e, int n, int mode, int x, int y)
{
    int z, i;
    switch (mode) {
    case 0:
        return e[TOP(n) + x];
    case 1:
        return e[n - 1 - y];
    case 3:     /* down and left */
        i = TOP(n) + x + y + 1;
        return i == NEIGHBOURS(n) - 1 ? (e[i - 1] + 3 * e[i] + 2) >> 2 : three(e, i);
    case 4:     /* down and right */
        return three(e, CORNER(n) + x - y);
    case 5:     /* vertical, to the right */
        z = 2 * x - y;
        i = CORNER(n) + x - (y >> 1);
        return z < 0 ? three(e, CORNER(n) + 1 + z) : z & 1 ? three(e, i) : two(e, i);
    case 6:     /* horizontal, down */
        z = 2 * y - x;
        i = CORNER(n) - y + (x >> 1);
        return z < 0 ? three(e, CORNER(n) - 1 - z) : z & 1 ? three(e, i) : two(e, i - 1);
    case 7:     /* vertical, to the left */
        i = TOP(n) + x + (y >> 1);
        return y & 1 ? three(e, i + 1) : two(e, i);
    }
    z = x + 2 * y;      /* horizontal, up */
    i = n - 1 - y - (x >> 1);
    if (z >= 2 * n - 3)
        return z == 2 * n - 3 ? (e[1] + 3 * e[0] + 2) >> 2 : e[0];
    return z & 1 ? three(e, i - 1) : two(e, i - 1);
}

/* The pixel at (x, y) of n x n in the mode that fits a plane to the neighbours: 16 x 16, or 8 x 8 of chroma. */
HELPER int on_plane(const MY uchar *e, int n, int x, int y)
{
    int across = 0, down = 0, middle = n / 2;
    for (int i = 1; i <= middle; i++) {
        across += i * (e[CORNER(n) + middle + i] - e[CORNER(n) + middle - i]);
        down += i * (e[CORNER(n) - middle - i] - e[CORNER(n) - middle + i]);
    }
    int factor = n == 16 ? 5 : 34;
    int slope_x = (factor * across + 32) >> 6, slope_y = (factor * down + 32) >> 6;
    int here = 16 * (e[0] + e[TOP(n) + n - 1]) + slope_x * (x - middle + 1) + slope_y * (y - middle + 1);
    return bound((here + 16) >> 5, 256);
}

/* n x n pixels in a mode, to rows of SIZE. */
HELPER void predict_luma(const MY uchar *e, int n, int mode, int has, MY uchar *to)
{
    int dc = mean(e, n, has);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[i * SIZE + j] = mode == DC ? dc : n == 16 && mode == PLANE ? on_plane(e, n, j, i)
                                                                         : predicted(e, n, mode, j, i);
}

#endif
