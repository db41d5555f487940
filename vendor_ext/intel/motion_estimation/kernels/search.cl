// SPDX-License-Identifier: Apache-2.0
// The search: all whole displacements around a center first, then the halves and the quarters around the best.
#define MOST_X 16
#define MOST_Y 12
#define WINDOW_PITCH 48
#define WINDOW_ROWS (SIDE + 2 * MOST_Y)
#define NO_PLACE 0xffffffffu

typedef struct {
    uchar source[SIDE * SIDE];
    uchar window[WINDOW_ROWS * WINDOW_PITCH];
    uchar around[36 * LANES];           // 6 x 6 pixels around each 4 x 4
    uint best[BLOCKS * LANES];          // of each block, what each work-item has found
    ushort parts[LANES];
    ushort penalty_x[WINDOW_PITCH];     // of the displacements of a window
    ushort penalty_y[2 * MOST_Y + 1];
    int2 center[BLOCKS];                // of the window that a block's vector is of, in quarters of a pixel
    int2 vector[BLOCKS];
    ushort cost[BLOCKS];
} Motion;

// What a displacement costs beside its distortion: by its distance from a place, at 8 points, linear between them.
typedef struct {
    int2 from;              // in quarters of a pixel
    uint shift;             // 2 to that power quarters are 1
    ushort at[8];           // distances 0, 1, 2, 4, 8, 16, 32, 64 and more
} Penalty;

ushort penalty_of(const Penalty *penalty, int delta)
{
    uint distance = abs(delta), unit = 1u << penalty->shift, k = 0;
    if (distance >= unit * 64)
        return penalty->at[7];
    while (k < 6 && distance >= unit << k)
        k++;
    uint low = k ? unit << (k - 1) : 0, high = unit << k;
    int rise = penalty->at[k + 1] - penalty->at[k];
    return penalty->at[k] + rise * (int)(distance - low) / (int)(high - low);
}

// Less is better: the cost, then the distance from the center, then the place, row by row.
uint ranked(ushort cost, int dx, int dy)
{
    return (uint)cost << 16 | (abs(dx) + abs(dy)) << 11 | (dy + MOST_Y) << 6 | (dx + MOST_X);
}

// What 4 x 4 pixels of the source differ by from those of the window.
ushort distortion_in_window(const local uchar *source, const local uchar *window, uint sad_adjust_mode)
{
    if (sad_adjust_mode == 0) {
        ushort sum = 0;
        for (int i = 0; i < 16; i++)
            sum += abs_diff(source[i / 4 * SIDE + i % 4], window[i / 4 * WINDOW_PITCH + i % 4]);
        return sum;
    }
    short d[16];
    for (int i = 0; i < 16; i++)
        d[i] = (short)source[i / 4 * SIDE + i % 4] - (short)window[i / 4 * WINDOW_PITCH + i % 4];
    return sum_of_haar(d);
}

// Of a block, the least that a work-item has found.
void keep(local uint *best, ushort distortion, ushort penalty, int dx, int dy, bool is_place)
{
    uint key = is_place ? ranked(add_sat(distortion, penalty), dx, dy) : NO_PLACE;
    *best = min(*best, key);
}

void try_displacements(local Motion *m, accelerator_intel_t search, int column, int row, int2 radius)
{
    int lane = get_local_id(0);
    int dx = column + lane - radius.x, dy = row - radius.y;
    bool is_place = dx <= radius.x;
    ushort penalty = add_sat(m->penalty_x[column + lane], m->penalty_y[row]);
    const local uchar *window = m->window + row * WINDOW_PITCH + column + lane;
    ushort all = 0;
    ONE_BY_ONE for (int y = 0; y < 2; y++) {
        ushort left = 0, right = 0;
        ONE_BY_ONE for (int i = 0; i < 8; i++) {
            int block = y * 8 + i;
            int x = block % 4 * 4, top = block / 4 * 4;
            ushort part = distortion_in_window(m->source + top * SIDE + x, window + top * WINDOW_PITCH + x,
                                               search.sad_adjust_mode);
            if (search.mb_block_type == 2)
                keep(m->best + block * LANES + lane, part, penalty, dx, dy, is_place);
            else if (i & 2)
                right += part;
            else
                left += part;
        }
        if (search.mb_block_type == 1) {
            keep(m->best + y * 2 * LANES + lane, left, penalty, dx, dy, is_place);
            keep(m->best + (y * 2 + 1) * LANES + lane, right, penalty, dx, dy, is_place);
        }
        all += left + right;
    }
    if (search.mb_block_type == 0)
        keep(m->best + lane, all, penalty, dx, dy, is_place);
}

// Take what the search around a center has found where it is better than what is there.
void choose(local Motion *m, int blocks, int2 center)
{
    int lane = get_local_id(0);
    if (lane >= blocks)
        return;
    uint best = NO_PLACE;
    for (int i = 0; i < LANES; i++)
        best = min(best, m->best[lane * LANES + i]);
    ushort cost = best >> 16;
    if (cost < m->cost[lane] || m->center[lane].x == INT_MAX) {
        m->cost[lane] = cost;
        m->center[lane] = center;
        m->vector[lane] = center + (int2)((int)(best & 63) - MOST_X, (int)(best >> 6 & 31) - MOST_Y) * 4;
    }
}

int2 radius_of(accelerator_intel_t search)
{
    return search.search_path_type == 0 ? (int2)(2, 2) : search.search_path_type == 1 ? (int2)(4, 4)
                                                                                   : (int2)(MOST_X, MOST_Y);
}

// All whole displacements around where the prediction points, for the macroblock at (x, y).
void search_around(local Motion *m, accelerator_intel_t search, read_only image2d_t reference, int x, int y,
                   short2 prediction, const Penalty *penalty)
{
    int lane = get_local_id(0), blocks = 1 << 2 * search.mb_block_type;
    int2 radius = radius_of(search), most = (int2)(8191) - radius;
    int2 whole = clamp(convert_int2(prediction) / 4, -most - 1, most);
    int2 center = whole * 4;
    read_pixels(reference, x + whole.x - radius.x, y + whole.y - radius.y, radius.x == MOST_X ? WINDOW_PITCH : 32,
                SIDE + 2 * radius.y, m->window, WINDOW_PITCH);
    for (int i = lane; i < WINDOW_PITCH; i += LANES)
        m->penalty_x[i] = penalty_of(penalty, center.x + (i - radius.x) * 4 - penalty->from.x);
    for (int i = lane; i <= 2 * radius.y; i += LANES)
        m->penalty_y[i] = penalty_of(penalty, center.y + (i - radius.y) * 4 - penalty->from.y);
    for (int i = 0; i < blocks; i++)
        m->best[i * LANES + lane] = NO_PLACE;
    barrier(CLK_LOCAL_MEM_FENCE);
    int steps = radius.x == MOST_X ? 3 : 1;
    for (int row = 0; row <= 2 * radius.y; row++)
        ONE_BY_ONE for (int step = 0; step < steps; step++)     // the third is the last column, again with 15 others
            try_displacements(m, search, step < 2 ? step * LANES : LANES + 1, row, radius);
    barrier(CLK_LOCAL_MEM_FENCE);
    choose(m, blocks, center);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The 6 x 6 pixels around a work-item's 4 x 4 at a vector, of which whole pixels count.
void read_around(local Motion *m, read_only image2d_t reference, int x, int y, int2 vector)
{
    int lane = get_local_id(0);
    for (int i = 0; i < 36; i++)
        m->around[i * LANES + lane] = pixel(reference, x + lane % 4 * 4 + (vector.x >> 2) - 1 + i % 6,
                                            y + lane / 4 * 4 + (vector.y >> 2) - 1 + i / 6);
}

// How far the work-item's 4 x 4 pixels are from those at (x, y) quarters in the 6 x 6.
ushort distortion_around(const local Motion *m, int2 at, uint sad_adjust_mode)
{
    int lane = get_local_id(0);
    const local uchar *source = m->source + lane / 4 * 4 * SIDE + lane % 4 * 4;
    short d[16];
    for (int i = 0; i < 16; i++)
        d[i] = (short)source[i / 4 * SIDE + i % 4] - sample(m->around + lane, at.x + i % 4 * 4, at.y + i / 4 * 4);
    return distortion(d, sad_adjust_mode);
}

// The 8 vectors `step` quarters around the best of each block that are still inside the window.
void refine(local Motion *m, accelerator_intel_t search, int2 corner, int step, const Penalty *penalty)
{
    int lane = get_local_id(0), blocks = 1 << 2 * search.mb_block_type;
    int2 radius = radius_of(search) * 4, old = m->vector[block_of_lane(search.mb_block_type, lane)];
    int2 own = m->vector[lane % blocks], center = m->center[lane % blocks], best = own;
    ushort cost = m->cost[lane % blocks];
    ONE_BY_ONE for (int i = 0; i < 9; i++) {
        int2 by = (int2)(i % 3 - 1, i / 3 - 1) * step, vector = own + by;
        m->parts[lane] = distortion_around(m, old + by - corner, search.sad_adjust_mode);
        barrier(CLK_LOCAL_MEM_FENCE);
        ushort more = add_sat(penalty_of(penalty, vector.x - penalty->from.x),
                              penalty_of(penalty, vector.y - penalty->from.y));
        ushort sum = add_sat(sum_of_block(search.mb_block_type, m->parts), more);
        if (sum < cost && all(abs(vector - center) <= convert_uint2(radius))) {
            cost = sum;
            best = vector;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane < blocks) {
        m->vector[lane] = best;
        m->cost[lane] = cost;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Before the first search: the macroblock of the source at (x, y), and no vectors.
void begin(local Motion *m, read_only image2d_t source, int x, int y)
{
    int lane = get_local_id(0);
    read_pixels(source, x, y, SIDE, SIDE, m->source, SIDE);
    m->center[lane] = (int2)(INT_MAX);
    m->cost[lane] = USHRT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// After the last one, as precise as the accelerator says.
void finish(local Motion *m, accelerator_intel_t search, read_only image2d_t reference, int x, int y,
            const Penalty *penalty)
{
    int lane = get_local_id(0);
    if (search.subpixel_mode == 0)
        return;
    int2 whole = m->vector[block_of_lane(search.mb_block_type, lane)];
    read_around(m, reference, x, y, whole);
    barrier(CLK_LOCAL_MEM_FENCE);
    ONE_BY_ONE for (int step = 2; step >= 3 - (int)search.subpixel_mode; step--)
        refine(m, search, whole - 4, step, penalty);
}
