/* SPDX-License-Identifier: Apache-2.0
 * What the programs that measure calls have in common.
 */
#ifndef CLPY_BENCH_DRIVER_H
#define CLPY_BENCH_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, err);
        exit(1);
    }
}

/* In nanoseconds. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

#endif
