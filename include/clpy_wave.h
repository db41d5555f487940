/* SPDX-License-Identifier: Apache-2.0
 * What wavefronts of translated machine code (clpy/compiler/isa) tell the models of GPUs (clpy/device/gpu).
 *
 * `launch->observer` of a translated kernel points to a clpy_wave_sink, one for each thread. Without one (NULL) nothing
 * is told. A kernel's static program is a WaveProgram: blocks, each a list of steps.
 */
#ifndef CLPY_WAVE_H
#define CLPY_WAVE_H

#include <stdint.h>

/* Of the traced variant: what one wavefront did, as 32-bit words from `at` on.
 *
 *   CLPY_WAVE_BEGINS, x, y, z of its group, its index in the group, its number of work-items
 *   then for each block it came to: the block's number,
 *     and for each step of the block that goes to memory, in order:
 *       lines | cycles << 16      distinct lines of 64 bytes; cycles of the address unit, of LDS those of its data
 *       lines times two words     low and high half of the line's address (a host address >> 6), in order of first
 *                                 touch; CLPY_WAVE_PRIVATE is set for memory of this wavefront alone: offset >> 6;
 *                                 CLPY_WAVE_ARGUMENTS for the kernarg segment, of which each call has a copy;
 *                                 only the first where CLPY_WAVE_RUN is among `lines`: the others follow it
 *       atomics only: one word    the largest number of work-items that go to one address
 *
 * A wavefront that stopped, at a barrier or because it gave way, begins again: all its pieces in order are its way. */
#define CLPY_WAVE_BEGINS 0xffffffffu
#define CLPY_WAVE_HEADER 6              /* words */
#define CLPY_WAVE_RUN 0x8000u
#define CLPY_WAVE_LINES 0x7fffu
#define CLPY_WAVE_PRIVATE (UINT64_C(1) << 63)
#define CLPY_WAVE_ARGUMENTS (UINT64_C(1) << 62)

typedef struct clpy_wave_sink clpy_wave_sink;
struct clpy_wave_sink {
    uint64_t *counts;   /* by block: how often a wavefront came to it */
    uint64_t *lanes;    /* by block: the sum of its active work-items */
    uint32_t *at;       /* traced variant: the next word to write */
    uint32_t *end;
    /* Makes room for so many words where fewer remain; changes `at` and `end`. */
    void (*more)(clpy_wave_sink *self, uint32_t words);
    void *printf_buffer;    /* of kernels that print: what the compiler's hidden argument points to */
    /* Traced variant: a wavefront that has told of so many instructions says no more, from a block on that does not
     * follow a barrier. */
    uint64_t most_instructions;
    /* Functions of the host that code may call, in the order of clpy_host_calls.h; NULL: none. */
    const void *const *host_calls;
    /* Traced variant: code of a wavefront that says no more, better than what the variant has itself; NULL: none. */
    const void *quiet;
    /* Traced variant: the wavefronts that start now say nothing. */
    uint64_t is_silent;
    /* Traced variant: only so many wavefronts of each group that starts now say something, the first; 0: all. */
    uint64_t most_waves;
    /* Bytes of the buffers among the arguments, each at its argument's place in the block; NULL: not known. */
    const uint64_t *sizes;
};

#endif
