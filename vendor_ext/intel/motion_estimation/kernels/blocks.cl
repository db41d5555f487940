// SPDX-License-Identifier: Apache-2.0
// What the kernels for motion estimation share. A work-group of 16 work-items does one macroblock of 16 x 16 pixels;
// where its 16 blocks of 4 x 4 pixels are meant, each work-item has one, in rows. ../README.md defines the results.
#define LANES 16
#define SIDE 16
#define BLOCKS 16
#define ONE_BY_ONE _Pragma("unroll 1")     // of a loop: not copied, as compiling that would take longer than it gains

typedef struct {
    uint mb_block_type, subpixel_mode, sad_adjust_mode, search_path_type;
} accelerator_intel_t;

// A pixel, or the nearest one of the image.
uchar pixel(read_only image2d_t image, int x, int y)
{
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    return (uchar)(read_imagef(image, nearest, (int2)(x, y)).x * 255.0f + 0.5f);
}

// Rows of `columns` pixels, a multiple of 16, from (x, y) on, to memory with rows of `pitch` bytes.
void read_pixels(read_only image2d_t image, int x, int y, int columns, int rows, local uchar *to, int pitch)
{
    int lane = get_local_id(0);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column += LANES)
            to[row * pitch + column + lane] = pixel(image, x + column + lane, y + row);
}

ushort sum_of_differences(const short *d)
{
    ushort sum = 0;
    for (int i = 0; i < 16; i++)
        sum += abs(d[i]);
    return sum;
}

// Of 4 x 4 differences: absolute values in the basis of Haar. The first step makes of each 2 x 2 a sum and three
// details, which have half of their weight, the second one the same of the four sums, with a quarter.
ushort sum_of_haar(const short *d)
{
    short sums[4];
    int details = 0;
    for (int i = 0; i < 4; i++) {
        const short *q = d + (i / 2) * 8 + (i % 2) * 2;
        short top = q[0] + q[1], bottom = q[4] + q[5], left = q[0] - q[1], right = q[4] - q[5];
        sums[i] = top + bottom;
        details += abs(top - bottom) + abs(left + right) + abs(left - right);
    }
    int top = sums[0] + sums[1], bottom = sums[2] + sums[3], left = sums[0] - sums[1], right = sums[2] - sums[3];
    int coarse = abs(top + bottom) + abs(top - bottom) + abs(left + right) + abs(left - right);
    return (2 * details + coarse + 2) >> 2;
}

// How far 4 x 4 pixels are from others.
ushort distortion(const short *d, uint sad_adjust_mode)
{
    return sad_adjust_mode ? sum_of_haar(d) : sum_of_differences(d);
}

// The number of the block with a vector of its own that the 4 x 4 pixels of a work-item are in.
int block_of_lane(uint mb_block_type, int lane)
{
    return mb_block_type == 0 ? 0 : mb_block_type == 1 ? lane / 8 * 2 + lane % 4 / 2 : lane;
}

// The sum of what work-items have of a block, for the work-item with the block's number.
ushort sum_of_block(uint mb_block_type, const local ushort *parts)
{
    int lane = get_local_id(0);
    if (mb_block_type == 2)
        return parts[lane];
    if (mb_block_type == 1) {
        const local ushort *first = parts + (lane & 2) * 4 + (lane & 1) * 2;
        return first[0] + first[1] + first[4] + first[5];
    }
    ushort sum = 0;
    for (int i = 0; i < BLOCKS; i++)
        sum += parts[i];
    return sum;
}

// Pixels between pixels: `at` has rows of 6 for each work-item, pixel by pixel; (x, y) are quarters of a pixel in it.
short sample(const local uchar *at, int x, int y)
{
    const local uchar *corner = at + (y / 4 * 6 + x / 4) * LANES;
    int fx = x & 3, fy = y & 3;
    int top = corner[0] * (4 - fx) + corner[LANES] * fx;
    int bottom = corner[6 * LANES] * (4 - fx) + corner[7 * LANES] * fx;
    return (top * (4 - fy) + bottom * fy + 8) >> 4;
}
