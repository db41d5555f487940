/* SPDX-License-Identifier: Apache-2.0
 * Which thread is the interpreter's first one.
 */
#ifndef CLPY_MAIN_THREAD_H
#define CLPY_MAIN_THREAD_H

/* Not in every version. The thread that a process begins with is mostly the one. */
extern int clpy_is_main_of_python(void) __asm__("_PyOS_IsMainThread") __attribute__((weak));
#include <sys/types.h>
#include <unistd.h>
extern pid_t gettid(void);
static int clpy_is_main(void) {
    return clpy_is_main_of_python ? clpy_is_main_of_python() : getpid() == gettid();
}
static __thread int clpy_handles_signals;

#endif
