# SPDX-License-Identifier: Apache-2.0
"""One launch on a simulated chip: traces of groups go in, a Result comes out.

    simulation = Simulation(chip, program, groups, resources, buffers)
    while simulation.wants:                      # groups that it would like to have next
        simulation.add(sinks)                    # what threads wrote when they ran some more groups
        simulation.run(last=...)
    result = simulation.result()

It keeps all that was followed, for whoever wants to see more than the time; simulated.pyx does the work.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held, chip_holds, chip_model_fill
from clpy.device.gpu.timing.device_memory cimport DeviceMemory
from clpy.device.gpu.timing.lines cimport ARGUMENT_LINES, PAGE_LINES, PLACE_BITS, SCRATCH_BIT, Range
from clpy.device.gpu.timing.model cimport BINS, FINE, STALL_COUNT
from clpy.device.gpu.timing.program cimport Program
from clpy.device.gpu.timing.simulated cimport (Simulated, simulated_add, simulated_close, simulated_open,
                                               simulated_run)
from clpy.device.gpu.timing.trace cimport Words

from clpy.device.gpu.occupancy import occupancy
from clpy.device.gpu.timing.result import Result


cdef class Simulation:

    def __init__(self, chip, Program program, groups, resources, buffers=(), DeviceMemory memory=None, host=()):
        """`groups`: of the launch by dimension. `resources`: vgprs, sgprs, lds_bytes, scratch_bytes (of a work-item)
        and group_size, as attributes. `buffers`: (address, size) of each that the kernel can reach, or (address, size,
        first line number), in an order that does not depend on addresses. `memory`: what other launches left. `host`:
        buffers in the host's memory, without line numbers."""
        cdef ChipModel model
        cdef Held held
        cdef int64_t[3] sizes
        cdef int64_t n = 0
        cdef Range *ranges
        self.chip, self.program, self.resources = chip, program, resources
        self.groups = tuple(groups)
        sizes[0], sizes[1], sizes[2] = self.groups
        self.occupancy = occupancy(chip, resources.vgprs, resources.sgprs, resources.lds_bytes, resources.group_size,
                                   resources.lanes, resources.has_barriers)
        if not self.occupancy.groups_per_cu:
            raise ValueError(f"a group of {resources.group_size} work-items does not fit a compute unit of "
                             f"{chip.name}: {self.occupancy.limiter}")
        self.round = self.occupancy.groups_per_cu * chip.compute.units
        chip_model_fill(&model, chip)
        held = chip_holds(&model, resources.vgprs, resources.sgprs, resources.lds_bytes, resources.group_size,
                          resources.lanes, resources.has_barriers)
        self.memory = DeviceMemory(chip) if memory is None else memory
        ranges = ranges_of(buffers, () if chip.memory.shared else host, &n)
        tell(simulated_open(&self.it, &model, &program.view, &held, resources.scratch_bytes, sizes,
                            chip.compute.units, ranges, n, NULL, &self.memory.l2))
        self.memory.begin(self.it.lines.next_number, SCRATCH_BIT)

    def __dealloc__(self):
        simulated_close(&self.it)

    def add(self, sinks):
        """Groups behind those that are there already: buffers of words, one for each thread that wrote some."""
        cdef Words *words = <Words *> calloc(len(sinks) + 1, sizeof(Words))
        cdef const uint32_t[::1] view
        cdef int64_t before = self.it.model.fed, n = 0
        if words == NULL:
            raise MemoryError
        try:
            for sink in sinks:
                view = memoryview(sink).cast("B").cast("I")
                if view.shape[0]:
                    words[n].words, words[n].n = &view[0], view.shape[0]
                    n += 1
            tell(simulated_add(&self.it, words, n))
        finally:
            free(words)
        if self.it.is_cut:
            raise ValueError("a wavefront's trace does not come to its end")
        return self.it.model.fed - before

    @property
    def wants(self):
        """Groups that it would like to have before it goes on; 0: all have been run."""
        if self.it.is_last or self.it.model.fed >= self.groups[0] * self.groups[1] * self.groups[2]:
            return 0
        return max(2 * self.round - (self.it.model.fed - self.it.model.next_group), self.round)

    def run(self, last=False):
        """As far as the groups reach that are there. `last`: no more will come."""
        cdef bint is_last = last
        with nogil:
            simulated_run(&self.it, is_last)

    @property
    def is_done(self):
        """All groups that will come have been run."""
        return self.it.is_last and self.it.begun

    def group_ends(self):
        """When groups were done, in order, as far as it has come."""
        cdef int64_t i
        return sorted([self.it.model.group_ends[i] for i in range(self.it.model.n_ended)])

    def result(self):
        """What has come out so far."""
        return result_of(self.chip, self.program, self.occupancy, self.resources, <size_t> &self.it,
                         self.memory.changed())


def result_of(chip, Program program, object held, object resources, size_t simulated, int64_t changed):
    """The Result of what a Simulated has come to."""
    cdef Simulated *it = <Simulated *> simulated
    cdef int64_t i
    m = &it.model
    return Result(
        chip=chip, program=program, occupancy=held, resources=resources, stats=m.stats,
        l2_busy=[m.l2_ports[i].busy for i in range(m.l2_channels.by)],
        dram_busy=[m.channels[i].data.busy / FINE for i in range(m.l2_channels.by)], dirty_lines=changed,
        stalls=[m.stalls[i] for i in range(program.n_steps * STALL_COUNT)],
        visits=[m.visits[i] for i in range(program.n_blocks)],
        bins=[m.bins[i] for i in range(BINS)], bin_cycles=m.bin_cycles,
        group_ends=sorted([m.group_ends[i] for i in range(m.n_ended)]))


cdef Range *ranges_of(object buffers, object host, int64_t *n) except NULL:
    cdef uint64_t number = ARGUMENT_LINES
    cdef Range *ranges = <Range *> malloc((len(buffers) + len(host) + 1) * sizeof(Range))
    if ranges == NULL:
        raise MemoryError
    for address, size, *fixed in [*buffers, *host]:
        if n[0] >= len(buffers):
            number = -(-number >> PLACE_BITS) << PLACE_BITS
        first, behind = address >> 6, -(-(address + max(size, 1)) // 64)
        at = fixed[0] if fixed else number
        number = max(number, -(-(at + behind - first) // PAGE_LINES) * PAGE_LINES)
        if number >= SCRATCH_BIT // 2:
            free(ranges)
            raise ValueError("buffers of more than 64 GB in one launch")
        ranges[n[0]] = Range(first, behind, at, n[0] >= len(buffers))
        n[0] += 1
    return ranges


cdef int tell(const char *wrong) except -1:
    if wrong != NULL:
        raise ValueError(wrong.decode())
    return 0


def simulate(chip, program, sinks, groups, resources, buffers=(), memory=None, host=()):
    """The Result of a launch whose groups are all traced, or as many as are."""
    if not isinstance(program, Program):
        program = Program(program)
    simulation = Simulation(chip, program, groups, resources, buffers, memory, host)
    simulation.add(sinks)
    simulation.run(last=True)
    return simulation.result()
