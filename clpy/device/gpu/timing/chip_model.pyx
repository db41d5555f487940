# SPDX-License-Identifier: Apache-2.0
"""A chip file's numbers, for code without Python: commands of a model are timed on threads that must not wait for the
host program's interpreter."""
from libc.stdint cimport int64_t
from libc.string cimport memset
from clpy.device.gpu.timing.model cimport FINE, MOST_WAVES, VM_RING, Model, divisor, share_of

cdef enum:
    QUEUE_CYCLES = 256           # 16 scattered accesses: more do not wait outside of their wavefronts
    FETCHES = 16                 # of a clause of VLIW chips
    NEVER = 1 << 20              # registers of chips where they keep no wavefront out
    NO_CACHE = 64                # bytes: a line that no one asks for


cdef int chip_model_fill(ChipModel *model, object chip) except -1:
    memset(model, 0, sizeof(ChipModel))
    fill_rates(&model.rates, chip)
    if chip.is_gcn:
        fill_gcn(model, chip)
    elif chip.is_gen:
        fill_gen(model, chip)
    else:
        fill_vliw(model, chip)
    fill_caches(model, chip)
    fill_room(model, chip)
    model.dram_latency = chip.latency.dram
    model.bytes_per_cycle = chip.memory.bandwidth_gbs * 1000 / chip.clock.core_mhz
    model.efficiency, model.write_efficiency = chip.memory.efficiency, chip.memory.write_efficiency
    model.starts_per_cycle = chip.compute.shader_engines * chip.dispatch.waves_per_clk
    model.floor_ns, model.cycle_ns = chip.dispatch.floor_us * 1000, 1000 / chip.clock.core_mhz
    model.setup_ns, model.dma_gbs = chip.link.setup_us * 1000, chip.link.dma_gbs
    model.pageable, model.bandwidth_gbs = chip.link.pageable, chip.memory.bandwidth_gbs
    model.shares_memory = chip.memory.shared
    return 0


cdef int fill_room(ChipModel *model, object chip) except -1:
    """For wavefronts and groups."""
    model.simds, model.waves_per_simd = chip.compute.simds, chip.wave_slots // chip.compute.simds
    model.groups_per_unit = chip.compute.groups_per_unit
    model.small_groups_per_unit = chip.compute.small_groups_per_unit
    model.lds_bytes, model.lds_step, model.is_gen = chip.lds.bytes, chip.lds.granularity, chip.is_gen
    model.vgprs, model.vgpr_step = NEVER, 1
    model.sgprs, model.sgpr_step, model.sgprs_allocated = MOST_WAVES, 1, 1
    if not chip.is_gen:
        model.vgprs, model.vgpr_step = chip.registers.vgprs, chip.registers.vgpr_granularity
    if chip.is_gcn:
        model.sgprs, model.sgpr_step = chip.registers.sgprs, chip.registers.sgpr_granularity
        model.sgprs_allocated = chip.registers.sgprs_allocated
    return 0


cdef int fill_caches(ChipModel *model, object chip) except -1:
    caches = chip.caches
    model.l1_bytes, model.l1_ways = NO_CACHE, 1
    if not chip.is_gen:
        model.l1_bytes, model.l1_ways = caches.l1_bytes, caches.l1_ways
    if chip.is_gcn:
        model.scalar_bytes, model.scalar_ways = caches.scalar_bytes, caches.scalar_ways
    else:
        model.scalar_bytes, model.scalar_ways = NO_CACHE, 1
    model.l2_bytes, model.l2_ways = caches.l2_bytes, caches.l2_ways
    model.l2_ways_local = caches.l2_ways_lds if chip.is_gen else caches.l2_ways
    return 0


cdef int fill_rates(Model *m, object chip) except -1:
    m.n_units, m.n_engines, m.simds = chip.compute.units, chip.compute.shader_engines, chip.compute.simds
    m.lanes, m.barrier = chip.compute.wave_size, chip.issue.barrier
    m.lds_latency = chip.latency.lds
    m.l2_up = chip.latency.l2_hit // 2
    m.l2_down = chip.latency.l2_hit - m.l2_up
    m.dram_latency = chip.latency.dram - chip.latency.l2_hit
    m.fill_cycles = -(-chip.caches.line_bytes // chip.caches.l1_fill_bytes)
    m.l2_cycles = -(-chip.caches.line_bytes // chip.caches.l2_bytes_per_clk)
    m.share = share_of(1)
    m.l1_misses = chip.caches.l1_misses
    m.queue_cycles = QUEUE_CYCLES
    m.l2_channels = divisor(chip.caches.l2_channels)
    m.interleave_lines = divisor(chip.caches.interleave_bytes // chip.caches.line_bytes)
    bytes_per_cycle = chip.memory.bandwidth_gbs * 1000 / chip.clock.core_mhz
    line_cycles = chip.caches.line_bytes * m.l2_channels.by / bytes_per_cycle
    m.dram_fine = round(line_cycles / chip.memory.efficiency * FINE)
    m.dram_write_fine = round(line_cycles / chip.memory.write_efficiency * FINE)
    m.row_fine = round(chip.memory.row_ns * chip.clock.core_mhz / 1000 * FINE)
    m.row_write_fine = round(m.row_fine * chip.memory.efficiency / chip.memory.write_efficiency)
    m.banks = divisor(chip.memory.banks)
    m.row_blocks = divisor(max(chip.memory.row_bytes // chip.caches.interleave_bytes, 1) * m.banks.by)
    m.window = chip.memory.window
    m.link_latency = round(chip.link.latency_ns * chip.clock.core_mhz / 1000)
    m.host_fine = round(chip.caches.line_bytes / chip.link.host_read_gbs * chip.clock.core_mhz / 1000 * FINE)
    m.host_write_fine = round(chip.caches.line_bytes / chip.link.host_write_gbs * chip.clock.core_mhz / 1000 * FINE)
    m.group_fine = round(FINE / chip.dispatch.groups_per_clk)
    m.wave_fine = round(FINE / chip.dispatch.waves_per_clk)
    return 0


cdef int fill_gcn(ChipModel *model, object chip) except -1:
    cdef Model *m = &model.rates
    m.scalar_units = chip.caches.scalar_units
    m.l1_hit = chip.latency.l1_hit
    m.branch_taken, m.vmem_issue = chip.issue.branch_taken, chip.issue.vmem
    m.smem_hit = chip.latency.smem_hit
    m.smem_up = chip.latency.smem_miss // 2
    m.smem_down = chip.latency.smem_miss - m.smem_up
    m.vm_most = VM_RING - 1 if chip.identity.processor >= "gfx900" else 15
    m.least_operations = 1
    model.vmem_atomic, model.vmem_load_b64 = chip.issue.vmem_atomic, chip.issue.vmem_load_b64
    return 0


cdef int fill_vliw(ChipModel *model, object chip) except -1:
    """Code comes to a shader engine's units together, and from as far as data in the L2."""
    cdef Model *m = &model.rates
    m.scalar_units = -(-m.n_units // m.n_engines)
    m.l1_hit = chip.latency.l1_hit
    m.branch_taken, m.vmem_issue = chip.issue.clause, chip.issue.fetch
    m.smem_up, m.smem_down = m.l2_up, m.l2_down
    m.vm_most = FETCHES
    m.least_operations = 1
    m.vliw.is_so = True
    m.simds = chip.issue.bundle_alone // chip.issue.bundle
    m.vliw.issue = chip.issue.bundle
    m.vliw.echo = m.simds - 1
    m.vliw.address = chip.issue.fetch_address
    m.vliw.line_cycles = m.l2_cycles
    m.vliw.fast_fine = round(FINE / chip.caches.fast_elements)
    m.vliw.complete_fine = round(FINE / chip.caches.complete_elements)
    model.vmem_atomic = model.vmem_load_b64 = chip.issue.fetch_address
    return 0


cdef int fill_gen(ChipModel *model, object chip) except -1:
    """Code comes to a slice's subslices together."""
    cdef Model *m = &model.rates
    m.is_gen = True
    m.scalar_units = -(-m.n_units // m.n_engines)
    m.l1_hit = chip.latency.l2_hit
    m.branch_taken, m.vmem_issue = chip.issue.flow, chip.issue.send
    m.smem_up = chip.latency.code // 2
    m.smem_down = chip.latency.code - m.smem_up
    m.vm_most = VM_RING - 1
    m.least_operations = 1
    model.vmem_atomic = model.vmem_load_b64 = 1
    return 0


cdef inline int64_t round_up(int64_t value, int64_t step) noexcept nogil:
    return (value + step - 1) // step * step


cdef int64_t allocated(const ChipModel *chip, int64_t lds_bytes) noexcept nogil:
    """Local memory of a group."""
    cdef int64_t bytes_ = chip.lds_step
    if not chip.is_gen:
        return round_up(lds_bytes, chip.lds_step)
    while bytes_ < lds_bytes:
        bytes_ *= 2
    return bytes_


cdef Held chip_holds(const ChipModel *chip, int64_t vgprs, int64_t sgprs, int64_t lds_bytes, int64_t group_size,
                     int64_t lanes, bint has_barriers) noexcept nogil:
    cdef Held held
    cdef int64_t slots = chip.waves_per_simd * chip.simds, waves, most
    cdef bint is_small
    held.simds, held.has_local = chip.simds, lds_bytes > 0
    held.waves_per_group = max(1, (group_size + lanes - 1) // lanes)
    held.waves_per_simd = min(min(chip.waves_per_simd, chip.vgprs // round_up(max(vgprs, 1), chip.vgpr_step)),
                              chip.sgprs // (chip.sgprs_allocated if chip.sgprs_allocated
                                             else round_up(max(sgprs, 1), chip.sgpr_step)))
    waves = min(held.waves_per_simd * chip.simds, slots)
    is_small = not (has_barriers or lds_bytes > 0) if chip.is_gen else held.waves_per_group == 1
    most = chip.small_groups_per_unit if is_small else chip.groups_per_unit
    waves = min(waves, most * held.waves_per_group)
    if lds_bytes:
        waves = min(waves, chip.lds_bytes // allocated(chip, lds_bytes) * held.waves_per_group)
    held.groups_per_cu = waves // held.waves_per_group
    held.waves_per_cu = held.groups_per_cu * held.waves_per_group
    return held


def held(chip, vgprs, sgprs, lds_bytes, group_size, lanes=0, has_barriers=True):
    """For tests: (wavefronts of a SIMD, groups and wavefronts of a compute unit), as occupancy() has them."""
    cdef ChipModel model
    cdef Held found
    chip_model_fill(&model, chip)
    found = chip_holds(&model, vgprs, sgprs, lds_bytes, group_size, lanes or chip.compute.wave_size, has_barriers)
    return found.waves_per_simd, found.groups_per_cu, found.waves_per_cu
