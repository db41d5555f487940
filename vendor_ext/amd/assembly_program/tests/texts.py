# SPDX-License-Identifier: Apache-2.0
"""Assembly of two kernels for chips of four generations, written by hand: macros are what differs."""

# Chip -> processor.
PROCESSORS = {"tahiti": "gfx600", "hawaii": "gfx701", "fiji": "gfx803", "vega10": "gfx900"}
BUFFERS = """
.macro read to, from
  buffer_load_dword \\to, \\from, s[8:11], 0 addr64
.endm
.macro write to, what
  buffer_store_dword \\what, \\to, s[8:11], 0 addr64
.endm
"""
FLAT = """
.macro read to, from
  flat_load_dword \\to, \\from
.endm
.macro write to, what
  flat_store_dword \\to, \\what
.endm
"""
# add and addc: sums with a carry out, and with one in too.
SUMS = """
.macro add to, a, b
  {add} \\to, vcc, \\a, \\b
.endm
.macro addc to, a
  {addc} \\to, vcc, 0, \\a, vcc
.endm
"""
MACROS = {
    "gfx600": BUFFERS + SUMS.format(add="v_add_i32", addc="v_addc_u32"),
    "gfx701": FLAT + SUMS.format(add="v_add_i32", addc="v_addc_u32"),
    "gfx803": FLAT + SUMS.format(add="v_add_u32", addc="v_addc_u32"),
    "gfx900": FLAT + SUMS.format(add="v_add_co_u32", addc="v_addc_co_u32"),
}
CODE = """
scale:                          // out[i] = 2 * in[i] + add, in groups of 64
  s_mov_b64 s[8:9], 0
  s_mov_b32 s10, -1
  s_mov_b32 s11, 0xf000
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dword s3, s[0:1], {add}
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s2, s2, 6
  add v0, s2, v0
  v_lshlrev_b32 v0, 2, v0
  v_mov_b32 v2, s5
  add v1, s4, v0
  addc v2, v2
  read v3, v[1:2]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_lshlrev_b32 v3, 1, v3
  add v3, s3, v3
  v_mov_b32 v2, s7
  add v1, s6, v0
  addc v2, v2
  write v[1:2], v3
  s_endpgm
.Lscale_end:
  .size scale, .Lscale_end-scale

  .p2align 8
turn:                           // data[i] = data[63 - i], through memory of the group
  s_mov_b64 s[8:9], 0
  s_mov_b32 s10, -1
  s_mov_b32 s11, 0xf000
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dword s3, s[0:1], {local}
  s_mov_b32 m0, -1
  v_lshlrev_b32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s5
  add v1, s4, v0
  addc v2, v2
  read v3, v[1:2]
  add v4, s3, v0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  ds_write_b32 v4, v3
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_sub_{borrow} v4, vcc, s3, v0
  ds_read_b32 v3, v4 offset:252
  s_waitcnt lgkmcnt(0)
  write v[1:2], v3
  s_endpgm
.Lturn_end:
  .size turn, .Lturn_end-turn
"""
DESCRIPTOR = """
.amdhsa_kernel {name}
  .amdhsa_kernarg_size {kernarg}
  .amdhsa_group_segment_fixed_size {local}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 5
  .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel
"""
METADATA = """
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: scale
    .symbol: scale.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 5
    .max_flat_workgroup_size: 64
    .reqd_workgroup_size: [64, 1, 1]
    .args:
      - .name: in
        .type_name: 'int*'
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
        .is_const: true
      - .name: out
        .type_name: 'int*'
        .offset: 8
        .size: 8
        .value_kind: global_buffer
        .address_space: global
      - .name: add
        .type_name: int
        .offset: 16
        .size: 4
        .value_kind: by_value
  - .name: turn
    .symbol: turn.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 16
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 5
    .max_flat_workgroup_size: 64
    .args:
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
      - .offset: 8
        .size: 4
        .value_kind: dynamic_shared_pointer
        .address_space: local
        .pointee_align: 4
...
.end_amdgpu_metadata
"""


def text_for(processor):
    """The program's assembly for a processor."""
    old = processor < "gfx800"
    return "\n".join([
        f'.amdgcn_target "amdgcn-amd-amdhsa--{processor}"', ".amdhsa_code_object_version 5", MACROS[processor],
        ".text", ".globl scale", ".globl turn", ".type scale,@function", ".type turn,@function", ".p2align 8",
        CODE.format(add="0x4" if old else "0x10", local="0x2" if old else "0x8",
                    borrow={"gfx803": "u32", "gfx900": "co_u32"}.get(processor, "i32")),
        '.section .rodata,"a",@progbits', ".p2align 6", DESCRIPTOR.format(name="scale", kernarg=24, local=0),
        DESCRIPTOR.format(name="turn", kernarg=16, local=16), METADATA])
