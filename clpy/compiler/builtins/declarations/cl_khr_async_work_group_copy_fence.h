// SPDX-License-Identifier: Apache-2.0
// cl_khr_async_work_group_copy_fence in OpenCL C: what programs find declared.
// Read where a program says: async_work_group_
void __attribute__((overloadable)) async_work_group_copy_fence(cl_mem_fence_flags);
