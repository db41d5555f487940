/* SPDX-License-Identifier: Apache-2.0
 * What stands at the head of a stack (clpy/stack.pxd) that takes nothing any more.
 */
#ifndef CLPY_STACK_H
#define CLPY_STACK_H

#define CLPY_CLOSED ((void *)1)

#endif
