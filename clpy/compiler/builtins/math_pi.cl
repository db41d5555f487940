// SPDX-License-Identifier: Apache-2.0
// Trigonometric functions of multiples of pi, without a branch or a call: they widen as they are.
#include "builtins.h"

// pi^n / n! with alternating signs: sin(pi t) and cos(pi t) for |t| <= 1/4.
#define SIN_SERIES_float(z) \
    (3.14159265359f + (z) * (-5.16771278005f + (z) * (2.55016403988f + (z) * (-0.599264529321f + (z) * ( \
    0.0821458866111f + (z) * -0.00737043094571f)))))
#define COS_SERIES_float(z) \
    (1.0f + (z) * (-4.93480220054f + (z) * (4.05871212642f + (z) * (-1.33526276885f + (z) * ( \
    0.235330630359f + (z) * -0.0258068913900f)))))
#define SIN_SERIES_double(z) \
    (3.141592653589793238 + (z) * (-5.167712780049970029 + (z) * (2.550164039877345444 + (z) * ( \
    -0.5992645293207920769 + (z) * (0.08214588661112822880 + (z) * (-0.007370430945714350777 + (z) * ( \
    0.0004663028057676125644 + (z) * (-0.00002191535344783021583 + (z) * (7.952054001475512785e-7 + (z) * ( \
    -2.294842899726987311e-8 + (z) * 5.392664662608128489e-10))))))))))
#define COS_SERIES_double(z) \
    (1.0 + (z) * (-4.934802200544679309 + (z) * (4.058712126416768218 + (z) * (-1.335262768854589496 + (z) * ( \
    0.2353306303588932045 + (z) * (-0.02580689139001406001 + (z) * (0.001929574309403923048 + (z) * ( \
    -0.0001046381049248457071 + (z) * (0.000004303069587032947007 + (z) * ( \
    -1.387895246221377211e-7 + (z) * 3.604730797462500934e-9))))))))))

// |x| = 2k + quarter / 2 + t; infinity becomes NaN here. Zeros have the sign that makes the special cases come out.
#define REDUCE(N, T) \
    T##N ax = fabs(x), turn = ax - 2 * floor(ax * (T)0.5), quarter = rint(turn * 2), t = turn - quarter * (T)0.5, \
         z = t * t, sine = t * SIN_SERIES_##T(z), cosine = COS_SERIES_##T(z);
#define SINE(T) \
    (quarter == (T)1 ? cosine : quarter == (T)2 ? 0 - sine : quarter == (T)3 ? -cosine : sine)
#define COSINE(T) \
    (quarter == (T)1 ? 0 - sine : quarter == (T)2 ? -cosine : quarter == (T)3 ? sine : cosine)
#define WITH_SIGN_OF(y, N, T, I) as_##T##N(as_##I##N(y) ^ (as_##I##N(x) & as_##I((T)-0.0)))

#define OF_PI_TIMES(N, T, I, U) \
    OVERLOAD T##N sinpi(T##N x) { \
        REDUCE(N, T) \
        T##N r = SINE(T); \
        return WITH_SIGN_OF(r, N, T, I); \
    } \
    OVERLOAD T##N cospi(T##N x) { \
        REDUCE(N, T) \
        return COSINE(T); \
    } \
    OVERLOAD T##N tanpi(T##N x) { \
        REDUCE(N, T) \
        T##N r = SINE(T) / COSINE(T); \
        return WITH_SIGN_OF(r, N, T, I); \
    }
FLOATING(OF_PI_TIMES)

#define OVER_PI(N, T, I, U) \
    OVERLOAD T##N acospi(T##N x) { return acos(x) * (T)M_1_PI; } \
    OVERLOAD T##N asinpi(T##N x) { return asin(x) * (T)M_1_PI; } \
    OVERLOAD T##N atanpi(T##N x) { return atan(x) * (T)M_1_PI; } \
    OVERLOAD T##N atan2pi(T##N y, T##N x) { return atan2(y, x) * (T)M_1_PI; }
FLOATING(OVER_PI)
