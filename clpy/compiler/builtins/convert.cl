// SPDX-License-Identifier: Apache-2.0
// convert_ functions, compiled once for each type TO they convert to; TO_INTEGER, TO_HALF, TO_FLOAT or
// TO_DOUBLE says its kind.
#include "rounding.h"

#define LOWEST_char CHAR_MIN
#define LOWEST_uchar 0
#define LOWEST_short SHRT_MIN
#define LOWEST_ushort 0
#define LOWEST_int INT_MIN
#define LOWEST_uint 0
#define LOWEST_long LONG_MIN
#define LOWEST_ulong 0
#define HIGHEST_char CHAR_MAX
#define HIGHEST_uchar UCHAR_MAX
#define HIGHEST_short SHRT_MAX
#define HIGHEST_ushort USHRT_MAX
#define HIGHEST_int INT_MAX
#define HIGHEST_uint UINT_MAX
#define HIGHEST_long LONG_MAX
#define HIGHEST_ulong ULONG_MAX

#define PASTE(a, b, c, d) a##b##c##d
#define NAME(T, N, suffix) PASTE(convert_, T, N, suffix)
#define TYPE(T, N) PASTE(T, N, , )
#define CONVERSION(N, S, suffix, value) \
    OVERLOAD TYPE(TO, N) NAME(TO, N, suffix)(S##N x) { return value; }
#define EVERY_ROUNDING(N, S, suffix, value) \
    CONVERSION(N, S, suffix, value) CONVERSION(N, S, suffix##_rte, value) CONVERSION(N, S, suffix##_rtz, value) \
    CONVERSION(N, S, suffix##_rtp, value) CONVERSION(N, S, suffix##_rtn, value)
#define RESULT(N, T, x) CONVERT_##N(x, T)

// M(S, kind of S): every type to convert from.
#define INTEGER_SOURCES(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)

// ---- to an integer

// The limits of both types that bind, as values of S: no limit of T that S cannot reach is left.
#define LOW(S, T) ((S)((long)LOWEST_##S > (long)LOWEST_##T ? (long)LOWEST_##S : (long)LOWEST_##T))
#define HIGH(S, T) ((S)((ulong)HIGHEST_##S < (ulong)HIGHEST_##T ? (ulong)HIGHEST_##S : (ulong)HIGHEST_##T))
#define CLAMPED(N, S, T, x) \
    __builtin_elementwise_max(__builtin_elementwise_min(x, (S##N)HIGH(S, T)), (S##N)LOW(S, T))
#define INTEGER_TO_INTEGER(N, S, T) \
    EVERY_ROUNDING(N, S, , RESULT(N, T, x)) \
    EVERY_ROUNDING(N, S, _sat, RESULT(N, T, CLAMPED(N, S, T, x)))

// Beyond the limits and for NaN the plain conversion has no meaning; the selects take another value there.
#define SATURATING(N, F, T) \
    INTERNAL TYPE(T, N) saturated(F##N x) { \
        T##N r = CONVERT_##N(x, T), above = CONVERT_##N((x >= (F)HIGHEST_##T), T), \
             below = CONVERT_##N((x < (F)LOWEST_##T), T), number = CONVERT_##N((x == x), T); \
        r = above != (T)0 ? (T##N)HIGHEST_##T : r; \
        r = below != (T)0 ? (T##N)LOWEST_##T : r; \
        return number != (T)0 ? r : (T##N)0; \
    }
#define FLOATING_TO_INTEGER(N, F, T) \
    SATURATING(N, F, T) \
    CONVERSION(N, F, , RESULT(N, T, x)) \
    CONVERSION(N, F, _rtz, RESULT(N, T, x)) \
    CONVERSION(N, F, _rte, RESULT(N, T, __builtin_elementwise_rint(x))) \
    CONVERSION(N, F, _rtp, RESULT(N, T, __builtin_elementwise_ceil(x))) \
    CONVERSION(N, F, _rtn, RESULT(N, T, __builtin_elementwise_floor(x))) \
    CONVERSION(N, F, _sat, saturated(x)) \
    CONVERSION(N, F, _sat_rtz, saturated(__builtin_elementwise_trunc(x))) \
    CONVERSION(N, F, _sat_rte, saturated(__builtin_elementwise_rint(x))) \
    CONVERSION(N, F, _sat_rtp, saturated(__builtin_elementwise_ceil(x))) \
    CONVERSION(N, F, _sat_rtn, saturated(__builtin_elementwise_floor(x)))

#define HALF_TO_INTEGER(N, T) \
    AS_OF_FLOAT(N, T, ) AS_OF_FLOAT(N, T, _rte) AS_OF_FLOAT(N, T, _rtz) AS_OF_FLOAT(N, T, _rtp) \
    AS_OF_FLOAT(N, T, _rtn) AS_OF_FLOAT(N, T, _sat) AS_OF_FLOAT(N, T, _sat_rte) AS_OF_FLOAT(N, T, _sat_rtz) \
    AS_OF_FLOAT(N, T, _sat_rtp) AS_OF_FLOAT(N, T, _sat_rtn)
#define AS_OF_FLOAT(N, T, suffix) CONVERSION(N, half, suffix, NAME(TO, N, suffix)(CONVERT_##N(x, float)))

// ---- to a floating-point type

// |x| cut to the digits of F, and the same one unit in the last place further when something was cut off.
#define CUT(N, S, F, I, digits) \
    INTERNAL F##N cut_##F(ulong##N size, bool up) { \
        ulong##N used = 64ul - __builtin_elementwise_clzg(size, (ulong##N)64ul); \
        ulong##N unit = (ulong##N)1ul << (__builtin_elementwise_max(used, (ulong##N)digits) - (ulong)digits); \
        ulong##N lost = size & (unit - 1ul); \
        F##N r = CONVERT_##N((size - lost), F); \
        I##N more = CONVERT_##N((lost != 0ul), I); \
        return up ? (more != (I)0 ? r + CONVERT_##N(unit, F) : r) : r; \
    }
#define DIRECTED(N, S, F, I, digits) \
    INTERNAL F##N directed_##F(S##N x, bool up, bool down) { \
        ulong##N size = x < (S)0 ? 0ul - as_ulong##N(x) : as_ulong##N(x); \
        F##N below = -cut_##F(size, down), above = cut_##F(size, up); \
        I##N negative = CONVERT_##N((x < (S)0), I); \
        return negative != (I)0 ? below : above; \
    } \
    CONVERSION(N, S, _rtz, directed_##F(x, false, false)) \
    CONVERSION(N, S, _rtp, directed_##F(x, true, false)) \
    CONVERSION(N, S, _rtn, directed_##F(x, false, true))
#define TO_NEAREST(N, S, F) CONVERSION(N, S, , RESULT(N, F, x)) CONVERSION(N, S, _rte, RESULT(N, F, x))
#define EXACTLY(N, S, F) EVERY_ROUNDING(N, S, , RESULT(N, F, x))
#define NARROWED(N, W, S) \
    CONVERSION(N, S, _rtz, narrow_rtz(CONVERT_##N(x, W))) \
    CONVERSION(N, S, _rtp, narrow_rtp(CONVERT_##N(x, W))) \
    CONVERSION(N, S, _rtn, narrow_rtn(CONVERT_##N(x, W)))

// What a float does not hold exactly is infinite as a half, or the largest: one rounding decides.
#define TO_HALF_BY_FLOAT(N, S) \
    CONVERSION(N, S, , narrow_rte(CONVERT_##N(x, float))) CONVERSION(N, S, _rte, narrow_rte(CONVERT_##N(x, float))) \
    NARROWED(N, float, S)
#define DOUBLE_TO_HALF(N, ...) \
    CONVERSION(N, double, , narrow_rte(narrow_odd(x))) CONVERSION(N, double, _rte, narrow_rte(narrow_odd(x))) \
    CONVERSION(N, double, _rtz, narrow_rtz(narrow_rtz(x))) CONVERSION(N, double, _rtp, narrow_rtp(narrow_rtp(x))) \
    CONVERSION(N, double, _rtn, narrow_rtn(narrow_rtn(x)))

#define FROM_LONG(S, F, I, digits) WIDTHS(TO_NEAREST, S, F) WIDTHS(DIRECTED, S, F, I, digits)

#ifdef TO_INTEGER
#define FROM_INTEGER(S) WIDTHS(INTEGER_TO_INTEGER, S, TO)
INTEGER_SOURCES(FROM_INTEGER)
WIDTHS(FLOATING_TO_INTEGER, float, TO)
WIDTHS(FLOATING_TO_INTEGER, double, TO)
WIDTHS(HALF_TO_INTEGER, TO)
#endif

#ifdef TO_HALF
#define HALF_FROM_INTEGER(S) WIDTHS(TO_HALF_BY_FLOAT, S)
INTEGER_SOURCES(HALF_FROM_INTEGER)
WIDTHS(TO_HALF_BY_FLOAT, float)
WIDTHS(DOUBLE_TO_HALF, )
WIDTHS(EXACTLY, half, half)
#endif

#if defined(TO_FLOAT) || defined(TO_DOUBLE)
WIDTHS(EXACTLY, char, TO)
WIDTHS(EXACTLY, uchar, TO)
WIDTHS(EXACTLY, short, TO)
WIDTHS(EXACTLY, ushort, TO)
WIDTHS(EXACTLY, half, TO)
WIDTHS(EXACTLY, float, TO)
#endif

#ifdef TO_FLOAT
WIDTHS(CUT, , float, int, 24)
WIDTHS(TO_NEAREST, int, float)
WIDTHS(NARROWED, double, int)
WIDTHS(TO_NEAREST, uint, float)
WIDTHS(NARROWED, double, uint)
FROM_LONG(long, float, int, 24)
FROM_LONG(ulong, float, int, 24)
WIDTHS(TO_NEAREST, double, float)
WIDTHS(NARROWED, double, double)
#endif

#ifdef TO_DOUBLE
WIDTHS(CUT, , double, long, 53)
WIDTHS(EXACTLY, int, double)
WIDTHS(EXACTLY, uint, double)
FROM_LONG(long, double, long, 53)
FROM_LONG(ulong, double, long, 53)
WIDTHS(EXACTLY, double, double)
#endif
