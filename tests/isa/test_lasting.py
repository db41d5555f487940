# SPDX-License-Identifier: Apache-2.0
"""Code that is written once: which vector registers it keeps, and masks that are scalar registers to the chip."""
import numpy as np
import pytest

from clpy.compiler.isa.gcn import decode, lasting, translate
from clpy.compiler.isa.gcn.flow import Block, Flow
from clpy.llvm.ir import functions

from .machine import machine, program_of

N = 192


def flow_of(*blocks):
    """Blocks of texts of instructions, each four bytes long; where control goes behind one is the next."""
    made, at = {}, 0
    for number, texts in enumerate(blocks):
        block = made[at] = Block(at, number)
        for text in texts:
            block.instructions.append(decode.Instruction(at, 4, decode.parse(text)))
            at += 4
        block.next = None if texts[-1] == "s_endpgm" else at
    return Flow(made, {}, [])


def kept(*blocks):
    found = lasting.behind(flow_of(*blocks))
    return [[n for n in range(256) if found[offset] >> n & 1] for offset in sorted(found)]


def test_what_is_written_again_in_a_block_is_not_kept():
    rows = kept(["v_add_f32_e32 v1, v2, v3", "v_mul_f32_e32 v4, v1, v1", "v_mov_b32_e32 v1, v4",
                 "buffer_store_dword v1, v0, s[0:3], 0 offen", "s_endpgm"])
    assert rows[1] == [0, 1, 4]         # v1, as the instruction itself names it, v2 and v3 no more
    assert rows[2] == [0, 1, 4] and rows[3] == [0, 1] and rows[4] == []


def test_lanes_that_are_off_keep_theirs_from_block_to_block():
    rows = kept(["v_mov_b32_e32 v1, v2", "s_mov_b64 exec, s[4:5]"], ["v_mov_b32_e32 v1, v3", "s_mov_b64 exec, -1"],
                ["buffer_store_dword v1, v0, s[0:3], 0 offen", "s_endpgm"])
    assert rows[1] == [0, 1, 3]
    # Another lane is looked at: what is there where EXEC is off is of before.
    rows = kept(["s_nop 0", "v_mov_b32_e32 v1, v2", "v_readlane_b32 s4, v1, 5", "s_endpgm"])
    assert rows[0] == [1, 2]


def test_part_of_a_register_is_not_all_of_it():
    assert kept(["s_nop 0", "v_mac_f32_e32 v1, v2, v3", "v_mul_f32_e32 v0, v1, v1", "s_endpgm"])[0] == [1, 2, 3]
    assert kept(["s_nop 0", "buffer_load_short_d16 v1, v0, s[0:3], 0 offen", "s_endpgm"])[0] == [0, 1]
    assert kept(["s_nop 0", "buffer_load_dword v1, v0, s[0:3], 0 offen", "s_endpgm"])[0] == [0]


def test_places_in_images_are_more_registers_than_the_text_names():
    """Of "v4" the next ones are coordinates, too."""
    rows = kept(["v_mov_b32_e32 v5, v6", "image_store v[0:3], v4, s[0:7] dmask:0xf unorm", "s_endpgm"])
    assert set(rows[0]) >= {0, 1, 2, 3, 4, 5} and rows[2] == []


def test_all_is_kept_where_a_register_is_found_by_a_number():
    assert kept(["v_mov_b32_e32 v1, v2", "v_movrels_b32_e32 v3, v4", "s_endpgm"])[0] == list(range(256))


def test_a_loop_takes_again_what_its_last_turn_left():
    flow = flow_of(["v_mov_b32_e32 v1, 0"], ["v_add_f32_e32 v1, v1, v2", "s_cbranch_scc1 65534"], ["s_endpgm"])
    found = lasting.behind(flow)
    assert found[0] == found[4] == found[8] == 0b110
    assert found[12] == 0


MASKS = """
kernel void divide(global const double *a, global const double *b, global double *o) {
    size_t i = get_global_id(0); double q = a[i];
    if (i % 3) for (int k = 0; k < 3; k++) q = q / b[i] + b[(i + k) % 192] / q;
    o[i] = q;
}
kernel void choose(global const int *x, global int *o) {
    int i = get_global_id(0), v = x[i], r = 0;
    bool odd = v & 1, small = v < 50, low = i < 100;
    if (i % 5 != 2) {
        r += (odd && small) != low ? v : 1;
        r *= odd ^ low ? 3 : v;
        r += !(odd || low) || (small && !odd) ? 7 : 0;
        if ((odd && low) || (small != odd)) r ^= x[(i + 1) % 192];
    }
    o[i] = r;
}"""


@pytest.mark.parametrize("processor", ["gfx600", "gfx803", "gfx900"])
@pytest.mark.parametrize("is_brief", [False, True])
def test_masks_that_a_run_makes_are_combined_in_it(processor, is_brief):
    random = np.random.default_rng(1)
    chip = machine(MASKS, processor, is_brief=is_brief)
    i, x, out = np.arange(N), random.integers(0, 100, N).astype(np.int32), np.zeros(N, np.int32)
    chip.run("choose", (N,), (N,), [x, out])
    odd, small, low = x & 1 == 1, x < 50, i < 100
    r = np.where((odd & small) != low, x, 1) * np.where(odd ^ low, 3, x)
    r += np.where(~(odd | low) | (small & ~odd), 7, 0)
    r = np.where((odd & low) | (small != odd), r ^ np.roll(x, -1), r)
    np.testing.assert_array_equal(out, np.where(i % 5 != 2, r, 0))
    a, b, out = random.random(N) + .5, random.random(N) + .5, np.zeros(N)
    chip.run("divide", (N,), (N,), [a, b, out])
    q = a.copy()
    for k in range(3):
        q = q / b + np.roll(b, -k) / q
    np.testing.assert_allclose(out, np.where(i % 3 != 0, q, a), rtol=1e-14)


def test_a_division_is_no_long_code_where_it_is_wanted_soon():
    """The loop of a run of vectors, and nothing of what corrects a quotient in line."""
    source = "kernel void f(global double *x) { size_t i = get_global_id(0); x[i] = 1 / x[i]; }"
    module, _ = translate.translate(program_of(source, "gfx600")[0], is_brief=True)
    wave, = (function for function in functions(module) if function.name == "wave.f")
    called = [call.callee.name for call in wave.instructions_of("call")]
    assert called.count("v_div_scale_f64_apart") == 2 and called.count("v_div_fixup_f64_apart") == 1
    # The comparison of the two that were scaled, which chips before gfx7 need, ends no run; the store is no loop.
    assert str(wave).count("\nparts") == 1


STORES = """
kernel void bytes(global const uchar4 *x, global uchar *o) {
    int i = get_global_id(0); uchar4 v = x[i]; if (i % 3) { o[3 * i] = v.x; o[3 * i + 1] = v.y ^ v.z; }
}
kernel void wide(global const double2 *x, global double2 *o, local ulong *l) {
    int i = get_global_id(0), j = get_local_id(0); l[j] = i; barrier(CLK_LOCAL_MEM_FENCE);
    if (l[(j + 1) % 64] & 1) o[191 - i] = x[i].yx;
}"""


@pytest.mark.parametrize("processor", ["gfx600", "gfx803", "gfx900"])
def test_stores_alone_are_those_of_the_whole_wavefront(processor):
    chip, i = machine(STORES, processor, is_brief=True), np.arange(N)
    x, out = np.random.default_rng(2).integers(0, 256, (N, 4)).astype(np.uint8), np.zeros((N, 3), np.uint8)
    chip.run("bytes", (N,), (64,), [x, out])
    on = (i % 3 != 0)[:, None]
    np.testing.assert_array_equal(out, np.where(on, np.stack([x[:, 0], x[:, 1] ^ x[:, 2], 0 * i], 1), 0))
    x, out = np.arange(2. * N).reshape(N, 2), np.zeros((N, 2))
    chip.run("wide", (N,), (64,), [x, out, 8 * 64])
    on = (np.where(i % 64 == 63, i - 63, i + 1) & 1 == 1)[:, None]
    np.testing.assert_array_equal(out[::-1], np.where(on, x[:, ::-1], 0))
