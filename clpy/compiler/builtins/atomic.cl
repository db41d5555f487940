// SPDX-License-Identifier: Apache-2.0
// Atomic functions of OpenCL C 1.x (relaxed, on __global and __local) and of 2.0 and later.
#include "builtins.h"

#define ATOMIC_SPACES(M, ...) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__generic, __VA_ARGS__)

// One row per function of 1.x: the name is atomic_ for 32-bit types, atom_ for all.
#define RELAXED(f, ...) __scoped_atomic_##f(__VA_ARGS__, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define OLD_ATOMICS(A, T, prefix) \
    OVERLOAD T prefix##_add(volatile A T *p, T v) { return RELAXED(fetch_add, p, v); } \
    OVERLOAD T prefix##_sub(volatile A T *p, T v) { return RELAXED(fetch_sub, p, v); } \
    OVERLOAD T prefix##_inc(volatile A T *p) { return RELAXED(fetch_add, p, (T)1); } \
    OVERLOAD T prefix##_dec(volatile A T *p) { return RELAXED(fetch_sub, p, (T)1); } \
    OVERLOAD T prefix##_min(volatile A T *p, T v) { return RELAXED(fetch_min, p, v); } \
    OVERLOAD T prefix##_max(volatile A T *p, T v) { return RELAXED(fetch_max, p, v); } \
    OVERLOAD T prefix##_and(volatile A T *p, T v) { return RELAXED(fetch_and, p, v); } \
    OVERLOAD T prefix##_or(volatile A T *p, T v) { return RELAXED(fetch_or, p, v); } \
    OVERLOAD T prefix##_xor(volatile A T *p, T v) { return RELAXED(fetch_xor, p, v); } \
    OVERLOAD T prefix##_xchg(volatile A T *p, T v) { return RELAXED(exchange_n, p, v); } \
    OVERLOAD T prefix##_cmpxchg(volatile A T *p, T expected, T v) { \
        __scoped_atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED, \
                                           __MEMORY_SCOPE_DEVICE); \
        return expected; \
    }
ATOMIC_SPACES(OLD_ATOMICS, int, atomic)
ATOMIC_SPACES(OLD_ATOMICS, uint, atomic)
ATOMIC_SPACES(OLD_ATOMICS, int, atom)
ATOMIC_SPACES(OLD_ATOMICS, uint, atom)
ATOMIC_SPACES(OLD_ATOMICS, long, atom)
ATOMIC_SPACES(OLD_ATOMICS, ulong, atom)

#define EXCHANGE_FLOAT(A, ...) \
    OVERLOAD float atomic_xchg(volatile A float *p, float v) { \
        return as_float(RELAXED(exchange_n, (volatile A int *)p, as_int(v))); \
    }
ATOMIC_SPACES(EXCHANGE_FLOAT, )

// Every function of 2.0 comes in three forms: order and scope given, order given, none given (sequentially consistent).
#define IN_ORDER memory_order order, memory_scope scope

#define FETCH_BY(A, T, V, name) \
    OVERLOAD T atomic_##name##_explicit(volatile A atomic_##T *p, V v, IN_ORDER) { \
        return __opencl_atomic_##name(p, v, order, scope); \
    } \
    OVERLOAD T atomic_##name##_explicit(volatile A atomic_##T *p, V v, memory_order order) { \
        return __opencl_atomic_##name(p, v, order, memory_scope_device); \
    } \
    OVERLOAD T atomic_##name(volatile A atomic_##T *p, V v) { \
        return __opencl_atomic_##name(p, v, memory_order_seq_cst, memory_scope_device); \
    }
#define FETCH(A, T, name) FETCH_BY(A, T, T, name)

// Sequentially consistent whatever was asked: stronger is allowed, and the machine has no weaker compare-and-exchange.
#define COMPARE_EXCHANGE(A, T, B, name) \
    OVERLOAD bool atomic_##name(volatile A atomic_##T *p, B T *expected, T v) { \
        return __opencl_atomic_##name(p, expected, v, memory_order_seq_cst, memory_order_seq_cst, \
                                      memory_scope_device); \
    } \
    OVERLOAD bool atomic_##name##_explicit(volatile A atomic_##T *p, B T *expected, T v, memory_order success, \
                                           memory_order failure, memory_scope scope) { \
        return atomic_##name(p, expected, v); \
    } \
    OVERLOAD bool atomic_##name##_explicit(volatile A atomic_##T *p, B T *expected, T v, memory_order success, \
                                           memory_order failure) { \
        return atomic_##name(p, expected, v); \
    }

#define LOAD_STORE(A, T) \
    OVERLOAD void atomic_init(volatile A atomic_##T *p, T v) { __opencl_atomic_init(p, v); } \
    OVERLOAD void atomic_store_explicit(volatile A atomic_##T *p, T v, IN_ORDER) { \
        __opencl_atomic_store(p, v, order, scope); \
    } \
    OVERLOAD void atomic_store_explicit(volatile A atomic_##T *p, T v, memory_order order) { \
        __opencl_atomic_store(p, v, order, memory_scope_device); \
    } \
    OVERLOAD void atomic_store(volatile A atomic_##T *p, T v) { \
        __opencl_atomic_store(p, v, memory_order_seq_cst, memory_scope_device); \
    } \
    OVERLOAD T atomic_load_explicit(volatile A atomic_##T *p, IN_ORDER) { \
        return __opencl_atomic_load(p, order, scope); \
    } \
    OVERLOAD T atomic_load_explicit(volatile A atomic_##T *p, memory_order order) { \
        return __opencl_atomic_load(p, order, memory_scope_device); \
    } \
    OVERLOAD T atomic_load(volatile A atomic_##T *p) { \
        return __opencl_atomic_load(p, memory_order_seq_cst, memory_scope_device); \
    }

#define FOR_ANY_TYPE(A, T) \
    LOAD_STORE(A, T) \
    FETCH(A, T, exchange) \
    COMPARE_EXCHANGE(A, T, A, compare_exchange_strong) COMPARE_EXCHANGE(A, T, A, compare_exchange_weak)
#define FOR_NUMBERS(A, T) \
    FOR_ANY_TYPE(A, T) FETCH(A, T, fetch_add) FETCH(A, T, fetch_sub) FETCH(A, T, fetch_min) FETCH(A, T, fetch_max)
#define FOR_INTEGERS(A, T) FOR_NUMBERS(A, T) FETCH(A, T, fetch_and) FETCH(A, T, fetch_or) FETCH(A, T, fetch_xor)
ATOMIC_SPACES(FOR_INTEGERS, int)
ATOMIC_SPACES(FOR_INTEGERS, uint)
ATOMIC_SPACES(FOR_INTEGERS, long)
ATOMIC_SPACES(FOR_INTEGERS, ulong)
ATOMIC_SPACES(FOR_NUMBERS, float)
ATOMIC_SPACES(FOR_NUMBERS, double)

#define FOR_HALF(A, ...) \
    LOAD_STORE(A, half) FETCH(A, half, exchange) FETCH(A, half, fetch_add) FETCH(A, half, fetch_sub) \
    FETCH(A, half, fetch_min) FETCH(A, half, fetch_max)
ATOMIC_SPACES(FOR_HALF, )

// Clang's table has the value that is stored as an atomic type too, which only the names tell.
#define STORE_HALF(A, space) \
    void __clpy_store_half_##space(volatile A atomic_half *p, half v) \
        __asm("_Z12atomic_store" #space "VU7_AtomicDhS_"); \
    void __clpy_store_half_##space(volatile A atomic_half *p, half v) { \
        __opencl_atomic_store(p, v, memory_order_seq_cst, memory_scope_device); \
    } \
    void __clpy_store_half_ordered_##space(volatile A atomic_half *p, half v, memory_order order) \
        __asm("_Z21atomic_store_explicit" #space "VU7_AtomicDhS_12memory_order"); \
    void __clpy_store_half_ordered_##space(volatile A atomic_half *p, half v, memory_order order) { \
        __opencl_atomic_store(p, v, order, memory_scope_device); \
    } \
    void __clpy_store_half_scoped_##space(volatile A atomic_half *p, half v, IN_ORDER) \
        __asm("_Z21atomic_store_explicit" #space "VU7_AtomicDhS_12memory_order12memory_scope"); \
    void __clpy_store_half_scoped_##space(volatile A atomic_half *p, half v, IN_ORDER) { \
        __opencl_atomic_store(p, v, order, scope); \
    }
STORE_HALF(__global, PU3AS1)
STORE_HALF(__local, PU3AS3)
STORE_HALF(__generic, PU3AS4)

// Where there is no generic address space, the expected value may be elsewhere than the object.
#define EXPECTED_ELSEWHERE(A, B, T) \
    COMPARE_EXCHANGE(A, T, B, compare_exchange_strong) COMPARE_EXCHANGE(A, T, B, compare_exchange_weak)
#define FOR_NAMED_SPACES(T) \
    EXPECTED_ELSEWHERE(__global, __local, T) EXPECTED_ELSEWHERE(__global, __private, T) \
    EXPECTED_ELSEWHERE(__local, __global, T) EXPECTED_ELSEWHERE(__local, __private, T)
FOR_NAMED_SPACES(int)
FOR_NAMED_SPACES(uint)
FOR_NAMED_SPACES(long)
FOR_NAMED_SPACES(ulong)
FOR_NAMED_SPACES(float)
FOR_NAMED_SPACES(double)

// atomic_intptr_t and atomic_uintptr_t are atomic_long and atomic_ulong; their operands differ in sign.
#define FOR_POINTERS(A, ...) \
    FETCH_BY(A, ulong, long, fetch_add) FETCH_BY(A, ulong, long, fetch_sub) FETCH_BY(A, ulong, long, fetch_min) \
    FETCH_BY(A, ulong, long, fetch_and) FETCH_BY(A, ulong, long, fetch_or) FETCH_BY(A, ulong, long, fetch_xor) \
    FETCH_BY(A, long, ulong, fetch_min) FETCH_BY(A, long, ulong, fetch_and) FETCH_BY(A, long, ulong, fetch_or) \
    FETCH_BY(A, long, ulong, fetch_xor)
ATOMIC_SPACES(FOR_POINTERS, )

#define FLAG(A, ...) \
    OVERLOAD bool atomic_flag_test_and_set_explicit(volatile A atomic_flag *p, IN_ORDER) { \
        return __opencl_atomic_exchange(p, 1, order, scope); \
    } \
    OVERLOAD bool atomic_flag_test_and_set_explicit(volatile A atomic_flag *p, memory_order order) { \
        return __opencl_atomic_exchange(p, 1, order, memory_scope_device); \
    } \
    OVERLOAD bool atomic_flag_test_and_set(volatile A atomic_flag *p) { \
        return __opencl_atomic_exchange(p, 1, memory_order_seq_cst, memory_scope_device); \
    } \
    OVERLOAD void atomic_flag_clear_explicit(volatile A atomic_flag *p, IN_ORDER) { \
        __opencl_atomic_store(p, 0, order, scope); \
    } \
    OVERLOAD void atomic_flag_clear_explicit(volatile A atomic_flag *p, memory_order order) { \
        __opencl_atomic_store(p, 0, order, memory_scope_device); \
    } \
    OVERLOAD void atomic_flag_clear(volatile A atomic_flag *p) { \
        __opencl_atomic_store(p, 0, memory_order_seq_cst, memory_scope_device); \
    }
ATOMIC_SPACES(FLAG, )
