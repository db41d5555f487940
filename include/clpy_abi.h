/* SPDX-License-Identifier: Apache-2.0
 * The structs that the Cython core, the JITed kernels and the GPU models share. clpy/abi.pxd mirrors
 * this file field for field; the SPMD passes take field offsets from clpy.abi_layout, which is
 * computed from it. Change all three in one commit and raise CLPY_ABI_VERSION: cached binaries carry it.
 */
#ifndef CLPY_ABI_H
#define CLPY_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "clpy_image.h"

#define CLPY_ABI_VERSION 5

/* First member of every object behind a cl_* handle. The loader reads `dispatch`. */
typedef struct clpy_object {
    void *dispatch;    /* cl_icd_dispatch*, the same for all objects of the process */
    void *disp_data;   /* loader's own data (cl_khr_icd 2.0) */
    uint32_t kind;     /* CLPY_KIND_*; 0 in a free slot */
    uint32_t index;    /* of the slot in its kind's region */
    uint32_t apart[10]; /* all threads read what is above, at every call; the counts have another cache line */
    int32_t app_refs;  /* what CL_*_REFERENCE_COUNT reports */
    int32_t run_refs;  /* holders inside the runtime, plus 1 while `named` */
    int32_t named;     /* 1 while the application has references: they count as one in run_refs */
} clpy_object;

/* The buffers are larger than the caches: stores of what is not read again go past them. */
#define CLPY_LAUNCH_STREAMS 1u
/* Who runs the groups clears `local` before each: kernels are called for one group at a time. */
#define CLPY_LAUNCH_ZERO_LOCAL 2u
/* All groups run at the same time, and may wait for each other. */
#define CLPY_LAUNCH_CONCURRENT 4u

/* What kernels compiled for observed lock-step wavefronts tell while they run, from the thread that runs the group.
 * Masks have a bit for each work-item of the wavefront, which is never 0. A site is an index into the kernel's
 * metadata. The functions may not change what the kernel sees. */
typedef struct clpy_observer clpy_observer;
struct clpy_observer {
    /* What follows is done by the work-items `first` (linear local id) and those behind it, of this group. */
    void (*wave)(clpy_observer *self, uint64_t group_x, uint64_t group_y, uint64_t group_z, uint64_t first,
                 uint64_t mask);
    void (*block)(clpy_observer *self, uint32_t site, uint64_t mask);
    void (*branch)(clpy_observer *self, uint32_t site, uint64_t mask, uint64_t taken);
    /* An address per work-item; of those in local memory, the offset from its start. */
    void (*memory)(clpy_observer *self, uint32_t site, uint64_t mask, const uint64_t *addresses);
    void (*barrier)(clpy_observer *self, uint32_t site, uint64_t mask);
};

/* One enqueued NDRange; read-only while it runs. All sizes in work-items. */
typedef struct clpy_launch {
    uint32_t work_dim;
    uint32_t flags;  /* CLPY_LAUNCH_* */
    size_t global_offset[3];
    size_t global_size[3];  /* 1 beyond work_dim */
    size_t local_size[3];   /* as enqueued; the last group of a dimension may be smaller */
    size_t num_groups[3];
    clpy_observer *observer; /* of kernels compiled for it; else not looked at */
} clpy_launch;

/* Memory of the worker thread that runs a group; contents do not outlive the group. */
typedef struct clpy_group_mem {
    unsigned char *local;    /* __local block: static variables first, then pointer arguments; 128-byte aligned */
    unsigned char *context;  /* values of the work-items that live across barriers; 128-byte aligned */
} clpy_group_mem;

/* A kernel as machine code: runs the work-groups (gx_first .. gx_end-1, gy, gz), one after the other.
 * `args` is the captured argument block (layout in the kernel's metadata, 16-byte aligned). An argument in
 * __local memory is stored as a size_t: the byte offset of its storage in group_mem.local. */
typedef void clpy_kernel_fn(const clpy_launch *launch, const unsigned char *args,
                            const clpy_group_mem *mem,
                            size_t gx_first, size_t gx_end, size_t gy, size_t gz);

/* What the kernel's metadata says of one argument; values follow the order of the declaration. */
enum {
    CLPY_ARG_VALUE = 0,     /* plain data of `size` bytes */
    CLPY_ARG_GLOBAL = 1,    /* pointer to __global memory: a buffer or SVM */
    CLPY_ARG_CONSTANT = 2,  /* pointer to __constant memory */
    CLPY_ARG_LOCAL = 3,     /* pointer to __local memory: the host gives a size */
    CLPY_ARG_IMAGE = 4,     /* in the block: the address of a clpy_image */
    CLPY_ARG_SAMPLER = 5,   /* in the block: CLPY_SAMPLER_* in 32 bits */
    CLPY_ARG_PIPE = 6,
    CLPY_ARG_QUEUE = 7
};

#endif
