// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroup_local_block_io in OpenCL C: what programs find declared.
// Read where a program says: intel_
#define __CLPY_F __attribute__((overloadable, convergent))
#define __CLPY_BLOCK(T, NAME, P) \
    T __CLPY_F intel_sub_group_block_read##NAME(const __local P *); \
    void __CLPY_F intel_sub_group_block_write##NAME(__local P *, T);
__CLPY_BLOCK(uint, , uint)
__CLPY_BLOCK(uint2, 2, uint)
__CLPY_BLOCK(uint4, 4, uint)
__CLPY_BLOCK(uint8, 8, uint)
__CLPY_BLOCK(uint, _ui, uint)
__CLPY_BLOCK(uint2, _ui2, uint)
__CLPY_BLOCK(uint4, _ui4, uint)
__CLPY_BLOCK(uint8, _ui8, uint)
__CLPY_BLOCK(uchar, _uc, uchar)
__CLPY_BLOCK(uchar2, _uc2, uchar)
__CLPY_BLOCK(uchar4, _uc4, uchar)
__CLPY_BLOCK(uchar8, _uc8, uchar)
__CLPY_BLOCK(uchar16, _uc16, uchar)
__CLPY_BLOCK(ushort, _us, ushort)
__CLPY_BLOCK(ushort2, _us2, ushort)
__CLPY_BLOCK(ushort4, _us4, ushort)
__CLPY_BLOCK(ushort8, _us8, ushort)
__CLPY_BLOCK(ushort16, _us16, ushort)
__CLPY_BLOCK(ulong, _ul, ulong)
__CLPY_BLOCK(ulong2, _ul2, ulong)
__CLPY_BLOCK(ulong4, _ul4, ulong)
__CLPY_BLOCK(ulong8, _ul8, ulong)
#undef __CLPY_F
#undef __CLPY_BLOCK
