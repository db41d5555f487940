/* SPDX-License-Identifier: Apache-2.0
 *
 * Code that is long or forks widely, cut into parts that LLVM's code generator can take, for emit_shim.cpp.
 */
#ifndef CLPY_CUT_SHIM_H
#define CLPY_CUT_SHIM_H

namespace llvm {
class FunctionPass;
class Module;
} // namespace llvm

/* Whether a function of it has so many blocks that nothing may go over all of them for each value. */
bool clpy_has_many_blocks(const llvm::Module &M);

/* Whether a module may have something to be cut by then. */
bool clpy_wants_cuts(const llvm::Module &M);

/* The pass that cuts, to run behind the one that prepares for code generation, which would undo it. */
llvm::FunctionPass *clpy_cutter();

#endif
