/* SPDX-License-Identifier: Apache-2.0
 * How a chip's code calls the host: an atomic exchange with a place of which the upper half of the address is
 * CLPY_HOST_CALLS, where no memory is, and the lower half is one of these numbers. What it puts there is the address of
 * the arguments, words of 64 bits, and what it gets is the result.
 *
 * The functions are those of clpy/core/enqueue_kernel.pyx, with "__clpy_" before their names in lower case, and so are
 * the arguments. Those that are addresses are of any memory of the work-item.
 */
#ifndef CLPY_HOST_CALLS_H
#define CLPY_HOST_CALLS_H

#define CLPY_HOST_CALLS 0x00c1c0deu

#define CLPY_EACH_HOST_CALL(M) \
    M(ENQUEUE_KERNEL) M(ENQUEUE_MARKER) M(DEFAULT_QUEUE) M(KERNEL_WORK_GROUP_SIZE) M(KERNEL_PREFERRED_MULTIPLE) \
    M(KERNEL_SUB_GROUP_SIZE) M(KERNEL_MOST_SUB_GROUPS) M(KERNEL_ITEMS_OF_SUB_GROUPS) M(KERNEL_SUB_GROUP_COUNT) \
    M(RETAIN_EVENT) M(RELEASE_EVENT) M(IS_VALID_EVENT) M(CREATE_USER_EVENT) M(NULL_EVENT) M(SET_USER_EVENT_STATUS) \
    M(CAPTURE_EVENT_TIMES)

#define CLPY_HOST_CALL_NUMBER(name) CLPY_CALL_##name,
enum { CLPY_EACH_HOST_CALL(CLPY_HOST_CALL_NUMBER) CLPY_CALLS };

#endif
