/* SPDX-License-Identifier: Apache-2.0
 * What a kernel that is translated from a GPU's machine code tells of its wavefronts: the contract between
 * clpy/compiler/isa, which writes it, and clpy/device/gpu/timing, which makes time of it. timing/waves.pxd mirrors this
 * file; `Step` of clpy/compiler/isa has the same numbers.
 *
 * The STATIC program of a kernel is a list of blocks, each a list of steps: instructions of one unit, merged as long as
 * they follow each other. A wavefront's DYNAMIC trace is the blocks it goes through, with what only running tells:
 *
 *   CLPY_WAVE_HEADER, group x, y, z, index of the wavefront in its group, number of its work-items
 *   for each block that it goes through, in order:
 *     the number of the block
 *     for each step of it whose unit is VMEM, SMEM or LDS, in order:
 *       lines | cycles << 16                 lines: distinct lines of 64 bytes that are touched, at most 65535
 *                                            cycles: VMEM: of the address unit; LDS: of data; SMEM: 0
 *       lines x (low, high word of a 64-bit line number), in the order of the first touch
 *       if its kind is ATOMIC or ATOMIC_RETURN: the largest number of work-items at one address
 *
 * All are 32-bit words. A line number is the host's address >> 6, with CLPY_LINE_SCRATCH: the offset in the
 * wavefront's scratch >> 6. LDS steps have no lines. A barrier is the last step of its block, END the last of a
 * wavefront. A wavefront that gives way and goes on writes a header again: its pieces put together are its trace.
 */
#ifndef CLPY_WAVE_H
#define CLPY_WAVE_H

#include <stdint.h>

enum { CLPY_WAVE_HEADER = 0xffffffffu, CLPY_WAVE_HEADER_WORDS = 6 };
#define CLPY_LINE_SCRATCH 0x8000000000000000ull

enum clpy_unit {
    CLPY_UNIT_VALU = 0,
    CLPY_UNIT_SALU = 1,
    CLPY_UNIT_BRANCH = 2,    /* `cycles` where it is not taken; it was where another block than the next one follows */
    CLPY_UNIT_SMEM = 3,
    CLPY_UNIT_VMEM = 4,
    CLPY_UNIT_LDS = 5,
    CLPY_UNIT_EXPORT = 6,
    CLPY_UNIT_MESSAGE = 7,   /* s_sendmsg, s_nop, s_sleep: of the wavefront alone */
    CLPY_UNIT_WAIT = 8,      /* s_waitcnt */
    CLPY_UNIT_BARRIER = 9,
    CLPY_UNIT_END = 10,
    CLPY_UNIT_COUNT = 11
};

enum clpy_memory_kind {
    CLPY_MEMORY_NONE = 0,
    CLPY_MEMORY_LOAD = 1,
    CLPY_MEMORY_STORE = 2,
    CLPY_MEMORY_ATOMIC = 3,
    CLPY_MEMORY_ATOMIC_RETURN = 4,
    CLPY_MEMORY_IMAGE_LOAD = 5,
    CLPY_MEMORY_IMAGE_STORE = 6,
    CLPY_MEMORY_IMAGE_SAMPLE = 7
};

enum { CLPY_WAIT_ANY = 255 };    /* of vm, lgkm and exp: any number may be outstanding */

/* Where a thread's wavefronts write; `launch->observer` points to it. A launch whose observer it is does not use the
 * functions of clpy_observer. */
typedef struct clpy_wave_sink clpy_wave_sink;
struct clpy_wave_sink {
    uint64_t *counts;    /* by block: wavefronts that went through it */
    uint64_t *lanes;     /* by block: work-items that were active in it, added up */
    uint32_t *at;        /* traced: the next word to be written, */
    uint32_t *end;       /* and the end of the room */
    void (*more)(clpy_wave_sink *self, uint32_t words);    /* makes room for so many words: changes at and end */
};

#endif
