// SPDX-License-Identifier: Apache-2.0
// cl_intel_concurrent_dispatch: a barrier of the group, a call by one of its work-items that returns when all groups
// have made it (clpy/device/host/gang), and a barrier again.
#include "builtins.h"

uint __clpy_launch_flags(void);
void __clpy_meet(void);

#define CONCURRENT 4u            // CLPY_LAUNCH_CONCURRENT of clpy_abi.h
#define MEETING __attribute__((overloadable, convergent, always_inline))

bool OVERLOAD intel_is_device_barrier_valid(void)
{
    return (__clpy_launch_flags() & CONCURRENT) != 0;
}

void MEETING intel_device_barrier(cl_mem_fence_flags flags)
{
    work_group_barrier(flags);
    if (get_local_linear_id() == 0)
        __clpy_meet();
    work_group_barrier(flags);
}

void MEETING intel_device_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    intel_device_barrier(flags);
}
