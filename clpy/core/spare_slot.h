/* SPDX-License-Identifier: Apache-2.0
 * The slot of the last command that this thread let go of. Included by one module.
 */
#ifndef CLPY_SPARE_SLOT_H
#define CLPY_SPARE_SLOT_H

#include <stdint.h>

#include "thread_exit.h"

static __thread uint32_t clpy_spare_slot;          /* its index + 1, 0: none */
static __thread int clpy_spare_state;              /* whether it may have one: 0 not asked yet, 1 yes, -1 no */

static inline int clpy_may_have_spare(void (*at_exit)(void *))
{
    if (clpy_spare_state == 0)
        clpy_spare_state = clpy_at_thread_exit(at_exit) == 0 ? 1 : -1;
    return clpy_spare_state > 0;
}

#endif
