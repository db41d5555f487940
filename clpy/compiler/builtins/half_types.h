/* SPDX-License-Identifier: Apache-2.0
 * Between half and float, of any width; and what the other families have for float, which Clang does not declare where
 * a function of the same name is defined. */
#ifndef CLPY_HALF_TYPES_H
#define CLPY_HALF_TYPES_H

#include "formats.h"

#define HALF_WIDTHS(M) WIDTHS(M, half, short, ushort)
#define HALF_VECTORS(M) VECTORS(M, half, short, ushort)

#define FLOAT(N, x) CONVERT_##N(x, float)
#define HALF(N, x) CONVERT_##N(x, half)

#define OF_FLOAT(N, f) __attribute__((overloadable, const)) float##N f
#define BY_POINTER(N, f) __attribute__((overloadable)) float##N f

#endif
