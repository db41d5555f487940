/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a debugger finds the variables of a kernel, for clpy/llvm/variables.pyx.
 */
#ifndef CLPY_VARIABLES_SHIM_H
#define CLPY_VARIABLES_SHIM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Variables have no address spaces, as on the CPU: LLVM could not tell the parts of such a one. */
void clpy_leave_spaces(void *module);

/* A module (LLVMModuleRef) of a program that was compiled with -g: each variable of a kernel gets a place in private
 * memory, which is written whenever the variable changes; so do the ids of the work-item, as variables global_id,
 * local_id and group_id. The places are allocas with the metadata clpy.variable. */
void clpy_keep_variables(void *module);

/* All regions of a kernel function (LLVMValueRef) have the variables in one place. */
void clpy_join_variables(void *function);

/* What lies at `place` is the variable that `alloca` (LLVMValueRef) was the place of; said before the instruction
 * `before`. */
void clpy_move_variable(void *alloca, void *place, void *before);

#ifdef __cplusplus
}
#endif
#endif
