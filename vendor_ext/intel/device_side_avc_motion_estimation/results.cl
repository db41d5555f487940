// SPDX-License-Identifier: Apache-2.0
// What operations have found.
#include "avc.h"

TOGETHER uint __clpy_sub_groups_of(uint size);
TOGETHER uint __clpy_sub_group_shuffle(uint x, uint index, bool mask);

#define GET(T, KIND, NAME, VALUE) WRAPPER T __CLPY_N(KIND, NAME)(__CLPY_R(KIND) result) { return result.r.VALUE; }
#define GETS(KIND) \
    GET(ulong, KIND, get_motion_vectors, vectors) \
    GET(ushort, KIND, get_inter_distortions, distortions) \
    GET(ushort, KIND, get_best_inter_distortion, best) \
    GET(uchar, KIND, get_inter_major_shape, major) \
    GET(uchar, KIND, get_inter_minor_shapes, minor) \
    GET(uchar, KIND, get_inter_directions, directions) \
    GET(uchar, KIND, get_inter_motion_vector_count, count) \
    GET(uint, KIND, get_inter_reference_ids, reference_ids) \
    WRAPPER uchar __CLPY_N(KIND, get_inter_reference_interlaced_field_polarities)(uint ids, uint fields, \
                                                                                   __CLPY_R(KIND) result) \
    { \
        return fields_of(ids, fields); \
    }

// Of each block's forward and backward image the field that the bits `fields`, two for each pair of images, say.
WRAPPER static uchar fields_of(uint ids, uint fields)
{
    uchar found = 0;
    for (int i = 0; i < 4; i++) {
        found |= (fields >> (ids >> 8 * i & 15) * 2 & 1) << i;
        found |= (fields >> ((ids >> (8 * i + 4) & 15) * 2 + 1) & 1) << (4 + i);
    }
    return found;
}

GETS(mce)
GETS(ime)
GETS(ref)
GET(ushort, sic, get_inter_distortions, distortions)
GET(uchar, ime, get_truncated_search_indication, is_truncated)
GET(uchar, ime, get_unidirectional_early_search_termination, is_early)
GET(uint, ime, get_weighting_pattern_minimum_motion_vector, weighted_vector)
GET(ushort, ime, get_weighting_pattern_minimum_distortion, weighted)
GET(uchar, sic, get_ipe_luma_shape, intra_shape)
GET(ushort, sic, get_best_ipe_luma_distortion, luma)
GET(ushort, sic, get_best_ipe_chroma_distortion, chroma)
GET(ulong, sic, get_packed_ipe_luma_modes, modes)
GET(uchar, sic, get_ipe_chroma_mode, chroma_mode)
GET(uint, sic, get_packed_skc_luma_count_threshold, counts)
GET(ulong, sic, get_packed_skc_luma_sum_threshold, sums)
GET(ushort, sic, get_inter_raw_sads, raw)

#define CONVERSIONS(KIND) \
    WRAPPER __CLPY_R(mce) __CLPY_N(KIND, convert_to_mce_result)(__CLPY_R(KIND) result) \
    { \
        return (__CLPY_R(mce)){result.r}; \
    } \
    WRAPPER __CLPY_R(KIND) intel_sub_group_avc_mce_convert_to_##KIND##_result(__CLPY_R(mce) result) \
    { \
        return (__CLPY_R(KIND)){result.r}; \
    }
CONVERSIONS(ime)
CONVERSIONS(ref)
CONVERSIONS(sic)

WRAPPER uchar __CLPY_N(ime, get_border_reached)(uchar image, __CLPY_R(ime) result)
{
    return image == CLK_AVC_ME_FRAME_FORWARD_INTEL ? result.r.border & 15
         : image == CLK_AVC_ME_FRAME_BACKWARD_INTEL ? result.r.border >> 4 : 0;
}

// --- streams

#define STREAMS(N, NAME) \
    WRAPPER __clpy_avc_streamin##N __CLPY_N(ime, get_##NAME##_reference_streamin)(__clpy_avc_streamout##N result) \
    { \
        return (__clpy_avc_streamin##N){result.s}; \
    } \
    WRAPPER __CLPY_R(ime) __CLPY_N(ime, strip_##NAME##_reference_streamout)(__clpy_avc_streamout##N result) \
    { \
        return (__CLPY_R(ime)){result.r}; \
    }
STREAMS(1, single)
STREAMS(2, dual)

// The work-items that have the blocks of a major shape follow each other.
WRAPPER static uint of_shape(uint value, uchar shape)
{
    uint size = __clpy_sub_groups_of(SIZE), lane = get_sub_group_local_id() & (size - 1);
    uint first = shape == OF_16x16 ? 0 : shape == OF_16x8 ? 1 : shape == OF_8x16 ? 3 : 5;
    return __clpy_sub_group_shuffle(value, first + lane, true);
}

#define OF_STREAM(T, NAME, FIELD) \
    WRAPPER T __CLPY_N(ime, NAME)(__clpy_avc_streamout1 result, uchar shape) \
    { \
        return of_shape(result.s.FIELD.x, shape); \
    } \
    WRAPPER T __CLPY_N(ime, NAME)(__clpy_avc_streamout2 result, uchar shape, uchar direction) \
    { \
        return of_shape(direction == CLK_AVC_ME_MAJOR_BACKWARD_INTEL ? result.s.FIELD.y : result.s.FIELD.x, shape); \
    }
OF_STREAM(uint, get_streamout_major_shape_motion_vectors, vectors)
OF_STREAM(ushort, get_streamout_major_shape_distortions, distortions)
OF_STREAM(uchar, get_streamout_major_shape_reference_ids, reference_ids)

// --- windows

WRAPPER ushort2 __CLPY_N(ime, ref_window_size)(uchar window, char is_dual)
{
    switch (window) {
    case CLK_AVC_ME_SEARCH_WINDOW_SMALL_INTEL:
        return 28;
    case CLK_AVC_ME_SEARCH_WINDOW_TINY_INTEL:
        return 24;
    case CLK_AVC_ME_SEARCH_WINDOW_EXTRA_TINY_INTEL:
        return 20;
    case CLK_AVC_ME_SEARCH_WINDOW_EXHAUSTIVE_INTEL:
    case CLK_AVC_ME_SEARCH_WINDOW_DIAMOND_INTEL:
    case CLK_AVC_ME_SEARCH_WINDOW_LARGE_DIAMOND_INTEL:
        return is_dual ? (ushort2)(32) : (ushort2)(48, 40);
    }
    return 0;
}

WRAPPER ushort2 intel_sub_group_ime_ref_window_size(uchar window, char is_dual)
{
    return __CLPY_N(ime, ref_window_size)(window, is_dual);
}

// A window whose places are all outside is moved until the first or the last one is at the image's edge.
WRAPPER static int brought_inside(int offset, int source, int window, int image)
{
    int places = window - SIZE, first = source - places / 2;
    if (first + offset >= image)
        return image - first - places;
    return first + offset + places < 0 ? -first : offset;
}

WRAPPER short2 __CLPY_N(ime, adjust_ref_offset)(short2 offset, ushort2 source, ushort2 window, ushort2 image)
{
    return (short2)(brought_inside(offset.x, source.x, window.x, image.x),
                    brought_inside(offset.y, source.y, window.y, image.y));
}
