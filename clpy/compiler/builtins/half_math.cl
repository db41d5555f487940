// SPDX-License-Identifier: Apache-2.0
// Math on half numbers: computed in float, and rounded once more. A float has more than twice the digits, so a result
// that is right in float is the right half number too, but for fma, which is rounded to odd on the way.
#include "half_types.h"
#include "rounding.h"

#define IN_FLOAT1(N, f) \
    OF_FLOAT(N, f)(float##N); \
    OVERLOAD half##N f(half##N x) { return HALF(N, f(FLOAT(N, x))); }
#define IN_FLOAT2(N, f) \
    OF_FLOAT(N, f)(float##N, float##N); \
    OVERLOAD half##N f(half##N x, half##N y) { return HALF(N, f(FLOAT(N, x), FLOAT(N, y))); }
#define OF_ONE(f) WIDTHS(IN_FLOAT1, f)
#define OF_TWO(f) WIDTHS(IN_FLOAT2, f)
OF_ONE(acos) OF_ONE(acosh) OF_ONE(acospi) OF_ONE(asin) OF_ONE(asinh) OF_ONE(asinpi) OF_ONE(atan) OF_ONE(atanh)
OF_ONE(atanpi) OF_ONE(cbrt) OF_ONE(ceil) OF_ONE(cos) OF_ONE(cosh) OF_ONE(cospi) OF_ONE(erf) OF_ONE(erfc) OF_ONE(exp)
OF_ONE(exp10) OF_ONE(exp2) OF_ONE(expm1) OF_ONE(floor) OF_ONE(lgamma) OF_ONE(log) OF_ONE(log10) OF_ONE(log1p)
OF_ONE(log2) OF_ONE(logb) OF_ONE(rint) OF_ONE(round) OF_ONE(rsqrt) OF_ONE(sin) OF_ONE(sinh) OF_ONE(sinpi) OF_ONE(sqrt)
OF_ONE(tan) OF_ONE(tanh) OF_ONE(tanpi) OF_ONE(tgamma) OF_ONE(trunc)
OF_TWO(atan2) OF_TWO(atan2pi) OF_TWO(fdim) OF_TWO(fmod) OF_TWO(hypot) OF_TWO(pow) OF_TWO(powr) OF_TWO(remainder)

#define ON_BITS(N, ...) \
    OVERLOAD half##N fabs(half##N x) { return __builtin_elementwise_abs(x); } \
    OVERLOAD half##N copysign(half##N x, half##N y) { return __builtin_elementwise_copysign(x, y); }
WIDTHS(ON_BITS, )
WIDTHS(NAN_OF_CODE, half, ushort, 0x7e00)

#define LARGER_SMALLER(N, ...) \
    OVERLOAD half##N fmax(half##N x, half##N y) { return x != x ? y : x < y ? y : x; } \
    OVERLOAD half##N fmin(half##N x, half##N y) { return x != x ? y : y < x ? y : x; }
WIDTHS(LARGER_SMALLER, )
HALF_WIDTHS(BY_MAGNITUDE)
HALF_VECTORS(LARGER_OF_SCALAR)

// The product is exact in double; the sum is rounded to odd there, from the error that adding in either order leaves.
#define FMA(N, ...) \
    OVERLOAD half##N fma(half##N x, half##N y, half##N z) { \
        double##N p = CONVERT_##N(x, double) * CONVERT_##N(y, double), c = CONVERT_##N(z, double), s = p + c; \
        double##N back = s - p, error = (p - (s - back)) + (c - back); \
        long##N bits = as_long##N(s); \
        long##N toward = (error > 0.0) == (s > 0.0) ? (long##N)1 : (long##N)-1; \
        long##N inexact = CONVERT_##N(((error > 0.0) | (error < 0.0)), long), even = (bits & 1l) ^ 1l; \
        bits += toward & -(inexact & even); \
        return narrow_rte(narrow_odd(as_double##N(bits))); \
    } \
    OVERLOAD half##N mad(half##N x, half##N y, half##N z) { return x * y + z; }
WIDTHS(FMA, )

WRITABLE_SPACES(PARTS, half, 0x1.ffcp-1h)

#define SINCOS(A, N) \
    OVERLOAD half##N sincos(half##N x, A half##N *p) { \
        *p = cos(x); \
        return sin(x); \
    }
#define FREXP(A, N) \
    OVERLOAD half##N frexp(half##N x, A int##N *p) { \
        int##N e; \
        float##N r = frexp(FLOAT(N, x), &e); \
        *p = e; \
        return HALF(N, r); \
    }
#define LGAMMA_R(A, N) \
    OVERLOAD half##N lgamma_r(half##N x, A int##N *p) { \
        int##N sign; \
        float##N r = lgamma_r(FLOAT(N, x), &sign); \
        *p = sign; \
        return HALF(N, r); \
    }
#define REMQUO(A, N) \
    OVERLOAD half##N remquo(half##N x, half##N y, A int##N *p) { \
        int##N q; \
        float##N r = remquo(FLOAT(N, x), FLOAT(N, y), &q); \
        *p = q; \
        return HALF(N, r); \
    }
#define WITH_POINTERS(N, ...) \
    BY_POINTER(N, frexp)(float##N, __private int##N *); \
    BY_POINTER(N, lgamma_r)(float##N, __private int##N *); \
    BY_POINTER(N, remquo)(float##N, float##N, __private int##N *); \
    WRITABLE_SPACES(SINCOS, N) WRITABLE_SPACES(FREXP, N) WRITABLE_SPACES(LGAMMA_R, N) \
    WRITABLE_SPACES(REMQUO, N)
WIDTHS(WITH_POINTERS, )

#define WITH_INTEGERS(N, ...) \
    __attribute__((overloadable, const)) int##N ilogb(float##N); \
    OF_FLOAT(N, ldexp)(float##N, int##N); \
    OF_FLOAT(N, pown)(float##N, int##N); \
    OF_FLOAT(N, rootn)(float##N, int##N); \
    OVERLOAD int##N ilogb(half##N x) { return ilogb(FLOAT(N, x)); } \
    OVERLOAD half##N ldexp(half##N x, int##N n) { return HALF(N, ldexp(FLOAT(N, x), n)); } \
    OVERLOAD half##N pown(half##N x, int##N n) { return HALF(N, pown(FLOAT(N, x), n)); } \
    OVERLOAD half##N rootn(half##N x, int##N n) { return HALF(N, rootn(FLOAT(N, x), n)); }
WIDTHS(WITH_INTEGERS, )
#define LDEXP_SCALAR(N, ...) OVERLOAD half##N ldexp(half##N x, int n) { return ldexp(x, (int##N)n); }
VECTORS(LDEXP_SCALAR, )

WIDTHS(NEXTAFTER, half, short, SHRT_MIN)
