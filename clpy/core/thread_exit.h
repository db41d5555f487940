/* SPDX-License-Identifier: Apache-2.0
 * Something to be done when a thread ends.
 */
#ifndef CLPY_THREAD_EXIT_H
#define CLPY_THREAD_EXIT_H

#include <stddef.h>

/* The C library's way to destroy variables of a thread; exit() begins with those of the thread that calls it. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
static char clpy_this_library;
#define clpy_at_thread_exit(fn) __cxa_thread_atexit_impl(fn, NULL, &clpy_this_library)

#endif
