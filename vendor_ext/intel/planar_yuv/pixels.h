/* SPDX-License-Identifier: Apache-2.0
 * cl_intel_planar_yuv: a plane of bytes Y, behind it one of pairs U and V for two by two pixels.
 */
#define CLK_NV12_INTEL 0x410E
#define INTEL_PLANAR_YUV_READ_F(M) M(planar_yuv, case FORMAT(CLK_NV12_INTEL, CLK_UNORM_INT8):)

/* Words, of which rows are whole numbers: they are gathered, bytes are not. */
INTERNAL uint planar_yuv_word(view v, int x, int row) {
    return AT(uint, v->data + (row * (int)v->row_pitch + (x & ~3)));
}
INTERNAL float4 planar_yuv(view v, place p, int dims, int layered) {
    uint luma = planar_yuv_word(v, p.x, p.y) >> 8 * (p.x & 3) & 255;
    uint chroma = planar_yuv_word(v, p.x, (int)v->height + (p.y >> 1)) >> 8 * (p.x & 2);
    int4 color = {(int)(chroma >> 8 & 255), (int)luma, (int)(chroma & 255), 255};
    return CONVERT_4(color, float) * (1 / 255.0f);
}
