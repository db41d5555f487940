/* SPDX-License-Identifier: Apache-2.0
 * Numbers of 16 bits.
 */
#ifndef CLPY_HALF_H
#define CLPY_HALF_H

#include <stdint.h>

#include <string.h>
/* independent of the rounding mode of the thread, which is the application's */
extern float roundevenf(float);
static uint16_t clpy_half(float x) { _Float16 h = (_Float16)x; uint16_t bits; memcpy(&bits, &h, 2); return bits; }

#endif
