// SPDX-License-Identifier: Apache-2.0
// vload_half and vstore_half with every rounding mode. The `a` forms promise alignment to the whole vector, and there a
// vector of three takes the place of one of four.
#include "rounding.h"

// Not of three: Clang would access four elements.
#define IN_MEMORY(M, ...) M(2, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)
#define HALF_TYPES(N, ...) \
    typedef half##N __attribute__((aligned(2))) unaligned_half##N; \
    typedef half##N __attribute__((aligned(2 * N))) aligned_half##N;
IN_MEMORY(HALF_TYPES, )

#define LOAD(A, ...) \
    OVERLOAD float vload_half(size_t i, const A half *p) { return p[i]; } \
    OVERLOAD float3 vload_half3(size_t i, const A half *p) { p += i * 3; return (float3)(p[0], p[1], p[2]); } \
    OVERLOAD float3 vloada_half3(size_t i, const A half *p) { p += i * 4; return (float3)(p[0], p[1], p[2]); } \
    IN_MEMORY(LOAD_VECTOR, A)
#define LOAD_VECTOR(N, A) \
    OVERLOAD float##N vload_half##N(size_t i, const A half *p) { \
        return CONVERT_##N(*(const A unaligned_half##N *)(p + i * N), float); \
    } \
    OVERLOAD float##N vloada_half##N(size_t i, const A half *p) { \
        return CONVERT_##N(*(const A aligned_half##N *)(p + i * N), float); \
    }
READABLE_SPACES(LOAD, )

// Through float from double: with a directed mode both roundings go the same way.
#define DOUBLE_TO_HALF(N, ...) \
    INTERNAL half##N to_half_rte(double##N x) { return narrow_rte(narrow_odd(x)); } \
    INTERNAL half##N to_half_rtz(double##N x) { return narrow_rtz(narrow_rtz(x)); } \
    INTERNAL half##N to_half_rtp(double##N x) { return narrow_rtp(narrow_rtp(x)); } \
    INTERNAL half##N to_half_rtn(double##N x) { return narrow_rtn(narrow_rtn(x)); }
#define FLOAT_TO_HALF(N, ...) \
    INTERNAL half##N to_half_rte(float##N x) { return narrow_rte(x); } \
    INTERNAL half##N to_half_rtz(float##N x) { return narrow_rtz(x); } \
    INTERNAL half##N to_half_rtp(float##N x) { return narrow_rtp(x); } \
    INTERNAL half##N to_half_rtn(float##N x) { return narrow_rtn(x); }
WIDTHS(DOUBLE_TO_HALF, )
WIDTHS(FLOAT_TO_HALF, )

#define STORE(A, T, suffix, mode) \
    OVERLOAD void vstore_half##suffix(T x, size_t i, A half *p) { p[i] = to_half_##mode(x); } \
    STORE3(vstore_half3##suffix, 3, A, T, mode) \
    STORE3(vstorea_half3##suffix, 4, A, T, mode) \
    IN_MEMORY(STORE_VECTOR, A, T, suffix, mode)
#define STORE3(f, stride, A, T, mode) \
    OVERLOAD void f(T##3 x, size_t i, A half *p) { \
        half3 h = to_half_##mode(x); \
        p += i * stride; \
        p[0] = h.x; \
        p[1] = h.y; \
        p[2] = h.z; \
    }
#define STORE_VECTOR(N, A, T, suffix, mode) \
    OVERLOAD void vstore_half##N##suffix(T##N x, size_t i, A half *p) { \
        *(A unaligned_half##N *)(p + i * N) = to_half_##mode(x); \
    } \
    OVERLOAD void vstorea_half##N##suffix(T##N x, size_t i, A half *p) { \
        *(A aligned_half##N *)(p + i * N) = to_half_##mode(x); \
    }
#define STORES(A, T) \
    STORE(A, T, , rte) STORE(A, T, _rte, rte) STORE(A, T, _rtz, rtz) STORE(A, T, _rtp, rtp) STORE(A, T, _rtn, rtn)
WRITABLE_SPACES(STORES, float)
WRITABLE_SPACES(STORES, double)
