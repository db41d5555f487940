// SPDX-License-Identifier: Apache-2.0
// The kernels of cl_intel_advanced_motion_estimation, which do the same for clusters of 8 and of 4 vectors.
#define LUMA_INTRA_PREDICT 2
#define SKIP_8X8 4
#define MOST_WEIGHT 64

typedef struct {
    int column, row, number, x, y;      // of the macroblock: in the range, and its pixels in the images
} Place;

Place place(void)
{
    int column = get_group_id(0), row = get_group_id(1);
    return (Place){column, row, row * (int)get_num_groups(0) + column, (int)get_global_offset(0) + column * SIDE,
                   (int)get_global_offset(1) + row * SIDE};
}

// By search_cost_penalty: what distances cost.
constant ushort costs[4][8] = {{0, 0, 0, 0, 0, 0, 0, 0},
                               {1, 4, 5, 9, 10, 12, 14, 15},
                               {5, 20, 26, 44, 52, 60, 72, 72},
                               {26, 104, 128, 224, 256, 288, 352, 384}};

Penalty penalty_from(uint search_cost_penalty, uint search_cost_precision, short2 from)
{
    Penalty penalty = {convert_int2(from), min(search_cost_precision, 3u)};
    for (int i = 0; i < 8; i++)
        penalty.at[i] = costs[min(search_cost_penalty, 3u)][i];
    return penalty;
}

// The search around each of the predictions, or around the macroblock itself where there are none.
void search_from(local Motion *m, accelerator_intel_t search, read_only image2d_t source,
                 read_only image2d_t reference, Place at, int count, const global short2 *predictions,
                 uint search_cost_penalty, uint search_cost_precision, global short2 *vectors, global ushort *residuals)
{
    int lane = get_local_id(0), blocks = 1 << 2 * search.mb_block_type;
    if (!vectors && !residuals)
        return;
    count = predictions ? count : 0;
    short2 first = (short2)(0);
    if (count > 0)
        first = predictions[0];
    Penalty penalty = penalty_from(search_cost_penalty, search_cost_precision, first);
    begin(m, source, at.x, at.y);
    ONE_BY_ONE for (int i = 0; i < max(count, 1); i++)
        search_around(m, search, reference, at.x, at.y, i ? predictions[i] : first, &penalty);
    finish(m, search, reference, at.x, at.y, &penalty);
    if (lane < blocks && vectors)
        vectors[(size_t)at.number * blocks + lane] = convert_short2(m->vector[lane]);
    if (lane < blocks && residuals)
        residuals[(size_t)at.number * blocks + lane] = m->cost[lane];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// What the work-item's 4 x 4 pixels differ by from a mixture of those at two vectors: so many 64ths of the second.
ushort distortion_at(local Motion *m, read_only image2d_t forward, read_only image2d_t backward, Place at,
                     int2 to_forward, int2 to_backward, int weight, uint sad_adjust_mode)
{
    int lane = get_local_id(0);
    const local uchar *source = m->source + lane / 4 * 4 * SIDE + lane % 4 * 4;
    int2 of_forward = (to_forward & 3) + 4, of_backward = (to_backward & 3) + 4;
    short d[16];
    read_around(m, forward, at.x, at.y, to_forward);
    for (int i = 0; i < 16; i++)
        d[i] = sample(m->around + lane, of_forward.x + i % 4 * 4, of_forward.y + i / 4 * 4);
    read_around(m, backward, at.x, at.y, to_backward);
    for (int i = 0; i < 16; i++) {
        int other = sample(m->around + lane, of_backward.x + i % 4 * 4, of_backward.y + i / 4 * 4);
        int mixed = ((MOST_WEIGHT - weight) * d[i] + weight * other + 32) >> 6;
        d[i] = (short)source[i / 4 * SIDE + i % 4] - mixed;
    }
    return distortion(d, sad_adjust_mode);
}

// Skip checks of one macroblock: `count` sets of a vector for each block, residuals for as many blocks as have one.
void check_skips(local Motion *m, accelerator_intel_t search, read_only image2d_t source,
                 read_only image2d_t reference, Place at, bool is_8x8, int count, const global short2 *vectors,
                 global ushort *residuals)
{
    int lane = get_local_id(0), type = is_8x8, blocks = is_8x8 ? 4 : 1, block = block_of_lane(type, lane);
    if (!vectors || !residuals)
        return;
    begin(m, source, at.x, at.y);
    for (int i = 0; i < count; i++) {
        int2 vector = convert_int2(vectors[i * blocks + block]);
        read_around(m, reference, at.x, at.y, vector);
        m->parts[lane] = distortion_around(m, (vector & 3) + 4, search.sad_adjust_mode);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < blocks)
            residuals[i * blocks + lane] = sum_of_block(type, m->parts);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The same with a pair of vectors for each block, into an image before and into one behind; `modes` are two bits for
// each block, whether one of them counts or both.
void check_pairs(local Motion *m, accelerator_intel_t search, read_only image2d_t source,
                 read_only image2d_t forward, read_only image2d_t backward, Place at, bool is_8x8, int count,
                 const global short2 *pairs, uchar modes, int weight, global ushort *residuals)
{
    int lane = get_local_id(0), type = is_8x8, blocks = is_8x8 ? 4 : 1, block = block_of_lane(type, lane);
    if (!pairs || !residuals)
        return;
    int mode = modes >> 2 * block & 3, part = mode == 3 ? min(weight, MOST_WEIGHT) : mode == 2 ? MOST_WEIGHT : 0;
    begin(m, source, at.x, at.y);
    for (int i = 0; i < count; i++) {
        const global short2 *pair = pairs + (i * blocks + block) * 2;
        m->parts[lane] = distortion_at(m, forward, backward, at, convert_int2(pair[0]), convert_int2(pair[1]), part,
                                       search.sad_adjust_mode);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < blocks)
            residuals[i * blocks + lane] = sum_of_block(type, m->parts);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

void intra(local Motion *m, local Neighbours *near, accelerator_intel_t search, read_only image2d_t source, Place at,
           uint flags, global char *modes, global ushort *residuals)
{
    if (!(flags & LUMA_INTRA_PREDICT) || (!modes && !residuals))
        return;
    begin(m, source, at.x, at.y);
    predict_intra(m, near, source, at.x, at.y, search.sad_adjust_mode, modes ? modes + (size_t)at.number * 22 : 0,
                  residuals ? residuals + (size_t)at.number * 4 : 0);
}

kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
block_advanced_motion_estimate_check_intel(
    accelerator_intel_t accelerator, read_only image2d_t src_image, read_only image2d_t ref_image, uint flags,
    uint skip_block_type, uint search_cost_penalty, uchar search_cost_precision,
    global short2 *count_motion_vector_buffer, global short2 *predictor_motion_vector_buffer,
    global short2 *skip_motion_vector_buffer, global short2 *search_motion_vector_buffer,
    global char *intra_search_predictor_modes, global ushort *search_residuals, global ushort *skip_residuals,
    global ushort *intra_residuals)
{
    local Motion m;
    local Neighbours near;
    Place at = place();
    short2 count = clamp(count_motion_vector_buffer[at.number], (short2)(0), (short2)(8));
    bool is_8x8 = skip_block_type != 0;
    size_t skips = (size_t)at.number * (is_8x8 ? 32 : 8);
    global short2 *predictions = predictor_motion_vector_buffer;
    search_from(&m, accelerator, src_image, ref_image, at, count.x,
                predictions ? predictions + (size_t)at.number * 8 : 0, search_cost_penalty, search_cost_precision,
                search_motion_vector_buffer, search_residuals);
    check_skips(&m, accelerator, src_image, ref_image, at, is_8x8, count.y,
                skip_motion_vector_buffer ? skip_motion_vector_buffer + skips : 0,
                skip_residuals ? skip_residuals + skips : 0);
    intra(&m, &near, accelerator, src_image, at, flags, intra_search_predictor_modes, intra_residuals);
}

kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
block_advanced_motion_estimate_bidirectional_check_intel(
    accelerator_intel_t accelerator, read_only image2d_t src_search_image, read_only image2d_t ref_search_image,
    read_only image2d_t src_check_image, read_only image2d_t ref0_check_image, read_only image2d_t ref1_check_image,
    uint flags, uint search_cost_penalty, uint search_cost_precision, short2 count_global, uchar bidir_weight,
    global short2 *count_motion_vector_buffer, global short2 *prediction_motion_vector_buffer,
    global char *skip_input_mode_buffer, global short2 *skip_motion_vector_buffer,
    global short2 *search_motion_vector_buffer, global char *intra_search_predictor_modes,
    global ushort *search_residuals, global ushort *skip_residuals, global ushort *intra_residuals)
{
    local Motion m;
    local Neighbours near;
    Place at = place();
    short2 count = count_global;
    if (count.x == -1)
        count.x = count_motion_vector_buffer[at.number].x;
    if (count.y == -1)
        count.y = count_motion_vector_buffer[at.number].y;
    count = clamp(count, (short2)(0), (short2)(4));
    bool is_8x8 = flags & SKIP_8X8;
    size_t skips = (size_t)at.number * (is_8x8 ? 16 : 4);
    global short2 *predictions = prediction_motion_vector_buffer;
    search_from(&m, accelerator, src_search_image, ref_search_image, at, count.x,
                predictions ? predictions + (size_t)at.number * 4 : 0, search_cost_penalty, search_cost_precision,
                search_motion_vector_buffer, search_residuals);
    check_pairs(&m, accelerator, src_check_image, ref0_check_image, ref1_check_image, at, is_8x8, count.y,
                skip_motion_vector_buffer ? skip_motion_vector_buffer + skips * 2 : 0,
                skip_input_mode_buffer ? skip_input_mode_buffer[at.number] : 0, bidir_weight,
                skip_residuals ? skip_residuals + skips : 0);
    intra(&m, &near, accelerator, src_search_image, at, flags, intra_search_predictor_modes, intra_residuals);
}
