// SPDX-License-Identifier: Apache-2.0
// cl_ext_image_unsigned_10x6_12x4_14x2 in OpenCL C: names that the specification has beside those that Clang knows.
// Read where a program says: CLK_UNORM_INT1
#define CLK_UNORM_INT10X6_EXT CLK_UNORM_10X6_EXT
#define CLK_UNORM_INT12X4_EXT CLK_UNORM_12X4_EXT
#define CLK_UNORM_INT14X2_EXT CLK_UNORM_14X2_EXT
