# SPDX-License-Identifier: Apache-2.0
"""Machine code is read as the compiler wrote it down, and other bytes are refused."""
import re

import pytest

from clpy.compiler.isa.gcn import decode, flow, known, southern_islands

from .machine import machine, program_of

SOURCE = """
kernel void many(global float *a, global uint *b, local float *t, float4 v, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    t[l] = a[i] * v.x + sin(a[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++)
        if (b[i] & 1 << (k & 31))
            t[l] = fma(t[l ^ 1], v.y, convert_float(b[i + k]));
    atomic_add(b + 3, 5);
    vstore4((float4)(t[l], v.zw, 1) / v, i, a);
}
"""
PROCESSORS = ("gfx600", "gfx701", "gfx803", "gfx900", "gfx906")
CONSTANT = re.compile(r"\b(?:0x[0-9a-f]+|lit\((.*?)\))")


def plain(text):
    """Without differences of spelling: spaces, offsets that are 0, numbers."""
    text = re.sub(r"\s+", " ", text.replace("\t", " ")).strip()
    text = re.sub(r" offset:0\b| \[a-z_]*:0\b", "", text)
    text = re.sub(r"lit\((.*?)\)", r"\1", text)
    return CONSTANT.sub(lambda match: str(int(match[0], 16)), text)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_reads_what_was_written(processor):
    program = machine(SOURCE, processor).program
    decoder = decode.Decoder(processor, program.text)
    read = decode.disassembler(processor).one
    assert len(program.listing) > 100
    for listed in program.listing:
        size, text = read(program.text, listed.offset)
        assert size == listed.size, listed
        name = plain(listed.text).split(" ")[0]
        assert plain(text).split(" ")[0] == name
        if name.startswith(flow.BRANCHES):
            assert flow.target(decoder.at(listed.offset)) == int(listed.text.split()[-1], 16)
        elif not name.startswith("s_waitcnt"):
            assert decode.parse(plain(text)) == decode.parse(plain(listed.text)), listed.text


def test_blocks_cover_the_kernel():
    program = machine(SOURCE, "gfx803").program
    kernel = program.kernels["many"]
    found = flow.read(decode.Decoder("gfx803", program.text), kernel.entry, "many")
    inside = [i for block in found.blocks.values() for i in block.instructions]
    assert len({i.offset for i in inside}) == len(inside)
    assert all(block.next is None or block.next in found.blocks for block in found.blocks.values())
    assert sum(block.last.form.name == "s_barrier" for block in found.blocks.values()) == 1


def test_operands():
    form = decode.parse("v_fma_f32 v5, -v1, |s2|, 0.5 clamp mul:2")
    assert (form.name, form.modifiers) == ("v_fma_f32", {"clamp": True, "mul": 2})
    assert form.operands[1] == decode.Operand("v", 1, 1, neg=True)
    assert form.operands[2] == decode.Operand("s", 2, 1, abs=True)
    assert form.operands[3] == decode.Operand("float", 0.5)
    form = decode.parse("buffer_load_dwordx2 v[2:3], v[4:5], s[8:11], 0 addr64 offset:16 glc")
    assert form.operands[2] == decode.Operand("s", 8, 4)
    assert form.modifiers == {"addr64": True, "offset": 16, "glc": True}
    form = decode.parse("v_mov_b32_dpp v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf")
    assert (form.encoding, form.modifiers["quad_perm"], form.modifiers["row_mask"]) == ("dpp", "[1,0,3,2]", 15)
    assert decode.parse("s_mov_b64 exec, vcc").operands == (decode.Operand("s", 126, 2), decode.Operand("s", 106, 2))


@pytest.mark.parametrize("processor", ["gfx600", "gfx803"])
def test_other_bytes_are_refused(processor):
    for code in (b"\xff" * 8, b"", b"\x00\x00"):
        with pytest.raises(decode.Unreadable):
            decode.Decoder(processor, code).at(0)


def test_table_is_complete():
    table = southern_islands.table()
    assert len(table) > 1100
    names = {name for name, _ in table.values()}
    assert {"s_load_dwordx4", "v_mac_f32", "ds_read2_b32", "flat_load_dword", "image_sample", "v_lshl_b64"} <= names


def test_what_is_not_translated_is_named():
    with pytest.raises(flow.UnknownInstruction, match="ds_append in kernel odd"):
        machine('kernel void odd(global int *o) { int r; __asm("ds_append %0" : "=v"(r)); o[0] = r; }', "gfx803")


def test_the_build_asks_whether_all_is_known():
    """As it does of programs whose kernels are translated later."""
    odd = 'kernel void odd(global int *o) { int r; __asm("ds_append %0" : "=v"(r)); o[0] = r; }'
    plain = "kernel void plain(global float *a) { local float t[64]; int i = get_local_id(0); t[i] = sin(a[i]); " \
            "barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[63 - i] + a[(int)t[0] & 15]; }"
    known.refuse_unknown(program_of(plain, "gfx900")[0], False)
    for _ in range(2):
        with pytest.raises(flow.UnknownInstruction, match="ds_append in kernel odd"):
            known.refuse_unknown(program_of(plain + odd, "gfx900")[0], False)
