# SPDX-License-Identifier: Apache-2.0
"""One launch on a simulated chip: traces of groups go in, a Result comes out.

    simulation = Simulation(chip, program, groups, resources, buffers)
    while simulation.wants:                      # groups that it would like to have next
        simulation.add(sinks)                    # what threads wrote when they ran some more groups
        simulation.run(last=...)
    result = simulation.result()

Compute units run apart from each other for WINDOW cycles, in a changing order, and so may ask the L2 a little out of
order; the same traces give the same numbers always.
"""
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from clpy.device.gpu.timing.caches cimport cache_free, cache_make
from clpy.device.gpu.timing.compute_unit cimport run_unit
from clpy.device.gpu.timing.device_memory cimport DeviceMemory
from clpy.device.gpu.timing.dispatch cimport dispatch_first
from clpy.device.gpu.timing.events cimport event_time
from clpy.device.gpu.timing.model cimport (BINS, FINE, MOST_GROUPS, MOST_WAVES, SIMDS, STALL_COUNT, VM_RING, Cache,
                                           ComputeUnit, Group, GroupTrace, Model, Port, Wave)
from clpy.device.gpu.timing.program cimport Program
from clpy.device.gpu.timing.trace cimport Batch, LineNumbers, batch_free, prepare

from clpy.device.gpu.occupancy import occupancy
from clpy.device.gpu.timing.result import Result

cdef enum:
    WINDOW = 32                  # cycles
    QUEUE_CYCLES = 256           # 16 scattered accesses: more do not wait outside of their wavefronts


cdef class Simulation:
    cdef Model model
    cdef Program program
    cdef LineNumbers lines
    cdef DeviceMemory memory
    cdef Batch *batches
    cdef int64_t n_batches, room, last_group
    cdef bint is_last, begun
    cdef readonly object chip, occupancy, resources
    cdef readonly tuple groups
    cdef readonly int64_t round      # groups that fill the device

    def __init__(self, chip, Program program, groups, resources, buffers=(), DeviceMemory memory=None):
        """`groups`: of the launch by dimension. `resources`: vgprs, sgprs, lds_bytes, scratch_bytes (of a work-item)
        and group_size, as attributes. `buffers`: see LineNumbers. `memory`: what other launches left."""
        self.chip, self.program, self.resources = chip, program, resources
        self.groups = tuple(groups)
        self.lines = LineNumbers(buffers)
        self.memory = DeviceMemory(chip) if memory is None else memory
        self.memory.begin(self.lines.next_number, self.lines.scratch_first)
        self.model.l2 = &self.memory.l2
        self.last_group = -1
        self.occupancy = occupancy(chip, resources.vgprs, resources.sgprs, resources.lds_bytes, resources.group_size)
        if not self.occupancy.groups_per_cu:
            raise ValueError(f"a group of {resources.group_size} work-items does not fit a compute unit of "
                             f"{chip.name}: {self.occupancy.limiter}")
        self.round = self.occupancy.groups_per_cu * chip.compute.units
        self.set_rates()
        self.make_state()

    cdef set_rates(self):
        cdef Model *m = &self.model
        chip = self.chip
        m.n_units, m.n_engines = chip.compute.units, chip.compute.shader_engines
        m.scalar_units = chip.caches.scalar_units
        m.waves_per_simd = self.occupancy.waves_per_simd
        m.wave_limit = m.waves_per_simd * SIMDS
        m.groups_per_unit = self.occupancy.groups_per_cu
        m.branch_taken, m.vmem_issue, m.barrier = chip.issue.branch_taken, chip.issue.vmem, chip.issue.barrier
        m.lds_latency = chip.latency.lds
        m.smem_hit = chip.latency.smem_hit
        m.smem_up = chip.latency.smem_miss // 2
        m.smem_down = chip.latency.smem_miss - m.smem_up
        m.l1_hit = chip.latency.l1_hit
        m.l2_up = chip.latency.l2_hit // 2
        m.l2_down = chip.latency.l2_hit - m.l2_up
        m.dram_latency = chip.latency.dram - chip.latency.l2_hit
        m.fill_cycles = -(-chip.caches.line_bytes // chip.caches.l1_fill_bytes)
        m.l2_cycles = -(-chip.caches.line_bytes // chip.caches.l2_bytes_per_clk)
        m.l1_misses = chip.caches.l1_misses
        m.vm_most = VM_RING - 1 if chip.identity.processor >= "gfx900" else 15
        m.queue_cycles = QUEUE_CYCLES
        m.l2_channels = chip.caches.l2_channels
        m.interleave_lines = chip.caches.interleave_bytes // chip.caches.line_bytes
        bytes_per_cycle = chip.memory.bandwidth_gbs * 1000 / chip.clock.core_mhz
        line_cycles = chip.caches.line_bytes * m.l2_channels / bytes_per_cycle
        m.dram_fine = round(line_cycles / chip.memory.efficiency * FINE)
        m.dram_write_fine = round(line_cycles / chip.memory.write_efficiency * FINE)
        m.group_fine = round(FINE / chip.dispatch.groups_per_clk)
        m.wave_fine = round(FINE / chip.dispatch.waves_per_clk)
        m.scratch_lines = self.resources.scratch_bytes
        m.scratch_first = self.lines.scratch_first

    cdef make_state(self):
        cdef Model *m = &self.model
        cdef int64_t n_scalars = (m.n_units + m.scalar_units - 1) // m.scalar_units, i
        caches = self.chip.caches
        m.steps, m.first = self.program.steps, self.program.first
        m.bin_cycles = WINDOW
        m.units = <ComputeUnit *> calloc(m.n_units, sizeof(ComputeUnit))
        m.scalars = <Cache *> calloc(n_scalars, sizeof(Cache))
        m.scalar_ports = <Port *> calloc(n_scalars, sizeof(Port))
        m.l2_ports = <Port *> calloc(m.l2_channels, sizeof(Port))
        m.dram_ports = <Port *> calloc(m.l2_channels, sizeof(Port))
        m.engines = <Port *> calloc(2 * m.n_engines, sizeof(Port))
        m.stalls = <int64_t *> calloc(self.program.n_steps * STALL_COUNT, sizeof(int64_t))
        m.visits = <uint64_t *> calloc(self.program.n_blocks, sizeof(uint64_t))
        if (m.units == NULL or m.scalars == NULL or m.scalar_ports == NULL or m.l2_ports == NULL
                or m.dram_ports == NULL or m.engines == NULL or m.stalls == NULL or m.visits == NULL):
            raise MemoryError("no memory for the model of a chip")
        for i in range(n_scalars):
            cache_make(m.scalars + i, caches.scalar_bytes, caches.scalar_ways, 1)
        for i in range(m.n_units):
            self.make_unit(m.units + i, i)

    cdef make_unit(self, ComputeUnit *unit, int64_t index):
        caches = self.chip.caches
        unit.index = <int> index
        unit.engine = <int> (index % self.model.n_engines)
        cache_make(&unit.l1, caches.l1_bytes, caches.l1_ways, 1)
        unit.misses = <int64_t *> calloc(self.model.l1_misses, sizeof(int64_t))
        unit.waves = <Wave *> calloc(MOST_WAVES, sizeof(Wave))
        unit.groups = <Group *> calloc(MOST_GROUPS, sizeof(Group))
        if unit.misses == NULL or unit.waves == NULL or unit.groups == NULL:
            raise MemoryError("no memory for the model of a chip")
        unit.free_waves = unit.free_groups = ~<uint64_t> 0

    def __dealloc__(self):
        cdef Model *m = &self.model
        cdef int64_t i
        if m.units != NULL:
            for i in range(m.n_units):
                cache_free(&m.units[i].l1)
                free(m.units[i].misses)
                free(m.units[i].waves)
                free(m.units[i].groups)
        if m.scalars != NULL:
            for i in range((m.n_units + m.scalar_units - 1) // m.scalar_units):
                cache_free(m.scalars + i)
        for i in range(self.n_batches):
            batch_free(self.batches + i)
        for pointer in (<size_t> m.units, <size_t> m.scalars, <size_t> m.scalar_ports, <size_t> m.l2_ports,
                        <size_t> m.dram_ports, <size_t> m.engines, <size_t> m.stalls, <size_t> m.visits,
                        <size_t> m.groups, <size_t> m.group_ends, <size_t> m.batch_left, <size_t> self.batches):
            free(<void *> <size_t> pointer)

    def add(self, sinks):
        """Groups behind those that are there already: buffers of words, one for each thread that wrote some."""
        cdef Batch batch
        cdef Model *m = &self.model
        cdef int64_t i, n = self.n_batches
        prepare(self.program, self.lines, list(sinks), self.groups, self.last_group, &batch)
        self.last_group = batch.last_group
        try:
            self.batches = <Batch *> wider(self.batches, (n + 1) * sizeof(Batch))
            m.batch_left = <int64_t *> wider(m.batch_left, (n + 1) * sizeof(int64_t))
            m.groups = <GroupTrace *> wider(m.groups, (m.fed + batch.n_groups) * sizeof(GroupTrace))
            m.group_ends = <int64_t *> wider(m.group_ends, (m.fed + batch.n_groups) * sizeof(int64_t))
        except MemoryError:
            batch_free(&batch)
            raise
        for i in range(batch.n_groups):
            if batch.groups[i].n_waves * 64 > max(self.resources.group_size, 1) + 63:
                batch_free(&batch)
                raise ValueError(f"a group of {self.resources.group_size} work-items has too many wavefronts")
            m.groups[m.fed + i] = batch.groups[i]
            m.groups[m.fed + i].batch = <int> n
        m.batch_left[n] = batch.n_groups
        m.fed += batch.n_groups
        self.batches[n] = batch
        self.n_batches += 1
        return batch.n_groups

    @property
    def wants(self):
        """Groups that it would like to have before it goes on; 0: all have been run."""
        cdef Model *m = &self.model
        if self.is_last or m.fed >= self.groups[0] * self.groups[1] * self.groups[2]:
            return 0
        return max(2 * self.round - (m.fed - m.next_group), self.round)

    def run(self, last=False):
        """As far as the groups reach that are there. `last`: no more will come."""
        cdef Model *m = &self.model
        cdef int64_t i
        self.is_last = last or m.fed >= self.groups[0] * self.groups[1] * self.groups[2]
        with nogil:
            self.run_windows()
        for i in range(self.n_batches):
            if m.batch_left[i] == 0:
                batch_free(self.batches + i)

    cdef void run_windows(self) noexcept nogil:
        cdef Model *m = &self.model
        cdef int64_t now, until, i, most = m.n_units * <int64_t> m.groups_per_unit
        cdef ComputeUnit *unit
        while self.is_last or m.fed - m.next_group >= most:
            if not self.begun:
                self.begun = True
                dispatch_first(m)
            now = -1
            for i in range(m.n_units):
                unit = m.units + i
                if unit.n_events and (now < 0 or event_time(unit.heap) < now):
                    now = event_time(unit.heap)
            if now < 0:
                break
            until = (now // WINDOW + 1) * WINDOW
            for i in range(m.n_units):
                unit = m.units + (i + until // WINDOW) % m.n_units
                if unit.n_events and event_time(unit.heap) < until:
                    run_unit(m, unit, until)

    @property
    def is_done(self):
        """All groups that will come have been run."""
        return self.is_last and self.begun

    def group_ends(self):
        """When groups were done, in order, as far as it has come."""
        cdef int64_t i
        return sorted([self.model.group_ends[i] for i in range(self.model.n_ended)])

    def result(self):
        """What has come out so far."""
        cdef Model *m = &self.model
        cdef int64_t i
        ports = [m.l2_ports[i].busy for i in range(m.l2_channels)]
        channels = [m.dram_ports[i].busy / FINE for i in range(m.l2_channels)]
        return Result(
            chip=self.chip, program=self.program, occupancy=self.occupancy, resources=self.resources,
            stats=m.stats, l2_busy=ports, dram_busy=channels, dirty_lines=self.memory.changed(),
            stalls=[m.stalls[i] for i in range(self.program.n_steps * STALL_COUNT)],
            visits=[m.visits[i] for i in range(self.program.n_blocks)],
            bins=[m.bins[i] for i in range(BINS)], bin_cycles=m.bin_cycles,
            group_ends=self.group_ends())


cdef void *wider(void *memory, size_t size) except NULL:
    cdef void *moved = realloc(memory, size)
    if moved == NULL:
        raise MemoryError("no memory for the traces of wavefronts")
    return moved


def simulate(chip, program, sinks, groups, resources, buffers=(), memory=None):
    """The Result of a launch whose groups are all traced, or as many as are."""
    if not isinstance(program, Program):
        program = Program(program)
    simulation = Simulation(chip, program, groups, resources, buffers, memory)
    simulation.add(sinks)
    simulation.run(last=True)
    return simulation.result()
