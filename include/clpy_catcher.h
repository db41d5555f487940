/* SPDX-License-Identifier: Apache-2.0
 * What a thread that is inside a kernel has for its fault: clpy/device/host/fault.
 */
#ifndef CLPY_CATCHER_H
#define CLPY_CATCHER_H

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
enum { CLPY_FAULT_STACK = 16 };      /* words; FAULT_STACK of clpy.device.base */
typedef struct clpy_catcher {
    sigjmp_buf out;
    volatile sig_atomic_t armed, noted, left, asked;
    uint32_t context;                    /* whose kernel it is */
    struct clpy_catcher *outer;
    int compiles;                        /* not a kernel runs, but the compiler */
    uintptr_t kernel[2];                 /* return addresses into it are a little above one of these */
    size_t x, n, y, z;                   /* for these groups */
    int number, code;                    /* of the signal, and what follows: filled in by the handler */
    uintptr_t pc, address, error, trap;
    uintptr_t stack[CLPY_FAULT_STACK];
} clpy_catcher;

#endif
