/* SPDX-License-Identifier: Apache-2.0
 * The memory of a pipe: made by the core, used by the OpenCL C library, which is why it is in a file of its own that
 * both languages understand.
 */
#ifndef CLPY_PIPE_H
#define CLPY_PIPE_H

#ifdef __OPENCL_C_VERSION__
typedef ulong clpy_pipe_u64;
typedef uint clpy_pipe_u32;
#else
#include <stdint.h>
typedef uint64_t clpy_pipe_u64;
typedef uint32_t clpy_pipe_u32;
#endif

/* A ring of places for packets. Behind this come a number of state for each place, then for each the number of packets
 * of the reservation that begins there, then from the next multiple of CLPY_PIPE_ALIGN bytes on the packets.
 *
 * A cursor is the number of a place in its lower half, and in the upper how often the ring was gone round before. Who
 * moves a cursor past a place owns it. In round n a place may be written at state 2n and read at 2n + 1; who has done
 * either adds one. A new pipe is zero but for the two sizes.
 */
typedef struct clpy_pipe {
    clpy_pipe_u64 written;       /* the cursor of those that write */
    clpy_pipe_u32 packet_size;   /* bytes */
    clpy_pipe_u32 max_packets;   /* places */
    clpy_pipe_u64 apart[6];      /* a cache line for each cursor */
    clpy_pipe_u64 taken;         /* the cursor of those that read */
    clpy_pipe_u64 unused[7];
} clpy_pipe;

enum { CLPY_PIPE_ALIGN = 128 };  /* the largest type */

#endif
