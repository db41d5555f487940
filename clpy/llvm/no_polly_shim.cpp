// SPDX-License-Identifier: Apache-2.0
// Debian's static libraries name Polly, an optimizer for nests of loops that clpy does not use, and do not have it.
// Linked into the library of LLVM that a wheel brings (icd/portable.py): a plug-in without passes.
#include <llvm/Plugins/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no Polly", "0", [](llvm::PassBuilder &) {}, nullptr};
}
