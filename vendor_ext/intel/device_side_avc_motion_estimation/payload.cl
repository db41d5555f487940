// SPDX-License-Identifier: Apache-2.0
// What operations are to do: each function changes a payload, and gives it back.
#include "avc.h"

#define P1(KIND, NAME, ...) WRAPPER __CLPY_P(KIND) __CLPY_N(KIND, NAME)(__VA_ARGS__, __CLPY_P(KIND) payload)
#define P0(KIND, NAME) WRAPPER __CLPY_P(KIND) __CLPY_N(KIND, NAME)(__CLPY_P(KIND) payload)
#define SETS(KIND) \
    P1(KIND, set_inter_base_multi_reference_penalty, uchar penalty) \
    { \
        payload.p.reference_penalty = penalty; \
        return payload; \
    } \
    P1(KIND, set_inter_shape_penalty, ulong penalty) \
    { \
        payload.p.shape_penalty = penalty; \
        return payload; \
    } \
    P1(KIND, set_inter_direction_penalty, uchar penalty) \
    { \
        payload.p.direction_penalty = penalty; \
        return payload; \
    } \
    P1(KIND, set_motion_vector_cost_function, ulong centers, uint2 table, uchar precision) \
    { \
        payload.p.centers = centers; \
        payload.p.cost_table = table; \
        payload.p.cost_precision = precision; \
        payload.p.has_costs = 1; \
        return payload; \
    } \
    P0(KIND, set_ac_only_haar) \
    { \
        payload.p.ac_only = 1; \
        return payload; \
    } \
    P1(KIND, set_source_interlaced_field_polarity, uchar field) \
    { \
        payload.p.source_field = field & 1; \
        payload.p.is_field |= 1; \
        return payload; \
    } \
    P1(KIND, set_single_reference_interlaced_field_polarity, uchar field) \
    { \
        payload.p.reference_fields = (field & 1) * 0xFF; \
        payload.p.is_field |= 2; \
        return payload; \
    } \
    P1(KIND, set_dual_reference_interlaced_field_polarities, uchar forward, uchar backward) \
    { \
        payload.p.reference_fields = (forward & 1) * 0xF | (backward & 1) * 0xF0; \
        payload.p.is_field |= 2; \
        return payload; \
    }
SETS(mce)
SETS(ime)
SETS(ref)
SETS(sic)

#define CONVERSIONS(KIND) \
    WRAPPER __CLPY_P(mce) __CLPY_N(KIND, convert_to_mce_payload)(__CLPY_P(KIND) payload) \
    { \
        return (__CLPY_P(mce)){payload.p}; \
    } \
    WRAPPER __CLPY_P(KIND) intel_sub_group_avc_mce_convert_to_##KIND##_payload(__CLPY_P(mce) payload) \
    { \
        return (__CLPY_P(KIND)){payload.p}; \
    }
CONVERSIONS(ime)
CONVERSIONS(ref)
CONVERSIONS(sic)

// --- search

WRAPPER __CLPY_P(ime) __CLPY_N(ime, initialize)(ushort2 source, uchar partition_mask, uchar sad_adjustment)
{
    __CLPY_P(ime) payload = {{0}};
    payload.p.source = source;
    payload.p.partition_mask = partition_mask;
    payload.p.sad_adjustment = sad_adjustment;
    payload.p.most_vectors = 32;
    return payload;
}

P1(ime, set_single_reference, short2 offset, uchar window)
{
    payload.p.forward = offset;
    payload.p.window = window;
    return payload;
}

P1(ime, set_dual_reference, short2 forward, short2 backward, uchar window)
{
    payload.p.forward = forward;
    payload.p.backward = backward;
    payload.p.window = window;
    return payload;
}

P1(ime, set_max_motion_vector_count, uchar count)
{
    payload.p.most_vectors = count;
    return payload;
}

P0(ime, set_unidirectional_mix_disable)
{
    payload.p.no_mix = 1;
    return payload;
}

P1(ime, set_early_search_termination_threshold, uchar threshold)
{
    payload.p.early_threshold = threshold;
    payload.p.is_early = 1;
    return payload;
}

P1(ime, set_weighted_sad, uint weights)
{
    payload.p.weights = weights;
    payload.p.is_weighted = 1;
    return payload;
}

// --- refinement

WRAPPER static __CLPY_P(ref) to_refine(ushort2 source, ulong vectors, uchar major, uchar minor, uchar directions,
                                       uchar resolution, uchar sad_adjustment)
{
    __CLPY_P(ref) payload = {{0}};
    payload.p.source = source;
    payload.p.vectors = vectors;
    payload.p.major = major;
    payload.p.minor = minor;
    payload.p.directions = directions;
    payload.p.resolution = resolution;
    payload.p.sad_adjustment = sad_adjustment;
    return payload;
}

WRAPPER __CLPY_P(ref) intel_sub_group_avc_fme_initialize(ushort2 source, ulong vectors, uchar major, uchar minor,
                                                         uchar directions, uchar resolution, uchar sad_adjustment)
{
    return to_refine(source, vectors, major, minor, directions, resolution, sad_adjustment);
}

WRAPPER __CLPY_P(ref) intel_sub_group_avc_bme_initialize(ushort2 source, ulong vectors, uchar major, uchar minor,
                                                         uchar directions, uchar resolution, uchar weight,
                                                         uchar sad_adjustment)
{
    __CLPY_P(ref) payload = to_refine(source, vectors, major, minor, directions, resolution, sad_adjustment);
    payload.p.weight = weight;
    payload.p.is_bidirectional = 1;
    return payload;
}

P0(ref, set_bidirectional_mix_disable)
{
    payload.p.no_mix = 1;
    return payload;
}

P0(ref, set_bilinear_filter_enable)
{
    payload.p.is_bilinear = 1;
    return payload;
}

// --- checks

WRAPPER __CLPY_P(sic) __CLPY_N(sic, initialize)(ushort2 source)
{
    __CLPY_P(sic) payload = {{0}};
    payload.p.source = source;
    return payload;
}

P1(sic, configure_skc, uint type, uint mask, ulong vectors, uchar weight, uchar sad_adjustment)
{
    payload.p.is_skip = 1;
    payload.p.is_skip_8x8 = type == CLK_AVC_ME_SKIP_BLOCK_PARTITION_8x8_INTEL;
    payload.p.skip_mask = mask;
    payload.p.vectors = vectors;
    payload.p.weight = weight;
    payload.p.sad_adjustment = sad_adjustment;
    return payload;
}

P1(sic, configure_ipe, uchar mask, uchar neighbors, uchar left, uchar corner, uchar top, uchar right,
   uchar sad_adjustment)
{
    payload.p.is_intra = 1;
    payload.p.is_chroma = 0;
    payload.p.intra_mask = mask;
    payload.p.neighbors = neighbors;
    payload.p.left = left;
    payload.p.corner = corner;
    payload.p.top = top;
    payload.p.right = right;
    payload.p.intra_adjustment = sad_adjustment;
    return payload;
}

P1(sic, configure_ipe, uchar mask, uchar neighbors, uchar left, uchar corner, uchar top, uchar right,
   ushort left_chroma, ushort corner_chroma, ushort top_chroma, uchar sad_adjustment)
{
    payload = __CLPY_N(sic, configure_ipe)(mask, neighbors, left, corner, top, right, sad_adjustment, payload);
    payload.p.is_chroma = 1;
    payload.p.left_chroma = left_chroma;
    payload.p.corner_chroma = corner_chroma;
    payload.p.top_chroma = top_chroma;
    return payload;
}

P1(sic, set_intra_luma_shape_penalty, uint penalty)
{
    payload.p.intra_shape_penalty = penalty;
    return payload;
}

P1(sic, set_intra_luma_mode_cost_function, uchar penalty, uint neighbor_modes, uint non_dc_penalty)
{
    payload.p.mode_penalty = penalty;
    payload.p.neighbor_modes = neighbor_modes;
    payload.p.non_dc_penalty = non_dc_penalty;
    payload.p.has_modes = 1;
    return payload;
}

P1(sic, set_intra_chroma_mode_cost_function, uchar penalty)
{
    payload.p.chroma_penalty = penalty;
    return payload;
}

P0(sic, set_skc_bilinear_filter_enable)
{
    payload.p.is_bilinear = 1;
    return payload;
}

P1(sic, set_skc_forward_transform_enable, ulong thresholds)
{
    payload.p.thresholds = thresholds;
    payload.p.has_thresholds = 1;
    return payload;
}

P1(sic, set_block_based_raw_skip_sad, uchar type)
{
    payload.p.raw_blocks = type == CLK_AVC_ME_BLOCK_BASED_SKIP_8x8_INTEL ? 2 : 1;
    return payload;
}

// Two bits for each block: directions are 0, 1 and 2, the mask has 1, 2 and 3.
WRAPPER uint __CLPY_N(sic, get_motion_vector_mask)(uint type, uchar directions)
{
    return (uint)(uchar)(directions + (type == CLK_AVC_ME_SKIP_BLOCK_PARTITION_16x16_INTEL ? 1 : 0x55)) << 24;
}
