// SPDX-License-Identifier: Apache-2.0
#include "emit_shim.h"

#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/RegisterTargetPassConfigCallback.h>

using namespace llvm;

namespace {

thread_local bool LinesAlone = false; // this thread compiles a module of ours that has nothing else

bool has_lines_alone(const Module &M) {
  for (const DICompileUnit *Unit : M.debug_compile_units())
    if (Unit->getEmissionKind() == DICompileUnit::FullDebug)
      return false;
  return true;
}

void leave_out(TargetMachine &, PassManagerBase &, TargetPassConfig *Config) {
  if (LinesAlone)
    Config->disablePass(&LiveDebugValuesID);
}

} // namespace

extern "C" LLVMBool clpy_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType kind,
                              char **message, LLVMMemoryBufferRef *out) {
  static RegisterTargetPassConfigCallback Added(leave_out);
  LinesAlone = has_lines_alone(*unwrap(module));
  LLVMBool Failed = LLVMTargetMachineEmitToMemoryBuffer(machine, module, kind, message, out);
  LinesAlone = false;
  return Failed;
}
