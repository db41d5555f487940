/* SPDX-License-Identifier: Apache-2.0
 * What each thread has of its own for callbacks: callback.pyx says what it is.
 */
#ifndef CLPY_CALLBACK_THREAD_H
#define CLPY_CALLBACK_THREAD_H

static __thread int clpy_in_callback;

#endif
