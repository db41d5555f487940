/* SPDX-License-Identifier: Apache-2.0
 * What each thread has of its own of the pool: pool.pyx says what it is.
 */
#ifndef CLPY_POOL_THREAD_H
#define CLPY_POOL_THREAD_H

static __thread void *clpy_my_scratch, *clpy_my_pool, *clpy_my_home;
static __thread int32_t clpy_my_number;

#endif
