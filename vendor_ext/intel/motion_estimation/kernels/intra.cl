// SPDX-License-Identifier: Apache-2.0
// Prediction of a macroblock from the pixels beside it, by the modes of H.264 for luma. Blocks of n x n pixels have
// their neighbours in an array: from the lower left upwards, the corner, then to the right, n + 1 + 2 n of them.
#define CORNER(n) (n)
#define TOP(n) ((n) + 1)
#define NEIGHBOURS(n) (3 * (n) + 1)
#define MODES 9
#define PLANE 3                         // of 16 x 16, whose number is that of another mode
#define PLANE_NUMBER 4

typedef struct {
    uchar of4[NEIGHBOURS(4) * 16];      // one behind the other for all blocks: first that of each, then the second ...
    uchar of8[NEIGHBOURS(8) * 4];
    uchar of16[NEIGHBOURS(16)];
    ushort cost[16];
    char mode[16];
} Neighbours;

// Which neighbours there are, as bits.
#define HAS_LEFT 1
#define HAS_TOP 2
#define HAS_RIGHT 4                     // above, further right

// Of n x n pixels at (x, y) of a macroblock whose own neighbours there are: blocks that come later are not there yet.
int neighbours_of(int own, int n, int x, int y)
{
    int column = x / n, row = y / n, last = SIDE / n - 1;
    int has = (x ? HAS_LEFT : own & HAS_LEFT) | (y ? HAS_TOP : own & HAS_TOP);
    bool right = row == 0 ? own & (column == last ? HAS_RIGHT : HAS_TOP) : column != last && !(column & row & 1);
    return right ? has | HAS_RIGHT : has;
}

// Neighbours of n x n pixels at (x, y) of the image; where those further right are not there the last one above is.
void read_neighbours(read_only image2d_t image, int x, int y, int n, int has, local uchar *to, int stride)
{
    for (int i = 0; i < n; i++)
        to[i * stride] = pixel(image, x - 1, y + n - 1 - i);
    to[CORNER(n) * stride] = pixel(image, x - 1, y - 1);
    for (int i = 0; i < 2 * n; i++)
        to[(TOP(n) + i) * stride] = pixel(image, x + (i < n || has & HAS_RIGHT ? i : n - 1), y - 1);
}

// What 8 x 8 are predicted from is made smoother first: along the neighbours that there are, as a row. Where there are
// none to the left, or none above, there is no corner, and the row begins or ends before it.
void smooth(local uchar *e, int stride, int has)
{
    bool left = has & HAS_LEFT, top = has & HAS_TOP;
    int first = left ? 0 : TOP(8), last = top ? NEIGHBOURS(8) - 1 : CORNER(8) - 1;
    int before = e[first * stride];
    for (int i = first; i <= last; i++) {
        int here = e[i * stride], after = e[min(i + 1, last) * stride];
        e[i * stride] = (before + 2 * here + after + 2) >> 2;
        before = here;
    }
}

bool mode_is_there(int mode, int has)
{
    switch (mode) {
    case 0: case 3: case 7:
        return has & HAS_TOP;
    case 1: case 8:
        return has & HAS_LEFT;
    case 2:
        return true;
    }
    return (has & HAS_LEFT) && (has & HAS_TOP);
}

short mean(const local uchar *e, int stride, int n, int has)
{
    int sum = 0, count = 0;
    for (int i = 0; i < n; i++) {
        sum += (has & HAS_LEFT ? e[i * stride] : 0) + (has & HAS_TOP ? e[(TOP(n) + i) * stride] : 0);
        count += ((has & HAS_LEFT) != 0) + ((has & HAS_TOP) != 0);
    }
    return count ? (sum + count / 2) / count : 128;
}

short two(const local uchar *e, int stride, int i)
{
    return (e[i * stride] + e[(i + 1) * stride] + 1) >> 1;
}

short three(const local uchar *e, int stride, int i)
{
    return (e[(i - 1) * stride] + 2 * e[i * stride] + e[(i + 1) * stride] + 2) >> 2;
}

// The pixel at (x, y) of n x n in a mode; `dc` is their mean.
short predicted(const local uchar *e, int stride, int n, int mode, int x, int y, short dc)
{
    int z, i;
    switch (mode) {
    case 0:
        return e[(TOP(n) + x) * stride];
    case 1:
        return e[(n - 1 - y) * stride];
    case 2:
        return dc;
    case 3:     // down and left
        i = min(TOP(n) + x + y + 1, NEIGHBOURS(n) - 1);
        return (e[(i - 1) * stride] + 2 * e[i * stride] + e[min(i + 1, NEIGHBOURS(n) - 1) * stride] + 2) >> 2;
    case 4:     // down and right
        return three(e, stride, CORNER(n) + x - y);
    case 5:     // vertical, to the right
        z = 2 * x - y;
        i = CORNER(n) + x - (y >> 1);
        return z < 0 ? three(e, stride, CORNER(n) + 1 + z) : z & 1 ? three(e, stride, i) : two(e, stride, i);
    case 6:     // horizontal, down
        z = 2 * y - x;
        i = CORNER(n) - y + (x >> 1);
        return z < 0 ? three(e, stride, CORNER(n) - 1 - z) : z & 1 ? three(e, stride, i) : two(e, stride, i - 1);
    case 7:     // vertical, to the left
        i = TOP(n) + x + (y >> 1);
        return y & 1 ? three(e, stride, i + 1) : two(e, stride, i);
    }
    z = x + 2 * y;      // horizontal, up
    i = n - 1 - y - (x >> 1);
    if (z >= 2 * n - 3)
        return z == 2 * n - 3 ? (e[stride] + 3 * e[0] + 2) >> 2 : e[0];
    return z & 1 ? three(e, stride, i - 1) : two(e, stride, i - 1);
}

// The pixel at (x, y) of 16 x 16 in the mode that fits a plane to the neighbours.
short on_plane(const local uchar *e, int x, int y)
{
    int across = 0, down = 0;
    for (int i = 1; i <= 8; i++) {
        across += i * (e[TOP(16) + 7 + i] - e[TOP(16) + 7 - i]);
        down += i * (e[CORNER(16) - 8 - i] - e[CORNER(16) - 8 + i]);
    }
    int slope_x = (5 * across + 32) >> 6, slope_y = (5 * down + 32) >> 6;
    return clamp((16 * (e[0] + e[TOP(16) + 15]) + slope_x * (x - 7) + slope_y * (y - 7) + 16) >> 5, 0, 255);
}

// What a work-item's 4 x 4 pixels, at (x, y) of n x n, differ by from what a mode makes of the neighbours.
ushort distortion_in_mode(const local uchar *source, const local uchar *e, int stride, int n, int mode, int x, int y,
                          short dc, uint sad_adjust_mode)
{
    short d[16];
    for (int i = 0; i < 16; i++) {
        int to = n == 16 && mode == PLANE ? on_plane(e, x + i % 4, y + i / 4)
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
    short dc = mean(e, blocks, n, has);
    uint least = UINT_MAX;
    char best = 0;
    ONE_BY_ONE for (int mode = 0; mode < (n == 16 ? 4 : MODES); mode++) {
        m->parts[lane] = distortion_in_mode(m->source + y * SIDE + x, e, blocks, n, mode, x % n, y % n, dc,
                                            sad_adjust_mode);
        barrier(CLK_LOCAL_MEM_FENCE);
        ushort sum = sum_of_block(mb_block_type, m->parts);
        int number = n == 16 && mode == PLANE ? PLANE_NUMBER : mode;
        if (mode_is_there(number, of_own) && sum < least) {
            least = sum;
            best = number;
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
    int own = (x > 0 ? HAS_LEFT : 0) | (y > 0 ? HAS_TOP : 0)
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
