// SPDX-License-Identifier: Apache-2.0
// cl_amd_media_ops2: sums of distances of the bytes and words of a uint, fields of bits, the least, the middle and the
// greatest of three. Each is written for one, and once more for each width of vectors.
#define OVERLOADED __attribute__((overloadable, const))
#define WIDTHS(F, T) F(T, ) F(T, 2) F(T, 3) F(T, 4) F(T, 8) F(T, 16)

// ---- sums of distances

// Bytes to the even and to the odd places of two words of 16 bits each.
#define LOW(x) ((x) & 0x00FF00FFu)
#define HIGH(x) (((x) >> 8) & 0x00FF00FFu)
#define PAIR_SUM(x) (((x) & 0xFFFFu) + ((x) >> 16))

// Registers have subtraction that stops at 0 for words of 16 bits, two of which are in a uint.
#define DISTANCE(N, M, a, b) as_uint##N(abs_diff(as_ushort##M(a), as_ushort##M(b)))
// Ones where a word is not 0: bytes of the reference that are 0 do not count.
#define COUNTS(N, M, x) as_uint##N(as_ushort##M(x) != (ushort##M)0)

#define SADS(N, M) \
    uint##N OVERLOADED amd_sadw(uint##N a, uint##N b, uint##N sum) \
    { \
        uint##N words = DISTANCE(N, M, a, b); \
        return sum + PAIR_SUM(words); \
    } \
    uint##N OVERLOADED amd_msad(uint##N a, uint##N reference, uint##N sum) \
    { \
        uint##N low = LOW(reference), high = HIGH(reference); \
        uint##N pairs = (DISTANCE(N, M, LOW(a), low) & COUNTS(N, M, low)) \
                      + (DISTANCE(N, M, HIGH(a), high) & COUNTS(N, M, high)); \
        return sum + PAIR_SUM(pairs); \
    }

#define OF_PARTS(NAME) \
    uint3 OVERLOADED NAME(uint3 a, uint3 b, uint3 sum) { return NAME(a.xyzz, b.xyzz, sum.xyzz).xyz; } \
    uint16 OVERLOADED NAME(uint16 a, uint16 b, uint16 sum) \
    { \
        return (uint16)(NAME(a.lo, b.lo, sum.lo), NAME(a.hi, b.hi, sum.hi)); \
    }

SADS(, 2)
SADS(2, 4)
SADS(4, 8)
SADS(8, 16)
OF_PARTS(amd_sadw)
OF_PARTS(amd_msad)

#define SADD(T, N) uint##N OVERLOADED amd_sadd(uint##N a, uint##N b, uint##N sum) { return abs_diff(a, b) + sum; }
WIDTHS(SADD, )

// ---- four sums at once: of the windows of four bytes that begin in the first four of `a`

// Two sums of pairs, side by side.
static uint two_sums(uint p, uint q)
{
    return ((p & 0xFFFFu) | q << 16) + (p >> 16 | (q & 0xFFFF0000u));
}

static uint add_words(uint a, uint b) { return as_uint(as_ushort2(a) + as_ushort2(b)); }

// The odd bytes of a window are the even ones of the next. `low` and `high` are those of the reference that count.
static ulong four_sums(ulong a, uint reference, uint low, uint high, ulong sums)
{
    uint first = (uint)a, last = (uint)(a >> 32), even = LOW(reference), odd = HIGH(reference);
    uint w0 = LOW(first), w1 = HIGH(first), w2 = LOW(first >> 16 | last << 16), w3 = LOW(first >> 24 | last << 8);
    uint w4 = LOW(last);
    uint p0 = (DISTANCE(, 2, w0, even) & low) + (DISTANCE(, 2, w1, odd) & high);
    uint p1 = (DISTANCE(, 2, w1, even) & low) + (DISTANCE(, 2, w2, odd) & high);
    uint p2 = (DISTANCE(, 2, w2, even) & low) + (DISTANCE(, 2, w3, odd) & high);
    uint p3 = (DISTANCE(, 2, w3, even) & low) + (DISTANCE(, 2, w4, odd) & high);
    return add_words((uint)sums, two_sums(p0, p1)) | (ulong)add_words((uint)(sums >> 32), two_sums(p2, p3)) << 32;
}

ulong OVERLOADED amd_qsad(ulong a, uint b, ulong sums) { return four_sums(a, b, ~0u, ~0u, sums); }

ulong OVERLOADED amd_mqsad(ulong a, uint b, ulong sums)
{
    return four_sums(a, b, COUNTS(, 2, LOW(b)), COUNTS(, 2, HIGH(b)), sums);
}

#define WINDOWS(NAME) \
    ulong2 OVERLOADED NAME(ulong2 a, uint2 b, ulong2 sums) \
    { \
        return (ulong2)(NAME(a.x, b.x, sums.x), NAME(a.y, b.y, sums.y)); \
    } \
    ulong3 OVERLOADED NAME(ulong3 a, uint3 b, ulong3 sums) \
    { \
        return (ulong3)(NAME(a.xy, b.xy, sums.xy), NAME(a.z, b.z, sums.z)); \
    } \
    HALVES(4, NAME) \
    HALVES(8, NAME) \
    HALVES(16, NAME)
#define HALVES(N, NAME) \
    ulong##N OVERLOADED NAME(ulong##N a, uint##N b, ulong##N sums) \
    { \
        return (ulong##N)(NAME(a.lo, b.lo, sums.lo), NAME(a.hi, b.hi, sums.hi)); \
    }

WINDOWS(amd_qsad)
WINDOWS(amd_mqsad)

// ---- fields of bits

#define FIELDS(T, N) \
    /* As many as the lower 5 bits say. One shift of two words where registers have that, else two instructions. */ \
    static uint##N OVERLOADED ones(uint##N width) \
    { \
        return __builtin_elementwise_fshl((uint##N)0u, (uint##N)~0u, width); \
    } \
    uint##N OVERLOADED amd_bfm(uint##N width, uint##N offset) { return ones(width) << (offset & 31u); } \
    uint##N OVERLOADED amd_bfe(uint##N x, uint##N offset, uint##N width) \
    { \
        return (x >> (offset & 31u)) & ones(width); \
    } \
    /* A field that reaches beyond the last bit has the sign of x, which the first shift brings. */ \
    int##N OVERLOADED amd_bfe(int##N x, uint##N offset, uint##N width) \
    { \
        uint##N above = (0u - width) & 31u; \
        int##N field = ((x >> (offset & 31u)) << above) >> above; \
        return above != 0u ? field : (int##N)0; \
    }
WIDTHS(FIELDS, )

// ---- of three

#define OF_THREE(T, N) \
    T##N OVERLOADED amd_min3(T##N a, T##N b, T##N c) { return min(min(a, b), c); } \
    T##N OVERLOADED amd_max3(T##N a, T##N b, T##N c) { return max(max(a, b), c); } \
    T##N OVERLOADED amd_median3(T##N a, T##N b, T##N c) { return max(min(a, b), min(max(a, b), c)); }
WIDTHS(OF_THREE, int)
WIDTHS(OF_THREE, uint)
WIDTHS(OF_THREE, float)
