// SPDX-License-Identifier: Apache-2.0
// What the other kernels leave out of the instructions of SPIR-V.
__attribute__((noinline)) void give_numbers(global uint *numbers, intel_sub_group_avc_mce_result_t general)
{
    uint2 costs = intel_sub_group_avc_mce_get_default_inter_motion_vector_cost_table(1, 26)
                + intel_sub_group_avc_mce_get_default_high_penalty_cost_table() * 3
                + intel_sub_group_avc_mce_get_default_medium_penalty_cost_table() * 5
                + intel_sub_group_avc_mce_get_default_low_penalty_cost_table() * 7;
    ulong shapes = intel_sub_group_avc_mce_get_default_inter_shape_penalty(0, 26);
    numbers[0] = costs.x;
    numbers[1] = costs.y;
    numbers[2] = (uint)shapes;
    numbers[3] = (uint)(shapes >> 32);
    numbers[4] = intel_sub_group_avc_mce_get_default_inter_base_multi_reference_penalty(1, 26);
    numbers[5] = intel_sub_group_avc_mce_get_default_inter_direction_penalty(1, 26);
    numbers[6] = intel_sub_group_avc_mce_get_default_intra_luma_shape_penalty(2, 26);
    numbers[7] = intel_sub_group_avc_mce_get_default_intra_luma_mode_penalty(2, 26);
    numbers[8] = intel_sub_group_avc_mce_get_default_non_dc_luma_intra_penalty();
    numbers[9] = intel_sub_group_avc_mce_get_default_intra_chroma_mode_base_penalty();
    numbers[10] = as_uint(intel_sub_group_avc_ime_ref_window_size(2, 1));
    numbers[11] = as_uint(intel_sub_group_avc_ime_adjust_ref_offset((short2)(200, -90), (ushort2)(32, 16),
                                                                    (ushort2)(48, 40), (ushort2)(64, 48)));
    numbers[12] = intel_sub_group_avc_sic_get_motion_vector_mask(0x4000, 0x11);
    numbers[13] = intel_sub_group_avc_mce_get_inter_reference_interlaced_field_polarities(0x21102130, 0x36, general);
}

kernel void k(read_only image2d_t source, read_only image2d_t forward, read_only image2d_t backward,
              read_only image2d_t forward1, read_only image2d_t backward1, global ulong *vectors, global uint *out,
              global uint *numbers)
{
    const sampler_t sampler = CLK_AVC_ME_INITIALIZE_INTEL;
    const ushort2 at = (ushort2)(16, 16);
    int lane = get_sub_group_local_id();
    intel_sub_group_avc_ime_payload_t ime = intel_sub_group_avc_ime_initialize(at, 0x77, 0);
    ime = intel_sub_group_avc_ime_set_single_reference((short2)(1, -2), 3, ime);
    intel_sub_group_avc_ime_result_single_reference_streamout_t one =
        intel_sub_group_avc_ime_evaluate_with_single_reference_streamout(source, forward1, sampler, ime);
    intel_sub_group_avc_ime_result_t found = intel_sub_group_avc_ime_evaluate_with_single_reference_streamin(
        source, forward, sampler, ime, intel_sub_group_avc_ime_get_single_reference_streamin(one));
    vectors[lane] = intel_sub_group_avc_ime_get_motion_vectors(found);
    out[lane] = intel_sub_group_avc_ime_get_inter_distortions(found);

    ime = intel_sub_group_avc_ime_set_dual_reference((short2)(1, -2), (short2)(-3, 0), 3, ime);
    intel_sub_group_avc_ime_result_dual_reference_streamout_t two =
        intel_sub_group_avc_ime_evaluate_with_dual_reference_streamout(source, forward1, backward1, sampler, ime);
    for (int i = 0; i < 2; i++)
        two = intel_sub_group_avc_ime_evaluate_with_dual_reference_streaminout(
            source, forward, backward, sampler, ime, intel_sub_group_avc_ime_get_dual_reference_streamin(two));
    found = intel_sub_group_avc_ime_strip_dual_reference_streamout(two);
    intel_sub_group_avc_mce_result_t general = intel_sub_group_avc_ime_convert_to_mce_result(found);
    found = intel_sub_group_avc_mce_convert_to_ime_result(general);
    ulong refined = intel_sub_group_avc_ime_get_motion_vectors(found);
    vectors[16 + lane] = refined;
    out[16 + lane] = intel_sub_group_avc_ime_get_streamout_major_shape_distortions(two, 3, 1);

    // Of two payloads that change places in a loop one is the other's last value.
    intel_sub_group_avc_ref_payload_t ref = intel_sub_group_avc_fme_initialize(at, refined, 0, 0, 0, 2, 0);
    intel_sub_group_avc_ref_payload_t other = intel_sub_group_avc_ref_set_bilinear_filter_enable(ref);
    for (uint i = 0; i < out[0] % 2 + 2; i++) {
        intel_sub_group_avc_ref_payload_t last = ref;
        ref = other;
        other = intel_sub_group_avc_ref_set_inter_direction_penalty(i, last);
        intel_sub_group_avc_ref_result_t result = intel_sub_group_avc_ref_evaluate_with_multi_reference(
            source, 0x10101010, 0x0F, sampler, ref);
        result = intel_sub_group_avc_mce_convert_to_ref_result(
            intel_sub_group_avc_ref_convert_to_mce_result(result));
        vectors[32 + 16 * i + lane] = intel_sub_group_avc_ref_get_motion_vectors(result);
        out[32 + 16 * i + lane] = intel_sub_group_avc_ref_get_inter_distortions(result);
    }

    intel_sub_group_avc_sic_payload_t sic = intel_sub_group_avc_sic_initialize(at);
    sic = intel_sub_group_avc_sic_configure_skc(0x4000, 0x55000000, refined, 32, 0, sic);
    intel_sub_group_avc_sic_result_t checked = intel_sub_group_avc_mce_convert_to_sic_result(
        intel_sub_group_avc_sic_convert_to_mce_result(
            intel_sub_group_avc_sic_evaluate_with_multi_reference(source, 0x01010101, 0xF0, sampler, sic)));
    out[80 + lane] = intel_sub_group_avc_sic_get_inter_distortions(checked);
    give_numbers(numbers, general);
}
