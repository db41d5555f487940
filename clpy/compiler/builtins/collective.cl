// SPDX-License-Identifier: Apache-2.0
// What the work-items of a group make together: each puts its value into an array of the group's, in the order of the
// local linear ids; between two cuts, one function call for the whole group makes the result of it. These functions
// stay calls until the work-items are loops (builtin_table.py: COLLECTIVE).
#include "builtins.h"

// The group's two arrays, 8 bytes for each work-item: what they give, and what each gets.
__private void *__clpy_group_given(void);
__private void *__clpy_group_gets(void);
__attribute__((convergent)) void __clpy_group_cut(void);

#define GROUPWISE __attribute__((overloadable, noinline))
#define GROUP_SIZE (get_local_size(0) * get_local_size(1) * get_local_size(2))

// x OP y, and the value that changes nothing.
#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x) * (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))

// Sixteen running results, so that additions need not wait for each other.
#define REDUCE(T, name, OP, NEUTRAL) \
    GROUPWISE T __clpy_group_reduce_##name(const __private T *given, size_t n) { \
        T##16 all = (T##16)(NEUTRAL); \
        size_t i = 0; \
        for (; i + 16 <= n; i += 16) { \
            T##16 x = vload16(0, given + i); \
            all = OP(all, x); \
        } \
        T##8 a = OP(all.lo, all.hi); \
        T##4 b = OP(a.lo, a.hi); \
        T##2 c = OP(b.lo, b.hi); \
        T result = OP(c.x, c.y); \
        for (; i < n; i++) \
            result = OP(result, given[i]); \
        return result; \
    }

// Eight elements are scanned by themselves, halves side by side: from one half of a register to the other takes longer.
// Only the sum before them is waited for.
#define SCAN(T, name, OP, NEUTRAL) \
    GROUPWISE void __clpy_group_scan_inclusive_##name(const __private T *given, __private T *gets, size_t n) { \
        T##8 sum = (T##8)(NEUTRAL); \
        size_t i = 0; \
        for (; i + 8 <= n; i += 8) { \
            HALVES(T, OP, NEUTRAL) \
            x.hi = OP((T##4)(x.s3), x.hi); \
            vstore8(OP(sum, x), 0, gets + i); \
            sum = OP(sum, (T##8)(x.s7)); \
        } \
        T before = sum.s0; \
        for (; i < n; i++) \
            gets[i] = before = OP(before, given[i]); \
    } \
    GROUPWISE void __clpy_group_scan_exclusive_##name(const __private T *given, __private T *gets, size_t n) { \
        T##8 sum = (T##8)(NEUTRAL); \
        size_t i = 0; \
        for (; i + 8 <= n; i += 8) { \
            HALVES(T, OP, NEUTRAL) \
            T##8 y = (T##8)(NEUTRAL, x.s012, NEUTRAL, x.s456); \
            y.hi = OP((T##4)(x.s3), y.hi); \
            vstore8(OP(sum, y), 0, gets + i); \
            sum = OP(sum, (T##8)(OP(x.s3, x.s7))); \
        } \
        T before = sum.s0; \
        for (; i < n; i++) { \
            gets[i] = before; \
            before = OP(before, given[i]); \
        } \
    }
#define HALVES(T, OP, NEUTRAL) \
    T##8 x = vload8(0, given + i), x1 = (T##8)(NEUTRAL, x.s012, NEUTRAL, x.s456); \
    x = OP(x1, x); \
    T##8 x2 = (T##8)((T##2)(NEUTRAL), x.s01, (T##2)(NEUTRAL), x.s45); \
    x = OP(x2, x);

// What programs call. A kind of value may be computed as another.
#define GIVE(T, x) \
    __private T *given = __clpy_group_given(); \
    given[get_local_linear_id()] = x; \
    __clpy_group_cut();
#define REDUCTION(T, name, V, internal, VALUE) \
    OVERLOAD T work_group_reduce_##name(T x) { \
        GIVE(V, VALUE) \
        V result = __clpy_group_reduce_##internal(given, GROUP_SIZE); \
        __clpy_group_cut(); \
        return result; \
    }
#define SCANNING(T, name, V, internal, VALUE) \
    OVERLOAD T work_group_scan_##name(T x) { \
        GIVE(V, VALUE) \
        __private V *gets = __clpy_group_gets(); \
        __clpy_group_scan_##internal(given, gets, GROUP_SIZE); \
        __clpy_group_cut(); \
        return gets[get_local_linear_id()]; \
    }
#define FUNCTIONS(T, name, V, internal, VALUE) \
    REDUCTION(T, name, V, internal, VALUE) \
    SCANNING(T, inclusive_##name, V, inclusive_##internal, VALUE) \
    SCANNING(T, exclusive_##name, V, exclusive_##internal, VALUE)
#define OPERATION(T, name, OP, NEUTRAL) \
    REDUCE(T, name, OP, NEUTRAL) SCAN(T, name, OP, NEUTRAL) FUNCTIONS(T, name, T, name, x)

#define ARITHMETIC(T, LEAST, MOST) \
    OPERATION(T, add, ADD, (T)0) OPERATION(T, mul, MUL, (T)1) OPERATION(T, min, MIN, MOST) OPERATION(T, max, MAX, LEAST)
// The translator of SPIR-V has longer names for these.
#define BITS_OF(T, name, OP, NEUTRAL) OPERATION(T, name, OP, NEUTRAL) FUNCTIONS(T, bitwise_##name, T, name, x)
#define BITWISE(T) BITS_OF(T, and, AND, ~(T)0) BITS_OF(T, or, OR, (T)0) BITS_OF(T, xor, XOR, (T)0)
ARITHMETIC(int, INT_MIN, INT_MAX)
ARITHMETIC(uint, 0u, UINT_MAX)
ARITHMETIC(long, LONG_MIN, LONG_MAX)
ARITHMETIC(ulong, 0ul, ULONG_MAX)
ARITHMETIC(float, -INFINITY, INFINITY)
ARITHMETIC(double, -(double)INFINITY, (double)INFINITY)
BITWISE(int)
BITWISE(uint)
BITWISE(long)
BITWISE(ulong)

// Halves are added and multiplied as floats, and rounded once.
#define OF_HALF(name) FUNCTIONS(half, name, float, name, x)
OF_HALF(add)
OF_HALF(mul)
OF_HALF(min)
OF_HALF(max)

// Of truth values: all ones where true, so that the neutral ones are those of bits.
#define LOGICAL(name, bits) \
    REDUCTION(int, name, int, bits, x != 0) SCANNING(int, inclusive_##name, int, inclusive_##bits, x != 0)
LOGICAL(logical_and, and)
LOGICAL(logical_or, or)
LOGICAL(logical_xor, xor)
SCANNING(int, exclusive_logical_or, int, exclusive_or, x != 0)
SCANNING(int, exclusive_logical_xor, int, exclusive_xor, x != 0)
OVERLOAD int work_group_scan_exclusive_logical_and(int x) {
    GIVE(int, x != 0)
    __private int *gets = __clpy_group_gets();
    __clpy_group_scan_exclusive_and(given, gets, GROUP_SIZE);
    __clpy_group_cut();
    return gets[get_local_linear_id()] & 1;
}

OVERLOAD int work_group_all(int x) { return work_group_reduce_logical_and(x); }
OVERLOAD int work_group_any(int x) { return work_group_reduce_logical_or(x); }

#define BROADCAST(T) \
    GROUPWISE T __clpy_group_broadcast(const __private T *given, size_t i) { return given[i]; } \
    OVERLOAD T work_group_broadcast(T x, size_t i) { \
        GIVE(T, x) \
        T result = __clpy_group_broadcast(given, i); \
        __clpy_group_cut(); \
        return result; \
    } \
    OVERLOAD T work_group_broadcast(T x, size_t i, size_t j) { \
        return work_group_broadcast(x, j * get_local_size(0) + i); \
    } \
    OVERLOAD T work_group_broadcast(T x, size_t i, size_t j, size_t k) { \
        return work_group_broadcast(x, (k * get_local_size(1) + j) * get_local_size(0) + i); \
    }
BROADCAST(int)
BROADCAST(uint)
BROADCAST(long)
BROADCAST(ulong)
BROADCAST(half)
BROADCAST(float)
BROADCAST(double)
