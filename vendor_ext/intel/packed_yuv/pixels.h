/* SPDX-License-Identifier: Apache-2.0
 * cl_intel_packed_yuv: two pixels are four bytes, read as one number.
 */
#define CLK_YUYV_INTEL 0x4076
#define CLK_UYVY_INTEL 0x4077
#define CLK_YVYU_INTEL 0x4078
#define CLK_VYUY_INTEL 0x4079

#define INTEL_PACKED_YUV_FORMATS \
    case FORMAT(CLK_YUYV_INTEL, CLK_UNORM_INT8): \
    case FORMAT(CLK_UYVY_INTEL, CLK_UNORM_INT8): \
    case FORMAT(CLK_YVYU_INTEL, CLK_UNORM_INT8): \
    case FORMAT(CLK_VYUY_INTEL, CLK_UNORM_INT8):
#define INTEL_PACKED_YUV_READ_F(M) M(packed_yuv, INTEL_PACKED_YUV_FORMATS)

INTERNAL float4 packed_yuv(view v, place p, int dims, int layered) {
    uint order = v->channel_order;
    int first = p.y * (int)(v->row_pitch / sizeof(ushort)) + (p.x & ~1);      /* of the two, in halves */
    uint both = AT(uint, (__global ushort *)v->data + first);
    uint luma = order == CLK_UYVY_INTEL || order == CLK_VYUY_INTEL ? 8 : 0;
    uint u = order == CLK_UYVY_INTEL ? 0 : order == CLK_YUYV_INTEL ? 8 : order == CLK_VYUY_INTEL ? 16 : 24;
    int4 color = {(int)(both >> (u ^ 16) & 255), (int)(both >> (luma + ((uint)p.x & 1) * 16) & 255),
                  (int)(both >> u & 255), 255};
    return CONVERT_4(color, float) * (1 / 255.0f);
}
