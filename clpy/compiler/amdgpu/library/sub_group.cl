// SPDX-License-Identifier: Apache-2.0
// Functions of sub-groups, which are wavefronts: those that AMD's library does not have, or not for these types. Only
// the lanes that are on take part. What is made of the values of all of them is made one lane after the other, by the
// scalar unit as far as it can: that is right whatever lanes are on, and wants no instruction that old chips lack.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define LANES 64
#define TOGETHER __attribute__((overloadable, convergent))
#define INSIDE static __attribute__((overloadable, convergent, always_inline))
#define LOWEST(bits) ((uint)__builtin_ctzl(bits))

__attribute__((convergent)) uint __clpy_of_lane(uint x, uint index);

INSIDE ulong ballot(bool chosen) { return __builtin_amdgcn_ballot_w64(chosen); }
INSIDE ulong active(void) { return ballot(true); }
INSIDE uint lane(void) { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
INSIDE ulong bit(void) { return 1ul << lane(); }

// AMD's takes that of a smaller group for it, where clGetKernelSubGroupInfo has one number for all.
TOGETHER uint get_max_sub_group_size(void) { return LANES; }

// A value as words: any lane's (of_lane), or that of a lane which is the same for all that ask (read).
INSIDE uint read_word(uint x, uint index) { return __builtin_amdgcn_readlane(x, index); }
#define IN_A_WORD(T, TO_WORD, FROM_WORD) \
    INSIDE T of_lane(T x, uint index) { return FROM_WORD(__clpy_of_lane(TO_WORD(x), index)); } \
    INSIDE T read(T x, uint index) { return FROM_WORD(read_word(TO_WORD(x), index)); }
#define IN_TWO(T) \
    INSIDE T of_lane(T x, uint index) { \
        uint2 words = as_uint2(x); \
        return as_##T((uint2)(__clpy_of_lane(words.x, index), __clpy_of_lane(words.y, index))); \
    } \
    INSIDE T read(T x, uint index) { \
        uint2 words = as_uint2(x); \
        return as_##T((uint2)(read_word(words.x, index), read_word(words.y, index))); \
    }
#define HALF_OF_WORD(x) as_half((ushort)(x))
IN_A_WORD(char, (uint), (char))
IN_A_WORD(uchar, (uint), (uchar))
IN_A_WORD(short, (uint), (short))
IN_A_WORD(ushort, (uint), (ushort))
IN_A_WORD(int, (uint), (int))
IN_A_WORD(uint, (uint), (uint))
IN_A_WORD(half, as_ushort, HALF_OF_WORD)
IN_A_WORD(float, as_uint, as_float)
IN_TWO(long)
IN_TWO(ulong)
IN_TWO(double)

// The index of a broadcast is the same for all; those of SPIR-V need not be in the rows of vectors.
#define BROADCAST_OF(T) \
    TOGETHER T sub_group_broadcast(T x, uint index) { return read(x, __builtin_amdgcn_readfirstlane(index)); } \
    TOGETHER T sub_group_non_uniform_broadcast(T x, uint index) { \
        return read(x, __builtin_amdgcn_readfirstlane(index)); \
    }
#define BROADCAST(T, N) \
    INSIDE T##N read(T##N x, uint index) { \
        for (uint i = 0; i < N; i++) \
            x[i] = read((T)x[i], index); \
        return x; \
    } \
    BROADCAST_OF(T##N)
#define EXCHANGES(T) \
    BROADCAST_OF(T) BROADCAST(T, 2) BROADCAST(T, 3) BROADCAST(T, 4) BROADCAST(T, 8) BROADCAST(T, 16) \
    TOGETHER T sub_group_broadcast_first(T x) { return read(x, LOWEST(active())); } \
    TOGETHER T sub_group_shuffle(T x, uint index) { return of_lane(x, index); } \
    TOGETHER T sub_group_shuffle_xor(T x, uint mask) { return of_lane(x, lane() ^ mask); } \
    TOGETHER T sub_group_shuffle_up(T x, uint delta) { return of_lane(x, lane() - delta); } \
    TOGETHER T sub_group_shuffle_down(T x, uint delta) { return of_lane(x, lane() + delta); } \
    TOGETHER T sub_group_rotate(T x, int delta) { return of_lane(x, lane() + (uint)delta); } \
    TOGETHER T sub_group_clustered_rotate(T x, int delta, uint cluster) { \
        uint last = cluster - 1; \
        return of_lane(x, (lane() & ~last) | ((lane() + (uint)delta) & last)); \
    } \
    TOGETHER int sub_group_non_uniform_all_equal(T x) { return ballot(!(x == read(x, LOWEST(active())))) == 0; }

// x OP y.
#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x) * (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define MIN(x, y) min(x, y)
#define MAX(x, y) max(x, y)
#define FMIN(x, y) fmin(x, y)
#define FMAX(x, y) fmax(x, y)

// KIND is empty for functions that all work-items of a sub-group call, else non_uniform_.
#define REDUCE(T, KIND, NAME, OP) \
    TOGETHER T sub_group_##KIND##reduce_##NAME(T x) { \
        ulong left = active(); \
        T result = read(x, LOWEST(left)); \
        while ((left &= left - 1) != 0) \
            result = (T)OP(result, read(x, LOWEST(left))); \
        return result; \
    }
#define SCAN(T, KIND, NAME, OP, NEUTRAL) \
    TOGETHER T sub_group_##KIND##scan_inclusive_##NAME(T x) { \
        T before = NEUTRAL, result = NEUTRAL; \
        for (ulong left = active(); left != 0; left &= left - 1) { \
            before = (T)OP(before, read(x, LOWEST(left))); \
            result = lane() == LOWEST(left) ? before : result; \
        } \
        return result; \
    } \
    TOGETHER T sub_group_##KIND##scan_exclusive_##NAME(T x) { \
        T before = NEUTRAL, result = NEUTRAL; \
        for (ulong left = active(); left != 0; left &= left - 1) { \
            result = lane() == LOWEST(left) ? before : result; \
            before = (T)OP(before, read(x, LOWEST(left))); \
        } \
        return result; \
    }
// A lane more is a new cluster where the number of the cluster changes.
#define CLUSTER(T, NAME, OP) \
    TOGETHER T sub_group_clustered_reduce_##NAME(T x, uint cluster) { \
        T result = x; \
        for (ulong left = active(); left != 0;) { \
            uint first = LOWEST(left) & ~(cluster - 1); \
            ulong among = (cluster < LANES ? (1ul << cluster) - 1 : ~0ul) << first, of_it = left & among; \
            T all = read(x, LOWEST(of_it)); \
            while ((of_it &= of_it - 1) != 0) \
                all = (T)OP(all, read(x, LOWEST(of_it))); \
            result = (bit() & among) != 0 ? all : result; \
            left &= ~among; \
        } \
        return result; \
    }
#define NON_UNIFORM(T, NAME, OP, NEUTRAL) \
    REDUCE(T, non_uniform_, NAME, OP) SCAN(T, non_uniform_, NAME, OP, NEUTRAL) CLUSTER(T, NAME, OP)
#define UNIFORM(T, NAME, OP, NEUTRAL) REDUCE(T, , NAME, OP) SCAN(T, , NAME, OP, NEUTRAL)
#define ARITHMETIC(T, LEAST, MOST, F) \
    EXCHANGES(T) NON_UNIFORM(T, add, ADD, (T)0) NON_UNIFORM(T, mul, MUL, (T)1) \
    NON_UNIFORM(T, min, F##MIN, MOST) NON_UNIFORM(T, max, F##MAX, LEAST)
#define WHOLE(T, LEAST, MOST) \
    ARITHMETIC(T, LEAST, MOST, ) NON_UNIFORM(T, and, AND, (T)~(T)0) NON_UNIFORM(T, or, OR, (T)0) \
    NON_UNIFORM(T, xor, XOR, (T)0)
#define SMALL(T, LEAST, MOST) \
    WHOLE(T, LEAST, MOST) UNIFORM(T, add, ADD, (T)0) UNIFORM(T, min, MIN, MOST) UNIFORM(T, max, MAX, LEAST)
SMALL(char, CHAR_MIN, CHAR_MAX)
SMALL(uchar, 0, UCHAR_MAX)
SMALL(short, SHRT_MIN, SHRT_MAX)
SMALL(ushort, 0, USHRT_MAX)
WHOLE(int, INT_MIN, INT_MAX)
WHOLE(uint, 0u, UINT_MAX)
WHOLE(long, LONG_MIN, LONG_MAX)
WHOLE(ulong, 0ul, ULONG_MAX)
ARITHMETIC(half, (half)-INFINITY, (half)INFINITY, F)
ARITHMETIC(float, -INFINITY, INFINITY, F)
ARITHMETIC(double, -(double)INFINITY, (double)INFINITY, F)

// Votes.
TOGETHER int sub_group_non_uniform_all(int chosen) { return ballot(chosen == 0) == 0; }
TOGETHER int sub_group_non_uniform_any(int chosen) { return ballot(chosen != 0) != 0; }
TOGETHER int sub_group_elect(void) { return lane() == LOWEST(active()); }

// Logical operations on predicates are questions to a ballot. AMONG are the bits of the work-items that are asked.
#define LE_BITS (bit() | (bit() - 1))
#define LT_BITS (bit() - 1)
INSIDE ulong cluster_bits(uint cluster) {
    return cluster >= LANES ? ~0ul : ((1ul << cluster) - 1) << (lane() & ~(cluster - 1));
}
#define LOGICAL(NAME, AMONG, ...) \
    TOGETHER int sub_group_##NAME##_logical_and(int chosen __VA_ARGS__) { \
        return (ballot(chosen == 0) & (AMONG)) == 0; \
    } \
    TOGETHER int sub_group_##NAME##_logical_or(int chosen __VA_ARGS__) { \
        return (ballot(chosen != 0) & (AMONG)) != 0; \
    } \
    TOGETHER int sub_group_##NAME##_logical_xor(int chosen __VA_ARGS__) { \
        return popcount(ballot(chosen != 0) & (AMONG)) & 1; \
    }
#define AND_CLUSTER , uint cluster
LOGICAL(non_uniform_reduce, ~0ul, )
LOGICAL(non_uniform_scan_inclusive, LE_BITS, )
LOGICAL(non_uniform_scan_exclusive, LT_BITS, )
LOGICAL(clustered_reduce, cluster_bits(cluster), AND_CLUSTER)

// Ballots: bit n of the first two words is work-item n.
INSIDE ulong bits_of(uint4 ballot) { return as_ulong(ballot.xy); }
INSIDE uint4 ballot_of(ulong bits) { return (uint4)(as_uint2(bits), 0, 0); }
TOGETHER uint4 sub_group_ballot(int chosen) { return ballot_of(ballot(chosen != 0)); }
TOGETHER int sub_group_inverse_ballot(uint4 bits) { return (bits_of(bits) & bit()) != 0; }
TOGETHER int sub_group_ballot_bit_extract(uint4 bits, uint index) {
    uint low = index & 32 ? bits.y : bits.x, high = index & 32 ? bits.w : bits.z;
    return ((index & 64 ? high : low) >> (index & 31)) & 1;
}
TOGETHER uint sub_group_ballot_bit_count(uint4 bits) { return popcount(bits_of(bits)); }
TOGETHER uint sub_group_ballot_inclusive_scan(uint4 bits) { return popcount(bits_of(bits) & LE_BITS); }
TOGETHER uint sub_group_ballot_exclusive_scan(uint4 bits) { return popcount(bits_of(bits) & LT_BITS); }
TOGETHER uint sub_group_ballot_find_lsb(uint4 bits) { return LOWEST(bits_of(bits)); }
TOGETHER uint sub_group_ballot_find_msb(uint4 bits) { return LANES - 1 - (uint)__builtin_clzl(bits_of(bits)); }
TOGETHER uint4 get_sub_group_eq_mask(void) { return ballot_of(bit()); }
TOGETHER uint4 get_sub_group_ge_mask(void) { return ballot_of(~LT_BITS); }
TOGETHER uint4 get_sub_group_gt_mask(void) { return ballot_of(~LE_BITS); }
TOGETHER uint4 get_sub_group_le_mask(void) { return ballot_of(LE_BITS); }
TOGETHER uint4 get_sub_group_lt_mask(void) { return ballot_of(LT_BITS); }
