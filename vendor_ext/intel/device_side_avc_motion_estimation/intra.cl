// SPDX-License-Identifier: Apache-2.0
// Prediction inside the image: the best mode of each block of 16 x 16, 8 x 8 and 4 x 4, and the best size of them.
#include "intra.h"

typedef struct { int cost; uchar modes[16]; } Found;        // modes in Z order

// Where block `number` of n x n is, by Z order.
HELPER int x_of_block(int number, int n) { return ((number & 1) | (number & 4) >> 1) * n; }
HELPER int y_of_block(int number, int n) { return ((number & 2) >> 1 | (number & 8) >> 2) * n; }
HELPER int number_of(int column, int row)
{
    return (column & 1) | (row & 1) << 1 | (column & 2) << 1 | (row & 2) << 2;
}

// The mode to the left or above, in units of blocks of n x n; DC where there is none.
HELPER int neighbour_mode(const MY Work *w, const MY Found *found, int n, int column, int row)
{
    int of_4x4 = n / PART;
    if (column < 0)
        return w->p.neighbors & HAS_LEFT ? w->p.neighbor_modes >> 4 * row * of_4x4 & 15 : DC;
    if (row < 0)
        return w->p.neighbors & HAS_TOP ? w->p.neighbor_modes >> (16 + 4 * column * of_4x4) & 15 : DC;
    return found->modes[number_of(column, row)];
}

// Where one of the two is not there, it is DC.
HELPER int expected_mode(const MY Work *w, const MY Found *found, int n, int x, int y)
{
    int column = x / n, row = y / n;
    if ((column == 0 && !(w->p.neighbors & HAS_LEFT)) || (row == 0 && !(w->p.neighbors & HAS_TOP)))
        return DC;
    int left = neighbour_mode(w, found, n, column - 1, row), above = neighbour_mode(w, found, n, column, row - 1);
    return left < above ? left : above;
}

HELPER int cost_of_mode(const MY Work *w, int n, int mode, int expected)
{
    int cost = mode == DC ? 0 : w->p.non_dc_penalty >> (n == 16 ? 0 : n == 8 ? 8 : 16) & 255;
    return cost + (w->p.has_modes && n < 16 && mode != expected ? u4u4(w->p.mode_penalty) : 0);
}

// The best mode of the block at (x, y), of equal ones the least number.
HELPER void choose_mode(const MY Work *w, const MY Field *field, MY Found *found, int n, int number)
{
    uchar e[NEIGHBOURS(SIZE)], to[SIZE * SIZE];
    int x = x_of_block(number, n), y = y_of_block(number, n), least = INT_MAX, haar = is_haar(w, w->p.intra_adjustment);
    int has = neighbours_of(w->p.neighbors, n, x, y), expected = expected_mode(w, found, n, x, y);
    read_neighbours(field, n, x, y, has, e);
    if (n == 8)
        smooth(e, has);
    for (int mode = 0; mode < MODES; mode++) {
        if (!is_mode_there(mode, has) || (n == 16 && (mode == 3 || mode > PLANE)))
            continue;
        predict_luma(e, n, mode, has, to);
        int cost = cost_of_mode(w, n, mode, expected);
        for (int i = 0; i < n; i += PART)
            for (int j = 0; j < n; j += PART)
                cost += distortion(field->at + (y + i + 1) * FIELD_PITCH + x + j + 1, FIELD_PITCH,
                                   to + i * SIZE + j, SIZE, haar, w->p.ac_only);
        if (cost < least) {
            least = cost;
            found->modes[number] = mode;
        }
    }
    found->cost += least;
}

HELPER ulong packed_modes(const MY Found *found, int n)
{
    ulong modes = 0;
    int blocks = SIZE / n * (SIZE / n), bits = n == 8 ? 16 : 4;
    for (int i = 0; i < blocks; i++)
        modes |= (ulong)found->modes[i] << bits * i;
    return modes;
}

HELPER void choose_luma(MY Work *w, const MY uchar *source)
{
    Field field = field_of(w, source);
    int least = INT_MAX;
    for (int shape = 0; shape < 3; shape++) {
        int n = SIZE >> shape;
        Found found = {u4u4(w->p.intra_shape_penalty >> 8 * (shape + 1) & 255), {0}};
        if (w->p.intra_mask >> shape & 1)
            continue;
        for (int i = 0; i < SIZE / n * (SIZE / n); i++)
            choose_mode(w, &field, &found, n, i);
        if (found.cost < least) {
            least = found.cost;
            w->r.intra_shape = shape;
            w->r.modes = packed_modes(&found, n);
        }
    }
    w->r.luma = saturated(least);
}

// --- chroma: 8 x 8 pairs of U and V

#define CHROMA 8
#define NV12 0x410E             // CL_NV12_INTEL
enum { CHROMA_DC, CHROMA_HORIZONTAL, CHROMA_VERTICAL, CHROMA_PLANE, CHROMA_MODES };

HELPER int sum_of_4(const MY uchar *e) { return e[0] + e[1] + e[2] + e[3]; }

// Of each 4 x 4 its own mean; at the corners where rows and columns disagree the nearer ones count.
HELPER int chroma_dc(const MY uchar *e, int has, int x, int y)
{
    int left = sum_of_4(e + CHROMA - 4 - y), top = sum_of_4(e + TOP(CHROMA) + x);
    int has_left = (has & HAS_LEFT) != 0, has_top = (has & HAS_TOP) != 0;
    if (has_left && has_top && x == y)
        return (left + top + 4) >> 3;
    int prefers_top = x > y;
    if (has_top && (prefers_top || !has_left))
        return (top + 2) >> 2;
    return has_left ? (left + 2) >> 2 : has_top ? (top + 2) >> 2 : 128;
}

HELPER int chroma_pixel(const MY uchar *e, int mode, int has, int x, int y)
{
    switch (mode) {
    case CHROMA_HORIZONTAL:
        return e[CHROMA - 1 - y];
    case CHROMA_VERTICAL:
        return e[TOP(CHROMA) + x];
    case CHROMA_PLANE:
        return on_plane(e, CHROMA, x, y);
    }
    return chroma_dc(e, has, x & 4, y & 4);
}

// U or V of the source, below the rows of luma, and its neighbours.
HELPER void read_chroma(const MY Work *w, int v, MY uchar *source, MY uchar *e)
{
    int field = w->p.is_field & 1 ? w->p.source_field : 0, rows = w->p.is_field & 1 ? 2 : 1;
    int height = (int)w->source->height / 2, width = (int)w->source->width / 2;
    bytes chroma = w->source->data + (long)w->source->height * (long)w->source->row_pitch;
    for (int y = 0; y < CHROMA; y++)
        for (int x = 0; x < CHROMA; x++) {
            int row = bound((w->p.source.y / 2 + y) * rows + field, height);
            int column = bound(w->p.source.x / 2 + x, width);
            source[y * SIZE + x] = chroma[row * (long)w->source->row_pitch + column * 2 + v];
        }
    e[CORNER(CHROMA)] = w->p.corner_chroma >> 8 * v;
    for (int i = 0; i < CHROMA; i++) {
        e[CHROMA - 1 - i] = w->left_chroma[i] >> 8 * v;
        e[TOP(CHROMA) + i] = w->top_chroma[i] >> 8 * v;
    }
}

HELPER int is_chroma_mode_there(int mode, int has)
{
    int left = has & HAS_LEFT, top = has & HAS_TOP;
    return mode == CHROMA_DC || (mode == CHROMA_HORIZONTAL ? left : mode == CHROMA_VERTICAL ? top
                                                           : left && top && (has & HAS_CORNER));
}

HELPER void choose_chroma(MY Work *w)
{
    uchar source[2][CHROMA * SIZE], e[2][TOP(CHROMA) + CHROMA], to[CHROMA * SIZE];
    int least = INT_MAX, haar = is_haar(w, w->p.intra_adjustment);
    for (int v = 0; v < 2; v++)
        read_chroma(w, v, source[v], e[v]);
    for (int mode = 0; mode < CHROMA_MODES; mode++) {
        if (!is_chroma_mode_there(mode, w->p.neighbors))
            continue;
        int cost = u4u4(w->p.chroma_penalty) * (mode == CHROMA_DC ? 0 : mode == CHROMA_PLANE ? 2 : 1);
        for (int v = 0; v < 2; v++) {
            for (int i = 0; i < CHROMA * CHROMA; i++)
                to[i / 8 * SIZE + i % 8] = chroma_pixel(e[v], mode, w->p.neighbors, i % 8, i / 8);
            for (int i = 0; i < 4; i++) {
                int at = (i / 2 * SIZE + i % 2) * PART;
                cost += distortion(source[v] + at, SIZE, to + at, SIZE, haar, w->p.ac_only);
            }
        }
        if (cost < least) {
            least = cost;
            w->r.chroma_mode = mode;
        }
    }
    w->r.chroma = saturated(least);
}

ENTRY void __clpy_avc_intra(MY Work *w, const MY uchar *source)
{
    choose_luma(w, source);
    if (w->p.is_chroma && w->source->channel_order == NV12)
        choose_chroma(w);
}
