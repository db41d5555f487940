// SPDX-License-Identifier: Apache-2.0
// cl_amd_media_ops: four bytes of a uint at a time. Each is written for one, and once more for each width of vectors,
// so that a vector of them is one operation on registers.
#define OVERLOADED __attribute__((overloadable, const))

// Bytes to the even and to the odd places of two words of 16 bits each.
#define LOW(x) ((x) & 0x00FF00FFu)
#define HIGH(x) (((x) >> 8) & 0x00FF00FFu)

uint OVERLOADED amd_pack(float4 v)
{
    // The low byte of what fits in no int, but in a uint, is 0 in a float.
    int4 bytes = convert_int4(v) & 0xFF;
    return as_uint(bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24);
}

#define BYTE(x, i) (((x) >> (8 * (i))) & 0xFFu)
#define UNPACK(N, I) float##N OVERLOADED amd_unpack##I(uint##N x) { return convert_float##N(BYTE(x, I)); }

// Registers have subtraction that stops at 0 for words of 16 bits, two of which are in a uint.
#define DISTANCE(N, M, a, b) as_uint##N(abs_diff(as_ushort##M(a), as_ushort##M(b)))

#define SUMS(N, M) \
    static uint##N OVERLOADED pair_of_sums(uint##N a, uint##N b) \
    { \
        return DISTANCE(N, M, LOW(a), LOW(b)) + DISTANCE(N, M, HIGH(a), HIGH(b)); \
    } \
    static uint##N OVERLOADED sum_of_distances(uint##N a, uint##N b) \
    { \
        uint##N pairs = pair_of_sums(a, b); \
        return (pairs & 0xFFFFu) + (pairs >> 16); \
    }

SUMS(, 2)
SUMS(2, 4)
SUMS(4, 8)
SUMS(8, 16)

static uint3 OVERLOADED sum_of_distances(uint3 a, uint3 b) { return sum_of_distances(a.xyzz, b.xyzz).xyz; }

static uint16 OVERLOADED sum_of_distances(uint16 a, uint16 b)
{
    return (uint16)(sum_of_distances(a.lo, b.lo), sum_of_distances(a.hi, b.hi));
}

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
        /* a + b is twice what both have, and what one has; half of that rounds up where it is odd */ \
        uint##N one = a ^ b; \
        return (a & b) + ((one >> 1) & 0x7F7F7F7Fu) + (one & up & 0x01010101u); \
    } \
    uint##N OVERLOADED amd_sad(uint##N a, uint##N b, uint##N sum) \
    { \
        return sum + sum_of_distances(a, b); \
    } \
    uint##N OVERLOADED amd_sadhi(uint##N a, uint##N b, uint##N sum) \
    { \
        return sum + (sum_of_distances(a, b) << 16); \
    }

FAMILY()
FAMILY(2)
FAMILY(3)
FAMILY(4)
FAMILY(8)
FAMILY(16)

// Work-items of a vector have the four words one by one, not side by side.
uint OVERLOADED amd_sad4(uint4 a, uint4 b, uint sum)
{
    uint pairs = pair_of_sums(a.x, b.x) + pair_of_sums(a.y, b.y) + pair_of_sums(a.z, b.z) + pair_of_sums(a.w, b.w);
    return sum + (pairs & 0xFFFFu) + (pairs >> 16);
}
