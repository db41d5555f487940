// SPDX-License-Identifier: Apache-2.0
// cl_intel_spirv_device_side_avc_motion_estimation adds nothing to OpenCL C but its macro.
// Read where a program says: cl_intel_spirv_device_side_avc_motion_estimation
