// SPDX-License-Identifier: Apache-2.0
// cl_ext_atomic_counters_32 and _64 in OpenCL C: a counter is the first word of a buffer. The types are there where a
// program enables the extension. The language has no atomic_inc for words of 64 bits: with those it is one of functions
// of this header, which leave all others to the language. (OpenCL C 1.0 has no `static`.)
// Read where a program says: cl_ext_atomic_counters
#ifndef __CLPY_COUNTERS
#define __CLPY_COUNTERS
#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : begin
#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : end
#pragma OPENCL EXTENSION cl_ext_atomic_counters_64 : begin
#pragma OPENCL EXTENSION cl_ext_atomic_counters_64 : end
typedef volatile __global unsigned int *const __clpy_counter32;
typedef volatile __global unsigned long *const __clpy_counter64;
#define cl_ext_atomic_counters_32__counter32_t __clpy_counter32
#define cl_ext_atomic_counters_64__counter64_t __clpy_counter64
#define __CLPY_COUNT(NAME, OF, T, SPACE) \
    __attribute__((internal_linkage, overloadable, always_inline)) T __clpy_##NAME(volatile SPACE T *at) \
    { \
        return OF(at); \
    }
#define __CLPY_COUNTS(NAME, T) __CLPY_COUNT(NAME, NAME, T, __global) __CLPY_COUNT(NAME, NAME, T, __local)
__CLPY_COUNTS(atomic_inc, int)
__CLPY_COUNTS(atomic_inc, unsigned int)
__CLPY_COUNT(atomic_inc, atom_inc, unsigned long, __global)
__CLPY_COUNTS(atomic_dec, int)
__CLPY_COUNTS(atomic_dec, unsigned int)
__CLPY_COUNT(atomic_dec, atom_dec, unsigned long, __global)
#define cl_ext_atomic_counters_64__atomic_inc __clpy_atomic_inc
#define cl_ext_atomic_counters_64__atomic_dec __clpy_atomic_dec
#undef __CLPY_COUNT
#undef __CLPY_COUNTS
#endif
