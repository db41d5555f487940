/* SPDX-License-Identifier: Apache-2.0
 * Machine code of a module, without the passes that have nothing to do for it.
 */
#ifndef CLPY_EMIT_SHIM_H
#define CLPY_EMIT_SHIM_H

#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* LLVMTargetMachineEmitToMemoryBuffer. Where the module's debug information is line tables alone, as it nearly always
 * is, values of variables are not followed through the code: there are none, but looking for them takes an eighth of
 * the time. `hurried`: addresses in loops are computed as they are written (no loop strength reduction, which takes up
 * to half of the time), and instructions of a block stay in their order. What others in the process compile with this
 * LLVM stays as it is. `kept` is NULL at first, then what the next call for the machine begins with: to list the passes
 * takes a third of a trivial module's time. It is forgotten before the machine is. */
typedef struct clpy_emitter clpy_emitter;
LLVMBool clpy_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType kind, LLVMBool hurried,
                   clpy_emitter **kept, char **message, LLVMMemoryBufferRef *out);
void clpy_forget_emitter(clpy_emitter *kept);

#ifdef __cplusplus
}
#endif
#endif
