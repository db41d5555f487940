/* SPDX-License-Identifier: Apache-2.0
 * What a thread has that may be taken out of a kernel: clpy/device/host/guard.
 */
#ifndef CLPY_GUARD_H
#define CLPY_GUARD_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
typedef struct clpy_guard {
    sigjmp_buf out;
    sigset_t mask;                       /* the thread's own */
    pthread_t thread;
    int32_t *stop;
    volatile sig_atomic_t armed;
    struct clpy_guard *outer, *next, *before;
} clpy_guard;

#endif
