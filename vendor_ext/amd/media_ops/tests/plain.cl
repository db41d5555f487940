// SPDX-License-Identifier: Apache-2.0
// The expressions of the extension's text, which bench/functions.py times beside the functions: name | types.
// amd_pack | uint float4
// amd_unpack0 | float uint
// amd_unpack1 | float uint
// amd_unpack2 | float uint
// amd_unpack3 | float uint
// amd_bitalign | uint uint uint uint
// amd_bytealign | uint uint uint uint
// amd_lerp | uint uint uint uint
// amd_sad | uint uint uint uint
// amd_sadhi | uint uint uint uint
// amd_sad4 | uint uint4 uint4 uint
#define BYTE(x, i) ((x) >> 8 * (i) & 0xFF)
#define APART(a, b, i) abs((int)BYTE(a, i) - (int)BYTE(b, i))

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
