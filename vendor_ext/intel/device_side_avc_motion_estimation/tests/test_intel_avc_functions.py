# SPDX-License-Identifier: Apache-2.0
"""Other functions of cl_intel_device_side_avc_motion_estimation, fields of images, errors, and payloads at random."""
import os
import re
from ctypes import c_uint32
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from avc_kernels import CHECK, REFINE, SEARCH
from avc_model import ONLY, Settings, search
from clapi import E
from test_intel_avc_search import compare

from clpy.compiler.library import index

HEADERS = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22")) / "lib/clang/22/include"
NAME = "cl_intel_device_side_avc_motion_estimation"


def test_is_listed_with_its_queries(api, device, motion):
    assert NAME in motion.device.extensions.split()
    for query in (E.DEVICE_AVC_ME_VERSION_INTEL, E.DEVICE_AVC_ME_SUPPORTS_TEXTURE_SAMPLER_USE_INTEL,
                  E.DEVICE_AVC_ME_SUPPORTS_PREEMPTION_INTEL):
        assert api.info("clGetDeviceInfo", device, query) == bytes(c_uint32(1))


def test_all_functions_that_clang_declares_are_there():
    text = (HEADERS / "opencl-c.h").read_text().partition(f"{NAME} : begin")[2].partition(f"{NAME} : end")[0]
    names = set(re.findall(r"\b(intel_sub_group_\w+)(?=\()", text))
    assert len(names) == 142 and names <= set(index())


def values(motion, type_, *calls):
    """What functions give: the same to all work-items."""
    out = np.zeros((len(calls), 16), type_)
    name = {np.uint64: "ulong", np.uint32: "uint"}[type_]
    body = "".join(f"out[{16 * i} + get_sub_group_local_id()] = {call};\n" for i, call in enumerate(calls))
    kernel = f"__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global {name} *out) {{ {body} }}"
    motion.run(kernel, [], [out])
    assert (out == out[:, :1]).all()
    return out[:, 0].tolist()


MCE = "intel_sub_group_avc_mce_get_default_"


def test_penalties_that_are_proposed(motion):
    """Those of Intel's driver, by slice (P, B, intra) and quality."""
    def by_quality(name, slice_, qualities=(0, 15, 16, 26, 51)):
        return [f"{MCE}{name}({slice_}, {qp})" for qp in qualities]

    def table(slice_):
        return [f"as_ulong({call})" for call in by_quality("inter_motion_vector_cost_table", slice_, (0, 26, 51))]
    found = values(motion, np.uint64, *by_quality("inter_base_multi_reference_penalty", 1),
                   *by_quality("inter_shape_penalty", 0), *by_quality("inter_direction_penalty", 1),
                   *by_quality("intra_luma_shape_penalty", 2), *by_quality("intra_luma_mode_penalty", 2),
                   *table(0), *table(1), *table(2), *(f"as_ulong({MCE}{each}_penalty_cost_table())"
                                                     for each in ("high", "medium", "low")),
                   f"{MCE}non_dc_luma_intra_penalty()", f"{MCE}intra_chroma_mode_base_penalty()",
                   f"{MCE}inter_direction_penalty(0, 51)", f"{MCE}inter_base_multi_reference_penalty(2, 51)")
    assert found == [
        0x04, 0x04, 0x08, 0x1A, 0x5B,
        0x0506040208, 0x0506040208, 0x0B0D090519, 0x1E281C0D2B, 0x68695D4F6C,
        0x02, 0x02, 0x04, 0x0A, 0x4B,
        0x2F000000, 0x2F000000, 0x3F000000, 0x59060000, 0x8F6A0000,
        0x0F, 0x18, 0x28, 0x38, 0x69,
        0x0F0E0C0A09050401, 0x39392F2D2B1D1A05, 0x6F6F6F6E6D5E5B3B,
        0x180E0C0A06020200, 0x3A392F2D1F0A0A00, 0x6F6F6F6E694B4B00, 0, 0, 0,
        0x5C5B59584E483D1D, 0x39392F2D2B1D1A05, 0x0F0E0C0A09050401, 36 | 12 << 8 | 4 << 16, 0, 0, 0]


def test_windows_and_masks(motion):
    def size(window, dual, name="avc_ime"):
        return f"as_uint(intel_sub_group_{name}_ref_window_size({window}, {dual}))"

    def brought(x, y):
        return (f"as_uint(intel_sub_group_avc_ime_adjust_ref_offset((short2)({x}, {y}), (ushort2)(32, 16), "
                "(ushort2)(48, 40), (ushort2)(64, 48)))")

    def mask(eight, directions):
        return f"intel_sub_group_avc_sic_get_motion_vector_mask({0x4000 if eight else 0}, {directions})"
    found = values(motion, np.uint32, *(size(window, dual) for dual in (0, 1) for window in range(6)),
                   size(0, 0, "ime"), brought(3, -4), brought(90, 70), brought(-90, -70), brought(-48, -28),
                   mask(0, 2), mask(1, 2 | 1 << 2 | 2 << 6),
                   "CLK_AVC_ME_SKIP_BLOCK_16x16_INTEL(1)", "CLK_AVC_ME_SKIP_BLOCK_8x8_INTEL(0, 1, 2, 1)")
    whole = [28 | 28 << 16, 24 | 24 << 16, 20 | 20 << 16]
    large, two = 48 | 40 << 16, 32 | 32 << 16
    assert found[:13] == [large, *whole, large, large, two, *whole, two, two, large]
    pairs = [tuple(np.array([word], np.uint32).view(np.int16).tolist()) for word in found[13:17]]
    assert pairs == [(3, -4), (64 - 16 - 32, 48 - 4 - 24), (-16, -4), (-48, -28)]
    assert found[17:] == [3 << 24, 0xDB << 24, 2 << 24, 0xB9 << 24]


def test_types_become_others_and_come_back(motion, images):
    """With all that was set; what can be asked of all results can be asked of the converted one."""
    kernel = """kernel void k(read_only image2d_t source, read_only image2d_t forward, global ulong *out) {
        const sampler_t sampler = CLK_AVC_ME_INITIALIZE_INTEL;
        int lane = get_sub_group_local_id();
        intel_sub_group_avc_ime_payload_t payload = intel_sub_group_avc_ime_initialize((ushort2)(16, 16), 0, 0);
        payload = intel_sub_group_avc_ime_set_single_reference((short2)(2, 1), 2, payload);
        intel_sub_group_avc_mce_payload_t common = intel_sub_group_avc_ime_convert_to_mce_payload(payload);
        common = intel_sub_group_avc_mce_set_inter_shape_penalty(0x0506040208, common);
        intel_sub_group_avc_ime_result_t result = intel_sub_group_avc_ime_evaluate_with_single_reference(
            source, forward, sampler, intel_sub_group_avc_mce_convert_to_ime_payload(common));
        intel_sub_group_avc_mce_result_t general = intel_sub_group_avc_ime_convert_to_mce_result(result);
        result = intel_sub_group_avc_mce_convert_to_ime_result(general);
        out[lane] = intel_sub_group_avc_mce_get_motion_vectors(general);
        out[16 + lane] = intel_sub_group_avc_ime_get_inter_distortions(result);
        out[32 + lane] = intel_sub_group_avc_mce_get_inter_reference_interlaced_field_polarities(
            0x21102130, 0x36, general);
    }"""
    out = np.zeros((3, 16), np.uint64)
    motion.run(kernel, images[:2], [out])
    s = Settings(x=16, y=16, window=2, offsets=((2, 1), (0, 0)), shape_penalty=0x0506040208)
    vectors, distortions, *_ = motion.search(s, images)
    assert (out[0].view(np.int16).reshape(16, 2, 2) == vectors).all() and (out[1] == distortions).all()
    fields = [[0x36 >> (2 * n + d) & 1 for n in ids] for d, ids in enumerate([(0, 1, 0, 1), (3, 2, 1, 2)])]
    assert (out[2] == sum(bit << (i + 4 * d) for d, bits in enumerate(fields) for i, bit in enumerate(bits))).all()


@pytest.mark.parametrize("dual", [0, 1])
def test_fields_are_images_of_every_other_row(motion, pictures, images, dual):
    """The lower field of the source in the upper one and the lower one of its references."""
    s = Settings(x=16, y=0, window=2, dual=dual, mask=ONLY["16x16"] & ONLY["8x8"], fields=0b10111)
    want = search(s, pictures[0][1::2], [pictures[1][::2], pictures[2][1::2]])
    compare(s, motion.search(s, images), want)


def test_several_sub_groups_of_a_group(motion, pictures, images):
    """Each has a macroblock of its own, in a loop."""
    kernel = """kernel void k(read_only image2d_t source, read_only image2d_t forward, global ulong *out, int rows) {
        const sampler_t sampler = CLK_AVC_ME_INITIALIZE_INTEL;
        for (int row = 0; row < rows; row++) {
            ushort2 at = (ushort2)(get_sub_group_id() * 16, row * 16);
            intel_sub_group_avc_ime_payload_t payload = intel_sub_group_avc_ime_initialize(at, 0x77, 0);
            payload = intel_sub_group_avc_ime_set_single_reference((short2)(0, 0), 3, payload);
            intel_sub_group_avc_ime_result_t result = intel_sub_group_avc_ime_evaluate_with_single_reference(
                source, forward, sampler, payload);
            out[row * get_global_size(0) + get_global_id(0)] = intel_sub_group_avc_ime_get_motion_vectors(result);
        }
    }"""
    out = np.zeros((2, 48), np.uint64)
    buffer = cl.Buffer(motion.context, cl.mem_flags.READ_WRITE, out.nbytes)
    k = motion.build(kernel).k
    k(motion.queue, (48,), (48,), images[0], images[1], buffer, np.int32(2))
    cl.enqueue_copy(motion.queue, out, buffer)
    for row in range(2):
        for column in range(3):
            s = Settings(x=16 * column, y=16 * row, window=3, mask=0x77)
            want = [v[0] for v in search(s, pictures[0], pictures[1:])["vectors"]]
            got = out[row, 16 * column:16 * column + 16].copy().view(np.int16).reshape(16, 4)[:, :2].tolist()
            assert got == [list(map(int, v)) for v in want]


EVALUATE = """ARGS {
    const sampler_t sampler = CLK_AVC_ME_INITIALIZE_INTEL;
    intel_sub_group_avc_ime_payload_t payload = intel_sub_group_avc_ime_initialize((ushort2)(0, 0), 0, 0);
    payload = intel_sub_group_avc_ime_set_single_reference((short2)(0, 0), 0, payload);
    intel_sub_group_avc_ime_result_t result = intel_sub_group_avc_ime_evaluate_with_single_reference(
        source, reference, sampler, payload);
    *out = intel_sub_group_avc_ime_get_best_inter_distortion(result); }"""


@pytest.mark.parametrize("args,says", [
    ("__attribute__((intel_reqd_sub_group_size(8))) kernel void k(read_only image2d_t source, "
     "read_only image2d_t reference, global uint *out)",
     "sub-groups of 8 work-items, but calls functions that there are for those of 16 only"),
    ("kernel void k(read_only image2d_t reference, read_only image2d_t source, global uint *out)",
     "must be arguments of the kernel, behind that of the source"),
    ("kernel void k(read_only image2d_t source, global uint *out, read_only image2d_t other, int n)",
     "undeclared identifier 'reference'")])
def test_what_does_not_build(motion, args, says):
    with pytest.raises(cl.RuntimeError) as error:
        motion.build(EVALUATE.replace("ARGS", args))
    assert says in str(error.value)


@pytest.mark.parametrize("source,outputs", [(SEARCH, [(8, 3, 16)]), (REFINE, []), (CHECK, None)])
def test_payloads_at_random(motion, images, source, outputs):
    """Whatever they say there is a result, and no memory is touched that is none of theirs."""
    rng = np.random.default_rng(len(source))
    for n in range(60):
        words = rng.integers(0, 1 << 32, 36, np.uint64)
        words[rng.random(36) < 0.6] %= 4 if n % 2 else 70
        lanes = [[tuple(rng.integers(-40000, 40000, 2)) for _ in range(2)] for _ in range(16)]
        more = [np.zeros(shape, np.uint32) for shape in outputs or []]
        if outputs is None:
            more = [np.zeros(41, np.uint8), np.zeros(33, np.uint16), np.zeros(2, np.uint64)]
        found = motion.operate(source, words.tolist(), images, lanes, lanes, more)
        assert found[2][0] <= 3
