// SPDX-License-Identifier: Apache-2.0
// Refinement: vectors between pixels around given ones, and pairs of vectors where these are better than one.
#include "filter.h"

// A part of the macroblock whose blocks have the same direction: all of a major shape's blocks, or an 8 x 8 block.
typedef struct {
    int shape, number, blocks, direction;
    ulong vectors[4];
    int costs[4], pair_costs[4];
} Part;

HELPER Block block_of_part(const MY Part *part, int n)
{
    return block_of(part->shape, part->number, part->shape < OF_8x8 ? part->number : n);
}

HELPER int cost_at(const MY Work *w, const MY uchar *source, Block block, int direction, ulong vectors)
{
    uchar other[SIZE * SIZE];
    predict_from(w, block, direction, vectors, other);
    return distortion_of_block(w, source, block, other) + cost_of_vectors(w, block, direction, vectors);
}

// The best of the 8 vectors around one, half a pixel away, then a quarter; the first of equal ones.
HELPER uint refined(const MY Work *w, const MY uchar *source, Block block, int direction, uint vector)
{
    int last = w->p.resolution == CLK_AVC_ME_SUBPIXEL_MODE_QPEL_INTEL ? 1
             : w->p.resolution == CLK_AVC_ME_SUBPIXEL_MODE_HPEL_INTEL ? 2 : 3;
    if (last == 3)
        return vector;
    int least = cost_at(w, source, block, direction, (ulong)vector << 32 * direction);
    for (int step = 2; step >= last; step--) {
        uint center = vector;
        for (int i = 0; i < 9; i++) {
            uint here = vector_of(x_of(center) + (i % 3 - 1) * step, y_of(center) + (i / 3 - 1) * step);
            int cost = i == 4 ? least : cost_at(w, source, block, direction, (ulong)here << 32 * direction);
            if (cost < least) {
                least = cost;
                vector = here;
            }
        }
    }
    return vector;
}

HELPER void begin_part(const MY Work *w, MY Part *part, int number)
{
    int parts = w->p.major == OF_8x8 ? 4 : blocks_of(w->p.major), size = SIZE / parts;
    int minor = w->p.minor >> 2 * number & 3;
    part->shape = w->p.major == OF_8x8 ? OF_8x8 + minor : w->p.major;
    part->number = number;
    part->blocks = part->shape < OF_8x8 ? 1 : blocks_of(part->shape);
    part->direction = w->is_dual ? w->p.directions >> 2 * number & 3 : FORWARD;
    if (part->direction > BOTH)
        part->direction = BOTH;
    for (int n = 0; n < part->blocks; n++)
        part->vectors[n] = w->vectors[number * size + n * (size / part->blocks)];
}

HELPER int sum_of(const MY Part *part, const MY int *costs)
{
    int sum = 0;
    for (int n = 0; n < part->blocks; n++)
        sum += costs[n];
    return sum;
}

// Beside its blocks, what a part costs with a direction.
HELPER int extra_of(const MY Work *w, const MY Part *part, int direction)
{
    int quarter = block_of_part(part, 0).quarter;
    int shape = part->shape >= OF_8x8 || part->number == 0 ? shape_cost(w, part->shape) : 0;
    return shape + cost_of_images(w, quarter, direction);
}

HELPER void refine_part(const MY Work *w, const MY uchar *source, MY Part *part, int pairs)
{
    for (int n = 0; n < part->blocks; n++) {
        Block block = block_of_part(part, n);
        ulong vectors = 0;
        for (int i = FORWARD; i <= BACKWARD; i++) {
            uint vector = half_of(part->vectors[n], i);
            int is_used = pairs || part->direction == i || part->direction == BOTH;
            vectors |= (ulong)(is_used ? refined(w, source, block, i, vector) : vector) << 32 * i;
        }
        part->vectors[n] = vectors;
        part->costs[n] = cost_at(w, source, block, part->direction, vectors);
        if (pairs)
            part->pair_costs[n] = cost_at(w, source, block, BOTH, vectors);
    }
}

HELPER int cost_with(const MY Work *w, const MY Part *part, int is_pair)
{
    return sum_of(part, is_pair ? part->pair_costs : part->costs) + extra_of(w, part, is_pair ? BOTH : part->direction);
}

// Pairs where they are better: part by part, or all or none.
HELPER void choose_pairs(const MY Work *w, MY Part *parts, int count)
{
    int gain = 0;
    for (int i = 0; i < count; i++)
        gain += cost_with(w, &parts[i], 0) - cost_with(w, &parts[i], 1);
    for (int i = 0; i < count; i++) {
        MY Part *part = &parts[i];
        if (w->p.no_mix ? gain <= 0 : cost_with(w, part, 1) >= cost_with(w, part, 0))
            continue;
        part->direction = BOTH;
        for (int n = 0; n < part->blocks; n++)
            part->costs[n] = part->pair_costs[n];
    }
}

HELPER void tell_part(MY Work *w, const MY Part *part, int size)
{
    int extra = extra_of(w, part, part->direction), of_block = size / part->blocks;
    for (int n = 0; n < part->blocks; n++)
        for (int i = 0; i < of_block; i++) {
            int at = part->number * size + n * of_block + i;
            w->found[at] = part->vectors[n];
            w->distortions[at] = saturated(part->costs[n] + (n ? 0 : extra));
        }
    w->r.directions |= part->direction << 2 * part->number;
    w->r.count += part->blocks * (part->direction == BOTH ? 2 : 1);
    w->r.best = saturated(w->r.best + sum_of(part, part->costs) + extra);
}

ENTRY void __clpy_avc_refine(MY Work *w)
{
    uchar source[SIZE * SIZE];
    Part parts[4];
    __clpy_avc_result nothing = {0};
    w->p.major &= 3;
    int count = w->p.major == OF_8x8 ? 4 : blocks_of(w->p.major), pairs = w->p.is_bidirectional && w->is_dual;
    read_source(w, source);
    for (int i = 0; i < count; i++) {
        begin_part(w, &parts[i], i);
        refine_part(w, source, &parts[i], pairs);
    }
    if (pairs)
        choose_pairs(w, parts, count);
    w->r = nothing;
    w->r.major = w->p.major;
    w->r.minor = w->p.minor;
    w->r.reference_ids = w->reference_ids;
    for (int i = 0; i < count; i++)
        tell_part(w, &parts[i], SIZE / count);
}
