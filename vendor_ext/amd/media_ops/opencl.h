// SPDX-License-Identifier: Apache-2.0
// cl_amd_media_ops in OpenCL C: what programs find declared.
// Read where a program says: amd_
#define __CLPY_OP __attribute__((overloadable, const))
#define __CLPY_OP3(NAME, N) uint##N __CLPY_OP NAME(uint##N, uint##N, uint##N);
#define __CLPY_WIDTHS(NAME) __CLPY_OP3(NAME, ) __CLPY_OP3(NAME, 2) __CLPY_OP3(NAME, 3) __CLPY_OP3(NAME, 4) \
    __CLPY_OP3(NAME, 8) __CLPY_OP3(NAME, 16)
#define __CLPY_UNPACK(NAME, N) float##N __CLPY_OP NAME(uint##N);
#define __CLPY_UNPACKS(NAME) __CLPY_UNPACK(NAME, ) __CLPY_UNPACK(NAME, 2) __CLPY_UNPACK(NAME, 3) \
    __CLPY_UNPACK(NAME, 4) __CLPY_UNPACK(NAME, 8) __CLPY_UNPACK(NAME, 16)
uint __CLPY_OP amd_pack(float4);
__CLPY_UNPACKS(amd_unpack0)
__CLPY_UNPACKS(amd_unpack1)
__CLPY_UNPACKS(amd_unpack2)
__CLPY_UNPACKS(amd_unpack3)
__CLPY_WIDTHS(amd_bitalign)
__CLPY_WIDTHS(amd_bytealign)
__CLPY_WIDTHS(amd_lerp)
__CLPY_WIDTHS(amd_sad)
__CLPY_WIDTHS(amd_sadhi)
uint __CLPY_OP amd_sad4(uint4, uint4, uint);
#undef __CLPY_OP
#undef __CLPY_OP3
#undef __CLPY_WIDTHS
#undef __CLPY_UNPACK
#undef __CLPY_UNPACKS
