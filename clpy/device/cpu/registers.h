/* SPDX-License-Identifier: Apache-2.0
 * The widest vector registers of this processor, as far as kernels are compiled for them.
 */
#ifndef CLPY_REGISTERS_H
#define CLPY_REGISTERS_H

static int clpy_register_bytes(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vl") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
}

#endif
