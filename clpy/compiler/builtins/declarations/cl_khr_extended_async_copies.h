// SPDX-License-Identifier: Apache-2.0
// cl_khr_extended_async_copies in OpenCL C: what programs find declared.
// Read where a program says: async_work_group_
#define __CLPY_COPIES(TO, FROM) \
    event_t __attribute__((overloadable)) async_work_group_copy_2D2D( \
        TO void *, size_t, const FROM void *, size_t, size_t, size_t, size_t, size_t, size_t, event_t); \
    event_t __attribute__((overloadable)) async_work_group_copy_3D3D( \
        TO void *, size_t, const FROM void *, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, \
        event_t);
__CLPY_COPIES(__local, __global)
__CLPY_COPIES(__global, __local)
#undef __CLPY_COPIES
