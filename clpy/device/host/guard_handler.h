/* SPDX-License-Identifier: Apache-2.0
 * The signal handler of guards, for guard.pyx alone, which says what it is for.
 */
#ifndef CLPY_GUARD_HANDLER_H
#define CLPY_GUARD_HANDLER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <ucontext.h>

/* glibc 2.35; safe in a handler, as dladdr is not. NULL elsewhere. */
extern int clpy_find_object(void *address, void *result) __asm__("_dl_find_object") __attribute__((weak));

/* The handler reads it only in threads that have written it: its storage is there. */
static __thread clpy_guard *clpy_my_guard;
static struct sigaction clpy_urg_before;         /* its address also marks the signals that are ours */

static int clpy_is_in_library(uintptr_t address) {
    void *room[32];                      /* more than struct dl_find_object */
    return clpy_find_object && clpy_find_object((void *)address, room) == 0;
}
static void clpy_on_urg(int number, siginfo_t *info, void *context) {
    int kept = errno;
    if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &clpy_urg_before) {
        clpy_guard *guard = clpy_my_guard;       /* none, or another one: the signal is late */
        uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
        if (guard && guard->armed && __atomic_load_n(guard->stop, __ATOMIC_ACQUIRE)
            && !clpy_is_in_library(at)) {
            guard->armed = 0;
            siglongjmp(guard->out, 1);
        }
    } else if (clpy_urg_before.sa_flags & SA_SIGINFO) {
        clpy_urg_before.sa_sigaction(number, info, context);
    } else if (clpy_urg_before.sa_handler != SIG_DFL && clpy_urg_before.sa_handler != SIG_IGN) {
        clpy_urg_before.sa_handler(number);
    }
    errno = kept;
}
static void clpy_handle_urg(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = clpy_on_urg;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGURG, &action, &clpy_urg_before);
}
static void clpy_guard_open(clpy_guard *guard, int32_t *stop) {
    sigset_t urg;
    guard->thread = pthread_self();
    guard->stop = stop;
    guard->armed = 0;
    guard->outer = clpy_my_guard;
    clpy_my_guard = guard;
    sigemptyset(&urg);
    sigaddset(&urg, SIGURG);
    pthread_sigmask(SIG_UNBLOCK, &urg, &guard->mask);
}
static void clpy_guard_close(clpy_guard *guard) {
    clpy_my_guard = guard->outer;
    pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
}
/* Not inline: what it returns to must not depend on registers that the jump restores. */
static int __attribute__((noinline)) clpy_guard_call(clpy_guard *guard, void (*fn)(void *), void *argument) {
    if (sigsetjmp(guard->out, 0) == 0) {
        guard->armed = 1;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (!__atomic_load_n(guard->stop, __ATOMIC_ACQUIRE)) {
            fn(argument);
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
            guard->armed = 0;
            return 1;
        }
        guard->armed = 0;
        return 0;
    }
    /* from anywhere: the x87 stack may be full */
    __asm__ volatile("fninit");
    return 0;
}
static void clpy_guard_look(void) {
    clpy_guard *guard = clpy_my_guard;
    if (guard && guard->armed && __atomic_load_n(guard->stop, __ATOMIC_ACQUIRE)) {
        guard->armed = 0;
        siglongjmp(guard->out, 1);
    }
}
static void clpy_guard_tell(clpy_guard *guard) {
    union sigval ours = { .sival_ptr = &clpy_urg_before };
    pthread_sigqueue(guard->thread, SIGURG, ours);
}

#endif
