/* SPDX-License-Identifier: Apache-2.0
 * cl_ext_image_raw10_raw12: the upper eight bits of each pixel of a group are a byte, what is left of all is the last.
 */
#define EXT_IMAGE_RAW10_RAW12_READ_UI(M) \
    M(raw10, case FORMAT(CLK_R, CLK_UNSIGNED_INT_RAW10_EXT):) \
    M(raw12, case FORMAT(CLK_R, CLK_UNSIGNED_INT_RAW12_EXT):)

INTERNAL uint4 raw10(view v, place p, int dims, int layered) {
    int in_group = p.x & 3, first = p.y * (int)v->row_pitch + (p.x >> 2) * 5;
    uint low = AT(uchar, v->data + first + 4);
    return (uint4)((uint)AT(uchar, v->data + first + in_group) << 2 | (low >> 2 * in_group & 3), 0, 0, 1);
}

INTERNAL uint4 raw12(view v, place p, int dims, int layered) {
    int in_group = p.x & 1, first = p.y * (int)v->row_pitch + (p.x >> 1) * 3;
    uint low = AT(uchar, v->data + first + 2);
    return (uint4)((uint)AT(uchar, v->data + first + in_group) << 4 | (low >> 4 * in_group & 15), 0, 0, 1);
}
