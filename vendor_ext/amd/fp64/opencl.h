// SPDX-License-Identifier: Apache-2.0
// cl_amd_fp64 in OpenCL C: to enable it enables cl_khr_fp64, without which constants are single in versions 1.0 and
// 1.1.
// Read where a program says: cl_amd_fp64
#pragma OPENCL EXTENSION cl_amd_fp64 : begin
#pragma OPENCL EXTENSION cl_amd_fp64 : end
#define cl_amd_fp64__with__cl_khr_fp64
