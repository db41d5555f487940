/* SPDX-License-Identifier: Apache-2.0
 * Addresses of single lanes, for the accesses that go lane by lane.
 */
#ifndef CLPY_ISA_LANES_H
#define CLPY_ISA_LANES_H

#include "wave.h"

#define FOR_LANES(mask, lane) \
    for (uint32_t left = (mask), lane; left && (lane = __builtin_ctz(left), 1); left &= left - 1)
#define FAR(halves, lane, low) ((uint64_t)(halves)[lane] << 32 | (low)[lane])

typedef struct { vu at[1]; } single;

/* The host's address of one lane's flat address. */
static inline char *flat_place(wave *w, uint64_t address, uint32_t lane)
{
    uint32_t low = (uint32_t)address;
    if (address >> 32 == LOCAL_APERTURE)
        return (char *)w->local + low;
    if (address >> 32 == PRIVATE_APERTURE)
        return (char *)w->scratch + (low >> 2) * 256 + lane * 4 + (low & 3);
    return (char *)address;
}

#endif
