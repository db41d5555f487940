// SPDX-License-Identifier: Apache-2.0
// The functions of cl_amd_media_ops and cl_amd_media_ops2 as plain OpenCL C, byte by byte: what bench/media.py times
// beside them.
#define OVERLOADED __attribute__((overloadable))
#define BYTE(x, i) ((x) >> 8 * (i) & 0xFF)
#define APART(a, b, i) abs((int)BYTE(a, i) - (int)BYTE(b, i))
#define COUNTED(a, b, i) (BYTE(b, i) == 0 ? 0 : APART(a, b, i))

uint plain_pack(float4 v)
{
    return ((uint)v.s0 & 0xFF) + (((uint)v.s1 & 0xFF) << 8) + (((uint)v.s2 & 0xFF) << 16) + (((uint)v.s3 & 0xFF) << 24);
}

float plain_unpack0(uint x) { return (float)BYTE(x, 0); }
float plain_unpack1(uint x) { return (float)BYTE(x, 1); }
float plain_unpack2(uint x) { return (float)BYTE(x, 2); }
float plain_unpack3(uint x) { return (float)BYTE(x, 3); }

uint plain_bitalign(uint a, uint b, uint c) { return (uint)(((ulong)a << 32 | b) >> (c & 31)); }
uint plain_bytealign(uint a, uint b, uint c) { return (uint)(((ulong)a << 32 | b) >> (c & 3) * 8); }

#define MEAN(i) ((BYTE(a, i) + BYTE(b, i) + (c >> 8 * (i) & 1)) >> 1 << 8 * (i))
uint plain_lerp(uint a, uint b, uint c) { return MEAN(0) + MEAN(1) + MEAN(2) + MEAN(3); }

uint plain_sad(uint a, uint b, uint c) { return c + APART(a, b, 0) + APART(a, b, 1) + APART(a, b, 2) + APART(a, b, 3); }
uint plain_sad4(uint4 a, uint4 b, uint c)
{
    return plain_sad(a.s3, b.s3, plain_sad(a.s2, b.s2, plain_sad(a.s1, b.s1, plain_sad(a.s0, b.s0, c))));
}
uint plain_sadhi(uint a, uint b, uint c)
{
    return c + (APART(a, b, 0) << 16) + (APART(a, b, 1) << 16) + (APART(a, b, 2) << 16) + (APART(a, b, 3) << 16);
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
    return WINDOW(plain_sad, 0) | WINDOW(plain_sad, 1) | WINDOW(plain_sad, 2) | WINDOW(plain_sad, 3);
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
