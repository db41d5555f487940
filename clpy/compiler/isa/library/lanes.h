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

/* A call of the host by one lane (host_calls.c): what it gives. */
uint64_t call_host(wave *w, uint32_t number, uint64_t arguments, uint32_t lane);

typedef struct __attribute__((packed)) { uint32_t v; } plain_u32;
typedef struct __attribute__((packed)) { uint16_t v; } plain_u16;

/* Words of one lane, with `stride` bytes from one to the next: 4, or 256 in private memory, whose dwords lie apart.
 * There one that is not aligned, which code for gfx9 and later has, is part of two. */
static inline uint32_t read_word(const char *place, uint32_t stride)
{
    uint32_t odd = (uintptr_t)place & 3;
    if (stride == 4 || !odd)
        return ((const plain_u32 *)place)->v;
    const char *low = place - odd;
    return *(const uint32_t *)low >> 8 * odd | *(const uint32_t *)(low + stride) << (32 - 8 * odd);
}

static inline void write_word(char *place, uint32_t stride, uint32_t value)
{
    uint32_t odd = (uintptr_t)place & 3;
    if (stride == 4 || !odd) {
        ((plain_u32 *)place)->v = value;
        return;
    }
    uint32_t *low = (uint32_t *)(place - odd), *high = (uint32_t *)(place - odd + stride);
    *low = (*low & ((1u << 8 * odd) - 1)) | value << 8 * odd;
    *high = (*high & (~0u << 8 * odd)) | value >> (32 - 8 * odd);
}

static inline uint32_t read_short(const char *place, uint32_t stride)
{
    if (stride == 4 || ((uintptr_t)place & 3) != 3)
        return ((const plain_u16 *)place)->v;
    return *(const uint8_t *)place | (uint32_t)*(const uint8_t *)(place - 3 + stride) << 8;
}

static inline void write_short(char *place, uint32_t stride, uint32_t value)
{
    if (stride == 4 || ((uintptr_t)place & 3) != 3) {
        ((plain_u16 *)place)->v = (uint16_t)value;
        return;
    }
    *(uint8_t *)place = (uint8_t)value;
    *(uint8_t *)(place - 3 + stride) = (uint8_t)(value >> 8);
}

#endif
