/* SPDX-License-Identifier: Apache-2.0
 * Where the lanes of an access are that is traced: from vector registers to addresses, and whether that is needed.
 */
#ifndef CLPY_ISA_PLACES_H
#define CLPY_ISA_PLACES_H

#include "wave.h"

#define PRIVATE CLPY_WAVE_PRIVATE
#define NO_REGISTER 0xffffffffu         /* an access whose lanes add nothing to the base */
#define FURTHEST (UINT32_MAX - (1 << 14))       /* from there on the sums of some lanes may have more than 32 bits */

/* A load, store or atomic of so many bytes a lane; it takes `least` cycles (clpy/compiler/isa/gcn/observe.py). */
enum { LOAD, STORE, ATOMIC };
#define BYTES(access) ((access) & 255)
#define KIND(access) ((access) >> 8 & 255)
#define LEAST(access) ((access) >> 16)

static inline const vu *registers(const wave *w, uint32_t at)
{
    static const vu zeros[PARTS];
    return at == NO_REGISTER ? zeros : w->v[at];
}

static inline int is_zero(vu x) { return __builtin_reduce_or(x) == 0; }

/* Whether each lane's value is that of the lane before and so much more. */
static inline int are_in_steps(const vu *lanes, uint32_t step)
{
    vu row = lanes[0][0] + IOTA(vu) * step, other = lanes[0] ^ row;
    for (uint32_t part = 1; part < PARTS; part++)
        other |= lanes[part] ^ (row + part * LANES * step);
    return is_zero(other);
}

/* Addresses of 16 lanes as the trace has them: bit 63 for private memory. */
#define PUT(part, value) *(vq *)&w->address[(part) * LANES] = (value)

static inline void place_near(wave *w, vu low, uint64_t base, uint32_t part) { PUT(part, base + CONVERT(low, vq)); }

static inline void place_far(wave *w, vu low, vu high, uint64_t base, uint32_t part)
{
    PUT(part, base + CONVERT(low, vq) + (CONVERT(high, vq) << 32));
}

static inline uint32_t private_word(uint32_t low) { return (low >> 2) * 256u + (low & 3u); }

static inline vq private_place(vu low, uint64_t offset, uint32_t part)
{
    vu word = (low >> 2) * 256u + (low & 3u) + (IOTA(vu) + part * LANES) * 4u;
    return (CONVERT(word, vq) + offset) | PRIVATE;
}

static inline void place_private(wave *w, vu low, uint64_t base, uint32_t part)
{
    PUT(part, private_place(low, base - (uint64_t)w->scratch, part));
}

static inline void place_flat(wave *w, vu low, vu high, uint64_t base, uint32_t part)
{
    vq address = base + CONVERT(low, vq) + (CONVERT(high, vq) << 32), top = address >> 32;
    vq local = (address & 0xfffffffful) + (uint64_t)w->local;
    vq private = private_place(CONVERT(address, vu), 0, part);
    address = top == LOCAL_APERTURE ? local : address;
    PUT(part, top == PRIVATE_APERTURE ? private : address);
}

#endif
