/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels whose code is made later, one by one, for clpy/llvm/kernels.pyx.
 */
#ifndef CLPY_KERNELS_SHIM_H
#define CLPY_KERNELS_SHIM_H

#include <llvm-c/Types.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the code generation of a linked module might refuse, in a few words; NULL where it will not. Loops may be nested
 * up to `most_nested` deep, with all that is called from them. */
const char *clpy_obstacle(LLVMModuleRef module, unsigned most_nested);

/* Kernels of the module in a piece of bitcode, and what they reach; the bodies of other functions are not even read.
 * NULL with *message set, which the caller frees with LLVMDisposeMessage. */
LLVMModuleRef clpy_extract(LLVMContextRef context, const char *bitcode, size_t size, const char *const *names,
                           size_t n_names, char **message);

#ifdef __cplusplus
}
#endif
#endif
