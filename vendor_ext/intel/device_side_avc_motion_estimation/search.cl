// SPDX-License-Identifier: Apache-2.0
// The search at whole pixels: the best place for the blocks of each shape, then the best shapes.
#include "window.h"

typedef struct {
    uint cost, vector, id;
    int border;         // bits: left, right, top, bottom
} Record;

typedef struct {
    Record major[2][MAJORS];            // of both directions: 16x16, 16x8, 8x16, 8x8
    Record minor[2][4][3][4];           // of each 8 x 8 block: 8x4, 4x8, 4x4
} Records;

typedef struct {
    int cost, count, major;
    int shapes[4], directions[4];
} Choice;

constant int FIRST_OF_MAJOR[] = {0, 1, 3, 5};

HELPER MY Record *record_of(MY Records *records, int direction, int shape, int quarter, int number)
{
    if (shape > OF_8x8)
        return &records->minor[direction][quarter][shape - OF_8x4][number];
    return &records->major[direction][FIRST_OF_MAJOR[shape] + (shape == OF_8x8 ? quarter : number)];
}

HELPER int is_enabled(const MY Work *w, int shape)
{
    uint mask = w->p.partition_mask & 0x7F;
    return mask == 0x7F ? shape == OF_16x16 : !(mask >> shape & 1);
}

// --- the best places

HELPER Record best_record(const MY Window *window, Block block)
{
    int at;
    uint key = best_of_block(window, block, &at);
    int x = at % window->pitch, y = at / window->pitch;
    int border = (x == 0 ? 1 : 0) | (x == window->width - 1 ? 2 : 0) | (y == 0 ? 4 : 0)
               | (y == window->height - 1 ? 8 : 0);
    return (Record){key >> 16, vector_of((window->first_x + x) * 4, (window->first_y + y) * 4), 0, border};
}

HELPER void fill_records(const MY Work *w, MY Records *records, const MY Window *window, int direction)
{
    uint id = id_of(w, direction, 0);
    for (int shape = OF_16x16; shape <= OF_4x4; shape++) {
        if (shape > OF_8x8 && !is_enabled(w, shape))
            continue;
        for (int quarter = 0; quarter < (shape < OF_8x8 ? 1 : 4); quarter++)
            for (int n = 0; n < blocks_of(shape); n++) {
                MY Record *record = record_of(records, direction, shape, quarter, n);
                *record = best_record(window, block_of(shape, quarter, n));
                record->id = id;
                if (shape <= OF_8x8)
                    record->cost = saturated(record->cost + reference_cost(w, id));
            }
    }
}

// What earlier searches have found stays where this one has nothing better.
HELPER void take_stream(const MY Work *w, MY Records *records, int direction)
{
    for (int i = 0; i < MAJORS; i++)
        if (w->stream_costs[direction][i] <= records->major[direction][i].cost)
            records->major[direction][i] = (Record){w->stream_costs[direction][i], w->stream_vectors[direction][i],
                                                    w->stream_ids[direction][i] & 15, 0};
}

HELPER void give_stream(MY Work *w, const MY Records *records, int direction)
{
    for (int i = 0; i < SIZE; i++) {
        Record record = i < MAJORS ? records->major[direction][i] : (Record){0, 0, 0, 0};
        w->stream_costs[direction][i] = saturated(record.cost);
        w->stream_vectors[direction][i] = record.vector;
        w->stream_ids[direction][i] = record.id;
    }
}

// --- the best shapes

// Of a macroblock of a major shape or an 8 x 8 block of a minor one, with what it costs beside its blocks.
HELPER int cost_of_part(const MY Work *w, MY Records *records, int direction, int shape, int quarter, int number)
{
    int cost = direction == BACKWARD ? u4u4(w->p.direction_penalty) : 0;
    if (shape < OF_8x8)
        return cost + record_of(records, direction, shape, 0, number)->cost;
    for (int n = 0; n < blocks_of(shape); n++)
        cost += record_of(records, direction, shape, quarter, n)->cost;
    return cost + shape_cost(w, shape) + (shape > OF_8x8 ? reference_cost(w, id_of(w, direction, 0)) : 0);
}

// The better direction of those that may be, as bits.
HELPER int better_direction(const MY Work *w, MY Records *records, int directions, int shape, int quarter, int number,
                            MY int *cost)
{
    int chosen = -1;
    for (int direction = FORWARD; direction <= BACKWARD; direction++) {
        if (!(directions >> direction & 1))
            continue;
        int here = cost_of_part(w, records, direction, shape, quarter, number);
        if (chosen < 0 || here < *cost) {
            chosen = direction;
            *cost = here;
        }
    }
    return chosen;
}

HELPER Choice choose_major(const MY Work *w, MY Records *records, int directions, int shape)
{
    Choice choice = {shape_cost(w, shape), blocks_of(shape), shape, {0}, {0}};
    for (int n = 0; n < choice.count; n++) {
        int cost;
        choice.directions[n] = better_direction(w, records, directions, shape, 0, n, &cost);
        choice.cost += cost;
    }
    return choice;
}

typedef struct { int cost, shape, direction; } Quarter;         // shape -1: there is none

// The best for an 8 x 8 block with 1, 2 and 4 vectors.
HELPER void choose_minors(const MY Work *w, MY Records *records, int directions, int quarter, MY Quarter *best)
{
    for (int i = 0; i < 3; i++)
        best[i].shape = -1;
    for (int shape = OF_8x8; shape <= OF_4x4; shape++) {
        if (!is_enabled(w, shape))
            continue;
        int cost, direction = better_direction(w, records, directions, shape, quarter, 0, &cost);
        MY Quarter *of_count = &best[blocks_of(shape) >> 1];
        if (of_count->shape < 0 || cost < of_count->cost)
            *of_count = (Quarter){cost, shape, direction};
    }
}

HELPER int is_better(const MY Choice *a, const MY Choice *b) { return b->count == 0 || a->cost < b->cost; }

// The best combination of four 8 x 8 blocks with no more than so many vectors; count 0: there is none.
HELPER Choice choose_quarters(const MY Work *w, MY Records *records, int directions, int most)
{
    Quarter best[4][3];
    Choice choice = {0};
    for (int quarter = 0; quarter < 4; quarter++)
        choose_minors(w, records, directions, quarter, best[quarter]);
    for (int i = 0; i < 81; i++) {
        Choice here = {0, 0, OF_8x8, {0}, {0}};
        int rest = i, is_there = 1;
        for (int quarter = 0; quarter < 4; quarter++, rest /= 3) {
            Quarter chosen = best[quarter][rest % 3];
            is_there &= chosen.shape >= 0;
            here.cost += chosen.cost;
            here.count += 1 << rest % 3;
            here.shapes[quarter] = chosen.shape;
            here.directions[quarter] = chosen.direction;
        }
        if (is_there && here.count <= most && is_better(&here, &choice))
            choice = here;
    }
    return choice;
}

HELPER Choice choose_with(const MY Work *w, MY Records *records, int directions, int most)
{
    Choice choice = {0};
    for (int shape = OF_16x16; shape < OF_8x8; shape++)
        if (is_enabled(w, shape) && blocks_of(shape) <= most) {
            Choice here = choose_major(w, records, directions, shape);
            if (is_better(&here, &choice))
                choice = here;
        }
    Choice here = choose_quarters(w, records, directions, most);
    if (here.count && is_better(&here, &choice))
        choice = here;
    return choice;
}

HELPER Choice choose(const MY Work *w, MY Records *records, int most)
{
    if (!w->is_dual)
        return choose_with(w, records, 1, most);
    if (!w->p.no_mix)
        return choose_with(w, records, 3, most);
    Choice forward = choose_with(w, records, 1, most), backward = choose_with(w, records, 2, most);
    return forward.count && is_better(&forward, &backward) ? forward
         : backward.count && backward.cost == forward.cost ? forward : backward;
}

// --- results

// Work-items first, first + 1, ... have a block's vectors; the first block of a part has what the part costs.
HELPER void tell(MY Work *w, MY Records *records, int shape, int quarter, int number, int direction, int first,
                 int size, int extra)
{
    MY Record *record = record_of(records, direction, shape, quarter, number);
    MY Record *other = record_of(records, BACKWARD - direction, shape, quarter, number);
    ulong vectors = record->vector;
    if (w->is_dual)
        vectors = (ulong)record->vector << 32 * direction | (ulong)other->vector << 32 * (BACKWARD - direction);
    for (int i = first; i < first + size; i++) {
        w->found[i] = vectors;
        w->distortions[i] = saturated(record->cost + extra);
    }
    w->r.border |= record->border << 4 * direction;
    for (int block = 0; block < 4; block++) {
        int is_here = shape >= OF_8x8 ? block == quarter : shape == OF_16x16 ? 1
                    : shape == OF_16x8 ? block / 2 == number : block % 2 == number;
        if (!is_here)
            continue;
        uint ids = w->is_dual ? record->id << 4 * direction | other->id << 4 * (BACKWARD - direction) : record->id * 17;
        w->r.reference_ids = (w->r.reference_ids & ~(255u << 8 * block)) | ids << 8 * block;
    }
}

HELPER void tell_choice(MY Work *w, MY Records *records, const MY Choice *choice)
{
    int parts = choice->major == OF_8x8 ? 4 : blocks_of(choice->major), size = SIZE / parts;
    w->r.major = choice->major;
    w->r.count = choice->count;
    w->r.best = saturated(choice->cost);
    for (int part = 0; part < parts; part++) {
        int shape = choice->major == OF_8x8 ? choice->shapes[part] : choice->major;
        int direction = choice->directions[part];
        int blocks = shape < OF_8x8 ? 1 : blocks_of(shape), before = 0;
        w->r.directions |= direction << 2 * part;
        w->r.minor |= shape > OF_8x8 ? (shape - OF_8x8) << 2 * part : 0;
        for (int n = 0; n < blocks; n++)
            before += record_of(records, direction, shape, part, shape < OF_8x8 ? part : n)->cost;
        int extra = cost_of_part(w, records, direction, shape, part, part) - before;
        if (shape < OF_8x8 && part == 0)
            extra += shape_cost(w, shape);
        for (int n = 0; n < blocks; n++)
            tell(w, records, shape, part, shape < OF_8x8 ? part : n, direction, part * size + n * (size / blocks),
                 size / blocks, n ? 0 : extra);
    }
}

ENTRY void __clpy_avc_search(MY Work *w)
{
    uchar source[SIZE * SIZE];
    Window window;
    Records records;
    __clpy_avc_result nothing = {0};
    w->r = nothing;
    read_source(w, source);
    for (int direction = FORWARD; direction <= (w->is_dual ? BACKWARD : FORWARD); direction++) {
        w->r.is_early |= look_around(w, &window, source, direction);
        fill_records(w, &records, &window, direction);
        if (w->has_stream)
            take_stream(w, &records, direction);
        give_stream(w, &records, direction);
    }
    int most = w->p.most_vectors;
    Choice best = choose(w, &records, 32), choice = choose(w, &records, most);
    w->r.is_truncated = choice.count == 0 || choice.cost > best.cost;
    tell_choice(w, &records, choice.count ? &choice : &best);
    w->r.weighted_vector = (uint)w->found[0];
    w->r.weighted = w->distortions[0];
}
