/* SPDX-License-Identifier: Apache-2.0
 * Prediction of a macroblock from the pixels beside it: from where they are taken, and to where it goes.
 */
#ifndef CLPY_AVC_INTRA_H
#define CLPY_AVC_INTRA_H

#include "picture.h"

/* Bits of the mask that programs give. */
#define HAS_LEFT CLK_AVC_ME_INTRA_NEIGHBOR_LEFT_MASK_ENABLE_INTEL
#define HAS_TOP CLK_AVC_ME_INTRA_NEIGHBOR_UPPER_MASK_ENABLE_INTEL
#define HAS_RIGHT CLK_AVC_ME_INTRA_NEIGHBOR_UPPER_RIGHT_MASK_ENABLE_INTEL
#define HAS_CORNER CLK_AVC_ME_INTRA_NEIGHBOR_UPPER_LEFT_MASK_ENABLE_INTEL

#define NEAR const MY uchar *e
#define NEAR_TO_WRITE MY uchar *e
#define SAME e
#define OF(i) e[i]
#define PREDICTION HELPER
#include "../intra_prediction.h"

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

/* Where those further right are not there, the last one above is. */
HELPER void read_neighbours(const MY Field *field, int n, int x, int y, int has, MY uchar *e)
{
    const MY uchar *above = field->at + y * FIELD_PITCH + x;
    for (int i = 0; i <= n; i++)
        e[n - i] = above[i * FIELD_PITCH];
    for (int i = 0; i < 2 * n; i++)
        e[TOP(n) + i] = above[1 + (i < n || (has & HAS_RIGHT && x + i < SIZE + 8) ? i : n - 1)];
}

/* n x n pixels in a mode, to rows of SIZE. */
HELPER void predict_luma(const MY uchar *e, int n, int mode, int has, MY uchar *to)
{
    int dc = mean(e, n, has);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[i * SIZE + j] = n == 16 && mode == PLANE ? on_plane(e, n, j, i) : predicted(e, n, mode, j, i, dc);
}

#endif
