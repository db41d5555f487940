/* SPDX-License-Identifier: Apache-2.0
 * What the work-items of a sub-group hand to an operation, which one of them does for all, and get from it.
 */
#ifndef CLPY_AVC_H
#define CLPY_AVC_H

#define __CLPY_OF_LIBRARY
#include "opencl.h"
#include "sub_group_block.h"

#define SIZE 16                 /* work-items of a sub-group, and pixels along a macroblock */
#define MY __private
#define HELPER static __attribute__((unused))
#define ENTRY __attribute__((noinline, cold, nothrow))      /* cold functions stay functions (passes/inline.py) */

enum { FORWARD, BACKWARD, BOTH };
enum { OF_16x16, OF_16x8, OF_8x16, OF_8x8, OF_8x4, OF_4x8, OF_4x4 };      /* bits of the partition mask */
enum { MAJORS = 9 };            /* blocks of all major shapes: 16x16, two 16x8, two 8x16, four 8x8 */

typedef struct {
    __clpy_avc_payload p;
    view source, reference[2][4];       /* forward and backward; of each 8x8 block */
    uint reference_ids, reference_fields;
    ulong vectors[SIZE], centers[SIZE];
    uchar left[SIZE], top[SIZE + 8];
    ushort left_chroma[SIZE], top_chroma[SIZE];
    int is_dual, has_stream;
    /* results */
    __clpy_avc_result r;
    ulong found[SIZE];
    ushort distortions[SIZE];
    uint stream_vectors[2][SIZE];
    ushort stream_costs[2][SIZE];
    uchar stream_ids[2][SIZE];
} Work;

/* The operations, on memory that one work-item of the sub-group has. */
ENTRY void __clpy_avc_search(MY Work *w);
ENTRY void __clpy_avc_refine(MY Work *w);
ENTRY void __clpy_avc_check(MY Work *w);
ENTRY void __clpy_avc_intra(MY Work *w, const MY uchar *source);      /* part of a check */

/* A number of 4 bits, moved by the upper 4. */
HELPER int u4u4(uint byte) { return (int)((byte & 15) << (byte >> 4 & 15)); }

HELPER int x_of(uint vector) { return (short)vector; }
HELPER int y_of(uint vector) { return (short)(vector >> 16); }
HELPER uint vector_of(int x, int y) { return (uint)(ushort)x | (uint)(ushort)y << 16; }
HELPER uint half_of(ulong vectors, int direction) { return (uint)(vectors >> 32 * direction); }
HELPER ushort saturated(int x) { return (ushort)(x > 65535 ? 65535 : x); }

#endif
