/* SPDX-License-Identifier: Apache-2.0
 * What the functions behind translated instructions share. A wavefront's 64 lanes are four vectors of 16, of chips
 * with wavefronts of 32 the first two; a function works on one of them, `part` 0 to 3, or on all, of which lanes that
 * are not there are off.
 */
#ifndef CLPY_ISA_WAVE_H
#define CLPY_ISA_WAVE_H

#include <stdint.h>
#include <stddef.h>
#include "clpy_abi.h"
#include "clpy_wave.h"

#define LANES 16
#define PARTS 4
#define WAVE 64
#define VECTOR(type) __attribute__((ext_vector_type(LANES))) type
typedef VECTOR(uint32_t) vu;
typedef VECTOR(int32_t) vi;
typedef VECTOR(float) vf;
typedef VECTOR(double) vd;
typedef VECTOR(unsigned long) vq;
typedef VECTOR(long) vl;
typedef VECTOR(_Float16) vh;
typedef VECTOR(uint16_t) vw;
typedef VECTOR(int16_t) vs;
typedef VECTOR(uint8_t) vb;
typedef VECTOR(int8_t) vc;
typedef VECTOR(_Bool) vm;
typedef struct { vu at[2]; } pair;
typedef struct { vu at[3]; } triple;
typedef struct { vu at[4]; } quad;

#define INLINE __attribute__((always_inline))
#define APART __attribute__((noinline))
#define ALL 0xffffu
/* Upper halves of flat addresses that are not addresses of the host. */
#define LOCAL_APERTURE 0xffff0001u
#define PRIVATE_APERTURE 0xffff0002u
#define MAX_TURNS (1u << 16)        /* when `turns` is more, a wavefront that may wait for another one gives way */

#define AS(type, value) __builtin_bit_cast(type, value)
#define CONVERT(value, type) __builtin_convertvector(value, type)
#define IOTA(type) ((type){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})

/* A wavefront while it runs. Initial registers are here when it begins, live ones while it waits. */
typedef struct wave {
    uint64_t exec, vcc;
    unsigned char *local, *scratch;
    const clpy_launch *launch;
    uint64_t image;                 /* where the program's data lie */
    uint32_t group[3], index;       /* for the trace */
    uint32_t lanes, resume, m0, scc;
    uint32_t turns, tells, goes_on, reserved;   /* its way is told; its next block in any case */
    uint32_t s[128];
    clpy_wave_sink *sink;           /* NULL: nobody is told of anything */
    uint64_t *counts, *active;      /* by block */
    uint64_t kernarg, kernarg_bytes;
    uint64_t told;                  /* instructions */
    uint64_t reserved_too[2];
    uint64_t address[WAVE];         /* of the access that is being traced */
    vu v[][PARTS];
} wave;

INLINE static inline uint32_t bits_of(vm mask) { return AS(uint16_t, mask); }
INLINE static inline vi mask_of(vm mask) { return -CONVERT(mask, vi); }
INLINE static inline vu choose(vm mask, vu yes, vu no) { return mask_of(mask) ? yes : no; }

#endif
