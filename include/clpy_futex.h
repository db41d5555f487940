/* SPDX-License-Identifier: Apache-2.0
 * Waiting for a number to change, in the kernel. All of it inline.
 */
#ifndef CLPY_FUTEX_H
#define CLPY_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline void clpy_futex_wait(int32_t *p, int32_t expected) {
    syscall(SYS_futex, p, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}
static inline void clpy_futex_wake(int32_t *p, int32_t n) {
    syscall(SYS_futex, p, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}
static inline void clpy_flag_wait(int32_t *flag) {
    for (;;) {
        int32_t seen = 0;
        if (!__atomic_compare_exchange_n(flag, &seen, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && seen == 1)
            return;
        clpy_futex_wait(flag, 2);
        if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 1)
            return;
    }
}
/* Not much longer than `ns`; the flag may be raised or not. */
static inline void clpy_flag_wait_for(int32_t *flag, uint64_t ns) {
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    int32_t seen = 0;
    if (__atomic_compare_exchange_n(flag, &seen, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || seen != 1)
        syscall(SYS_futex, flag, FUTEX_WAIT_PRIVATE, 2, &t, NULL, 0);
}

static inline void clpy_nap(uint64_t ns) {
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    nanosleep(&t, NULL);
}

static inline void clpy_flag_raise(int32_t *flag) {
    if (__atomic_exchange_n(flag, 1, __ATOMIC_SEQ_CST) == 2)
        clpy_futex_wake(flag, INT_MAX);
}
/* 0 free, 1 taken, 2 taken and somebody may sleep on it. */
static inline void clpy_mutex_lock(int32_t *m) {
    int32_t seen = 0;
    if (__atomic_compare_exchange_n(m, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    for (int i = 0; i < 40; i++) {
        __builtin_ia32_pause();
        seen = 0;
        if (__atomic_load_n(m, __ATOMIC_RELAXED) == 0
            && __atomic_compare_exchange_n(m, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return;
    }
    while (__atomic_exchange_n(m, 2, __ATOMIC_ACQUIRE) != 0)
        clpy_futex_wait(m, 2);
}
static inline void clpy_mutex_unlock(int32_t *m) {
    if (__atomic_exchange_n(m, 0, __ATOMIC_SEQ_CST) == 2)
        clpy_futex_wake(m, 1);
}
static inline uint64_t clpy_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
