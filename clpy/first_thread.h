/* SPDX-License-Identifier: Apache-2.0
 * For signals.pyx: is this the thread that the process began with, and does it mind signals?
 */
#ifndef CLPY_FIRST_THREAD_H
#define CLPY_FIRST_THREAD_H

#include <sys/types.h>
#include <unistd.h>

extern pid_t gettid(void);
static int clpy_is_first_thread(void) { return getpid() == gettid(); }
static __thread int clpy_minds_signals;

#endif
