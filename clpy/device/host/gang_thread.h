/* SPDX-License-Identifier: Apache-2.0
 * What each thread of a gang has of its own: gang.pyx says what it is.
 */
#ifndef CLPY_GANG_THREAD_H
#define CLPY_GANG_THREAD_H

static __thread void *clpy_my_gang;

#endif
