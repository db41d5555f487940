# SPDX-License-Identifier: Apache-2.0
"""A launch cut into as many runs of consecutive work-groups as threads are worth it: each thread takes from the front
of its own, and when that is empty from the end of another's, so that neighbours, which share cache lines, mostly meet
in one thread. The cuts go by what the groups took in earlier launches: a heavy last group is a run of its own, and
begins with the launch.

Threads that write to the same cache lines hold each other up: a group may take a hundred times as long beside its
neighbour in another thread as behind it in the same one. Where some groups of a launch took much longer than others,
the next one is cut evenly, and each thread takes all of its run at once; if that helps it stays so (runs_settle).

Who waits in a group for what an earlier one does needs groups to begin in their order: not for such kernels.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from clpy.device.base cimport Costs

cdef enum:
    MOST_GROUPS = (1 << 31) - 1  # of a launch that is cut: both ends of a run are in one word
    SLACK_NS = 500               # a group that takes next to nothing may take so much once
    CHUNK_LEAST_NS = 5000        # claims, the clock and the cache lines they share should cost next to nothing
    CHUNK_MOST_NS = 500000       # a thread that helps looks this often whether what it waits for is done
    UNEVEN = 4                   # groups that take so many times what the shortest take may hold each other up
    KEPT_MOST_NS = 5000000       # launches that take longer are not tried so
    TRIAL = -1                   # in Costs.still: one launch, to see whether it helps
    STILL_LEAST = 16             # launches that are so when it helped, before others are looked at again; and
    WAIT_LEAST = 64              # launches before another trial when it did not: the first time, then
    PATIENCE_MOST = 4096         # twice as many each time, up to this

ctypedef struct Run:             # a cache line of its own
    int64_t left                 # what nobody has claimed: the first group, and the end in the upper half; atomic
    int32_t owned                # a thread takes from its front; atomic
    unsigned char apart[52]

ctypedef struct Runs:
    Runs *next                   # in the pool's list of those not in use
    int64_t busy_ns              # what the groups of the launch took, all threads together; atomic
    int64_t least_ns             # a group, in the claim whose groups took least; 0: not known; atomic
    bint keeps                   # a thread takes all of a run at once
    int32_t n
    int32_t room
    int32_t filled               # those that are not empty; atomic
    unsigned char apart[24]
    # Run[room] behind it

ctypedef struct Sizes:           # of what is claimed at once, groups
    int64_t least
    int64_t most

cdef Runs *runs_new(int32_t most) noexcept nogil            # room for so many; NULL when out of memory; free() it
# costs: NULL where none are known. ns: of a group, 0 where it is not known.
cdef void runs_cut(Runs *runs, int32_t n, int64_t groups, Costs *costs, uint64_t ns) noexcept nogil
# What groups that a thread ran took it, all together, and each of those of the shortest claim; ns.
cdef void runs_note(Runs *runs, uint64_t busy_ns, uint64_t least_ns) noexcept nogil
# All groups have run: what is to be known of that for the next launch.
cdef void runs_settle(Runs *runs, int64_t groups, Costs *costs) noexcept nogil
# A run for the calling thread: the one of that number (modulo n) if nobody has it. -1: all have their thread.
cdef int32_t runs_join(Runs *runs, int32_t preferred) noexcept nogil
cdef void runs_leave(Runs *runs, int32_t own) noexcept nogil
cdef bint runs_are_empty(Runs *runs) noexcept nogil
# The number of groups claimed, from first[0] on; 0 when none is left in any run.
cdef int64_t runs_claim(Runs *runs, int32_t own, Sizes sizes, int64_t *first) noexcept nogil
# These n of so many groups took so long, ns.
cdef void costs_learn(Costs *costs, int64_t groups, int64_t first, int64_t n, uint64_t elapsed) noexcept nogil


cdef inline uint64_t learned(uint64_t known, uint64_t seen, uint64_t down) noexcept nogil:
    """What a group takes, in ns, after one more look; 0 is not known. Up fast, as a wrong guess makes a caller wait,
    but no further than some steps at once, as a thread may have been interrupted; down by one part in `down` of what it
    is too high. What is about right stays as it is: all threads that launch the kernel read it."""
    if known == 0:
        return seen
    if seen > known + known // 8:
        return seen if seen < 4 * known + SLACK_NS else 4 * known + SLACK_NS
    if seen < known - known // 8:
        return known - (known - seen + down - 1) // down
    return known


cdef inline int64_t clamped(int64_t n, int64_t rest, Sizes sizes) noexcept nogil:
    n = sizes.least if n < sizes.least else sizes.most if n > sizes.most else n
    return n if n < rest else rest


cdef inline bint costs_matter(uint64_t ns) noexcept nogil:
    """ns: of a group; 0 where it is not known. Where several are claimed at once, threads that are done soon take what
    is left of the others'."""
    return ns == 0 or ns >= CHUNK_LEAST_NS


cdef inline Sizes sizes_for(uint64_t ns, int64_t groups, int32_t n_threads) noexcept nogil:
    """ns: of a group; 0 where it is not known."""
    if ns:
        return Sizes(CHUNK_LEAST_NS // <int64_t>ns + 1, CHUNK_MOST_NS // <int64_t>ns + 1)
    return Sizes(1, groups // (64 * n_threads) + 1)      # a first taste, to learn from
