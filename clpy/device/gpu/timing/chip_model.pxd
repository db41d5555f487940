# SPDX-License-Identifier: Apache-2.0
"""A chip file's numbers, for code without Python."""
from libc.stdint cimport int64_t
from clpy.device.gpu.timing.model cimport Model

ctypedef struct Held:            # what a compute unit holds of a kernel's groups; 0: not one fits
    int64_t waves_per_simd, groups_per_cu, waves_per_cu, waves_per_group
    int64_t simds                # of a compute unit
    bint has_local               # memory

ctypedef struct ChipModel:
    Model rates                  # what a simulation of all compute units goes by; no state
    int64_t l1_bytes, l1_ways, scalar_bytes, scalar_ways, l2_bytes, l2_ways
    int64_t l2_ways_local        # with local memory
    # occupancy
    int64_t simds, waves_per_simd, groups_per_unit, small_groups_per_unit
    int64_t vgprs, vgpr_step, sgprs, sgpr_step, sgprs_allocated, lds_bytes, lds_step
    bint is_gen
    # the closed formula
    int64_t vmem_atomic, vmem_load_b64, dram_latency
    double bytes_per_cycle, efficiency, write_efficiency, starts_per_cycle
    # times
    double floor_ns, cycle_ns
    # copies
    double setup_ns, dma_gbs, pageable, bandwidth_gbs
    bint shares_memory

cdef int chip_model_fill(ChipModel *model, object chip) except -1
# The rules of clpy/device/gpu/occupancy.py.
cdef Held chip_holds(const ChipModel *chip, int64_t vgprs, int64_t sgprs, int64_t lds_bytes, int64_t group_size,
                     int64_t lanes, bint has_barriers) noexcept nogil
