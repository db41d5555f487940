// SPDX-License-Identifier: Apache-2.0
kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
block_motion_estimate_intel(accelerator_intel_t accelerator, read_only image2d_t src_image,
                            read_only image2d_t ref_image, global short2 *prediction_motion_vector_buffer,
                            global short2 *motion_vector_buffer, global ushort *residuals)
{
    local Motion m;
    const Penalty none = {(int2)(0), 0, {0, 0, 0, 0, 0, 0, 0, 0}};
    int lane = get_local_id(0), column = get_group_id(0), row = get_group_id(1), columns = get_num_groups(0);
    int x = get_global_offset(0) + column * SIDE, y = get_global_offset(1) + row * SIDE;
    short2 prediction = (short2)(0);
    if (prediction_motion_vector_buffer)
        prediction = prediction_motion_vector_buffer[row * columns + column];
    begin(&m, src_image, x, y);
    search_around(&m, accelerator, ref_image, x, y, prediction, &none);
    finish(&m, accelerator, ref_image, x, y, &none);
    // The blocks of all macroblocks together are rows of one field.
    int side = 1 << accelerator.mb_block_type;
    if (lane < side * side) {
        size_t at = (size_t)(row * side + lane / side) * (columns * side) + column * side + lane % side;
        motion_vector_buffer[at] = convert_short2(m.vector[lane]);
        if (residuals)
            residuals[at] = m.cost[lane];
    }
}
