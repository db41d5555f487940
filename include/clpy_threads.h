/* SPDX-License-Identifier: Apache-2.0
 * Threads of ours. All of it inline.
 */
#ifndef CLPY_THREADS_H
#define CLPY_THREADS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <pthread.h>
#include "clpy_host_thread.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

extern int pthread_setname_np(pthread_t thread, const char *name);

struct clpy_thread_start { void (*fn)(void *); void *argument; char name[16]; };

static void *clpy_thread_main(void *p) {
    struct clpy_thread_start start = *(struct clpy_thread_start *)p;
    free(p);
    clpy_fp_enter();         /* a thread begins with what the one that started it has */
    pthread_setname_np(pthread_self(), start.name);
    start.fn(start.argument);
    return NULL;
}
/* With all signals blocked from its first instruction: they are the application's business. Detached without
   `made`. */
static inline int clpy_thread_make(void (*fn)(void *), void *argument, const char *name, size_t stack,
                                   pthread_t *made) {
    struct clpy_thread_start *start = malloc(sizeof *start);
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;
    int failed;
    if (!start)
        return 0;
    start->fn = fn;
    start->argument = argument;
    strncpy(start->name, name, 15);
    start->name[15] = 0;
    pthread_attr_init(&attr);
    if (!made)
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (stack)
        pthread_attr_setstacksize(&attr, stack);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(made ? made : &thread, &attr, clpy_thread_main, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (failed)
        free(start);
    return !failed;
}
static inline int clpy_thread_start(void (*fn)(void *), void *argument, const char *name, size_t stack) {
    return clpy_thread_make(fn, argument, name, stack, NULL);
}
static inline void clpy_at_fork_in_child(void (*fn)(void)) { pthread_atfork(NULL, NULL, fn); }

#endif
