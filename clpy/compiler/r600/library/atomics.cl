/* SPDX-License-Identifier: Apache-2.0
 * Counting: as additions, which LLVM's code generator for VLIW chips has.
 */
#define OVERLOADED __attribute__((overloadable))
#define COUNTS(space, type)                                                                     \
    type OVERLOADED atomic_inc(volatile space type *p) { return atomic_add(p, (type)1); }       \
    type OVERLOADED atomic_dec(volatile space type *p) { return atomic_sub(p, (type)1); }       \
    type OVERLOADED atom_inc(volatile space type *p) { return atomic_add(p, (type)1); }         \
    type OVERLOADED atom_dec(volatile space type *p) { return atomic_sub(p, (type)1); }

COUNTS(global, int)
COUNTS(global, uint)
COUNTS(local, int)
COUNTS(local, uint)
