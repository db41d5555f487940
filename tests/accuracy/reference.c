// SPDX-License-Identifier: Apache-2.0
// Arguments by their number, and the largest error among results. run.py puts what a function is in front: EXACT, an
// expression of x, y and n, and TYPE, 16, 32 or 64 bits. Halves and floats are compared in double, doubles in quadruple
// precision.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if TYPE == 64
#include <quadmath.h>
typedef double T;
typedef uint64_t U;
typedef __float128 W;
#define M(f) f##q
#define PI M_PIq
#define DIGITS 52
#define LOWEST -1074
#else
typedef double W;
#define M(f) f
#define PI M_PI
#if TYPE == 32
typedef float T;
typedef uint32_t U;
#define DIGITS 23
#define LOWEST -149
#else
typedef _Float16 T;
typedef uint16_t U;
#define DIGITS 10
#define LOWEST -24
#endif
#endif
#define BIAS ((1 << (TYPE - 2 - DIGITS)) - 1)

typedef struct {
    double error;       // in ulp; infinite where one of the two is no number
    size_t at;
} Worst;

// sin(pi x) and its like: x less an even number is exact.
static W turn(W x) { return x - 2 * M(rint)(x / 2); }
static W near_zero(W r, W value) { return r == M(rint)(r) ? 0 : value; }
__attribute__((unused)) static W sin_turns(W x) {
    W r = turn(x), f = M(fabs)(r);
    return isinf((double)x) ? NAN : near_zero(r, M(copysign)(M(sin)(PI * (f > (W)0.5 ? 1 - f : f)), r));
}
__attribute__((unused)) static W cos_turns(W x) {
    W f = M(fabs)(turn(x));
    return isinf((double)x) ? NAN : f == (W)0.5 ? 0 : f < (W)0.25 ? M(cos)(PI * f) : M(sin)(PI * ((W)0.5 - f));
}
__attribute__((unused)) static W tan_turns(W x) {
    W c = cos_turns(x), odd = M(fmod)(M(floor)(x), 2);      // at a half: infinity, its sign by the turn
    return c == 0 ? (odd == 0 ? (W)INFINITY : -(W)INFINITY) : sin_turns(x) / c;
}
__attribute__((unused)) static W root(W x, W n) {
    int odd = M(fmod)(n, 2) != 0;
    if (n == 0 || (x < 0 && !odd)) return NAN;
    W size = M(pow)(M(fabs)(x), 1 / n);
    return odd ? M(copysign)(size, x) : size;
}
__attribute__((unused)) static W powr_of(W x, W y) {
    int no_end = isinf((double)x), no_power = isinf((double)y);
    if (isnan((double)x) || isnan((double)y) || (x == 1 && no_power) || (y == 0 && (x == 0 || no_end))) return NAN;
    return M(pow)(M(fabs)(x), y);
}
__attribute__((unused)) static W larger(W x, W y) {
    return M(fabs)(x) > M(fabs)(y) ? x : M(fabs)(y) > M(fabs)(x) ? y : M(fmax)(x, y);
}
__attribute__((unused)) static W smaller(W x, W y) {
    return M(fabs)(x) < M(fabs)(y) ? x : M(fabs)(y) < M(fabs)(x) ? y : M(fmin)(x, y);
}
#if TYPE == 64
__attribute__((unused)) static W ten_to(W x) { return powq(10, x); }
#else
__attribute__((unused)) static W ten_to(W x) { return exp10(x); }
#endif

static double error_of(T got, W exact) {
    T rounded = (T)exact;
    if (got != got && exact != exact) return 0;
    if (got != got || exact != exact) return INFINITY;
    if (got == rounded && isinf((double)got)) return 0;
    int exponent;
    M(frexp)(exact, &exponent);
    exponent = exponent - 1 - DIGITS > LOWEST && exact != 0 ? exponent - 1 - DIGITS : LOWEST;
    return (double)M(ldexp)(M(fabs)((W)got - exact), -exponent);
}

void compare(const T *xs, const void *ys, const T *got, size_t count, Worst *worst) {
    for (size_t i = 0; i < count; i++) {
        W x = xs[i], y = 0;
        int n = 0;
#if SECOND == 1
        y = ((const T *)ys)[i];
#elif SECOND == 2
        n = ((const int *)ys)[i];
        y = n;
#endif
        (void)x, (void)y, (void)n, (void)ys;
        double error = error_of(got[i], EXACT);
        if (error > worst->error) *worst = (Worst){error, i};
    }
}

static uint64_t mixed(uint64_t z) {         // splitmix64
    z = (z + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Nothing is asked of signaling NaNs: they are quiet here.
static T of_bits(U bits) {
    const U infinity = (U)(2 * BIAS + 1) << DIGITS;
    T value;
    if ((U)(bits << 1) > (U)(infinity << 1)) bits |= (U)1 << (DIGITS - 1);
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Any sign and digits, and an exponent of -span to span - 1.
static T of_size(uint64_t random, int span) {
    U sign = (U)(random & 1) << (TYPE - 1), exponent = (U)(BIAS - span + (int)((random >> 1) % (2 * span)));
    return of_bits(sign | (U)(exponent << DIGITS) | ((U)(random >> 12) & (U)(((U)1 << DIGITS) - 1)));
}

static T special(uint64_t i) {
    const double values[] = {0, 1, 2, 3, 0.5, 1.5, 2.5, 0.25, 10, INFINITY, NAN, 1e-5, 88, 709, 3.14159265358979, 100};
    U ends[] = {1, 3, (U)1 << DIGITS, ((U)1 << DIGITS) - 1, (U)(2 * BIAS + 1) << DIGITS, (U)BIAS << DIGITS};
    T value = i % 32 < 16 ? (T)values[i % 16] : of_bits(ends[i % 6] - (U)((i >> 5) & 1));
    return (i >> 6) & 1 ? -value : value;
}

static T at_random(uint64_t random) {
    switch (random & 3) {
    case 0: return of_bits((U)(random >> 2));
    case 1: return of_size(random >> 2, TYPE == 16 ? 3 : 12);
    default: return of_size(random >> 2, TYPE == 64 ? 60 : BIAS / 2);
    }
}

// Arguments number `first` to first + count - 1. EVERY: each bit pattern of x, and of y above it.
void arguments(uint64_t first, size_t count, T *xs, void *ys) {
    for (size_t i = 0; i < count; i++) {
        uint64_t number = first + i, random = mixed(number * 2), other = mixed(number * 2 + 1);
#if EVERY
        xs[i] = of_bits((U)number);
        (void)random, (void)at_random, (void)special;
#else
        xs[i] = number < 16384 ? special(number) : at_random(random);
#endif
#if SECOND == 1 && EVERY
        ((T *)ys)[i] = of_bits((U)(number >> TYPE));
        (void)other;
#elif SECOND == 1
        T y = number < 16384 ? special(number >> 7) : at_random(other);
        if (number >= 16384 && (random >> 62) == 0) y = (T)(xs[i] * of_size(other, 3));
#if NEAR_POWER
        // Results of any size: y is the logarithm of one by that of x.
        if (number >= 16384 && (random >> 62) == 1)
            y = (T)(((double)(other >> 11) * 0x1p-52 - 1) * (1 - LOWEST) / log2(fabs((double)xs[i])));
#endif
        ((T *)ys)[i] = y;
#elif SECOND == 2
        int n = (random >> 62) == 0 ? (int)other : (int)(other >> 40) % (1 << (4 + (random >> 61) % 8));
#if NEAR_POWER
        if ((random >> 62) == 1) n = (int)(((double)(other >> 11) * 0x1p-52 - 1) * (1 - LOWEST)
                                           / fmax(fabs(log2(fabs((double)xs[i]))), 1e-3));
#endif
        ((int *)ys)[i] = (random >> 63) ? n : -n;
#else
        (void)ys, (void)other;
#endif
    }
}
