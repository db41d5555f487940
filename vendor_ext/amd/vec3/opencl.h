// SPDX-License-Identifier: Apache-2.0
// cl_amd_vec3 in OpenCL C: the pragma. Vectors of three are there in all versions of the language.
// Read where a program says: cl_amd_vec3
#pragma OPENCL EXTENSION cl_amd_vec3 : begin
#pragma OPENCL EXTENSION cl_amd_vec3 : end
