/* SPDX-License-Identifier: Apache-2.0
 * Around a fault of LLVM 22 in vectors of AVX-512.
 */
#ifndef CLPY_BIT_SELECT_SHIM_H
#define CLPY_BIT_SELECT_SHIM_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

/* Bits taken from two values by a constant mask, `(a & C) | (b & ~C)`, under a mask of lanes become one vpternlog that
 * reads the constant, or a value, from memory: with its operands in the wrong order, so that it computes something
 * else. Where a select takes such a value, what the constants are is hidden from LLVM: it makes a vpternlog all the
 * same, of registers, and a masked move. `Machine` says whether there is AVX-512 at all. */
void clpy_hide_bit_masks(const llvm::TargetMachine &Machine, llvm::Module &M);

#endif
