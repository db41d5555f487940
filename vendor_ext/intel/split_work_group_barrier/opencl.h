// SPDX-License-Identifier: Apache-2.0
// cl_intel_split_work_group_barrier in OpenCL C: what programs find declared.
// Read where a program says: intel_
#define __CLPY_F __attribute__((overloadable, convergent))
void __CLPY_F intel_work_group_barrier_arrive(cl_mem_fence_flags);
void __CLPY_F intel_work_group_barrier_wait(cl_mem_fence_flags);
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200
void __CLPY_F intel_work_group_barrier_arrive(cl_mem_fence_flags, memory_scope);
void __CLPY_F intel_work_group_barrier_wait(cl_mem_fence_flags, memory_scope);
#endif
#undef __CLPY_F
