// SPDX-License-Identifier: Apache-2.0
// cl_intel_concurrent_dispatch in OpenCL C: what programs find declared.
// Read where a program says: device_barrier
#define __CLPY_F __attribute__((overloadable))
bool __CLPY_F intel_is_device_barrier_valid(void);
void __CLPY_F __attribute__((convergent)) intel_device_barrier(cl_mem_fence_flags);
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200
void __CLPY_F __attribute__((convergent)) intel_device_barrier(cl_mem_fence_flags, memory_scope);
#endif
#undef __CLPY_F
