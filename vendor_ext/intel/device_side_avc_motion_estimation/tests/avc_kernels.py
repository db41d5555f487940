# SPDX-License-Identifier: Apache-2.0
"""Kernels with all functions of an operation, which settings of the model choose from, and what they find."""
import numpy as np
import pyopencl as cl
from avc_model import Settings

TYPES = "ushort2 at = (ushort2)(p[0], p[1]); const sampler_t sampler = CLK_AVC_ME_INITIALIZE_INTEL;"
COSTS = """
    payload = intel_sub_group_avc_KIND_set_inter_shape_penalty(as_ulong((uint2)(p[10], p[11])), payload);
    payload = intel_sub_group_avc_KIND_set_inter_direction_penalty(p[12], payload);
    payload = intel_sub_group_avc_KIND_set_inter_base_multi_reference_penalty(p[13], payload);
    if (p[9])
        payload = intel_sub_group_avc_KIND_set_motion_vector_cost_function(centers[lane], (uint2)(p[6], p[7]), p[8],
                                                                           payload);
    if (p[14])
        payload = intel_sub_group_avc_KIND_set_ac_only_haar(payload);
    if (p[15] & 1)
        payload = intel_sub_group_avc_KIND_set_source_interlaced_field_polarity(p[15] >> 1 & 1, payload);
    if (p[15] & 4 && p[5])
        payload = intel_sub_group_avc_KIND_set_dual_reference_interlaced_field_polarities(
            p[15] >> 3 & 1, p[15] >> 4 & 1, payload);
    else if (p[15] & 4)
        payload = intel_sub_group_avc_KIND_set_single_reference_interlaced_field_polarity(p[15] >> 3 & 1, payload);
"""
GETTERS = """
    vectors[lane] = intel_sub_group_avc_KIND_get_motion_vectors(result);
    distortions[lane] = intel_sub_group_avc_KIND_get_inter_distortions(result);
    out[0] = intel_sub_group_avc_KIND_get_inter_major_shape(result);
    out[1] = intel_sub_group_avc_KIND_get_inter_minor_shapes(result);
    out[2] = intel_sub_group_avc_KIND_get_inter_directions(result);
    out[3] = intel_sub_group_avc_KIND_get_inter_motion_vector_count(result);
    out[4] = intel_sub_group_avc_KIND_get_best_inter_distortion(result);
    out[5] = intel_sub_group_avc_KIND_get_inter_reference_ids(result);
"""
NV12 = 0x410E                   # CL_NV12_INTEL
NAMES = ("major", "minor", "directions", "count", "best", "ids")
ARGS = """kernel void k(read_only image2d_t source, read_only image2d_t forward, read_only image2d_t backward,
    read_only image2d_t forward1, read_only image2d_t backward1, read_only image2d_t forward2,
    read_only image2d_t backward2, global uint *p, global ulong *centers, global ulong *given,
    global ulong *vectors, global ushort *distortions, global uint *out"""

SEARCH = ARGS + """, global uint *streams)
{
    int lane = get_sub_group_local_id();
    """ + TYPES + """
    intel_sub_group_avc_ime_payload_t payload = CLK_AVC_IME_PAYLOAD_INITIALIZE_INTEL;
    payload = intel_sub_group_avc_ime_initialize(at, p[2], p[3]);
    short2 first = as_short2(p[16]), second = as_short2(p[17]);
    if (p[5])
        payload = intel_sub_group_avc_ime_set_dual_reference(first, second, p[4], payload);
    else
        payload = intel_sub_group_avc_ime_set_single_reference(first, p[4], payload);
""" + COSTS.replace("KIND", "ime") + """
    if (p[18] != 32)
        payload = intel_sub_group_avc_ime_set_max_motion_vector_count(p[18], payload);
    if (p[19])
        payload = intel_sub_group_avc_ime_set_unidirectional_mix_disable(payload);
    if (p[20])
        payload = intel_sub_group_avc_ime_set_early_search_termination_threshold(p[21], payload);
    if (p[22])
        payload = intel_sub_group_avc_ime_set_weighted_sad(p[23], payload);
    intel_sub_group_avc_ime_result_t result = CLK_AVC_IME_RESULT_INITIALIZE_INTEL;
    if (p[24] == 0 && p[5] == 0)
        result = intel_sub_group_avc_ime_evaluate_with_single_reference(source, forward, sampler, payload);
    else if (p[24] == 0)
        result = intel_sub_group_avc_ime_evaluate_with_dual_reference(source, forward, backward, sampler, payload);
    else if (p[5] == 0) {
        intel_sub_group_avc_ime_result_single_reference_streamout_t found =
            intel_sub_group_avc_ime_evaluate_with_single_reference_streamout(source, forward1, sampler, payload);
        if (p[24] == 2)
            found = intel_sub_group_avc_ime_evaluate_with_single_reference_streaminout(
                source, forward, sampler, payload, intel_sub_group_avc_ime_get_single_reference_streamin(found));
        result = intel_sub_group_avc_ime_strip_single_reference_streamout(found);
        for (int shape = 0; shape < 4; shape++) {
            streams[shape * 48 + lane] = intel_sub_group_avc_ime_get_streamout_major_shape_motion_vectors(found, shape);
            streams[shape * 48 + 16 + lane] =
                intel_sub_group_avc_ime_get_streamout_major_shape_distortions(found, shape);
            streams[shape * 48 + 32 + lane] =
                intel_sub_group_avc_ime_get_streamout_major_shape_reference_ids(found, shape);
        }
    } else {
        intel_sub_group_avc_ime_result_dual_reference_streamout_t found =
            intel_sub_group_avc_ime_evaluate_with_dual_reference_streamout(source, forward1, backward1, sampler,
                                                                           payload);
        result = intel_sub_group_avc_ime_strip_dual_reference_streamout(found);
        if (p[24] == 2)
            result = intel_sub_group_avc_ime_evaluate_with_dual_reference_streamin(source, forward, backward, sampler,
                payload, intel_sub_group_avc_ime_get_dual_reference_streamin(found));
        for (int shape = 0; shape < 8; shape++) {
            int s = shape % 4, d = shape / 4;
            streams[shape * 48 + lane] = intel_sub_group_avc_ime_get_streamout_major_shape_motion_vectors(found, s, d);
            streams[shape * 48 + 16 + lane] =
                intel_sub_group_avc_ime_get_streamout_major_shape_distortions(found, s, d);
            streams[shape * 48 + 32 + lane] =
                intel_sub_group_avc_ime_get_streamout_major_shape_reference_ids(found, s, d);
        }
    }
""" + GETTERS.replace("KIND", "ime") + """
    out[6] = intel_sub_group_avc_ime_get_border_reached(CLK_AVC_ME_FRAME_FORWARD_INTEL, result)
           | intel_sub_group_avc_ime_get_border_reached(CLK_AVC_ME_FRAME_BACKWARD_INTEL, result) << 4;
    out[7] = intel_sub_group_avc_ime_get_truncated_search_indication(result);
    out[8] = intel_sub_group_avc_ime_get_unidirectional_early_search_termination(result);
    out[9] = intel_sub_group_avc_ime_get_weighting_pattern_minimum_motion_vector(result);
    out[10] = intel_sub_group_avc_ime_get_weighting_pattern_minimum_distortion(result);
}"""

REFINE = ARGS + """)
{
    int lane = get_sub_group_local_id();
    """ + TYPES + """
    intel_sub_group_avc_ref_payload_t payload = CLK_AVC_REF_PAYLOAD_INITIALIZE_INTEL;
    if (p[16])
        payload = intel_sub_group_avc_bme_initialize(at, given[lane], p[17], p[18], p[19], p[20], p[21], p[3]);
    else
        payload = intel_sub_group_avc_fme_initialize(at, given[lane], p[17], p[18], p[19], p[20], p[3]);
""" + COSTS.replace("KIND", "ref") + """
    if (p[22])
        payload = intel_sub_group_avc_ref_set_bidirectional_mix_disable(payload);
    if (p[23])
        payload = intel_sub_group_avc_ref_set_bilinear_filter_enable(payload);
    intel_sub_group_avc_ref_result_t result = CLK_AVC_REF_RESULT_INITIALIZE_INTEL;
    if (p[24])
        result = intel_sub_group_avc_ref_evaluate_with_multi_reference(source, p[25], sampler, payload);
    else if (p[5])
        result = intel_sub_group_avc_ref_evaluate_with_dual_reference(source, forward, backward, sampler, payload);
    else
        result = intel_sub_group_avc_ref_evaluate_with_single_reference(source, forward, sampler, payload);
""" + GETTERS.replace("KIND", "ref") + "}"

CHECK = ARGS + """, global uchar *edges, global ushort *chroma, global ulong *more)
{
    int lane = get_sub_group_local_id();
    """ + TYPES + """
    intel_sub_group_avc_sic_payload_t payload = CLK_AVC_SIC_PAYLOAD_INITIALIZE_INTEL;
    payload = intel_sub_group_avc_sic_initialize(at);
    if (p[16])
        payload = intel_sub_group_avc_sic_configure_skc(p[17], p[18], given[lane], p[19], p[3], payload);
    if (p[20] == 1)
        payload = intel_sub_group_avc_sic_configure_ipe(p[21], p[22], edges[lane], edges[16], edges[17 + lane],
                                                        edges[33 + lane % 8], p[3], payload);
    if (p[20] == 2)
        payload = intel_sub_group_avc_sic_configure_ipe(p[21], p[22], edges[lane], edges[16], edges[17 + lane],
                                                        edges[33 + lane % 8], chroma[lane], chroma[16],
                                                        chroma[17 + lane], p[3], payload);
""" + COSTS.replace("KIND", "sic") + """
    payload = intel_sub_group_avc_sic_set_intra_luma_shape_penalty(p[23], payload);
    if (p[24])
        payload = intel_sub_group_avc_sic_set_intra_luma_mode_cost_function(p[25], p[26], p[27], payload);
    payload = intel_sub_group_avc_sic_set_intra_chroma_mode_cost_function(p[28], payload);
    if (p[29])
        payload = intel_sub_group_avc_sic_set_skc_forward_transform_enable(as_ulong((uint2)(p[30], p[31])), payload);
    if (p[32])
        payload = intel_sub_group_avc_sic_set_block_based_raw_skip_sad(p[32] == 2 ? 0x80 : 0, payload);
    if (p[33])
        payload = intel_sub_group_avc_sic_set_skc_bilinear_filter_enable(payload);
    intel_sub_group_avc_sic_result_t result = CLK_AVC_SIC_RESULT_INITIALIZE_INTEL;
    if (!p[16])
        result = intel_sub_group_avc_sic_evaluate_ipe(source, sampler, payload);
    else if (p[34])
        result = intel_sub_group_avc_sic_evaluate_with_multi_reference(source, p[35], sampler, payload);
    else if (p[5])
        result = intel_sub_group_avc_sic_evaluate_with_dual_reference(source, forward, backward, sampler, payload);
    else
        result = intel_sub_group_avc_sic_evaluate_with_single_reference(source, forward, sampler, payload);
    distortions[lane] = intel_sub_group_avc_sic_get_inter_distortions(result);
    vectors[lane] = 0;
    out[0] = intel_sub_group_avc_sic_get_ipe_luma_shape(result);
    out[1] = intel_sub_group_avc_sic_get_best_ipe_luma_distortion(result);
    out[2] = intel_sub_group_avc_sic_get_best_ipe_chroma_distortion(result);
    out[3] = intel_sub_group_avc_sic_get_ipe_chroma_mode(result);
    out[4] = intel_sub_group_avc_sic_get_packed_skc_luma_count_threshold(result);
    out[5] = intel_sub_group_avc_sic_get_inter_raw_sads(result);
    more[0] = intel_sub_group_avc_sic_get_packed_ipe_luma_modes(result);
    more[1] = intel_sub_group_avc_sic_get_packed_skc_luma_sum_threshold(result);
}"""


def packed(vector):
    return (int(vector[0]) & 0xFFFF) | (int(vector[1]) & 0xFFFF) << 16


def both(forward, backward):
    return packed(forward) | packed(backward) << 32


def costs(s: Settings):
    """The words from 6 on that all kernels have."""
    return [s.table & 0xFFFFFFFF, s.table >> 32, s.precision, s.has_costs, s.shape_penalty & 0xFFFFFFFF,
            s.shape_penalty >> 32, s.direction_penalty, s.reference_penalty, s.ac_only, s.fields]


def head(s: Settings):
    return [s.x, s.y, s.mask, s.haar, s.window, s.dual, *costs(s)]


class Motion:
    """A device and its kernels."""

    def __init__(self):
        self.context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
        self.device, self.queue = self.context.devices[0], cl.CommandQueue(self.context)
        self.kernels = {}

    def build(self, source, options=""):
        return cl.Program(self.context, source).build("-cl-std=CL2.0 " + options)

    def image(self, pixels, order=cl.channel_order.R):
        pixels = np.ascontiguousarray(pixels)
        image_format = cl.ImageFormat(order, cl.channel_type.UNORM_INT8)
        return cl.create_image(self.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, image_format,
                               shape=pixels.shape[::-1], hostbuf=pixels)

    def planar(self, rows):
        """Of NV12: rows of luma, half as many of U and V in turn."""
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.HOST_NO_ACCESS | cl.mem_flags.COPY_HOST_PTR
        return cl.create_image(
            self.context, flags, cl.ImageFormat(NV12, cl.channel_type.UNORM_INT8),
            shape=(rows.shape[1], rows.shape[0] * 2 // 3), hostbuf=np.ascontiguousarray(rows))

    def run(self, source, args, outputs):
        """`args`: images and arrays; `outputs`: arrays to be filled."""
        if source not in self.kernels:
            self.kernels[source] = self.build(source).k
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        made = [a if isinstance(a, cl.Image) else cl.Buffer(self.context, flags, hostbuf=a) for a in (*args, *outputs)]
        self.kernels[source](self.queue, (16,), (16,), *made)
        for array, buffer in zip(outputs, made[len(args):], strict=True):
            cl.enqueue_copy(self.queue, array, buffer)

    def operate(self, kernel, words, images, centers, given, more=()):
        """Vectors [work-item][direction], distortions, numbers."""
        found = np.zeros((16, 2, 2), np.int16), np.zeros(16, np.uint16), np.zeros(11, np.uint32)
        uints = np.array([int(w) & 0xFFFFFFFF for w in words], np.uint32)
        lanes = [np.array([both(*pair) for pair in pairs] + [0] * (16 - len(pairs)), np.uint64)
                 for pairs in (centers, given)]
        self.run(kernel, [*images, uints, *lanes], [*found, *more])
        return found

    def search(self, s, images, stream=0):
        words = [*head(s), packed(s.offsets[0]), packed(s.offsets[1]), s.most, s.no_mix, s.threshold >= 0, s.threshold,
                 s.weights >= 0, s.weights, stream]
        streams = np.zeros((8, 3, 16), np.uint32)
        found = self.operate(SEARCH, words, images, list(zip(*s.centers, strict=True)), [], [streams])
        return *found, streams

    def refine(self, s, images, major, minor, directions, vectors, ids=None):
        words = [*head(s), s.pairs, major, minor, directions, s.resolution, s.weight, s.no_mix, s.bilinear,
                 ids is not None, ids or 0]
        return self.operate(REFINE, words, images, list(zip(*s.centers, strict=True)), vectors)

    def check(self, s, images, skip=None, intra=None):
        """`skip`: {words by number, "vectors"}, `intra` likewise with "edges" and "chroma"; gives distortions, numbers,
        modes, sums."""
        words = [*head(s), *[0] * 20]
        for settings in (skip, intra):
            for at, value in (settings or {}).items():
                if isinstance(at, int):
                    words[at] = value
        more = np.zeros(2, np.uint64)
        edges = np.array((intra or {}).get("edges", [0] * 41), np.uint8)
        chroma = np.array((intra or {}).get("chroma", [0] * 33), np.uint16)
        found = self.operate(CHECK, words, images, list(zip(*s.centers, strict=True)), (skip or {}).get("vectors", []),
                             [edges, chroma, more])
        return found[1], found[2], int(more[0]), int(more[1])
