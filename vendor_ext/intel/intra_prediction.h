/* SPDX-License-Identifier: Apache-2.0
 * Prediction of a macroblock of 16 x 16 pixels from those beside it, by the modes of H.264 (8.3.1 to 8.3.4), for the
 * extensions that search for motion. Blocks of n x n pixels have their neighbours in an array: from the lower left
 * upwards, the corner, then to the right, n + 1 + 2 n of them. Who includes this defines
 *
 *     NEAR             the parameters that such an array is passed by, NEAR_TO_WRITE where it is changed
 *     SAME             the same as arguments
 *     OF(i)            its element i
 *     PREDICTION       what functions are declared with
 *     HAS_LEFT, HAS_TOP, HAS_RIGHT (above, further right), HAS_CORNER      bits: which neighbours there are
 */
#define CORNER(n) (n)
#define TOP(n) ((n) + 1)
#define NEIGHBOURS(n) (3 * (n) + 1)
#define MODES 9
#define DC 2
#define PLANE 4                 /* of 16 x 16 */

/* Which neighbours n x n pixels at (x, y) of a macroblock with neighbours `own` have: blocks that come later in H.264's
 * order are not there yet. */
PREDICTION int neighbours_of(int own, int n, int x, int y)
{
    int column = x / n, row = y / n, last = 16 / n - 1;
    int has = (x ? HAS_LEFT : own & HAS_LEFT) | (y ? HAS_TOP : own & HAS_TOP);
    int right = row == 0 ? own & (column == last ? HAS_RIGHT : HAS_TOP) : column != last && !(column & row & 1);
    int corner = x && y ? HAS_CORNER : x ? own & HAS_TOP : y ? own & HAS_LEFT : own & HAS_CORNER;
    return has | (right ? HAS_RIGHT : 0) | (corner ? HAS_CORNER : 0);
}

/* What 8 x 8 are predicted from is made smoother first: along the neighbours that there are, as a row. Without a corner
 * left and above do not meet. */
PREDICTION void smooth(NEAR_TO_WRITE, int has)
{
    int first = has & HAS_LEFT ? 0 : has & HAS_CORNER ? CORNER(8) : TOP(8);
    int last = has & HAS_TOP ? NEIGHBOURS(8) - 1 : has & HAS_CORNER ? CORNER(8) : CORNER(8) - 1;
    int is_gap = !(has & HAS_CORNER), before = OF(first);
    for (int i = first; i <= last; i++) {
        int here = OF(i), after = i == last || (is_gap && i == CORNER(8) - 1) ? here : OF(i + 1);
        if (is_gap && i == TOP(8))
            before = here;
        if (!is_gap || i != CORNER(8))
            OF(i) = (before + 2 * here + after + 2) >> 2;
        before = here;
    }
}

PREDICTION int is_mode_there(int mode, int has)
{
    switch (mode) {
    case 0: case 3: case 7:
        return has & HAS_TOP;
    case 1: case 8:
        return has & HAS_LEFT;
    case DC:
        return 1;
    }
    return (has & HAS_LEFT) && (has & HAS_TOP) && (has & HAS_CORNER);
}

PREDICTION int mean(NEAR, int n, int has)
{
    int sum = 0, count = (has & HAS_LEFT ? n : 0) + (has & HAS_TOP ? n : 0);
    for (int i = 0; i < n; i++)
        sum += (has & HAS_LEFT ? OF(i) : 0) + (has & HAS_TOP ? OF(TOP(n) + i) : 0);
    return count ? (sum + count / 2) / count : 128;
}

PREDICTION int two(NEAR, int i) { return (OF(i) + OF(i + 1) + 1) >> 1; }
PREDICTION int three(NEAR, int i) { return (OF(i - 1) + 2 * OF(i) + OF(i + 1) + 2) >> 2; }

/* The pixel at (x, y) of n x n in a mode; `dc` is their mean. */
PREDICTION int predicted(NEAR, int n, int mode, int x, int y, int dc)
{
    int z, i;
    switch (mode) {
    case 0:
        return OF(TOP(n) + x);
    case 1:
        return OF(n - 1 - y);
    case DC:
        return dc;
    case 3:     /* down and left */
        i = TOP(n) + x + y + 1;
        return i == NEIGHBOURS(n) - 1 ? (OF(i - 1) + 3 * OF(i) + 2) >> 2 : three(SAME, i);
    case 4:     /* down and right */
        return three(SAME, CORNER(n) + x - y);
    case 5:     /* vertical, to the right */
        z = 2 * x - y;
        i = CORNER(n) + x - (y >> 1);
        return z < 0 ? three(SAME, CORNER(n) + 1 + z) : z & 1 ? three(SAME, i) : two(SAME, i);
    case 6:     /* horizontal, down */
        z = 2 * y - x;
        i = CORNER(n) - y + (x >> 1);
        return z < 0 ? three(SAME, CORNER(n) - 1 - z) : z & 1 ? three(SAME, i) : two(SAME, i - 1);
    case 7:     /* vertical, to the left */
        i = TOP(n) + x + (y >> 1);
        return y & 1 ? three(SAME, i + 1) : two(SAME, i);
    }
    z = x + 2 * y;      /* horizontal, up */
    i = n - 1 - y - (x >> 1);
    if (z >= 2 * n - 3)
        return z == 2 * n - 3 ? (OF(1) + 3 * OF(0) + 2) >> 2 : OF(0);
    return z & 1 ? three(SAME, i - 1) : two(SAME, i - 1);
}

/* The pixel at (x, y) of n x n in the mode that fits a plane to the neighbours: 16 x 16, or 8 x 8 of chroma. */
PREDICTION int on_plane(NEAR, int n, int x, int y)
{
    int across = 0, down = 0, middle = n / 2;
    for (int i = 1; i <= middle; i++) {
        across += i * (OF(CORNER(n) + middle + i) - OF(CORNER(n) + middle - i));
        down += i * (OF(CORNER(n) - middle - i) - OF(CORNER(n) - middle + i));
    }
    int factor = n == 16 ? 5 : 34;
    int slope_x = (factor * across + 32) >> 6, slope_y = (factor * down + 32) >> 6;
    int here = (16 * (OF(0) + OF(TOP(n) + n - 1)) + slope_x * (x - middle + 1) + slope_y * (y - middle + 1) + 16) >> 5;
    return here < 0 ? 0 : here > 255 ? 255 : here;
}
