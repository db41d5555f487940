// SPDX-License-Identifier: Apache-2.0
// cl_amd_printf in OpenCL C: printf, where a program enables it, for versions that do not have it. Clang lets only
// functions with such a name take any arguments there.
// Read where a program says: cl_amd_printf
#pragma OPENCL EXTENSION cl_amd_printf : begin
#pragma OPENCL EXTENSION cl_amd_printf : end
#if !defined(__OPENCL_CPP_VERSION__) && __OPENCL_C_VERSION__ < 120
int __clpy_printf(__constant const char *format, ...) __asm__("printf") __attribute__((format(printf, 1, 2)));
#define cl_amd_printf__printf __clpy_printf
#endif
