/* SPDX-License-Identifier: Apache-2.0
 * What a thread of the host program brings along that code of ours must not meet: floating-point exceptions that trap
 * and other rounding, a request to be cancelled in the middle, a stack of a few pages. All of it inline.
 */
#ifndef CLPY_HOST_THREAD_H
#define CLPY_HOST_THREAD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

/* ---- floating point: round to nearest, nothing traps, subnormal numbers are kept, x87 at full precision ---- */

enum { CLPY_MXCSR = 0x1f80, CLPY_X87 = 0x037f };
typedef struct clpy_fp_state { uint32_t mxcsr; uint16_t x87; } clpy_fp_state;

static inline struct clpy_fp_state clpy_fp_enter(void) {
    struct clpy_fp_state before;
    const uint32_t mxcsr = CLPY_MXCSR;
    const uint16_t x87 = CLPY_X87;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(before.mxcsr), "=m"(before.x87));
    if (before.mxcsr != mxcsr)
        __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    if (before.x87 != x87)
        __asm__ volatile("fldcw %0" : : "m"(x87));
    return before;
}

static inline void clpy_fp_leave(struct clpy_fp_state before) {
    __asm__ volatile("ldmxcsr %0" : : "m"(before.mxcsr));
    if (before.x87 != CLPY_X87)
        __asm__ volatile("fldcw %0" : : "m"(before.x87));
}

/* ---- all of it, around what takes long ---- */

typedef struct clpy_host_state { struct clpy_fp_state fp; int cancel; } clpy_host_state;

static inline struct clpy_host_state clpy_host_leave_out(void) {
    struct clpy_host_state before;
    before.cancel = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.cancel);
    before.fp = clpy_fp_enter();
    return before;
}

static inline void clpy_host_go_back(struct clpy_host_state before) {
    clpy_fp_leave(before.fp);
    pthread_setcancelstate(before.cancel, NULL);
}

/* ---- the stack ---- */

/* Are there `bytes` left of this thread's stack? The first thread of a process is not looked at, whose stack grows. */
static inline int clpy_stack_has(size_t bytes) {
    static __thread char *lowest;
    if (!lowest) {
        pthread_attr_t attributes;
        void *start = NULL;
        size_t size;
        if (syscall(SYS_gettid) != getpid() && pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstack(&attributes, &start, &size);
            pthread_attr_destroy(&attributes);
        }
        lowest = start ? (char *)start : (char *)1;
    }
    return (uintptr_t)__builtin_frame_address(0) - (uintptr_t)lowest > bytes;
}

#endif
