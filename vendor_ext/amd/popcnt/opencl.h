// SPDX-License-Identifier: Apache-2.0
// cl_amd_popcnt in OpenCL C. Programs have functions of this name for themselves: it is there where they enable it.
// Read where a program says: cl_amd_popcnt
#pragma OPENCL EXTENSION cl_amd_popcnt : begin
#pragma OPENCL EXTENSION cl_amd_popcnt : end
#define cl_amd_popcnt__popcnt(x) __builtin_elementwise_popcount(x)
