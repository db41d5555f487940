/* SPDX-License-Identifier: Apache-2.0
 * What math_elementwise.cl has for floats and doubles, as the operations that they are. Programs would have to link one
 * more file for a function that calls them, which takes a quarter of a millisecond. */
#ifndef CLPY_ELEMENTWISE_H
#define CLPY_ELEMENTWISE_H

#define fabs(x) __builtin_elementwise_abs(x)
#define ceil(x) __builtin_elementwise_ceil(x)
#define floor(x) __builtin_elementwise_floor(x)
#define rint(x) __builtin_elementwise_rint(x)
#define trunc(x) __builtin_elementwise_trunc(x)
#define sqrt(x) __builtin_elementwise_sqrt(x)
#define copysign(x, y) __builtin_elementwise_copysign(x, y)
#define fma(x, y, z) __builtin_elementwise_fma(x, y, z)
#define fmax(x, y) __builtin_elementwise_maxnum(x, y)
#define fmin(x, y) __builtin_elementwise_minnum(x, y)

#endif
