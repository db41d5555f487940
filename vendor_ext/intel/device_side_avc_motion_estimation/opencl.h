// SPDX-License-Identifier: Apache-2.0
// cl_intel_device_side_avc_motion_estimation in OpenCL C: what programs find declared. Clang has names for types that
// it knows nothing of; here each is a structure that every work-item of the sub-group has a copy of.
// Read where a program says: _avc_
#ifndef __CLPY_AVC            // both extensions of this folder have it read
#define __CLPY_AVC

// What an operation is to do. Arrays of the sub-group, of 16 pixels or vectors, are one value of each work-item.
typedef struct {
    ulong vectors, centers;                     // of the work-item: forward in the lower half, backward in the upper
    ulong shape_penalty, thresholds;
    uint2 cost_table;
    uint weights, skip_mask, neighbor_modes, non_dc_penalty, intra_shape_penalty;
    ushort2 source;                             // place of the macroblock
    short2 forward, backward;                   // offsets of the windows
    ushort left_chroma, corner_chroma, top_chroma;      // of the work-item: U, V
    uchar left, corner, top, right;             // of the work-item
    uchar partition_mask, sad_adjustment, ac_only, window, most_vectors, no_mix, early_threshold, is_early, is_weighted;
    uchar source_field, reference_fields, is_field;     // is_field: 1 the source, 2 the references
    uchar direction_penalty, reference_penalty, cost_precision, has_costs;
    uchar major, minor, directions, resolution, weight, is_bidirectional, is_bilinear;
    uchar is_skip, is_skip_8x8, has_thresholds, raw_blocks;       // raw_blocks: 1 of 4 x 4, 2 of 8 x 8
    uchar is_intra, is_chroma, intra_mask, neighbors, intra_adjustment;
    uchar mode_penalty, has_modes, chroma_penalty;
} __clpy_avc_payload;

// What it has found. `vectors` and `distortions` are those of the work-item.
typedef struct {
    ulong vectors, modes, sums;
    uint reference_ids, counts, weighted_vector;
    ushort distortions, best, weighted, raw, luma, chroma;
    uchar major, minor, directions, count, border, is_truncated, is_early, intra_shape, chroma_mode;
} __clpy_avc_result;

// The best of each block of a major shape, one a work-item: 16x16, two 16x8, two 8x16, four 8x8.
typedef struct {
    uint2 vectors;
    ushort2 distortions;
    uchar2 reference_ids;
} __clpy_avc_stream;

typedef struct { __clpy_avc_payload p; } __clpy_avc_mce_payload;
typedef struct { __clpy_avc_payload p; } __clpy_avc_ime_payload;
typedef struct { __clpy_avc_payload p; } __clpy_avc_ref_payload;
typedef struct { __clpy_avc_payload p; } __clpy_avc_sic_payload;
typedef struct { __clpy_avc_result r; } __clpy_avc_mce_result;
typedef struct { __clpy_avc_result r; } __clpy_avc_ime_result;
typedef struct { __clpy_avc_result r; } __clpy_avc_ref_result;
typedef struct { __clpy_avc_result r; } __clpy_avc_sic_result;
typedef struct { __clpy_avc_stream s; } __clpy_avc_streamin1;
typedef struct { __clpy_avc_stream s; } __clpy_avc_streamin2;
typedef struct { __clpy_avc_result r; __clpy_avc_stream s; } __clpy_avc_streamout1;
typedef struct { __clpy_avc_result r; __clpy_avc_stream s; } __clpy_avc_streamout2;
#define intel_sub_group_avc_mce_payload_t __clpy_avc_mce_payload
#define intel_sub_group_avc_ime_payload_t __clpy_avc_ime_payload
#define intel_sub_group_avc_ref_payload_t __clpy_avc_ref_payload
#define intel_sub_group_avc_sic_payload_t __clpy_avc_sic_payload
#define intel_sub_group_avc_mce_result_t __clpy_avc_mce_result
#define intel_sub_group_avc_ime_result_t __clpy_avc_ime_result
#define intel_sub_group_avc_ref_result_t __clpy_avc_ref_result
#define intel_sub_group_avc_sic_result_t __clpy_avc_sic_result
#define intel_sub_group_avc_ime_single_reference_streamin_t __clpy_avc_streamin1
#define intel_sub_group_avc_ime_dual_reference_streamin_t __clpy_avc_streamin2
#define intel_sub_group_avc_ime_result_single_reference_streamout_t __clpy_avc_streamout1
#define intel_sub_group_avc_ime_result_dual_reference_streamout_t __clpy_avc_streamout2

// Structures are not initialized with a number.
#undef CLK_AVC_IME_PAYLOAD_INITIALIZE_INTEL
#undef CLK_AVC_REF_PAYLOAD_INITIALIZE_INTEL
#undef CLK_AVC_SIC_PAYLOAD_INITIALIZE_INTEL
#undef CLK_AVC_IME_RESULT_INITIALIZE_INTEL
#undef CLK_AVC_REF_RESULT_INITIALIZE_INTEL
#undef CLK_AVC_SIC_RESULT_INITIALIZE_INTEL
#undef CLK_AVC_IME_RESULT_SINGLE_REFERENCE_STREAMOUT_INITIALIZE_INTEL
#undef CLK_AVC_IME_RESULT_SINGLE_REFERENCE_STREAMIN_INITIALIZE_INTEL
#undef CLK_AVC_IME_RESULT_DUAL_REFERENCE_STREAMOUT_INITIALIZE_INTEL
#undef CLK_AVC_IME_RESULT_DUAL_REFERENCE_STREAMIN_INITIALIZE_INTEL
#define CLK_AVC_IME_PAYLOAD_INITIALIZE_INTEL {{0}}
#define CLK_AVC_REF_PAYLOAD_INITIALIZE_INTEL {{0}}
#define CLK_AVC_SIC_PAYLOAD_INITIALIZE_INTEL {{0}}
#define CLK_AVC_IME_RESULT_INITIALIZE_INTEL {{0}}
#define CLK_AVC_REF_RESULT_INITIALIZE_INTEL {{0}}
#define CLK_AVC_SIC_RESULT_INITIALIZE_INTEL {{0}}
#define CLK_AVC_IME_RESULT_SINGLE_REFERENCE_STREAMOUT_INITIALIZE_INTEL {{0}}
#define CLK_AVC_IME_RESULT_SINGLE_REFERENCE_STREAMIN_INITIALIZE_INTEL {{0}}
#define CLK_AVC_IME_RESULT_DUAL_REFERENCE_STREAMOUT_INITIALIZE_INTEL {{0}}
#define CLK_AVC_IME_RESULT_DUAL_REFERENCE_STREAMIN_INITIALIZE_INTEL {{0}}

// Which motion vectors a skip check has: 1 forward, 2 backward, 3 both, two bits for each block.
#ifndef CLK_AVC_ME_SKIP_BLOCK_16x16_INTEL
#define CLK_AVC_ME_SKIP_BLOCK_16x16_INTEL(direction) ((uint)((direction) + 1) << 24)
#define CLK_AVC_ME_SKIP_BLOCK_8x8_INTEL(direction0, direction1, direction2, direction3) \
    (((uint)((direction0) + 1) << 24) | ((uint)((direction1) + 1) << 26) | ((uint)((direction2) + 1) << 28) | \
     ((uint)((direction3) + 1) << 30))
#endif

#define __CLPY_F __attribute__((overloadable, convergent))
#define __CLPY_P(KIND) __clpy_avc_##KIND##_payload
#define __CLPY_R(KIND) __clpy_avc_##KIND##_result
#define __CLPY_N(KIND, NAME) intel_sub_group_avc_##KIND##_##NAME
#define __CLPY_I read_only image2d_t

// Of every operation; those of `mce`, and the same by the name of each.
#define __CLPY_SETS(KIND) \
    __CLPY_P(KIND) __CLPY_F __CLPY_N(KIND, set_inter_base_multi_reference_penalty)(uchar, __CLPY_P(KIND)); \
    __CLPY_P(KIND) __CLPY_F __CLPY_N(KIND, set_inter_shape_penalty)(ulong, __CLPY_P(KIND)); \
    __CLPY_P(KIND) __CLPY_F __CLPY_N(KIND, set_inter_direction_penalty)(uchar, __CLPY_P(KIND)); \
    __CLPY_P(KIND) __CLPY_F __CLPY_N(KIND, set_motion_vector_cost_function)(ulong, uint2, uchar, __CLPY_P(KIND)); \
    __CLPY_P(KIND) __CLPY_F __CLPY_N(KIND, set_ac_only_haar)(__CLPY_P(KIND)); \
    __CLPY_P(KIND) __CLPY_F __CLPY_N(KIND, set_source_interlaced_field_polarity)(uchar, __CLPY_P(KIND)); \
    __CLPY_P(KIND) __CLPY_F __CLPY_N(KIND, set_single_reference_interlaced_field_polarity)(uchar, __CLPY_P(KIND)); \
    __CLPY_P(KIND) __CLPY_F __CLPY_N(KIND, set_dual_reference_interlaced_field_polarities)(uchar, uchar, \
                                                                                           __CLPY_P(KIND));
#define __CLPY_CONVERSIONS(KIND) \
    __CLPY_P(mce) __CLPY_F __CLPY_N(KIND, convert_to_mce_payload)(__CLPY_P(KIND)); \
    __CLPY_P(KIND) __CLPY_F intel_sub_group_avc_mce_convert_to_##KIND##_payload(__CLPY_P(mce)); \
    __CLPY_R(mce) __CLPY_F __CLPY_N(KIND, convert_to_mce_result)(__CLPY_R(KIND)); \
    __CLPY_R(KIND) __CLPY_F intel_sub_group_avc_mce_convert_to_##KIND##_result(__CLPY_R(mce));
#define __CLPY_GETS(KIND) \
    ulong __CLPY_F __CLPY_N(KIND, get_motion_vectors)(__CLPY_R(KIND)); \
    ushort __CLPY_F __CLPY_N(KIND, get_inter_distortions)(__CLPY_R(KIND)); \
    ushort __CLPY_F __CLPY_N(KIND, get_best_inter_distortion)(__CLPY_R(KIND)); \
    uchar __CLPY_F __CLPY_N(KIND, get_inter_major_shape)(__CLPY_R(KIND)); \
    uchar __CLPY_F __CLPY_N(KIND, get_inter_minor_shapes)(__CLPY_R(KIND)); \
    uchar __CLPY_F __CLPY_N(KIND, get_inter_directions)(__CLPY_R(KIND)); \
    uchar __CLPY_F __CLPY_N(KIND, get_inter_motion_vector_count)(__CLPY_R(KIND)); \
    uint __CLPY_F __CLPY_N(KIND, get_inter_reference_ids)(__CLPY_R(KIND)); \
    uchar __CLPY_F __CLPY_N(KIND, get_inter_reference_interlaced_field_polarities)(uint, uint, __CLPY_R(KIND));
__CLPY_SETS(mce) __CLPY_SETS(ime) __CLPY_SETS(ref) __CLPY_SETS(sic)
__CLPY_CONVERSIONS(ime) __CLPY_CONVERSIONS(ref) __CLPY_CONVERSIONS(sic)
__CLPY_GETS(mce) __CLPY_GETS(ime) __CLPY_GETS(ref)
ushort __CLPY_F __CLPY_N(sic, get_inter_distortions)(__CLPY_R(sic));

uchar __CLPY_F __CLPY_N(mce, get_default_inter_base_multi_reference_penalty)(uchar, uchar);
ulong __CLPY_F __CLPY_N(mce, get_default_inter_shape_penalty)(uchar, uchar);
uchar __CLPY_F __CLPY_N(mce, get_default_inter_direction_penalty)(uchar, uchar);
uint __CLPY_F __CLPY_N(mce, get_default_intra_luma_shape_penalty)(uchar, uchar);
uint2 __CLPY_F __CLPY_N(mce, get_default_inter_motion_vector_cost_table)(uchar, uchar);
uchar __CLPY_F __CLPY_N(mce, get_default_intra_luma_mode_penalty)(uchar, uchar);
uint2 __CLPY_F __CLPY_N(mce, get_default_high_penalty_cost_table)(void);
uint2 __CLPY_F __CLPY_N(mce, get_default_medium_penalty_cost_table)(void);
uint2 __CLPY_F __CLPY_N(mce, get_default_low_penalty_cost_table)(void);
uint __CLPY_F __CLPY_N(mce, get_default_non_dc_luma_intra_penalty)(void);
uchar __CLPY_F __CLPY_N(mce, get_default_intra_chroma_mode_base_penalty)(void);

// Search at whole pixels.
__CLPY_P(ime) __CLPY_F __CLPY_N(ime, initialize)(ushort2, uchar, uchar);
__CLPY_P(ime) __CLPY_F __CLPY_N(ime, set_single_reference)(short2, uchar, __CLPY_P(ime));
__CLPY_P(ime) __CLPY_F __CLPY_N(ime, set_dual_reference)(short2, short2, uchar, __CLPY_P(ime));
__CLPY_P(ime) __CLPY_F __CLPY_N(ime, set_max_motion_vector_count)(uchar, __CLPY_P(ime));
__CLPY_P(ime) __CLPY_F __CLPY_N(ime, set_unidirectional_mix_disable)(__CLPY_P(ime));
__CLPY_P(ime) __CLPY_F __CLPY_N(ime, set_early_search_termination_threshold)(uchar, __CLPY_P(ime));
__CLPY_P(ime) __CLPY_F __CLPY_N(ime, set_weighted_sad)(uint, __CLPY_P(ime));
ushort2 __CLPY_F __CLPY_N(ime, ref_window_size)(uchar, char);
ushort2 __CLPY_F intel_sub_group_ime_ref_window_size(uchar, char);
short2 __CLPY_F __CLPY_N(ime, adjust_ref_offset)(short2, ushort2, ushort2, ushort2);
#define __CLPY_IME1(RESULT, FORM, ...) RESULT __CLPY_F intel_sub_group_avc_ime_evaluate_with_single_reference##FORM( \
    __CLPY_I, __CLPY_I, sampler_t, __CLPY_P(ime) __VA_ARGS__);
#define __CLPY_IME2(RESULT, FORM, ...) RESULT __CLPY_F intel_sub_group_avc_ime_evaluate_with_dual_reference##FORM( \
    __CLPY_I, __CLPY_I, __CLPY_I, sampler_t, __CLPY_P(ime) __VA_ARGS__);
#define __CLPY_STREAM(M, N) \
    M(__CLPY_R(ime), ) M(__clpy_avc_streamout##N, _streamout) M(__CLPY_R(ime), _streamin, , __clpy_avc_streamin##N) \
    M(__clpy_avc_streamout##N, _streaminout, , __clpy_avc_streamin##N)
__CLPY_STREAM(__CLPY_IME1, 1)
__CLPY_STREAM(__CLPY_IME2, 2)
__clpy_avc_streamin1 __CLPY_F __CLPY_N(ime, get_single_reference_streamin)(__clpy_avc_streamout1);
__clpy_avc_streamin2 __CLPY_F __CLPY_N(ime, get_dual_reference_streamin)(__clpy_avc_streamout2);
__CLPY_R(ime) __CLPY_F __CLPY_N(ime, strip_single_reference_streamout)(__clpy_avc_streamout1);
__CLPY_R(ime) __CLPY_F __CLPY_N(ime, strip_dual_reference_streamout)(__clpy_avc_streamout2);
uint __CLPY_F __CLPY_N(ime, get_streamout_major_shape_motion_vectors)(__clpy_avc_streamout1, uchar);
ushort __CLPY_F __CLPY_N(ime, get_streamout_major_shape_distortions)(__clpy_avc_streamout1, uchar);
uchar __CLPY_F __CLPY_N(ime, get_streamout_major_shape_reference_ids)(__clpy_avc_streamout1, uchar);
uint __CLPY_F __CLPY_N(ime, get_streamout_major_shape_motion_vectors)(__clpy_avc_streamout2, uchar, uchar);
ushort __CLPY_F __CLPY_N(ime, get_streamout_major_shape_distortions)(__clpy_avc_streamout2, uchar, uchar);
uchar __CLPY_F __CLPY_N(ime, get_streamout_major_shape_reference_ids)(__clpy_avc_streamout2, uchar, uchar);
uchar __CLPY_F __CLPY_N(ime, get_border_reached)(uchar, __CLPY_R(ime));
uchar __CLPY_F __CLPY_N(ime, get_truncated_search_indication)(__CLPY_R(ime));
uchar __CLPY_F __CLPY_N(ime, get_unidirectional_early_search_termination)(__CLPY_R(ime));
uint __CLPY_F __CLPY_N(ime, get_weighting_pattern_minimum_motion_vector)(__CLPY_R(ime));
ushort __CLPY_F __CLPY_N(ime, get_weighting_pattern_minimum_distortion)(__CLPY_R(ime));

// Refinement, skip checks and prediction inside of the image.
__CLPY_P(ref) __CLPY_F intel_sub_group_avc_fme_initialize(ushort2, ulong, uchar, uchar, uchar, uchar, uchar);
__CLPY_P(ref) __CLPY_F intel_sub_group_avc_bme_initialize(ushort2, ulong, uchar, uchar, uchar, uchar, uchar, uchar);
__CLPY_P(ref) __CLPY_F __CLPY_N(ref, set_bidirectional_mix_disable)(__CLPY_P(ref));
__CLPY_P(ref) __CLPY_F __CLPY_N(ref, set_bilinear_filter_enable)(__CLPY_P(ref));
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, initialize)(ushort2);
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, configure_skc)(uint, uint, ulong, uchar, uchar, __CLPY_P(sic));
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, configure_ipe)(uchar, uchar, uchar, uchar, uchar, uchar, uchar, __CLPY_P(sic));
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, configure_ipe)(uchar, uchar, uchar, uchar, uchar, uchar, ushort, ushort, ushort,
                                                    uchar, __CLPY_P(sic));
uint __CLPY_F __CLPY_N(sic, get_motion_vector_mask)(uint, uchar);
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, set_intra_luma_shape_penalty)(uint, __CLPY_P(sic));
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, set_intra_luma_mode_cost_function)(uchar, uint, uint, __CLPY_P(sic));
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, set_intra_chroma_mode_cost_function)(uchar, __CLPY_P(sic));
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, set_skc_bilinear_filter_enable)(__CLPY_P(sic));
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, set_skc_forward_transform_enable)(ulong, __CLPY_P(sic));
__CLPY_P(sic) __CLPY_F __CLPY_N(sic, set_block_based_raw_skip_sad)(uchar, __CLPY_P(sic));
#define __CLPY_EVALUATES(KIND) \
    __CLPY_R(KIND) __CLPY_F __CLPY_N(KIND, evaluate_with_single_reference)(__CLPY_I, __CLPY_I, sampler_t, \
                                                                           __CLPY_P(KIND)); \
    __CLPY_R(KIND) __CLPY_F __CLPY_N(KIND, evaluate_with_dual_reference)(__CLPY_I, __CLPY_I, __CLPY_I, sampler_t, \
                                                                         __CLPY_P(KIND)); \
    __CLPY_R(KIND) __CLPY_F __CLPY_N(KIND, evaluate_with_multi_reference)(__CLPY_I, uint, sampler_t, __CLPY_P(KIND)); \
    __CLPY_R(KIND) __CLPY_F __CLPY_N(KIND, evaluate_with_multi_reference)(__CLPY_I, uint, uchar, sampler_t, \
                                                                          __CLPY_P(KIND));
__CLPY_EVALUATES(ref)
__CLPY_EVALUATES(sic)
__CLPY_R(sic) __CLPY_F __CLPY_N(sic, evaluate_ipe)(__CLPY_I, sampler_t, __CLPY_P(sic));
uchar __CLPY_F __CLPY_N(sic, get_ipe_luma_shape)(__CLPY_R(sic));
ushort __CLPY_F __CLPY_N(sic, get_best_ipe_luma_distortion)(__CLPY_R(sic));
ushort __CLPY_F __CLPY_N(sic, get_best_ipe_chroma_distortion)(__CLPY_R(sic));
ulong __CLPY_F __CLPY_N(sic, get_packed_ipe_luma_modes)(__CLPY_R(sic));
uchar __CLPY_F __CLPY_N(sic, get_ipe_chroma_mode)(__CLPY_R(sic));
uint __CLPY_F __CLPY_N(sic, get_packed_skc_luma_count_threshold)(__CLPY_R(sic));
ulong __CLPY_F __CLPY_N(sic, get_packed_skc_luma_sum_threshold)(__CLPY_R(sic));
ushort __CLPY_F __CLPY_N(sic, get_inter_raw_sads)(__CLPY_R(sic));
#ifndef __CLPY_OF_LIBRARY
#undef __CLPY_F
#undef __CLPY_P
#undef __CLPY_R
#undef __CLPY_N
#undef __CLPY_I
#undef __CLPY_SETS
#undef __CLPY_CONVERSIONS
#undef __CLPY_GETS
#undef __CLPY_IME1
#undef __CLPY_IME2
#undef __CLPY_STREAM
#undef __CLPY_EVALUATES
#endif
#endif
