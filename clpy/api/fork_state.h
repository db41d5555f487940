/* SPDX-License-Identifier: Apache-2.0
 * What the thread that forks keeps from before to after it: process.pyx.
 */
#ifndef CLPY_FORK_STATE_H
#define CLPY_FORK_STATE_H

static __thread PyGILState_STATE clpy_fork_state;

#endif
