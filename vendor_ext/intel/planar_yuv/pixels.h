/* SPDX-License-Identifier: Apache-2.0
 * cl_intel_planar_yuv: a plane of bytes Y, behind it one of pairs U and V for two by two pixels.
 */
#define CLK_NV12_INTEL 0x410E
#define INTEL_PLANAR_YUV_READ_F(M) M(planar_yuv, case FORMAT(CLK_NV12_INTEL, CLK_UNORM_INT8):)

INTERNAL float4 planar_yuv(view v, place p, int dims, int layered) {
    bytes luma = v->data + p.y * (int)v->row_pitch;
    bytes chroma = v->data + ((int)v->height + (p.y >> 1)) * (int)v->row_pitch + (p.x & ~1);
    int4 color = {chroma[1], luma[p.x], chroma[0], 255};
    return CONVERT_4(color, float) * (1 / 255.0f);
}
