# SPDX-License-Identifier: Apache-2.0
"""The kernel descriptor, 64 bytes from which the chip's dispatcher learns how to start a kernel's wavefronts."""
import struct

SIZE = 64
LAYOUT = struct.Struct("<III4xq20xIIIHH4x")

# Name, lowest bit, bits: of compute_pgm_rsrc1, compute_pgm_rsrc2, kernel_code_properties.
RSRC1 = (
    ("granulated_workitem_vgpr_count", 0, 6), ("granulated_wavefront_sgpr_count", 6, 4), ("priority", 10, 2),
    ("float_round_mode_32", 12, 2), ("float_round_mode_16_64", 14, 2), ("float_denorm_mode_32", 16, 2),
    ("float_denorm_mode_16_64", 18, 2), ("priv", 20, 1), ("enable_dx10_clamp", 21, 1), ("debug_mode", 22, 1),
    ("enable_ieee_mode", 23, 1), ("fp16_overflow", 26, 1),
)
RSRC2 = (
    ("enable_private_segment", 0, 1), ("user_sgpr_count", 1, 5), ("enable_trap_handler", 6, 1),
    ("enable_sgpr_workgroup_id_x", 7, 1), ("enable_sgpr_workgroup_id_y", 8, 1), ("enable_sgpr_workgroup_id_z", 9, 1),
    ("enable_sgpr_workgroup_info", 10, 1), ("enable_vgpr_workitem_id", 11, 2), ("granulated_lds_size", 15, 9),
)
PROPERTIES = (
    ("enable_sgpr_private_segment_buffer", 0, 1), ("enable_sgpr_dispatch_ptr", 1, 1), ("enable_sgpr_queue_ptr", 2, 1),
    ("enable_sgpr_kernarg_segment_ptr", 3, 1), ("enable_sgpr_dispatch_id", 4, 1),
    ("enable_sgpr_flat_scratch_init", 5, 1), ("enable_sgpr_private_segment_size", 6, 1),
    ("enable_wavefront_size32", 10, 1), ("uses_dynamic_stack", 11, 1),
)


def read(data):
    """{field: number} of a descriptor's bytes."""
    if len(data) != SIZE:
        raise ValueError("a kernel descriptor of another size")
    group, private, kernarg, entry, rsrc3, rsrc1, rsrc2, properties, preload = LAYOUT.unpack(data)
    made = {"group_segment_fixed_size": group, "private_segment_fixed_size": private, "kernarg_size": kernarg,
            "kernel_code_entry_byte_offset": entry, "compute_pgm_rsrc3": rsrc3, "kernarg_preload": preload}
    for word, fields in ((rsrc1, RSRC1), (rsrc2, RSRC2), (properties, PROPERTIES)):
        made.update({name: word >> low & (1 << bits) - 1 for name, low, bits in fields})
    return made
