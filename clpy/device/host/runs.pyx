# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from clpy.atomics cimport (atomic_add_i32, atomic_add_i64, atomic_cas_i32, atomic_cas_i64, atomic_load_i32_relaxed,
                           atomic_load_i64_relaxed, atomic_store_i32, atomic_store_i64)
from clpy.device.base cimport COST_PARTS, Costs

cdef extern from "<stdlib.h>" nogil:
    int posix_memalign(void **out, size_t align, size_t size)

cdef enum:
    LINE = 64                    # bytes of a cache line
    SHARE = 8                    # of what is left of a run an eighth is claimed at once
    LONGEST_NS = 1 << 30         # a group's cost is no more than that
    COST_DOWN = 2                # a part's cost goes down by half of what it is too high

cdef Runs *runs_new(int32_t most) noexcept nogil:
    cdef void *block = NULL
    if posix_memalign(&block, LINE, sizeof(Runs) + <size_t>most * sizeof(Run)) != 0:
        return NULL
    (<Runs *>block).room = most
    return <Runs *>block


cdef inline Run *run_of(Runs *runs, int32_t i) noexcept nogil:
    return <Run *>(runs + 1) + i


cdef inline int64_t first_of(int64_t left) noexcept nogil:
    return <uint32_t>left        # the lower half


cdef inline int64_t end_of(int64_t left) noexcept nogil:
    return left >> 32


# ---- costs -----------------------------------------------------------------------------------------------------------

cdef inline uint32_t cost(Costs *costs, int32_t part) noexcept nogil:
    return <uint32_t>atomic_load_i32_relaxed(<int32_t *>&costs.ns[part])


cdef inline int64_t part_begin(int64_t groups, int32_t part) noexcept nogil:
    """The first group of a part: group g is in part g * COST_PARTS // groups."""
    return (part * groups + COST_PARTS - 1) // COST_PARTS


cdef void costs_learn(Costs *costs, int64_t groups, int64_t first, int64_t n, uint64_t elapsed) noexcept nogil:
    cdef int32_t part = <int32_t>(first * COST_PARTS // groups)
    cdef int32_t last = <int32_t>((first + n - 1) * COST_PARTS // groups)
    cdef uint64_t seen = elapsed // <uint64_t>n + 1, known
    if seen > LONGEST_NS:
        seen = LONGEST_NS
    while part <= last:
        known = learned(cost(costs, part), seen, COST_DOWN)
        if known != cost(costs, part):
            atomic_store_i32(<int32_t *>&costs.ns[part], <int32_t>known)
        part += 1


cdef uint64_t whole_cost(Costs *costs, int64_t groups) noexcept nogil:
    """Of all groups; 0 where it is not known, or all cost about the same."""
    cdef uint64_t whole = 0
    cdef uint32_t ns, least = LONGEST_NS, most = 0
    cdef int64_t n
    cdef int32_t part
    for part in range(COST_PARTS):
        n = part_begin(groups, part + 1) - part_begin(groups, part)
        if n == 0:
            continue
        ns = cost(costs, part)
        if ns == 0:
            return 0
        least = ns if ns < least else least
        most = ns if ns > most else most
        whole += <uint64_t>n * ns
    return whole if most > 2 * least else 0


# ---- cutting ---------------------------------------------------------------------------------------------------------

cdef void runs_cut(Runs *runs, int32_t n, int64_t groups, Costs *costs, uint64_t ns) noexcept nogil:
    cdef uint64_t whole = 0
    cdef int64_t begin = 0, end
    cdef int32_t i
    runs.n = n if n < runs.room else runs.room
    runs.filled = 0
    runs.busy_ns = runs.least_ns = 0
    runs.keeps = costs != NULL and costs.still != 0
    if costs != NULL and costs_matter(ns) and not runs.keeps:
        whole = whole_cost(costs, groups)
    if whole:
        cut_by_cost(runs, groups, costs, whole)
        return
    for i in range(runs.n):
        end = groups * (i + 1) // runs.n
        give(runs, i, begin, end)
        begin = end


cdef inline void give(Runs *runs, int32_t i, int64_t begin, int64_t end) noexcept nogil:
    cdef Run *run = run_of(runs, i)
    run.owned = 0
    runs.filled += end > begin
    atomic_store_i64(&run.left, begin | end << 32)


cdef void cut_by_cost(Runs *runs, int64_t groups, Costs *costs, uint64_t whole) noexcept nogil:
    """A run ends with the group that brings it nearest to its share of the whole."""
    cdef int64_t begin = 0, end, here
    cdef uint64_t before = 0, wanted, ns, more
    cdef int32_t i = 0, part
    for part in range(COST_PARTS):
        end = part_begin(groups, part)
        here = part_begin(groups, part + 1) - end
        ns = cost(costs, part)
        if ns == 0:              # another thread's: a moment ago it was known
            ns = 1
        while i < runs.n - 1 and here > 0:
            wanted = <uint64_t>(<double>whole * (i + 1) / runs.n)
            more = (wanted - before + ns // 2) // ns if wanted > before else 0
            if more > <uint64_t>here:
                break
            before += more * ns
            end += <int64_t>more
            here -= <int64_t>more
            give(runs, i, begin, end)
            begin = end
            i += 1
        before += <uint64_t>here * ns
    while i < runs.n:
        end = groups if i == runs.n - 1 else begin
        give(runs, i, begin, end)
        begin = end
        i += 1


cdef void runs_note(Runs *runs, uint64_t busy_ns, uint64_t least_ns) noexcept nogil:
    cdef int64_t known = atomic_load_i64_relaxed(&runs.least_ns)
    atomic_add_i64(&runs.busy_ns, <int64_t>busy_ns)
    while (known == 0 or <int64_t>least_ns < known) and not atomic_cas_i64(&runs.least_ns, &known, <int64_t>least_ns):
        pass


cdef inline int32_t longer(int32_t launches, int32_t least) noexcept nogil:
    return min(max(2 * launches, least), PATIENCE_MOST)


cdef void runs_settle(Runs *runs, int64_t groups, Costs *costs) noexcept nogil:
    """Of several launches at once what one notes may be lost."""
    cdef uint64_t mean = <uint64_t>(atomic_load_i64_relaxed(&runs.busy_ns) // groups) + 1
    if not runs.keeps:
        if costs.wait > 0:
            costs.wait -= 1
        elif (mean > UNEVEN * <uint64_t>runs.least_ns + SLACK_NS
              and mean * <uint64_t>groups < <uint64_t>runs.n * KEPT_MOST_NS):
            costs.usual_ns = mean
            costs.still = TRIAL
    elif 2 * mean > costs.usual_ns:                          # it is of no use, or not any more
        costs.patience = -longer(-costs.patience, WAIT_LEAST)
        costs.wait = -costs.patience
        costs.still = 0
    elif costs.still == TRIAL:
        costs.still = costs.patience = longer(costs.patience, STILL_LEAST)
    elif costs.still > 0:
        costs.still -= 1


# ---- claims ----------------------------------------------------------------------------------------------------------

cdef int32_t runs_join(Runs *runs, int32_t preferred) noexcept nogil:
    cdef int32_t _, at = preferred % runs.n, none
    for _ in range(runs.n):
        none = 0
        if atomic_load_i32_relaxed(&run_of(runs, at).owned) == 0 and atomic_cas_i32(&run_of(runs, at).owned, &none, 1):
            return at
        at = at + 1 if at + 1 < runs.n else 0
    return -1


cdef void runs_leave(Runs *runs, int32_t own) noexcept nogil:
    if own >= 0:
        atomic_store_i32(&run_of(runs, own).owned, 0)


cdef inline void note_claim(Runs *runs, int64_t left) noexcept nogil:
    if first_of(left) == end_of(left):
        atomic_add_i32(&runs.filled, -1)


cdef bint runs_are_empty(Runs *runs) noexcept nogil:
    return atomic_load_i32_relaxed(&runs.filled) == 0


cdef int64_t claim(Runs *runs, Run *run, Sizes sizes, bint at_end, int64_t *first) noexcept nogil:
    """Groups at the front of a run, or at its end."""
    cdef int64_t left = atomic_load_i64_relaxed(&run.left), n, rest
    while first_of(left) < end_of(left):
        n = end_of(left) - first_of(left)
        n = clamped(n // SHARE, n, sizes)
        first[0] = end_of(left) - n if at_end else first_of(left)
        rest = left - (n << 32) if at_end else left + n
        if atomic_cas_i64(&run.left, &left, rest):
            note_claim(runs, rest)
            return n
    return 0


cdef int32_t fullest(Runs *runs, int32_t own) noexcept nogil:
    """The run with most left, those behind `own` first; -1 when all are empty."""
    cdef int32_t _, at = own if own >= 0 else 0, best = -1
    cdef int64_t left, most = 0
    for _ in range(runs.n):
        left = atomic_load_i64_relaxed(&run_of(runs, at).left)
        if end_of(left) - first_of(left) > most:
            most = end_of(left) - first_of(left)
            best = at
        at = at + 1 if at + 1 < runs.n else 0
    return best


cdef int64_t runs_claim(Runs *runs, int32_t own, Sizes sizes, int64_t *first) noexcept nogil:
    if runs.keeps:
        sizes.least = sizes.most = MOST_GROUPS
    return claim_some(runs, own, sizes, first)


cdef int64_t claim_some(Runs *runs, int32_t own, Sizes sizes, int64_t *first) noexcept nogil:
    cdef int64_t n = claim(runs, run_of(runs, own), sizes, False, first) if own >= 0 else 0
    cdef int32_t other
    while n == 0 and not runs_are_empty(runs):
        other = fullest(runs, own)
        if other < 0:
            return 0
        n = claim(runs, run_of(runs, other), sizes, True, first)
    return n
