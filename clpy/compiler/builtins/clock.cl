// SPDX-License-Identifier: Apache-2.0
// The clock of cl_khr_kernel_clock: the processor's counter of time, the same for every scope.
#include "builtins.h"

#define CLOCK(scope) \
    OVERLOAD ulong clock_read_##scope(void) { return (ulong)__builtin_readcyclecounter(); } \
    OVERLOAD uint2 clock_read_hilo_##scope(void) { return as_uint2((ulong)__builtin_readcyclecounter()); }
CLOCK(device)
CLOCK(work_group)
CLOCK(sub_group)
