// SPDX-License-Identifier: Apache-2.0
// A chip's code calls the host (clpy_host_calls.h has how, and whom). clpy/compiler/isa/library/host_calls.c hears it.
#include "builtins.h"
#include "clpy_host_calls.h"

// To Intel's compiler an atomic operation touches nothing but its place: the fences keep what the words lead to.
ulong __clpy_call_host(uint number, __private const ulong *words) {
    volatile __global ulong *place = (volatile __global ulong *)((ulong)CLPY_HOST_CALLS << 32 | number);
    mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    ulong result = atom_xchg(place, (ulong)words);
    mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    return result;
}
