/* SPDX-License-Identifier: Apache-2.0
 * What keeps two errors of LLVM 22 from code for AMD's chips, and what LLVM takes long for in long blocks.
 */
#ifndef CLPY_AMDGPU_SHIM_H
#define CLPY_AMDGPU_SHIM_H

#ifdef __cplusplus
extern "C" {
#endif

/* From now on code for these chips is generated with three passes more. To be called once. */
void clpy_add_amdgpu_passes(void);

#ifdef __cplusplus
}
#endif
#endif
