// SPDX-License-Identifier: Apache-2.0
// cl_ext_image_raw10_raw12 in OpenCL C: what get_image_channel_data_type gives.
// Read where a program says: _RAW1
#ifndef CLK_UNSIGNED_INT_RAW10_EXT
#define CLK_UNSIGNED_INT_RAW10_EXT 0x10E3
#define CLK_UNSIGNED_INT_RAW12_EXT 0x10E4
#endif
