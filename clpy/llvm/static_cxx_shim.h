/* SPDX-License-Identifier: Apache-2.0
 * AMD's static C++ kernel language: kernels that are overloaded, templates or static methods, which C++ for OpenCL does
 * not have. In such programs `kernel` is a macro for the attribute clpy_kernel (compiler/frontend.py).
 */
#ifndef CLPY_STATIC_CXX_SHIM_H
#define CLPY_STATIC_CXX_SHIM_H

#include <memory>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang
namespace llvm {
class Module;
}

namespace clpy {

/* Makes kernels of what has the attribute, and refuses what the language has not; to be asked before code is made. NULL
 * for a program in another language. */
std::unique_ptr<clang::ASTConsumer> static_cxx(clang::CompilerInstance &Compiler);

/* Kernels get the names that programs know them by: their own, or their signatures. To be asked on the same thread. */
void name_kernels(llvm::Module &Module);

} // namespace clpy
#endif
