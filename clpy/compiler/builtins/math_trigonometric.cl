// SPDX-License-Identifier: Apache-2.0
// sin and cos without a call for the usual arguments. Whoever asks for both pays for one: they have all but the last
// step in common.
#include "builtins.h"
#include "elementwise.h"

// A product added to something is one operation here where the machine has it.
#pragma clang fp contract(on)

#define C_LIBRARY __attribute__((const, overloadable))
C_LIBRARY double c_sin(double) __asm("sin");
C_LIBRARY double c_cos(double) __asm("cos");
C_LIBRARY float c_sin(float) __asm("sinf");
C_LIBRARY float c_cos(float) __asm("cosf");

// Of what is large, infinite or no number. One work-item at a time, and no code where nobody has such.
#define ONE_BY_ONE static __attribute__((overloadable, noinline, cold, const))
#define RARE(N, T, f) ONE_BY_ONE T##N rare_##f(T##N x) { return (T##N)(LANES_##N(CALL1, c_##f)); }
#define RARE_OF(T, f) ONE_BY_ONE T rare_##f(T x) { return c_##f(x); } VECTORS(RARE, T, f)
RARE_OF(float, sin)
RARE_OF(float, cos)
RARE_OF(double, sin)
RARE_OF(double, cos)

// x = r + n pi / 2 with |r| <= pi / 4. The parts of pi / 2 are so short that their products with n are exact, up to the
// last. The polynomials are minimax fits of sin(r) / r and cos(r): of float with errors below 2^-28 and 2^-33, of
// double below 2^-58 and 2^-64.
#define ROUNDER_float 0x1.8p23f
#define MOST_float 6400.0f
#define QUARTERS_float(N) \
    float##N shifted = x * 0x1.45f306p-1f + ROUNDER_float, n = shifted - ROUNDER_float; \
    float##N r = x - n * 0x1.92p0f - n * 0x1.fb4p-12f - n * 0x1.444p-24f - n * 0x1.68c234p-39f, z = r * r; \
    float##N sine = r + r * z * (-0x1.555546p-3f + z * (0x1.11075cp-7f + z * -0x1.994cfap-13f)); \
    float##N cosine = 1 + z * (-0.5f + z * (0x1.55554ap-5f + z * (-0x1.6c0c86p-10f + z * 0x1.9a00ccp-16f)));

#define ROUNDER_double 0x1.8p52
#define MOST_double 0x1p20
#define QUARTERS_double(N) \
    double##N shifted = x * 0x1.45f306dc9c883p-1 + ROUNDER_double, n = shifted - ROUNDER_double; \
    double##N r = x - n * 0x1.921fb544p0 - n * 0x1.0b4611a6p-34 - n * 0x1.3198a2ep-69 - n * 0x1.b839a252049c1p-104; \
    double##N z = r * r; \
    double##N sine = r * (1 + z * (-0x1.5555555555549p-3 + z * (0x1.111111110f87ep-7 + z * (-0x1.a01a019c1206ap-13 + \
                     z * (0x1.71de357817043p-19 + z * (-0x1.ae5e668810a63p-26 + z * 0x1.5d93181e06653p-33)))))); \
    double##N cosine = 1 + z * (-0.5 + z * (0x1.555555555554cp-5 + z * (-0x1.6c16c16c15181p-10 + \
                       z * (0x1.a01a019cb2140p-16 + z * (-0x1.27e4f80a31467p-22 + z * (0x1.1ee9ec16ab079p-29 + \
                       z * -0x1.8faeb4cf4bfa9p-37))))));

// Odd quarters swap the two, and the second half of a turn has the other sign.
#define OF_QUARTER(N, T, I, U, last, f, even, odd, half_turn) \
    U##N quarter = as_##U##N(shifted); \
    I##N rare = !(fabs(x) < MOST_##T); \
    T##N y = as_##I##N(quarter << (U)last) < (I)0 ? odd : even; \
    y = as_##T##N(as_##U##N(y) ^ ((half_turn) << (U)last)); \
    if (ANY_##N(rare)) y = rare ? rare_##f(x) : y; \
    return y;
#define SIN_AND_COS(N, T, I, U, last) \
    OVERLOAD T##N sin(T##N x) { \
        QUARTERS_##T(N) \
        OF_QUARTER(N, T, I, U, last, sin, sine, cosine, quarter >> (U)1) \
    } \
    OVERLOAD T##N cos(T##N x) { \
        QUARTERS_##T(N) \
        OF_QUARTER(N, T, I, U, last, cos, cosine, sine, (quarter + (U)1) >> (U)1) \
    }
WIDTHS(SIN_AND_COS, float, int, uint, 31)
WIDTHS(SIN_AND_COS, double, long, ulong, 63)

#define SINCOS(N, A, T) OVERLOAD T##N sincos(T##N x, A T##N *p) { *p = cos(x); return sin(x); }
#define SINCOS_SPACE(A, T) WIDTHS(SINCOS, A, T)
WRITABLE_SPACES(SINCOS_SPACE, float)
WRITABLE_SPACES(SINCOS_SPACE, double)
