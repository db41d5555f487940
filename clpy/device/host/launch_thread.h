/* SPDX-License-Identifier: Apache-2.0
 * What each thread has of its own for launching: launch.pyx says what it is.
 */
#ifndef CLPY_LAUNCH_THREAD_H
#define CLPY_LAUNCH_THREAD_H

static __thread uint32_t clpy_short_runs;
static __thread void *clpy_task_running;

#endif
