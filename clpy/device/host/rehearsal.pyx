# SPDX-License-Identifier: Apache-2.0
"""How launches would go with other numbers of threads than the machine has: the cuts and claims of runs.pyx, with group
times that are given, where claims cost nothing and all threads are there from the beginning."""
import heapq

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset
from clpy.device.base cimport Costs
from clpy.device.host.runs cimport (Runs, costs_learn, costs_matter, runs_claim, runs_cut, runs_join, runs_new,
                                    sizes_for)


cdef list launch(Runs *runs, Costs *costs, list group_ns, int32_t threads, uint64_t mean_ns):
    """(begin, end, thread, first group, groups) of each claim; times in nanoseconds from the launch on."""
    cdef int64_t first = 0, n
    cdef int32_t thread
    cdef list own = [runs_join(runs, thread) for thread in range(threads)], claims = []
    free_at = [(0, thread) for thread in range(threads)]
    while free_at:
        now, thread = heapq.heappop(free_at)
        n = runs_claim(runs, own[thread], sizes_for(mean_ns, len(group_ns), threads), &first)
        if n == 0:
            continue
        took = sum(group_ns[first:first + n])
        if costs_matter(mean_ns):
            costs_learn(costs, len(group_ns), first, n, took)
        claims.append((now, now + took, thread, first, n))
        heapq.heappush(free_at, (now + took, thread))
    return claims


def rehearse(list group_ns, int32_t threads, int32_t launches=2):
    """The claims of each of so many launches one behind the other, the first of which knows nothing of the kernel:
    (begin, end, thread, first group, groups), nanoseconds. group_ns: what each group takes, nanoseconds, above 0."""
    cdef Costs costs
    cdef Runs *runs = runs_new(threads)
    cdef uint64_t mean_ns = 0
    if runs == NULL:
        raise MemoryError
    memset(&costs, 0, sizeof(costs))
    done = []
    try:
        for _ in range(launches):
            runs_cut(runs, threads, len(group_ns), &costs if costs_matter(mean_ns) else NULL)
            done.append(launch(runs, &costs, group_ns, threads, mean_ns))
            mean_ns = sum(group_ns) // len(group_ns)
    finally:
        free(runs)
    return done
