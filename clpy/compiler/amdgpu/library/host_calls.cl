// SPDX-License-Identifier: Apache-2.0
// A chip's code calls the host (clpy_host_calls.h has how, and whom). clpy/compiler/isa/library/host_calls.c hears it.
#include "builtins.h"
#include "clpy_host_calls.h"

// The order keeps what the arguments point to in memory.
ulong __clpy_call_host(uint number, __private const ulong *words) {
    __generic atomic_ulong *place = (__generic atomic_ulong *)((ulong)CLPY_HOST_CALLS << 32 | number);
    return atomic_exchange_explicit(place, (ulong)(__generic const ulong *)words, memory_order_acq_rel,
                                    memory_scope_work_group);
}
