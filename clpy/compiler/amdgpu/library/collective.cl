// SPDX-License-Identifier: Apache-2.0
// What the work-items of a group make together beside what AMD's library has: cl_khr_work_group_uniform_arithmetic.
// Each wavefront leaves its result in local memory, and takes those of the wavefronts before it or of all.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define LANES 64
#define TOGETHER __attribute__((overloadable, convergent))
#define INSIDE static __attribute__((overloadable, convergent, always_inline))

// One value for each wavefront of a group; local_values.py has the memory.
__local ulong *__clpy_wave_values(void);

INSIDE uint wave(void) { return get_local_linear_id() / LANES; }
INSIDE uint waves(void) { return (get_local_size(0) * get_local_size(1) * get_local_size(2) - 1) / LANES + 1; }

#define MUL(x, y) ((x) * (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))

// Behind the last barrier another of these functions may use the memory.
#define TELL(T, x) \
    __local T *values = (__local T *)__clpy_wave_values(); \
    values[wave()] = x; \
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
#define MERGE(T, OP, result, from, to) \
    for (uint i = from; i < to; i++) \
        result = OP(result, values[i]);
#define OPERATION(T, NAME, OP, NEUTRAL) \
    TOGETHER T work_group_reduce_##NAME(T x) { \
        TELL(T, sub_group_non_uniform_reduce_##NAME(x)) \
        T result = values[0]; \
        MERGE(T, OP, result, 1, waves()) \
        work_group_barrier(CLK_LOCAL_MEM_FENCE); \
        return result; \
    } \
    INSIDE T before_##NAME(T own, T x) { \
        TELL(T, sub_group_non_uniform_reduce_##NAME(x)) \
        T result = NEUTRAL; \
        MERGE(T, OP, result, 0, wave()) \
        work_group_barrier(CLK_LOCAL_MEM_FENCE); \
        return OP(result, own); \
    } \
    TOGETHER T work_group_scan_inclusive_##NAME(T x) { \
        return before_##NAME(sub_group_non_uniform_scan_inclusive_##NAME(x), x); \
    } \
    TOGETHER T work_group_scan_exclusive_##NAME(T x) { \
        return before_##NAME(sub_group_non_uniform_scan_exclusive_##NAME(x), x); \
    }
// The translator of SPIR-V has longer names for these.
#define SAME(T, HOW, NAME) \
    TOGETHER T work_group_##HOW##_bitwise_##NAME(T x) { return work_group_##HOW##_##NAME(x); }
#define BITS_OF(T, NAME, OP, NEUTRAL) \
    OPERATION(T, NAME, OP, NEUTRAL) \
    SAME(T, reduce, NAME) SAME(T, scan_inclusive, NAME) SAME(T, scan_exclusive, NAME)
#define BITWISE(T) \
    BITS_OF(T, and, AND, (T)~(T)0) BITS_OF(T, or, OR, (T)0) BITS_OF(T, xor, XOR, (T)0) OPERATION(T, mul, MUL, (T)1)
BITWISE(int)
BITWISE(uint)
BITWISE(long)
BITWISE(ulong)
OPERATION(float, mul, MUL, 1.0f)
OPERATION(double, mul, MUL, 1.0)

// Halves are multiplied as floats, and rounded once.
TOGETHER half work_group_reduce_mul(half x) { return (half)work_group_reduce_mul((float)x); }
TOGETHER half work_group_scan_inclusive_mul(half x) { return (half)work_group_scan_inclusive_mul((float)x); }
TOGETHER half work_group_scan_exclusive_mul(half x) { return (half)work_group_scan_exclusive_mul((float)x); }

#define LOGICAL(NAME) \
    TOGETHER int work_group_reduce_logical_##NAME(int x) { return work_group_reduce_##NAME((int)(x != 0)); } \
    TOGETHER int work_group_scan_inclusive_logical_##NAME(int x) { \
        return work_group_scan_inclusive_##NAME((int)(x != 0)); \
    } \
    TOGETHER int work_group_scan_exclusive_logical_##NAME(int x) { \
        return work_group_scan_exclusive_##NAME((int)(x != 0)) & 1; \
    }
LOGICAL(and)
LOGICAL(or)
LOGICAL(xor)
