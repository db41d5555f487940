// SPDX-License-Identifier: Apache-2.0
// cl_ext_atomic_counters_32 in OpenCL C: a counter is the first word of a buffer, and atomic_inc and atomic_dec are
// those of the language. The type is there where a program enables the extension.
#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : begin
#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : end
typedef volatile __global unsigned int *const __clpy_counter32;
#define cl_ext_atomic_counters_32__counter32_t __clpy_counter32
