// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroup_buffer_prefetch in OpenCL C: what programs find declared.
// Read where a program says: intel_
#define __CLPY_F(NAME, T) \
    void __attribute__((overloadable, convergent)) intel_sub_group_block_prefetch##NAME(const __global T *);
#define __CLPY_ALL(NAME, T) __CLPY_F(NAME, T) __CLPY_F(NAME##2, T) __CLPY_F(NAME##4, T) __CLPY_F(NAME##8, T)
__CLPY_ALL(_uc, uchar)
__CLPY_F(_uc16, uchar)
__CLPY_ALL(_us, ushort)
__CLPY_F(_us16, ushort)
__CLPY_ALL(_ui, uint)
__CLPY_ALL(_ul, ulong)
#undef __CLPY_F
#undef __CLPY_ALL
