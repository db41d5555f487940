/* SPDX-License-Identifier: Apache-2.0
 * A window of a reference: what the macroblock differs by at each of its places, and the order in which these are seen.
 * Places are searched in units of 4 x 4 of them.
 */
#ifndef CLPY_AVC_WINDOW_H
#define CLPY_AVC_WINDOW_H

#include "picture.h"

#define UNIT 4
#define MOST_UNITS 48
#define ALL_UNITS 57            /* that an adaptive search may look at: more than there are */
#define MOST_WIDE 32
#define MOST_HIGH 24
#define PLACES 16               /* side by side, at a time */
#define NEVER 0xFFFF            /* rank of a place that is not looked at */
#define NO_PLACE 0xFFFFFFFFu

typedef struct {
    int width, height;          /* places */
    int pitch;                  /* that of the arrays: the width, up to a multiple of PLACES */
    int first_x, first_y;       /* displacement of the first place, pixels */
    ushort sad[PARTS][MOST_WIDE * MOST_HIGH];          /* of each 4 x 4 pixels, in rows */
    ushort rank[MOST_WIDE * MOST_HIGH];
    int cost_x[4][MOST_WIDE], cost_y[4][MOST_HIGH];     /* of vectors, by 8 x 8 block */
} Window;

/* Units as row and column, in the order in which they are looked at. */
constant uchar SPIRAL_8x6[] = {
    0x34, 0x33, 0x23, 0x24, 0x25, 0x35, 0x45, 0x44, 0x43, 0x42, 0x32, 0x22, 0x12, 0x13, 0x14, 0x15, 0x16, 0x26, 0x36,
    0x46, 0x56, 0x55, 0x54, 0x53, 0x52, 0x51, 0x41, 0x31, 0x21, 0x11, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x17,
    0x27, 0x37, 0x47, 0x57, 0x50, 0x40, 0x30, 0x20, 0x10, 0x00
};
constant uchar DIAMOND_8x6[] = {
    0x34, 0x33, 0x24, 0x23, 0x35, 0x32, 0x14, 0x36, 0x44, 0x54, 0x43, 0x25, 0x45, 0x31, 0x37, 0x04, 0x22, 0x13, 0x42,
    0x15, 0x26, 0x53, 0x46, 0x55, 0x30, 0x21, 0x12, 0x03, 0x41, 0x52, 0x56, 0x47
};
constant uchar SPIRAL_4x4[] = {
    0x22, 0x21, 0x11, 0x12, 0x13, 0x23, 0x33, 0x32, 0x31, 0x30, 0x20, 0x10, 0x00, 0x01, 0x02, 0x03
};
constant uchar DIAMOND_4x4[] = {0x22, 0x21, 0x12, 0x11, 0x23, 0x20, 0x02, 0x32, 0x31, 0x13};
constant uchar SPIRAL_3x3[] = {0x11, 0x10, 0x00, 0x01, 0x02, 0x12, 0x22, 0x21, 0x20};
constant uchar AROUND_2x2[] = {0x00, 0x01, 0x11, 0x10};
constant uchar ALONE[] = {0x00};

typedef struct {
    const constant uchar *path;
    int length, columns, rows, is_adaptive;
} Search;

HELPER Search search_of(int window, int is_dual)
{
    switch (window) {
    case CLK_AVC_ME_SEARCH_WINDOW_SMALL_INTEL:
        return (Search){SPIRAL_3x3, 9, 3, 3, 0};
    case CLK_AVC_ME_SEARCH_WINDOW_TINY_INTEL:
        return (Search){AROUND_2x2, 4, 2, 2, 0};
    case CLK_AVC_ME_SEARCH_WINDOW_EXTRA_TINY_INTEL:
        return (Search){ALONE, 1, 1, 1, 0};
    case CLK_AVC_ME_SEARCH_WINDOW_DIAMOND_INTEL:
        return is_dual ? (Search){DIAMOND_4x4, 7, 4, 4, 1} : (Search){DIAMOND_8x6, 16, 8, 6, 1};
    case CLK_AVC_ME_SEARCH_WINDOW_LARGE_DIAMOND_INTEL:
        return is_dual ? (Search){DIAMOND_4x4, 10, 4, 4, 1} : (Search){DIAMOND_8x6, 32, 8, 6, 1};
    }
    return is_dual ? (Search){SPIRAL_4x4, 16, 4, 4, 0} : (Search){SPIRAL_8x6, 48, 8, 6, 0};
}

/* --- distortions, of PLACES side by side at a time */

#define WINDOW_PITCH 64
#define WINDOW_ROWS (MOST_HIGH + SIZE - 1)

/* Of 4 x 4 pixels of the macroblock. */
HELPER ushort16 differences_at(const MY uchar *source, const MY uchar *window)
{
    ushort16 sum = 0;
    for (int i = 0; i < PART; i++)
        for (int j = 0; j < PART; j++) {
            uchar16 here = *(const MY any_uchar16 *)(window + i * WINDOW_PITCH + j);
            sum += __builtin_convertvector(ABS_DIFF(here, (uchar16)(source[i * SIZE + j])), ushort16);
        }
    return sum;
}

#define MAGNITUDE(x) __builtin_elementwise_abs(x)
/* As sum_of_haar(). */
HELPER ushort16 haar_at(const MY uchar *source, const MY uchar *window, int ac_only)
{
    short16 sums[4], details = 0;
    for (int i = 0; i < 4; i++) {
        short16 q[4];
        for (int j = 0; j < 4; j++) {
            int y = i / 2 * 2 + j / 2, x = i % 2 * 2 + j % 2;
            uchar16 here = *(const MY any_uchar16 *)(window + y * WINDOW_PITCH + x);
            q[j] = (short16)(source[y * SIZE + x]) - __builtin_convertvector(here, short16);
        }
        short16 top = q[0] + q[1], bottom = q[2] + q[3], left = q[0] - q[1], right = q[2] - q[3];
        sums[i] = top + bottom;
        details += MAGNITUDE(top - bottom) + MAGNITUDE(left + right) + MAGNITUDE(left - right);
    }
    short16 top = sums[0] + sums[1], bottom = sums[2] + sums[3], left = sums[0] - sums[1], right = sums[2] - sums[3];
    ushort16 coarse = __builtin_convertvector(MAGNITUDE(top - bottom) + MAGNITUDE(left + right)
                                              + MAGNITUDE(left - right), ushort16);
    if (!ac_only)
        coarse += __builtin_convertvector(MAGNITUDE(top + bottom), ushort16);
    return (__builtin_convertvector(details, ushort16) * (ushort16)2 + coarse + (ushort16)2) >> (ushort16)2;
}

HELPER void measure(const MY Work *w, MY Window *window, const MY uchar *source, Picture picture)
{
    uchar pixels[WINDOW_ROWS * WINDOW_PITCH];
    int haar = is_haar(w, w->p.sad_adjustment);
    read_pixels(picture, w->p.source.x + window->first_x, w->p.source.y + window->first_y,
                window->pitch + SIZE - 1, window->height + SIZE - 1, pixels, WINDOW_PITCH);
    for (int y = 0; y < window->height; y++)
        for (int x = 0; x < window->pitch; x += PLACES)
            _Pragma("clang loop unroll(disable)") for (int i = 0; i < PARTS; i++) {
                int at = i / 4 * PART, column = i % 4 * PART;
                const MY uchar *from = source + at * SIZE + column;
                const MY uchar *here = pixels + (y + at) * WINDOW_PITCH + x + column;
                ushort16 sum = haar ? haar_at(from, here, w->p.ac_only) : differences_at(from, here);
                *(MY ushort16 *)(window->sad[i] + y * window->pitch + x) = sum;
            }
}

/* Weights of 4 x 4 pixels: what these differ by is divided by 1, 2, 4 or 8. In Z order. */
HELPER void weigh(const MY Work *w, MY Window *window)
{
    for (int i = 0; i < PARTS; i++) {
        int x = i % 4, y = i / 4, z = (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2;
        int shift = w->p.weights >> 2 * z & 3;
        for (int at = 0; at < window->pitch * window->height; at++)
            window->sad[i][at] >>= shift;
    }
}

/* Distortions of a block at PLACES places: never above 65535. */
HELPER uint16 costs_of_block(const MY Window *window, Block block, int x, int y)
{
    uint16 sum = 0;
    for (int row = block.y; row < block.y + block.height; row++)
        for (int column = block.x; column < block.x + block.width; column++)
            sum += __builtin_convertvector(
                *(const MY ushort16 *)(window->sad[row * 4 + column] + y * window->pitch + x), uint16);
    sum += *(const MY uint16 *)(window->cost_x[block.quarter] + x) + (uint16)((uint)window->cost_y[block.quarter][y]);
    return __builtin_elementwise_min(sum, (uint16)(65535));
}

/* The least one, of equal ones that which is looked at first: cost << 16 | rank, and its place in *at. */
HELPER uint best_of_block(const MY Window *window, Block block, MY int *at)
{
    uint16 best = NO_PLACE, places = 0;
    const uint16 steps = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (int y = 0; y < window->height; y++)
        for (int x = 0; x < window->pitch; x += PLACES) {
            int first = y * window->pitch + x;
            uint16 ranks = __builtin_convertvector(*(const MY ushort16 *)(window->rank + first), uint16);
            uint16 keys = costs_of_block(window, block, x, y) << (uint16)16 | ranks;
            keys = ranks == (uint16)NEVER ? (uint16)NO_PLACE : keys;
            places = keys < best ? steps + (uint)first : places;
            best = __builtin_elementwise_min(best, keys);
        }
    uint least = NO_PLACE;
    *at = 0;
    for (int i = 0; i < PLACES; i++)
        if (best[i] < least) {
            least = best[i];
            *at = places[i];
        }
    return least;
}

/* --- the order of places */

/* Look at a unit, as number `count`. */
HELPER void visit(MY Window *window, int unit, int count)
{
    for (int i = 0; i < UNIT * UNIT; i++) {
        int y = (unit >> 4) * UNIT + i / UNIT, x = (unit & 15) * UNIT + i % UNIT;
        window->rank[y * window->pitch + x] = count * UNIT * UNIT + i;
    }
}

/* The unit of the best place for the whole macroblock. */
HELPER int best_unit(const MY Window *window, MY uint *cost)
{
    int at;
    *cost = best_of_block(window, block_of(OF_16x16, 0, 0), &at) >> 16;
    return at / window->pitch / UNIT << 4 | at % window->pitch / UNIT;
}

HELPER int is_visited(const MY Window *window, int unit)
{
    return window->rank[(unit >> 4) * UNIT * window->pitch + (unit & 15) * UNIT] != NEVER;
}

/* Then the units left, right, above and below of the best one, until there are none. */
HELPER void follow(MY Window *window, Search search, int count)
{
    const int to[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int found = 1; found;) {
        uint cost;
        int best = best_unit(window, &cost);
        found = 0;
        for (int i = 0; i < 4 && count < ALL_UNITS; i++) {
            int x = (best & 15) + to[i][0], y = (best >> 4) + to[i][1];
            if (x < 0 || y < 0 || x >= search.columns || y >= search.rows || is_visited(window, y << 4 | x))
                continue;
            visit(window, y << 4 | x, count++);
            found = 1;
        }
    }
}

/* Ranks of the places; whether the search came to its end early. */
HELPER int rank_places(const MY Work *w, MY Window *window, Search search)
{
    for (int i = 0; i < window->pitch * window->height; i++)
        window->rank[i] = NEVER;
    int may_end = w->p.is_early && !w->is_dual;
    uint cost, threshold = u4u4(w->p.early_threshold);
    for (int n = 0; n < search.length; n++) {
        visit(window, search.path[n], n);
        if (may_end && (best_unit(window, &cost), cost < threshold))
            return 1;
    }
    if (search.is_adaptive)
        follow(window, search, search.length);
    return 0;
}

/* All of it, for a direction. */
HELPER int look_around(const MY Work *w, MY Window *window, const MY uchar *source, int direction)
{
    Search search = search_of(w->p.window, w->is_dual);
    short2 offset = direction == FORWARD ? w->p.forward : w->p.backward;
    window->width = search.columns * UNIT;
    window->height = search.rows * UNIT;
    window->pitch = (window->width + PLACES - 1) / PLACES * PLACES;
    window->first_x = offset.x - window->width / 2;
    window->first_y = offset.y - window->height / 2;
    measure(w, window, source, reference_picture(w, direction, 0));
    if (w->p.is_weighted)
        weigh(w, window);
    for (int quarter = 0; quarter < 4; quarter++) {
        for (int x = 0; x < window->pitch; x++)
            window->cost_x[quarter][x] = !w->p.has_costs ? 0 : cost_of_distance(w, absolute(
                (window->first_x + x) * 4 - x_of(half_of(w->centers[quarter], direction))));
        for (int y = 0; y < window->height; y++)
            window->cost_y[quarter][y] = !w->p.has_costs ? 0 : cost_of_distance(w, absolute(
                (window->first_y + y) * 4 - y_of(half_of(w->centers[quarter], direction))));
    }
    return rank_places(w, window, search);
}

#endif
