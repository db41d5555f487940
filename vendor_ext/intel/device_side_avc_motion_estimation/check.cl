// SPDX-License-Identifier: Apache-2.0
// Skip checks: how far the macroblock is from what given vectors point to. After that, prediction inside the image.
#include "filter.h"

typedef struct { int size, cost, raw, most_of_4x4, most_of_8x8; } Checked;

// The transform of 4 x 4 differences in H.264, without its scaling: what of its coefficients is above the thresholds.
HELPER void transform(const MY uchar *source, const MY uchar *other, ulong thresholds, MY uint *count, MY uint *sum)
{
    int d[16];
    for (int i = 0; i < 16; i++)
        d[i] = source[i / 4 * SIZE + i % 4] - other[i / 4 * SIZE + i % 4];
    for (int pass = 0; pass < 2; pass++) {
        int along = pass ? 4 : 1, across = pass ? 1 : 4;
        for (int i = 0; i < 4; i++) {
            MY int *v = d + i * across;
            int a = v[0] + v[3 * along], b = v[along] + v[2 * along];
            int c = v[along] - v[2 * along], e = v[0] - v[3 * along];
            v[0] = a + b;
            v[along] = 2 * e + c;
            v[2 * along] = a - b;
            v[3 * along] = e - 2 * c;
        }
    }
    for (int i = 0; i < 16; i++) {
        int frequency = i / 4 + i % 4;
        int threshold = frequency ? (int)(thresholds >> (8 * frequency + 8) & 255) : (int)(thresholds & 65535);
        int above = absolute(d[i]) - threshold;
        *count += above > 0;
        *sum += above > 0 ? above : 0;
    }
}

// Counts and sums of an 8 x 8 block of the macroblock. `first` is where the pixels to compare begin, in units of 4.
HELPER void transform_quarter(MY Work *w, const MY uchar *source, const MY uchar *other, int quarter, int x, int y)
{
    uint count = 0, sum = 0;
    for (int i = 0; i < 4; i++) {
        int column = quarter % 2 * 2 + i % 2, row = quarter / 2 * 2 + i / 2;
        transform(source + (row * SIZE + column) * PART, other + ((row - y) * SIZE + column - x) * PART,
                  w->p.thresholds, &count, &sum);
    }
    w->r.counts |= count << 8 * quarter;
    w->r.sums |= (ulong)saturated(sum) << 16 * quarter;
}

HELPER void check_raw(const MY Work *w, MY Checked *checked, const MY uchar *source, Block block, const MY uchar *other)
{
    int haar = is_haar(w, w->p.sad_adjustment), of_8x8[4] = {0};
    for (int i = 0; i < block.height; i++)
        for (int j = 0; j < block.width; j++) {
            int part = distortion(source + ((block.y + i) * SIZE + block.x + j) * PART, SIZE,
                                  other + (i * SIZE + j) * PART, SIZE, haar, w->p.ac_only);
            of_8x8[i / 2 * 2 + j / 2] += part;
            checked->raw += part;
            checked->most_of_4x4 = part > checked->most_of_4x4 ? part : checked->most_of_4x4;
        }
    for (int i = 0; i < 4; i++)
        checked->most_of_8x8 = of_8x8[i] > checked->most_of_8x8 ? of_8x8[i] : checked->most_of_8x8;
}

HELPER void check_block(MY Work *w, MY Checked *checked, const MY uchar *source, int number)
{
    int shape = w->p.is_skip_8x8 ? OF_8x8 : OF_16x16, size = w->p.is_skip_8x8 ? 4 : SIZE;
    int used = w->p.skip_mask >> (24 + 2 * number) & 3, direction = used - 1;
    if (!used)
        return;
    uchar other[SIZE * SIZE];
    Block block = block_of(shape, number, 0);
    ulong vectors = w->vectors[number];
    int before = checked->raw;
    predict_from(w, block, direction, vectors, other);
    check_raw(w, checked, source, block, other);
    int cost = checked->raw - before + cost_of_vectors(w, block, direction, vectors) + shape_cost(w, shape)
             + cost_of_images(w, block.quarter, direction);
    checked->cost += cost;
    for (int i = number * size; i < (number + 1) * size; i++) {
        w->found[i] = vectors;
        w->distortions[i] = saturated(cost);
    }
    if (w->p.has_thresholds)
        for (int quarter = 0; quarter < 4; quarter++)
            if (shape == OF_16x16 || quarter == number)
                transform_quarter(w, source, other, quarter, block.x, block.y);
}

HELPER void check_skip(MY Work *w, const MY uchar *source)
{
    Checked checked = {0};
    for (int i = 0; i < (w->p.is_skip_8x8 ? 4 : 1); i++)
        check_block(w, &checked, source, i);
    w->r.major = w->p.is_skip_8x8 ? OF_8x8 : OF_16x16;
    w->r.best = saturated(checked.cost);
    w->r.raw = saturated(w->p.raw_blocks == 2 ? checked.most_of_8x8
                         : w->p.raw_blocks == 1 ? checked.most_of_4x4 : checked.raw);
}

ENTRY void __clpy_avc_check(MY Work *w)
{
    uchar source[SIZE * SIZE];
    __clpy_avc_result nothing = {0};
    w->r = nothing;
    w->r.reference_ids = w->reference_ids;
    for (int i = 0; i < SIZE; i++) {
        w->found[i] = 0;
        w->distortions[i] = 0;
    }
    read_source(w, source);
    if (w->p.is_skip)
        check_skip(w, source);
    if (w->p.is_intra)
        __clpy_avc_intra(w, source);
}
