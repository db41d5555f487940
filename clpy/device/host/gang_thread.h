/* SPDX-License-Identifier: Apache-2.0
 * What each thread of a gang has of its own: gang.pyx says what it is.
 */
#ifndef CLPY_GANG_THREAD_H
#define CLPY_GANG_THREAD_H

#include <stdint.h>

static __thread void *clpy_my_gang;
static __thread uint32_t clpy_my_turns;

#endif
