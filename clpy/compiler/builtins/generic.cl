// SPDX-License-Identifier: Apache-2.0
// Which memory a generic pointer points to. Addresses say it: those of a group's local and private memory are known
// where it runs (passes/generic_spaces.py), and all others are global.
#include "builtins.h"

__attribute__((const)) bool __clpy_is_local(const __generic void *p);
__attribute__((const)) bool __clpy_is_private(const __generic void *p);

// What Clang calls to_global, to_local and to_private.
__global void *__to_global(void *p);
__local void *__to_local(void *p);
__private void *__to_private(void *p);

__global void *__to_global(void *p) {
    return __clpy_is_local(p) || __clpy_is_private(p) ? (__global void *)0 : (__global void *)p;
}
__local void *__to_local(void *p) {
    return __clpy_is_local(p) ? (__local void *)p : (__local void *)0;
}
__private void *__to_private(void *p) {
    return __clpy_is_private(p) ? (__private void *)p : (__private void *)0;
}

// What is private needs no fence, and one of global memory does no harm.
OVERLOAD cl_mem_fence_flags get_fence(const void *p) {
    return __clpy_is_local(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
OVERLOAD cl_mem_fence_flags get_fence(void *p) { return get_fence((const void *)p); }
