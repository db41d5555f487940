/* SPDX-License-Identifier: Apache-2.0
 * What each thread has of its own for printf: printf.pyx says what it is.
 */
#ifndef CLPY_PRINTF_THREAD_H
#define CLPY_PRINTF_THREAD_H

static __thread int clpy_has_printed;

#endif
