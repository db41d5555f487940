# SPDX-License-Identifier: Apache-2.0
"""Machine code of Intel's Gen chips: our Clang, LLVM's SPIR-V code generator, Intel's compiler (IGC)."""
