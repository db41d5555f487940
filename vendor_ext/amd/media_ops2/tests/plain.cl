// SPDX-License-Identifier: Apache-2.0
// The expressions of the extension's text, or where it has words what one would write with comparisons, which
// bench/functions.py times beside the functions: name | types.
// amd_msad | uint uint uint uint
// amd_qsad | ulong ulong uint ulong
// amd_mqsad | ulong ulong uint ulong
// amd_sadw | uint uint uint uint
// amd_sadd | uint uint uint uint
// amd_bfm | uint uint uint
// amd_bfe | uint uint uint uint
// amd_bfe | int int uint uint
// amd_min3 | int int int int
// amd_min3 | uint uint uint uint
// amd_min3 | float float float float
// amd_max3 | int int int int
// amd_max3 | uint uint uint uint
// amd_max3 | float float float float
// amd_median3 | int int int int
// amd_median3 | uint uint uint uint
// amd_median3 | float float float float
#define OVERLOADED __attribute__((overloadable))
#define BYTE(x, i) ((x) >> 8 * (i) & 0xFF)
#define APART(a, b, i) abs((int)BYTE(a, i) - (int)BYTE(b, i))
#define COUNTED(a, b, i) (BYTE(b, i) == 0 ? 0 : APART(a, b, i))

static uint sad(uint a, uint b, uint c)
{
    return c + APART(a, b, 0) + APART(a, b, 1) + APART(a, b, 2) + APART(a, b, 3);
}
uint plain_msad(uint a, uint b, uint c)
{
    return c + COUNTED(a, b, 0) + COUNTED(a, b, 1) + COUNTED(a, b, 2) + COUNTED(a, b, 3);
}
uint plain_sadw(uint a, uint b, uint c)
{
    return c + abs((int)(a & 0xFFFF) - (int)(b & 0xFFFF)) + abs((int)(a >> 16) - (int)(b >> 16));
}
uint plain_sadd(uint a, uint b, uint c) { return c + (a > b ? a - b : b - a); }

#define WINDOW(F, i) (ulong)(ushort)F((uint)(a >> 8 * (i)), b, (ushort)(c >> 16 * (i))) << 16 * (i)
ulong plain_qsad(ulong a, uint b, ulong c)
{
    return WINDOW(sad, 0) | WINDOW(sad, 1) | WINDOW(sad, 2) | WINDOW(sad, 3);
}
ulong plain_mqsad(ulong a, uint b, ulong c)
{
    return WINDOW(plain_msad, 0) | WINDOW(plain_msad, 1) | WINDOW(plain_msad, 2) | WINDOW(plain_msad, 3);
}

uint plain_bfm(uint width, uint offset) { return ((1u << (width & 31)) - 1) << (offset & 31); }

#define FIELD(T) \
    T OVERLOADED plain_bfe(T x, uint offset, uint width) \
    { \
        offset &= 31; \
        width &= 31; \
        if (width == 0) \
            return 0; \
        return offset + width < 32 ? x << (32 - offset - width) >> (32 - width) : x >> offset; \
    }
FIELD(uint)
FIELD(int)

#define OF_THREE(T) \
    T OVERLOADED plain_min3(T a, T b, T c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); } \
    T OVERLOADED plain_max3(T a, T b, T c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); } \
    T OVERLOADED plain_median3(T a, T b, T c) \
    { \
        return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b); \
    }
OF_THREE(int)
OF_THREE(uint)
OF_THREE(float)
