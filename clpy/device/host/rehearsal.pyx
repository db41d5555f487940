# SPDX-License-Identifier: Apache-2.0
"""How launches would go with other numbers of threads than the machine has: the cuts and claims of runs.pyx, with group
times that are given, where claims cost nothing; and the lists of
task_list.pxd, where each step of a thread is said."""
import heapq

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset
from clpy.device.base cimport Costs, TASK_KERNEL, Task
from clpy.device.host.runs cimport (Runs, costs_learn, costs_matter, runs_claim, runs_cut, runs_join, runs_new,
                                    runs_note, runs_settle, sizes_for)
from clpy.device.host.task_list cimport Lanes, append, free_lanes, leave, take_from


cdef enum:
    HELD_UP_BY = 100             # a group takes so many times as long beside one of another thread in its line


def shares_a_line(list claims, int64_t now, int64_t first, int64_t n, int64_t beside):
    """Whether another thread runs a group then that is one of the same `beside`, which share a cache line."""
    line, last = first // beside, (first + n - 1) // beside
    return any(end > now and line <= (at + others - 1) // beside and at // beside <= last
               for _, end, _, at, others in claims)


cdef list launch(Runs *runs, Costs *costs, list group_ns, int32_t threads, uint64_t mean_ns, int64_t beside,
                 int64_t late_ns):
    """(begin, end, thread, first group, groups) of each claim; times in nanoseconds from the launch on."""
    cdef int64_t first = 0, n
    cdef int32_t thread
    cdef list own = [runs_join(runs, thread) for thread in range(threads)], claims = []
    free_at = [(late_ns * thread, thread) for thread in range(threads)]
    while free_at:
        now, thread = heapq.heappop(free_at)
        n = runs_claim(runs, own[thread], sizes_for(mean_ns, len(group_ns), threads), &first)
        if n == 0:
            continue
        took = sum(group_ns[first:first + n])
        if beside and shares_a_line(claims, now, first, n, beside):
            took *= HELD_UP_BY
        if costs_matter(mean_ns):
            costs_learn(costs, len(group_ns), first, n, took)
        runs_note(runs, took, took // n)
        claims.append((now, now + took, thread, first, n))
        heapq.heappush(free_at, (now + took, thread))
    return claims


def rehearse(list group_ns, int32_t threads, int32_t launches=2, int64_t beside=0, int64_t late_ns=0):
    """The claims of each of so many launches one behind the other, the first of which knows nothing of the kernel:
    (begin, end, thread, first group, groups), nanoseconds. group_ns: what each group takes, nanoseconds, above 0, but
    longer where `beside` groups that follow each other write to one cache line, 0: none do. late_ns: so
    much later than the one before each thread begins."""
    cdef Costs costs
    cdef Runs *runs = runs_new(threads)
    cdef uint64_t mean_ns = 0
    if runs == NULL:
        raise MemoryError
    memset(&costs, 0, sizeof(costs))
    done = []
    try:
        for _ in range(launches):
            runs_cut(runs, threads, len(group_ns), &costs, mean_ns)
            done.append(launch(runs, &costs, group_ns, threads, mean_ns, beside, late_ns))
            mean_ns = runs.busy_ns // len(group_ns)
            runs_settle(runs, len(group_ns), &costs)
    finally:
        free(runs)
    return done


cdef enum:
    MOST_TASKS = 16


cdef void nothing(Task *task) noexcept nogil:
    pass


cdef class Turns:
    """Who works at what: kernels of one context, by number from 0 on, in the order they came."""
    cdef Lanes lanes
    cdef Task tasks[MOST_TASKS]
    cdef int count

    def __dealloc__(self):
        free_lanes(&self.lanes)

    def come(self, int32_t most):
        """A task that is worth so many threads at once."""
        cdef Task *task
        if self.count == MOST_TASKS:
            raise ValueError(f"there are {MOST_TASKS} tasks at most")
        task = &self.tasks[self.count]
        task.flags, task.context, task.most, task.n_units, task.started = TASK_KERNEL, 1, most, 1, nothing
        append(&self.lanes, task)
        self.count += 1

    def take(self):
        """The number of the task that one more thread works at; None: there is nothing for it."""
        cdef Task *task = take_from(&self.lanes, False, False)
        return task - self.tasks if task != NULL else None

    def leave(self, int number, bint exhausted):
        """A thread of that task goes. exhausted: nobody can take a work-group of it any more. Is it complete?"""
        if not 0 <= number < self.count or self.tasks[number].users < 1:
            raise ValueError(f"nobody works at task {number}")
        self.tasks[number].next_unit = exhausted
        return leave(&self.lanes, &self.tasks[number])

    def waiting(self):
        """Numbers of the tasks in the list, from its head on."""
        cdef Task *task = self.lanes.first.kernels.head if self.lanes.first != NULL else NULL
        numbers = []
        while task != NULL and len(numbers) <= self.count:
            numbers.append(task - self.tasks)
            task = task.next
        return numbers
