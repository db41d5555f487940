// SPDX-License-Identifier: Apache-2.0
// Prediction of a macroblock from the pixels beside it (../../intra_prediction.h), a work-item for each 4 x 4.
typedef struct {
    uchar of4[NEIGHBOURS(4) * 16];      // one behind the other for all blocks: first that of each, then the second ...
    uchar of8[NEIGHBOURS(8) * 4];
    uchar of16[NEIGHBOURS(16)];
    ushort cost[16];
    char mode[16];
} Neighbours;

// Neighbours of n x n pixels at (x, y) of the image; where those further right are not there the last one above is.
void read_neighbours(read_only image2d_t image, int x, int y, int n, int has, local uchar *to, int stride)
{
    for (int i = 0; i < n; i++)
        to[i * stride] = pixel(image, x - 1, y + n - 1 - i);
    to[CORNER(n) * stride] = pixel(image, x - 1, y - 1);
    for (int i = 0; i < 2 * n; i++)
        to[(TOP(n) + i) * stride] = pixel(image, x + (i < n || has & HAS_RIGHT ? i : n - 1), y - 1);
}

// What a work-item's 4 x 4 pixels, at (x, y) of n x n, differ by from what a mode makes of the neighbours.
ushort distortion_in_mode(const local uchar *source, const local uchar *e, int stride, int n, int mode, int x, int y,
                          int dc, uint sad_adjust_mode)
{
    short d[16];
    for (int i = 0; i < 16; i++) {
        int to = n == 16 && mode == PLANE ? on_plane(e, stride, n, x + i % 4, y + i / 4)
                                          : predicted(e, stride, n, mode, x + i % 4, y + i / 4, dc);
        d[i] = (short)source[i / 4 * SIDE + i % 4] - to;
    }
    return distortion(d, sad_adjust_mode);
}

// The best modes of the blocks of one size to `modes`; the sum of their distortions.
ushort best_modes(local Motion *m, local Neighbours *near, uint mb_block_type, int own, uint sad_adjust_mode,
                  global char *modes)
{
    int lane = get_local_id(0), n = SIDE >> mb_block_type, blocks = 1 << 2 * mb_block_type;
    int block = block_of_lane(mb_block_type, lane), side = SIDE / n;
    const local uchar *e = mb_block_type == 2 ? near->of4 + lane : mb_block_type == 1 ? near->of8 + block : near->of16;
    int x = lane % 4 * 4, y = lane / 4 * 4;
    int has = neighbours_of(own, n, block % side * n, block / side * n), of_lane = lane % blocks;
    int of_own = neighbours_of(own, n, of_lane % side * n, of_lane / side * n);
    int dc = mean(e, blocks, n, has);
    uint least = UINT_MAX;
    char best = 0;
    ONE_BY_ONE for (int turn = 0; turn < (n == 16 ? 4 : MODES); turn++) {
        int mode = n == 16 && turn == 3 ? PLANE : turn;
        m->parts[lane] = distortion_in_mode(m->source + y * SIDE + x, e, blocks, n, mode, x % n, y % n, dc,
                                            sad_adjust_mode);
        barrier(CLK_LOCAL_MEM_FENCE);
        ushort sum = sum_of_block(mb_block_type, m->parts);
        if (is_mode_there(mode, of_own) && sum < least) {
            least = sum;
            best = mode;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane < blocks) {
        near->cost[lane] = least;
        if (modes)
            modes[lane] = best;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ushort sum = 0;
    for (int i = 0; i < blocks; i++)
        sum = add_sat(sum, near->cost[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

// For the macroblock in m->source, at (x, y) of the image: 22 modes and 4 residuals, of which the last ones, of chroma,
// are left as they are.
void predict_intra(local Motion *m, local Neighbours *near, read_only image2d_t image, int x, int y,
                   uint sad_adjust_mode, global char *modes, global ushort *residuals)
{
    int lane = get_local_id(0);
    int own = (x > 0 ? HAS_LEFT : 0) | (y > 0 ? HAS_TOP : 0) | (x > 0 && y > 0 ? HAS_CORNER : 0)
            | (y > 0 && x + SIDE < get_image_width(image) ? HAS_RIGHT : 0);
    int x4 = lane % 4 * 4, y4 = lane / 4 * 4;
    read_neighbours(image, x + x4, y + y4, 4, neighbours_of(own, 4, x4, y4), near->of4 + lane, 16);
    if (lane < 4) {
        int x8 = lane % 2 * 8, y8 = lane / 2 * 8;
        int has = neighbours_of(own, 8, x8, y8);
        read_neighbours(image, x + x8, y + y8, 8, has, near->of8 + lane, 4);
        smooth(near->of8 + lane, 4, has);
    }
    if (lane == 0)
        read_neighbours(image, x, y, 16, own, near->of16, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = 0;
    ONE_BY_ONE for (int type = 0; type < 3; type++) {
        ushort sum = best_modes(m, near, type, own, sad_adjust_mode, modes ? modes + before : 0);
        before += 1 << 2 * type;
        if (lane == 0 && residuals)
            residuals[type] = sum;
    }
}
