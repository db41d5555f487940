# SPDX-License-Identifier: Apache-2.0
"""How many wavefronts of a kernel a compute unit holds, and what keeps it from holding more.

Exact rules of the hardware: registers are allocated in steps to each wavefront, local memory in steps to each group,
and a group is resident as a whole or not at all. Kernel occupancy is the part of the wavefront slots that can be
filled.

VLIW chips count registers of 128 bits, have none of wavefronts, and a limit for the wavefronts of all compute units,
which a compute unit has its part of.

A wavefront of a Gen chip is a thread, of as many work-items as the compiler chose for the kernel. It has its registers
always; groups with barriers or local memory need a barrier each, and local memory in powers of two.
"""
from typing import NamedTuple


class Occupancy(NamedTuple):
    """`limits`: what each resource alone would allow, in wavefronts of a compute unit. `limiter` is the resource with
    the lowest, in the order of `limits` where several have it; "waves" where all slots can be filled. All are 0 where
    not one group fits."""
    waves_per_simd: int
    groups_per_cu: int
    waves_per_cu: int
    fraction: float
    limiter: str
    limits: dict


def round_up(value, step):
    return -(-value // step) * step


def allocated_vgprs(chip, vgprs):
    """Registers of a lane that a wavefront takes."""
    return round_up(max(vgprs, 1), chip.registers.vgpr_granularity)


def allocated_sgprs(chip, sgprs):
    """Of GCN chips."""
    return chip.registers.sgprs_allocated or round_up(max(sgprs, 1), chip.registers.sgpr_granularity)


def allocated_lds(chip, lds_bytes):
    if chip.is_gen and lds_bytes:
        return max(chip.lds.granularity, 1 << (lds_bytes - 1).bit_length())
    return round_up(lds_bytes, chip.lds.granularity)


def occupancy(chip, vgprs, sgprs, lds_bytes, group_size, lanes=0, has_barriers=True):
    """The record for a kernel with so many registers (`vgprs` of a VLIW chip: of 128 bits; it has no `sgprs`) and bytes
    of local memory, in groups of so many work-items. Of Gen chips `lanes` are the work-items of a thread; 0: as many as
    a wavefront of the chip has."""
    units = chip.compute
    waves_per_group = max(1, -(-group_size // (lanes or units.wave_size)))
    slots = chip.wave_slots
    if chip.is_gen:
        return occupancy_of_threads(chip, lds_bytes, waves_per_group, has_barriers)
    simd_limits = {
        "waves": slots // units.simds,
        "vgprs": chip.registers.vgprs // allocated_vgprs(chip, vgprs),
    }
    if chip.is_gcn:
        simd_limits["sgprs"] = chip.registers.sgprs // allocated_sgprs(chip, sgprs)
    most_groups = units.groups_per_unit if waves_per_group > 1 else units.small_groups_per_unit
    limits = {name: waves * units.simds for name, waves in simd_limits.items()}
    limits["lds"] = chip.lds.bytes // allocated_lds(chip, lds_bytes) * waves_per_group if lds_bytes else slots
    limits["groups"] = most_groups * waves_per_group
    return whole_groups(min(simd_limits.values()), limits, slots, waves_per_group)


def whole_groups(waves_per_simd, limits, slots, waves_per_group):
    limits = {name: min(waves, slots) for name, waves in limits.items()}
    groups = min(limits.values()) // waves_per_group
    waves = groups * waves_per_group
    return Occupancy(waves_per_simd, groups, waves, waves / slots, min(limits, key=limits.get), limits)


def occupancy_of_threads(chip, lds_bytes, threads_per_group, has_barriers):
    """Of Gen chips: what a subslice holds."""
    slots, units = chip.wave_slots, chip.compute
    most_groups = units.groups_per_unit if has_barriers or lds_bytes else units.small_groups_per_unit
    limits = {
        "threads": slots,
        "slm": chip.lds.bytes // allocated_lds(chip, lds_bytes) * threads_per_group if lds_bytes else slots,
        "barriers": most_groups * threads_per_group}
    return whole_groups(units.waves_per_simd, limits, slots, threads_per_group)
