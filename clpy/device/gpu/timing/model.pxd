# SPDX-License-Identifier: Apache-2.0
"""The state of a simulated chip. Times are cycles of the core clock, of memory channels 1/256 of one.

Who touches what: simulation.pyx makes and frees it, dispatch.pyx hands groups to compute units, compute_unit.pyx steps
wavefronts, caches.pyx and dram.pxd answer when a line is there.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from clpy.device.gpu.timing.lines cimport SCRATCH_BIT

cdef enum:
    MOST_SIMDS = 16              # of a compute unit, or turns of one; how many there are is Model.simds
    MOST_WAVES = 128             # likewise its slots, Model.waves_per_simd * Model.simds
    USUAL_WAVES = 64             # slots that are enough for nearly all chips
    MOST_GROUP_WAVES = 64
    VM_RING = 64                 # outstanding vector memory operations of a wavefront
    LGKM_RING = 64
    BINS = 128                   # of the occupancy over time
    FINE = 256                   # memory channels count in 1/FINE of a cycle
    ORDERED = 16                 # ways of a set that one word has the order of
    ROWS = 128                   # that a memory channel remembers
    SHARE_BITS = 16              # behind the point in a Share
    BURST = 8                    # requests of a unit that others are not in the way of
    BESIDE = 4                   # groups that are compared (others.pyx)
    FEW = 4                      # channels
    OF_MISS = 8                  # what a request takes of Slices.left
    BY_ITSELF = (1 << 20) + 4    # lines from one unit's memory to another's, where nothing is known; on other channels
    WINDOW = 32                  # cycles that one compute unit does before the next one does as many
    SLICE = 64                   # cycles of arithmetic after which another wavefront of the SIMD may go on
    MOST_JUMP = 8                # steps: of so many a word says whether their code is there

cdef enum:                       # why a wavefront did not go on, by step
    STALL_VALU                   # its SIMD is busy with another wavefront; the first three are in the order of units
    STALL_SALU
    STALL_BRANCH
    STALL_VMEM                   # the address unit has a full queue, or the wavefront has too much outstanding
    STALL_LDS
    STALL_EXPORT
    STALL_WAIT_VM                # s_waitcnt for vector memory
    STALL_WAIT_LGKM              # ... for scalar memory and LDS
    STALL_WAIT_EXP
    STALL_BARRIER
    STALL_FETCH                  # the instruction cache does not have its code yet
    STALL_COUNT

cdef enum:                       # what memory instructions did, by step
    USE_ACCESSES                 # of vector memory that touched something
    USE_LINES                    # that they touched
    USE_CONFLICTS                # cycles that local memory lost to bank conflicts
    USE_COUNT

ctypedef struct Step:            # instructions of one unit, merged
    uint8_t unit, kind
    uint8_t vm, lgkm, exp        # of a wait: what may stay outstanding
    uint8_t last                 # of its block
    uint32_t count
    uint32_t cycles              # of all of them
    uint32_t gap                 # of Gen chips, behind these: until the thread has what its next instruction wants
    uint32_t bytes
    uint32_t block
    uint32_t code, n_code        # lines of code, those that the step before has left out; 0: none

ctypedef struct Jump:            # over steps of arithmetic that follow each other in a block, from one on
    uint32_t n                   # steps, up to MOST_JUMP; 0: there are not two
    uint32_t cycles              # of all of them
    uint32_t has[2]              # whether some are for UNIT_VALU, and for UNIT_SALU,
    uint32_t since[2]            # and how many cycles there are from the end of the last of those to the end of all

ctypedef struct Port:            # serves one after the other: what is asked for meanwhile queues up
    int64_t last                 # time of the latest request
    int64_t until                # all work that has been asked for is done
    int64_t busy                 # in all

ctypedef struct Divisor:         # of line numbers, which are divided all the time
    uint32_t by
    uint64_t reciprocal

ctypedef struct Share:           # how many requests one stands for, and one by that
    int64_t times, part

ctypedef struct Service:         # of a Port that others use too
    int64_t own                  # for a request
    int64_t whole                # for all that it stands for
    int64_t burst                # for the others' of a BURST
    int64_t part                 # one request by those that it stands for

ctypedef struct Seen:            # of an Apart's lines, by where they lie
    uint64_t followed            # a bit for each that lies in a set that is followed
    int8_t n_channels            # of the others, where those are FEW; -1: they are more
    bint is_known
    uint8_t channels[FEW]
    uint8_t lines[FEW]           # there
    uint8_t times[FEW]           # how many units ask for them

ctypedef struct Apart:           # where lines of compute units that are not followed are, seen from a followed one's
    int32_t n
    int32_t *lines               # how far away; each distance once
    int32_t *times               # how many units it is of
    int32_t *of_unit             # which distance each unit's is
    bint by_groups               # the distances are those of groups
    Seen *seen                   # by remainder of the line's number
    bint is_regular              # it is known; else they are somewhere, and not where others are

ctypedef struct Outcome:         # of a request to the L2
    int64_t wait                 # for a line that is on its way
    uint8_t misses, opens        # opens: a row of memory
    uint8_t writes, write_opens  # what was in its place

ctypedef struct Means:           # of an instruction's requests, times 1 << SHARE_BITS
    int32_t reads, read_opens
    int32_t writes, write_opens
    int64_t due                  # part of a line that a followed unit's stores have to write back

ctypedef struct Asked:           # by an instruction in memory
    const Apart *apart           # what the others ask for; NULL: it is not regular
    const Apart **by_column      # malloc'ed: by the group's column; NULL: from all groups they are as far away
    uint32_t low, high           # then: somewhere between them
    bint is_known                # whether it is regular
    bint is_scattered            # unless these say nothing of where lines are
    Outcome outcome              # of the latest request of a followed unit to a set that is followed
    bint has_outcome
    Means means                  # of the others'

ctypedef struct Had:             # a line that a followed unit has asked for
    uint32_t line                # + 1; 0: none
    uint32_t age                 # the lower half of Slices.age when it did
    int64_t ready

ctypedef struct Place:           # where a line is
    uint16_t slice_, channel

ctypedef struct Slices:          # of the L2: where others' requests are many, some sets stand for all (slices.pxd)
    Divisor lines                # after so many lines the slices come again
    uint32_t n                   # 1: there is but the whole
    uint32_t followed            # so many of them, from the first on
    uint32_t parts               # that a bank's are, each of some channels
    int64_t left                 # requests of others until they are half as many, or it is seen, times OF_MISS
    int64_t of_hit               # what one takes of that which the L2 has, and that is regular
    bint is_long                 # that it takes longer, which it does
    int64_t regular              # by how much MORE followed units' requests are regular than not, in that time
    Place *places                # by remainder of a line's number
    uint32_t *members            # of slices, one behind the other: remainders
    uint32_t part                # of requests that have not been made, by n
    int next_channel             # to be kept busy
    int64_t waiting, most_waiting        # requests whose others keep it busy together, and how many may wait for that
    int64_t waiting_lines, waiting_times
    Had *had                     # by hash of a line's number
    int64_t age                  # lines that have come into the L2
    int64_t coming               # part of one, times 1 << SHARE_BITS
    int64_t lasts                # for so many one stays there that nobody asks for
    int64_t reads, writes        # lines of memory, of requests that were not made, times 1 << SHARE_BITS

ctypedef struct Row:             # of a memory channel: one that was opened
    uint32_t number              # + 1; 0: none
    uint32_t asked               # how many requests the channel had had then

ctypedef struct Channel:         # of device memory
    Port data                    # lines that are moved
    Port opening                 # rows that are opened
    uint32_t asked               # requests
    uint64_t part                # of those that were not made, times 1 << SHARE_BITS
    uint64_t instruction         # of the followed unit, that the latest request was for
    uint32_t block, row          # of the latest request: its block, + 1, and the row that it lies in
    Row rows[ROWS]               # by their numbers' hash

ctypedef struct Cache:
    Divisor sets                 # of a channel
    uint32_t ways
    uint32_t stamp
    uint32_t replaced            # what gave way to the line that came last, + 1
    uint32_t *tags               # line + 1; 0: none
    uint64_t *orders             # of a set's ways, 4 bits each, the latest used first; of up to ORDERED ways
    uint32_t *stamps             # of the latest use; of caches with more ways
    int64_t *ready               # when the line is there
    uint8_t *dirty

ctypedef struct WaveTrace:
    const uint32_t *at
    const uint32_t *end

ctypedef struct GroupTrace:
    WaveTrace *waves             # inside the batch's memory
    int64_t number               # in the launch
    int64_t n_blocks             # that its wavefronts go through
    bint is_cut                  # some told not of all
    int32_t n_waves
    int32_t batch
    int32_t column               # of the followed groups', which of the model's n_columns its block begins in,
    int32_t turn                 # and which of the block's it is

ctypedef struct Pending:         # what a wavefront has asked memory for
    int64_t vm_last, lgkm_last, exp_last
    int64_t vm[VM_RING]          # when each was complete, in order
    int64_t lgkm[LGKM_RING]
    int64_t started              # the wavefront

ctypedef struct Wave:            # a line of the host's cache: what each step looks at
    const uint32_t *at           # of its trace
    const uint32_t *end
    int64_t now                  # it can issue then
    int64_t entered              # its block
    Pending *pending
    int32_t step                 # the next
    uint32_t left                # cycles of a long step that are still to be done
    uint32_t rank                # by the order of dispatch in its unit, and its slot
    int16_t simd, group
    uint32_t vm_issued, lgkm_issued

ctypedef struct Group:
    int32_t n_waves, alive, arrived
    int32_t waves[MOST_GROUP_WAVES]
    int64_t latest               # arrival at the barrier
    int64_t index                # in the launch
    int64_t since[MOST_GROUP_WAVES]

ctypedef struct ComputeUnit:
    int32_t index, engine
    int64_t issue_free[3][MOST_SIMDS]  # by unit: UNIT_VALU, UNIT_SALU, UNIT_BRANCH
    int64_t vmem_free, lds_free, export_free
    Cache l1
    int64_t *code                # of the Model's, its own instruction cache's
    uint8_t *is_cold             # likewise, by step: whether its code may have to come first
    Port fill                    # lines from the L2
    int64_t *misses              # when each of the latest Model.l1_misses lines came
    int64_t *stores              # likewise, when each was taken
    uint32_t next_miss, next_store
    int32_t waves_on_simd[MOST_SIMDS]
    int32_t n_waves, n_groups, next_simd
    uint32_t next_age
    Wave *waves                  # by slot
    Pending *pending             # likewise
    Group *groups
    uint64_t free_waves[2]       # bit sets
    uint64_t free_groups[2]
    uint32_t leaves              # of `events`: USUAL_WAVES or MOST_WAVES
    uint64_t events[2 * MOST_WAVES]      # see events.pxd

ctypedef struct Stats:
    int64_t busy[11]             # by unit of clpy_wave.h: cycles of all SIMDs or compute units
    uint64_t issued[11]          # instructions
    uint64_t host_read_lines, host_write_lines
    uint64_t l1_hits, l1_misses, scalar_hits, scalar_misses, l2_hits, l2_misses
    uint64_t l2_read_lines, l2_write_lines, dram_read_lines, dram_write_lines
    uint64_t atomics
    int64_t lds_conflicts        # cycles
    int64_t vmem_stalled, write_stalled      # cycles that instructions waited for the address unit
    int64_t wave_cycles          # of all wavefronts, from dispatch to end
    int64_t waves, groups, finish

ctypedef struct BlockTime:       # cycles from coming to a block to leaving it, of all wavefronts together
    int64_t cycles, late_cycles  # late: behind the start, in which caches are cold
    uint64_t late_visits

ctypedef struct Vliw:            # what VLIW chips have of their own (vliw.pxd); the rest is as GCN's
    bint is_so
    bint is_complete             # all that the kernel does to memory is on CompletePath
    bint goes_past               # the instruction that is at work goes past the caches
    int64_t issue                # cycles of the SIMD for one bundle
    int64_t echo                 # so many others may have their turn before a wavefront's next bundle
    int64_t address              # cycles of the fetch unit for a fetch
    int64_t line_cycles          # of an L2's channel for a line
    int64_t fast_fine, complete_fine     # likewise, 1/FINE of a cycle, for what one work-item wants of it

ctypedef struct Model:
    # the chip
    int32_t n_units, n_engines, scalar_units, waves_per_simd, groups_per_unit, wave_limit, simds
    int64_t lanes                # of a wavefront; Gen: of most threads
    int64_t branch_taken, vmem_issue, barrier
    int64_t lds_latency, smem_hit, smem_up, smem_down, l1_hit, l2_up, l2_down, dram_latency
    int64_t fill_cycles, l2_cycles, dram_fine, dram_write_fine, row_fine, row_write_fine
    int64_t link_latency, host_fine, host_write_fine
    Service l2_line, dram_line, dram_write_line, row, row_write, host_line, host_write_line  # of these and the shares
    Divisor banks, row_blocks    # row_blocks: of a row in each bank, each of interleave_lines
    uint32_t window
    uint32_t l1_misses, vm_most  # l1_misses: of loads, and as many of stores
    int64_t queue_cycles         # of work that the address unit and LDS take on before wavefronts wait for them
    Divisor l2_channels, interleave_lines
    # Where only some compute units are followed, each request stands for so many of the whole device. Those of the
    # others are made from theirs (others.pyx).
    Share share
    int32_t n_others             # for each request
    Slices slices
    Apart *aparts                # all there are
    int64_t n_aparts
    const Apart *scattered       # of those that say nothing of where lines are
    Asked *asked                 # by step
    uint32_t by_turn             # lines from there on have numbers in the order in which they appeared
    Asked *asking                # of the instruction that is at work
    uint64_t n_asking            # which it is of all
    int32_t n_columns, column    # in which blocks of the launch's groups begin; of the one that is at work,
    int32_t turn                 # and its place there
    bint opened                  # whether the latest line of memory opened a row
    int64_t group_fine, wave_fine
    Vliw vliw
    bint is_gen                  # what Gen chips have of their own: compute_unit.pyx
    int64_t least_operations     # that an atomic instruction does in a line
    # its state
    ComputeUnit *units
    int64_t *events              # of each unit, when the next is; INT64_MAX: there is none
    Cache *scalars
    int64_t *code                # of the L2 and then each instruction cache: when a line is there; 0: no one asked
    uint8_t *is_cold             # of each instruction cache, by step
    Port *scalar_ports
    Cache *l2                    # of the DeviceMemory
    Port *l2_ports
    Channel *channels
    Port host_reads, host_writes         # the link, in either direction
    Port *engines                # dispatchers
    # the launch
    const Step *steps
    const Jump *jumps            # from each
    const int32_t *first         # step of each block
    int64_t n_code               # lines of code
    int64_t next_group, fed      # the next to be dispatched, and how many there are so far
    GroupTrace *groups
    int64_t *batch_left          # groups of each batch that are not done
    int32_t last_unit            # the next to be given a group at the start
    int64_t scratch_lines        # of a wavefront
    uint32_t scratch_first       # line number where scratch begins
    uint64_t host_places         # see lines.pxd
    # what is told
    Stats stats
    int64_t *stalls              # step * STALL_COUNT + reason
    int64_t *uses                # step * USE_COUNT + what
    uint64_t *visits             # wavefronts that went through a block
    BlockTime *times             # of blocks
    int64_t n_left, late         # blocks that wavefronts still go through; late: no more than so many are left
    int64_t *group_ends          # when the n-th group was done
    int64_t n_ended
    double bins[BINS]            # resident wavefronts x cycles
    int64_t bin_cycles


cdef extern from * nogil:
    void prefetch "__builtin_prefetch"(const void *place)


cdef inline uint32_t line_of_wave(uint32_t line, uint32_t scratch) noexcept nogil:
    """Of a prepared trace: lines of scratch are numbered from the wavefront's first on."""
    return scratch + (line & ~<uint32_t> SCRATCH_BIT) if line & <uint32_t> SCRATCH_BIT else line


cdef inline int64_t port_wait(Port *port, int64_t at) noexcept nogil:
    """The work that is left when a request comes."""
    port.last = max(port.last, at)
    port.until = max(port.until, port.last)
    return port.until - port.last


cdef inline int64_t port_take(Port *port, int64_t at, int64_t service) noexcept nogil:
    """When a request that comes at `at` is served. Requests may come a little out of order."""
    cdef int64_t start = at + port_wait(port, at)
    port.until += service
    port.busy += service
    return start


cdef inline Share share_of(double times) noexcept nogil:
    cdef Share share
    share.times, share.part = <int64_t> (times * (1 << SHARE_BITS)), <int64_t> ((1 << SHARE_BITS) / times)
    return share


cdef inline Service service_of(const Model *model, int64_t one) noexcept nogil:
    cdef int64_t whole = one * model.share.times >> SHARE_BITS
    return Service(one, whole, BURST * model.n_units * (whole - one), model.share.part)


cdef inline void set_services(Model *model) noexcept nogil:
    model.l2_line = service_of(model, model.l2_cycles)
    model.dram_line = service_of(model, model.dram_fine)
    model.dram_write_line = service_of(model, model.dram_write_fine)
    model.row = service_of(model, model.row_fine)
    model.row_write = service_of(model, model.row_write_fine)
    model.host_line = service_of(model, model.host_fine)
    model.host_write_line = service_of(model, model.host_write_fine)


cdef inline int64_t port_share(Port *port, int64_t at, const Service *service) noexcept nogil:
    """Of a port that others use too, who are not followed. Requests that come here at once wait for each other; for the
    others' only where work piles up."""
    cdef int64_t wait = port_wait(port, at)
    port.until += service.whole
    port.busy += service.own
    return at + max(wait * service.part >> SHARE_BITS, wait - service.burst)


cdef inline int64_t port_among(Port *port, int64_t at, const Service *service) noexcept nogil:
    """Likewise where the others' requests come themselves."""
    cdef int64_t wait = port_wait(port, at)
    port.until += service.own
    port.busy += service.own
    return at + max(wait * service.part >> SHARE_BITS, wait - service.burst)


cdef inline void port_more(Port *port, int64_t at, int64_t work) noexcept nogil:
    """What nobody waits for."""
    port_wait(port, at)
    port.until += work
    port.busy += work


cdef extern from "clpy_cache_set.h" nogil:
    int64_t find_tag "clpy_find_tag"(const uint32_t *tags, uint32_t ways, uint32_t tag)
    uint64_t use_way "clpy_use_way"(uint64_t order, uint64_t way)
    uint64_t last_way_first "clpy_last_way_first"(uint64_t order, uint32_t ways)
    uint64_t reciprocal "clpy_reciprocal"(uint32_t by)
    uint32_t quotient_by "clpy_quotient"(uint32_t n, uint64_t reciprocal)


cdef inline Divisor divisor(uint32_t by) noexcept nogil:
    cdef Divisor one
    one.by, one.reciprocal = by, reciprocal(by)
    return one


cdef inline uint32_t quotient(uint32_t n, Divisor by) noexcept nogil:
    return quotient_by(n, by.reciprocal)


cdef inline uint32_t remainder(uint32_t n, Divisor by) noexcept nogil:
    return n - quotient(n, by) * by.by


cdef inline int64_t cache_find(Cache *cache, uint32_t set_, uint32_t line) noexcept nogil:
    """Place of a line; -1 where it is not in the cache."""
    cdef int64_t first = <int64_t> set_ * cache.ways
    cdef int64_t way = find_tag(cache.tags + first, cache.ways, line + 1)
    if way < 0:
        return -1
    if cache.ways <= ORDERED:
        cache.orders[set_] = use_way(cache.orders[set_], way)
    else:
        cache.stamp += 1
        cache.stamps[first + way] = cache.stamp
    return first + way


cdef inline int64_t cache_take(Cache *cache, uint32_t set_, uint32_t line, bint *is_there) noexcept nogil:
    """Place of a line; where it is not in the cache the place of the one that was used longest ago, now of this one.
    Then the place's dirty mark is the old line's."""
    cdef int64_t first = <int64_t> set_ * cache.ways
    cdef int64_t way = find_tag(cache.tags + first, cache.ways, line + 1)
    cdef uint64_t order
    is_there[0] = way >= 0
    if cache.ways <= ORDERED:
        order = cache.orders[set_]
        way = way if way >= 0 else <int64_t> (order >> 4 * (cache.ways - 1) & 15)
        cache.orders[set_] = use_way(order, way)
    else:
        way = way if way >= 0 else oldest_of_many(cache, first)
        cache.stamp += 1
        cache.stamps[first + way] = cache.stamp
    cache.replaced = cache.tags[first + way]
    cache.tags[first + way] = line + 1
    return first + way


cdef inline int64_t cache_take_of(Cache *cache, uint32_t ways, uint32_t set_, uint32_t line,
                                  bint *is_there) noexcept nogil:
    """The same of a cache that is known to have so many ways, up to ORDERED. Where the line is not there the last of
    the order becomes the first, which needs no search."""
    cdef uint32_t *tags = cache.tags + <int64_t> set_ * ways
    cdef int64_t way = find_tag(tags, ways, line + 1)
    cdef uint64_t order = cache.orders[set_]
    is_there[0] = way >= 0
    if way >= 0:
        cache.orders[set_] = use_way(order, way)
        cache.replaced = line + 1
        return <int64_t> set_ * ways + way
    way = <int64_t> (order >> 4 * (ways - 1) & 15)
    cache.orders[set_] = last_way_first(order, ways)
    cache.replaced = tags[way]
    tags[way] = line + 1
    return <int64_t> set_ * ways + way


cdef inline int64_t oldest_of_many(Cache *cache, int64_t first) noexcept nogil:
    cdef uint32_t *stamps = cache.stamps + first
    cdef uint32_t way, oldest = 0
    for way in range(1, cache.ways):
        if stamps[way] < stamps[oldest]:
            oldest = way
    return oldest
