/* SPDX-License-Identifier: Apache-2.0
 * The signs of powers and roots, of any type.
 */
#ifndef CLPY_SIGNS_H
#define CLPY_SIGNS_H

#define SIGN_BIT(N, T, I) (as_##I##N(x) & as_##I((T)-0.0))

/* x to an integer: the sign is that of x when n is odd. */
#define WITH_SIGN(N, T, I, r) as_##T##N(as_##I##N(r) | (SIGN_BIT(N, T, I) & CONVERT_##N(-(n & 1), I)))

/* A root of what is negative is a number for an odd n only, and none is for 0. */
#define ROOT_SIGN(N, T, I, r) \
    r = WITH_SIGN(N, T, I, r); \
    r = (x < (T)0) & (CONVERT_##N((n & 1), I) == (I)0) ? (T##N)(T)NAN : r; \
    return degree == (T)0 ? (T##N)(T)NAN : r;

#endif
