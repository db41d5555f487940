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
/* Not much longer than `ns`; a signal ends it. */
static inline void clpy_futex_wait_for(int32_t *p, int32_t expected, uint64_t ns) {
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    syscall(SYS_futex, p, FUTEX_WAIT_PRIVATE, expected, &t, NULL, 0);
}
static inline void clpy_futex_wake(int32_t *p, int32_t n) {
    syscall(SYS_futex, p, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}
/* Likewise by those of `who` alone, a bit or more: of those that wait, and of those that are woken, one in common. */
static inline void clpy_futex_wait_as(int32_t *p, int32_t expected, uint32_t who) {
    syscall(SYS_futex, p, FUTEX_WAIT_BITSET_PRIVATE, expected, NULL, NULL, who);
}
static inline int32_t clpy_futex_wake_those(int32_t *p, int32_t n, uint32_t who) {
    long woken = syscall(SYS_futex, p, FUTEX_WAKE_BITSET_PRIVATE, n, NULL, NULL, who);
    return woken > 0 ? (int32_t)woken : 0;
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
    int32_t seen = 0;
    if (__atomic_compare_exchange_n(flag, &seen, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || seen != 1)
        clpy_futex_wait_for(flag, 2, ns);
}

static inline void clpy_nap(uint64_t ns) {
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    nanosleep(&t, NULL);
}

static inline void clpy_flag_raise(int32_t *flag) {
    if (__atomic_exchange_n(flag, 1, __ATOMIC_SEQ_CST) == 2)
        clpy_futex_wake(flag, INT_MAX);
}

/* What a mutex protects takes less than a microsecond, sleeping and being called tens of them: where all threads come
 * at once, so many may be in front of this one. */
#define CLPY_MUTEX_SPIN 60000           /* ticks, about 20 us */
#define CLPY_MUTEX_PAUSES 8             /* between two looks: each takes the cache line from whoever is at it */

/* 0 free, 1 taken, 2 taken and somebody may sleep on it. */
static inline void clpy_mutex_lock(int32_t *m) {
    int32_t seen = 0;
    unsigned pauses = 1;
    uint64_t begin;
    if (__atomic_compare_exchange_n(m, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    begin = __builtin_ia32_rdtsc();
    do {
        for (unsigned i = 0; i < pauses; i++)
            __builtin_ia32_pause();
        pauses = pauses < CLPY_MUTEX_PAUSES ? 2 * pauses : pauses;
        seen = 0;
        if (__atomic_load_n(m, __ATOMIC_RELAXED) == 0
            && __atomic_compare_exchange_n(m, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return;
    } while (__builtin_ia32_rdtsc() - begin < CLPY_MUTEX_SPIN);
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
