/* SPDX-License-Identifier: Apache-2.0
 * What a thread is in the middle of when the process forks.
 */
#ifndef CLPY_FORK_DEPTH_H
#define CLPY_FORK_DEPTH_H

static __thread int clpy_work_depth, clpy_fork_depth;

#endif
