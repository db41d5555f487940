// SPDX-License-Identifier: Apache-2.0
// cl_amd_media_ops: four bytes of a uint at a time. Each is written for one, and once more for each width of vectors,
// so that a vector of them is one operation on registers.
#define OVERLOADED __attribute__((overloadable, const))

// Bytes to the even and to the odd places of two words of 16 bits each.
#define LOW(x) ((x) & 0x00FF00FFu)
#define HIGH(x) (((x) >> 8) & 0x00FF00FFu)

uint OVERLOADED amd_pack(float4 v)
{
    uint4 bytes = convert_uint4_sat(v) & 0xFFu;
    return bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24;
}

#define BYTE(x, i) (((x) >> (8 * (i))) & 0xFFu)
#define UNPACK(N, I) float##N OVERLOADED amd_unpack##I(uint##N x) { return convert_float##N(BYTE(x, I)); }

#define DISTANCE(N, a, b, i) abs_diff(BYTE(a, i), BYTE(b, i))
#define SUM(N, a, b) (DISTANCE(N, a, b, 0) + DISTANCE(N, a, b, 1) + DISTANCE(N, a, b, 2) + DISTANCE(N, a, b, 3))

#define FAMILY(N) \
    UNPACK(N, 0) UNPACK(N, 1) UNPACK(N, 2) UNPACK(N, 3) \
    uint##N OVERLOADED amd_bitalign(uint##N high, uint##N low, uint##N by) \
    { \
        uint##N shift = by & 31u; \
        return low >> shift | high << 1u << (31u - shift); \
    } \
    uint##N OVERLOADED amd_bytealign(uint##N high, uint##N low, uint##N by) \
    { \
        return amd_bitalign(high, low, (by & 3u) * 8u); \
    } \
    uint##N OVERLOADED amd_lerp(uint##N a, uint##N b, uint##N up) \
    { \
        uint##N even = (LOW(a) + LOW(b) + (up & 0x00010001u)) >> 1; \
        uint##N odd = (HIGH(a) + HIGH(b) + ((up >> 8) & 0x00010001u)) >> 1; \
        return LOW(even) | LOW(odd) << 8; \
    } \
    uint##N OVERLOADED amd_sad(uint##N a, uint##N b, uint##N sum) \
    { \
        return sum + SUM(N, a, b); \
    } \
    uint##N OVERLOADED amd_sadhi(uint##N a, uint##N b, uint##N sum) \
    { \
        return sum + (SUM(N, a, b) << 16); \
    }

FAMILY()
FAMILY(2)
FAMILY(3)
FAMILY(4)
FAMILY(8)
FAMILY(16)

uint OVERLOADED amd_sad4(uint4 a, uint4 b, uint sum)
{
    uint4 of_each = SUM(4, a, b);
    return sum + of_each.x + of_each.y + of_each.z + of_each.w;
}
