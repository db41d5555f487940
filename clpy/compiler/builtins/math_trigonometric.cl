// SPDX-License-Identifier: Apache-2.0
// sin and cos of double without a call for the usual arguments. Whoever asks for both pays for one: they have all but
// the last step in common.
#include "builtins.h"

// A product added to something is one operation here where the machine has it.
#pragma clang fp contract(on)

#define C_LIBRARY __attribute__((const))
C_LIBRARY double c_sin(double) __asm("sin");
C_LIBRARY double c_cos(double) __asm("cos");

// Of what is large, infinite or no number. One work-item at a time, and no code where nobody has such.
#define ONE_BY_ONE static __attribute__((overloadable, noinline, cold, const))
ONE_BY_ONE double rare_sin(double x) { return c_sin(x); }
ONE_BY_ONE double rare_cos(double x) { return c_cos(x); }
#define RARE(N, f) ONE_BY_ONE double##N rare_##f(double##N x) { return (double##N)(LANES_##N(CALL1, c_##f)); }
VECTORS(RARE, sin)
VECTORS(RARE, cos)

// x = r + n pi / 2 with |r| <= pi / 4. The parts of pi / 2 are so short that their products with n are exact, up to the
// last. The polynomials are minimax fits of sin(r) / r and cos(r), with errors below 2^-58 and 2^-64.
#define ROUNDER 0x1.8p52
#define QUARTERS(N) \
    double##N shifted = x * 0x1.45f306dc9c883p-1 + ROUNDER, n = shifted - ROUNDER; \
    double##N r = x - n * 0x1.921fb544p0 - n * 0x1.0b4611a6p-34 - n * 0x1.3198a2ep-69 - n * 0x1.b839a252049c1p-104; \
    double##N z = r * r; \
    double##N sine = r * (1 + z * (-0x1.5555555555549p-3 + z * (0x1.111111110f87ep-7 + z * (-0x1.a01a019c1206ap-13 + \
                     z * (0x1.71de357817043p-19 + z * (-0x1.ae5e668810a63p-26 + z * 0x1.5d93181e06653p-33)))))); \
    double##N cosine = 1 + z * (-0.5 + z * (0x1.555555555554cp-5 + z * (-0x1.6c16c16c15181p-10 + \
                       z * (0x1.a01a019cb2140p-16 + z * (-0x1.27e4f80a31467p-22 + z * (0x1.1ee9ec16ab079p-29 + \
                       z * -0x1.8faeb4cf4bfa9p-37)))))); \
    ulong##N quarter = as_ulong##N(shifted); \
    long##N rare = !(fabs(x) < 0x1p20);

// Odd quarters swap the two, and the second half of a turn has the other sign.
#define OF_QUARTER(N, f, even, odd, half_turn) \
    double##N y = as_long##N(quarter << 63ul) < 0l ? odd : even; \
    y = as_double##N(as_ulong##N(y) ^ ((half_turn) << 63ul)); \
    if (ANY_##N(rare)) y = rare ? rare_##f(x) : y; \
    return y;
#define SIN_AND_COS(N, ...) \
    OVERLOAD double##N sin(double##N x) { \
        QUARTERS(N) \
        OF_QUARTER(N, sin, sine, cosine, quarter >> 1ul) \
    } \
    OVERLOAD double##N cos(double##N x) { \
        QUARTERS(N) \
        OF_QUARTER(N, cos, cosine, sine, (quarter + 1ul) >> 1ul) \
    }
WIDTHS(SIN_AND_COS, )

#define SINCOS(N, A) OVERLOAD double##N sincos(double##N x, A double##N *p) { *p = cos(x); return sin(x); }
#define SINCOS_SPACE(A, ...) WIDTHS(SINCOS, A)
WRITABLE_SPACES(SINCOS_SPACE, )
