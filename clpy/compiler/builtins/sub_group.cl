// SPDX-License-Identifier: Apache-2.0
// Functions of sub-groups, by a few that OpenCL C cannot say (__clpy_sub_group_*): what becomes of those is for the
// passes to say (analysis/builtin_table.py). Their last argument is the mask: whether a work-item takes part, which the
// passes fill in. A sub-group has no more than 32 work-items, so a ballot is one word.
#include "builtins.h"

#define TOGETHER __attribute__((overloadable, convergent))
#define WRAPPER __attribute__((overloadable, convergent, always_inline))
#define LOWEST(bits) ((uint)__builtin_ctz(bits))

TOGETHER uint __clpy_sub_group_ballot(bool chosen, bool mask);

static WRAPPER uint ballot(bool chosen) { return __clpy_sub_group_ballot(chosen, true); }
static WRAPPER uint active(void) { return ballot(true); }
static WRAPPER uint all_bits(void) { return 0xFFFFFFFFu >> (32 - get_max_sub_group_size()); }
static WRAPPER uint bit(void) { return 1u << get_sub_group_local_id(); }

// A value of another work-item; only the bits of the index that count work-items of a sub-group are looked at.
#define SHUFFLE(N, T) \
    TOGETHER T##N __clpy_sub_group_shuffle(T##N x, uint index, bool mask); \
    WRAPPER T##N sub_group_broadcast(T##N x, uint index) { return __clpy_sub_group_shuffle(x, index, true); } \
    WRAPPER T##N sub_group_non_uniform_broadcast(T##N x, uint index) { \
        return __clpy_sub_group_shuffle(x, index, true); \
    }
#define SHUFFLES(T) \
    WIDTHS(SHUFFLE, T) \
    WRAPPER T sub_group_broadcast_first(T x) { return __clpy_sub_group_shuffle(x, LOWEST(active()), true); } \
    WRAPPER T sub_group_shuffle(T x, uint index) { return __clpy_sub_group_shuffle(x, index, true); } \
    WRAPPER T sub_group_shuffle_xor(T x, uint mask) { \
        return __clpy_sub_group_shuffle(x, get_sub_group_local_id() ^ mask, true); \
    } \
    WRAPPER T sub_group_shuffle_up(T x, uint delta) { \
        return __clpy_sub_group_shuffle(x, get_sub_group_local_id() - delta, true); \
    } \
    WRAPPER T sub_group_shuffle_down(T x, uint delta) { \
        return __clpy_sub_group_shuffle(x, get_sub_group_local_id() + delta, true); \
    } \
    WRAPPER T sub_group_rotate(T x, int delta) { \
        return __clpy_sub_group_shuffle(x, get_sub_group_local_id() + (uint)delta, true); \
    } \
    WRAPPER T sub_group_clustered_rotate(T x, int delta, uint cluster) { \
        uint id = get_sub_group_local_id(), last = cluster - 1; \
        return __clpy_sub_group_shuffle(x, (id & ~last) | ((id + (uint)delta) & last), true); \
    } \
    WRAPPER int sub_group_non_uniform_all_equal(T x) { \
        return ballot(!(x == __clpy_sub_group_shuffle(x, LOWEST(active()), true))) == 0; \
    }

// NAME as the language has it; OP as the passes do, for signed, unsigned and floating-point minima differ.
#define NON_UNIFORM(T, NAME, OP) \
    TOGETHER T __clpy_sub_group_reduce_##OP(T x, bool mask); \
    TOGETHER T __clpy_sub_group_inclusive_##OP(T x, bool mask); \
    TOGETHER T __clpy_sub_group_exclusive_##OP(T x, bool mask); \
    TOGETHER T __clpy_sub_group_clustered_##OP(T x, uint cluster, bool mask); \
    WRAPPER T sub_group_non_uniform_reduce_##NAME(T x) { return __clpy_sub_group_reduce_##OP(x, true); } \
    WRAPPER T sub_group_non_uniform_scan_inclusive_##NAME(T x) { return __clpy_sub_group_inclusive_##OP(x, true); } \
    WRAPPER T sub_group_non_uniform_scan_exclusive_##NAME(T x) { return __clpy_sub_group_exclusive_##OP(x, true); } \
    WRAPPER T sub_group_clustered_reduce_##NAME(T x, uint cluster) { \
        return __clpy_sub_group_clustered_##OP(x, cluster, true); \
    }
#define UNIFORM(T, NAME, OP) \
    NON_UNIFORM(T, NAME, OP) \
    WRAPPER T sub_group_reduce_##NAME(T x) { return __clpy_sub_group_reduce_##OP(x, true); } \
    WRAPPER T sub_group_scan_inclusive_##NAME(T x) { return __clpy_sub_group_inclusive_##OP(x, true); } \
    WRAPPER T sub_group_scan_exclusive_##NAME(T x) { return __clpy_sub_group_exclusive_##OP(x, true); }
#define ARITHMETIC(T, KIND) \
    SHUFFLES(T) UNIFORM(T, add, add) UNIFORM(T, min, KIND##min) UNIFORM(T, max, KIND##max) NON_UNIFORM(T, mul, mul)
#define BITWISE(T) NON_UNIFORM(T, and, and) NON_UNIFORM(T, or, or) NON_UNIFORM(T, xor, xor)

#define WHOLE(T, KIND) ARITHMETIC(T, KIND) BITWISE(T)
WHOLE(char, s)
WHOLE(uchar, u)
WHOLE(short, s)
WHOLE(ushort, u)
WHOLE(int, s)
WHOLE(uint, u)
WHOLE(long, s)
WHOLE(ulong, u)
ARITHMETIC(float, f)
ARITHMETIC(double, f)
ARITHMETIC(half, f)

// Votes.
WRAPPER int sub_group_all(int chosen) { return ballot(chosen == 0) == 0; }
WRAPPER int sub_group_any(int chosen) { return ballot(chosen != 0) != 0; }
WRAPPER int sub_group_non_uniform_all(int chosen) { return ballot(chosen == 0) == 0; }
WRAPPER int sub_group_non_uniform_any(int chosen) { return ballot(chosen != 0) != 0; }
WRAPPER int sub_group_elect(void) { return get_sub_group_local_id() == LOWEST(active()); }

// Logical operations on predicates are questions to a ballot. AMONG are the bits of the work-items that are asked.
#define LE_BITS (bit() | (bit() - 1))
#define LT_BITS (bit() - 1)
static WRAPPER uint cluster_bits(uint cluster) {
    return cluster >= 32 ? 0xFFFFFFFFu : ((1u << cluster) - 1) << (get_sub_group_local_id() & ~(cluster - 1));
}
#define LOGICAL(NAME, AMONG, ...) \
    WRAPPER int sub_group_##NAME##_logical_and(int chosen __VA_ARGS__) { \
        return (ballot(chosen == 0) & (AMONG)) == 0; \
    } \
    WRAPPER int sub_group_##NAME##_logical_or(int chosen __VA_ARGS__) { \
        return (ballot(chosen != 0) & (AMONG)) != 0; \
    } \
    WRAPPER int sub_group_##NAME##_logical_xor(int chosen __VA_ARGS__) { \
        return __builtin_popcount(ballot(chosen != 0) & (AMONG)) & 1; \
    }
#define AND_CLUSTER , uint cluster
LOGICAL(non_uniform_reduce, 0xFFFFFFFFu, )
LOGICAL(non_uniform_scan_inclusive, LE_BITS, )
LOGICAL(non_uniform_scan_exclusive, LT_BITS, )
LOGICAL(clustered_reduce, cluster_bits(cluster), AND_CLUSTER)

// Ballots: bit n of the first word is work-item n.
WRAPPER uint4 sub_group_ballot(int chosen) { return (uint4)(ballot(chosen != 0), 0, 0, 0); }
WRAPPER int sub_group_inverse_ballot(uint4 bits) { return (bits.x & bit()) != 0; }
WRAPPER int sub_group_ballot_bit_extract(uint4 bits, uint index) {
    uint low = index & 32 ? bits.y : bits.x, high = index & 32 ? bits.w : bits.z;
    return ((index & 64 ? high : low) >> (index & 31)) & 1;
}
WRAPPER uint sub_group_ballot_bit_count(uint4 bits) { return __builtin_popcount(bits.x & all_bits()); }
WRAPPER uint sub_group_ballot_inclusive_scan(uint4 bits) { return __builtin_popcount(bits.x & LE_BITS); }
WRAPPER uint sub_group_ballot_exclusive_scan(uint4 bits) { return __builtin_popcount(bits.x & LT_BITS); }
WRAPPER uint sub_group_ballot_find_lsb(uint4 bits) { return LOWEST(bits.x & all_bits()); }
WRAPPER uint sub_group_ballot_find_msb(uint4 bits) { return 31 - __builtin_clz(bits.x & all_bits()); }
WRAPPER uint4 get_sub_group_eq_mask(void) { return (uint4)(bit(), 0, 0, 0); }
WRAPPER uint4 get_sub_group_ge_mask(void) { return (uint4)(all_bits() & ~LT_BITS, 0, 0, 0); }
WRAPPER uint4 get_sub_group_gt_mask(void) { return (uint4)(all_bits() & ~LE_BITS, 0, 0, 0); }
WRAPPER uint4 get_sub_group_le_mask(void) { return (uint4)(LE_BITS, 0, 0, 0); }
WRAPPER uint4 get_sub_group_lt_mask(void) { return (uint4)(LT_BITS, 0, 0, 0); }
