// SPDX-License-Identifier: Apache-2.0
// cl_intel_split_work_group_barrier: who has arrived goes on at once, as a group runs on one thread; the wait is the
// barrier, which orders what came before the arrival too.
#include "builtins.h"

#define SPLIT __attribute__((overloadable, convergent, always_inline))

void SPLIT intel_work_group_barrier_arrive(cl_mem_fence_flags flags) { }
void SPLIT intel_work_group_barrier_arrive(cl_mem_fence_flags flags, memory_scope scope) { }
void SPLIT intel_work_group_barrier_wait(cl_mem_fence_flags flags) { work_group_barrier(flags); }
void SPLIT intel_work_group_barrier_wait(cl_mem_fence_flags flags, memory_scope scope)
{
    work_group_barrier(flags, scope);
}
