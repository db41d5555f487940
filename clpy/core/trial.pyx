# SPDX-License-Identifier: Apache-2.0
"""Which of two codes of a kernel is faster: a few launches of each, in turns, and what a work-group took in them.

Launches need not be alike: the groups of a search through a graph do more from step to step, and a program may launch a
kernel for two buffers in turns. So the order is that of Thue and Morse, 0110 1001 1001 0110, in which both codes see
about the same of all that goes up, down or round. A launch that is interrupted takes longer, none takes less: the
faster half of each code's launches counts. Each launch has an estimate of its own, as launches are enqueued long before
they run. It counts what all groups of a launch take: its last ones may be the least of it. What is clear early ends
early: the slower code runs for long, too.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset
from clpy.atomics cimport atomic_add_i32, atomic_load_i64, atomic_load_i64_relaxed
from clpy.device.base cimport Took

cdef enum:
    EACH = TRIAL_LAUNCHES // 2
    HOPELESS = 5                 # times as long in its first launch: one is enough
    PATIENCE = 4096              # launches that are waited for what was enqueued before them, as one may never end
    # So much faster must all launches be than all of the other in the first four, and in the first eight; percent
    CLEARLY = 15
    PLAINLY = 6
    NOTABLY = 3                  # likewise, the mean of the faster half at the end


cdef inline bint is_other(int32_t turn) noexcept nogil:
    """The parity of its bits."""
    return (0x6996 >> (turn & 15)) & 1


cdef inline uint64_t mean_of(const Took *took) noexcept nogil:
    """Nanoseconds of a group; 0 where some of the launch have not run."""
    cdef int64_t groups = atomic_load_i64(<int64_t *>&took.groups)
    if groups == 0 or groups < took.wanted:
        return 0
    return <uint64_t>(atomic_load_i64_relaxed(<int64_t *>&took.ns) // groups) + 1


cdef int gather(const Trial *trial, int32_t turns, bint other, uint64_t *found) noexcept nogil:
    """What one of the codes took in the first launches, in order of size; their number, 0 where one is not known."""
    cdef int n = 0, i
    cdef int32_t turn
    cdef uint64_t ns
    for turn in range(turns):
        if is_other(turn) != other:
            continue
        ns = mean_of(&trial.took[turn])
        if ns == 0:
            return 0
        i = n
        while i > 0 and found[i - 1] > ns:
            found[i] = found[i - 1]
            i -= 1
        found[i] = ns
        n += 1
    return n


cdef inline bint is_steady(const uint64_t *found, int n) noexcept nogil:
    """Nothing came in between, and launches are alike."""
    return found[n - 1] <= found[0] + found[0] // 2


cdef Verdict judged(const Trial *trial, int32_t turns) noexcept nogil:
    cdef uint64_t usual[EACH]
    cdef uint64_t other[EACH]
    cdef int n = gather(trial, turns, False, usual), apart = CLEARLY if turns <= 4 else PLAINLY
    if n == 0 or gather(trial, turns, True, other) == 0:
        return UNDECIDED
    if turns == 2:
        return USUAL if other[0] > HOPELESS * usual[0] else UNDECIDED
    if turns < TRIAL_LAUNCHES:
        if not is_steady(usual, n) or not is_steady(other, n):
            return UNDECIDED
        if usual[0] * 100 > other[n - 1] * (100 + apart):
            return OTHER
        return USUAL if other[0] * 100 > usual[n - 1] * (100 + apart) else UNDECIDED
    return OTHER if trial_ns(trial, False) * 100 > trial_ns(trial, True) * (100 + NOTABLY) else USUAL


cdef uint64_t trial_ns(const Trial *trial, bint other) noexcept nogil:
    cdef uint64_t found[EACH]
    cdef uint64_t total = 0
    cdef int32_t turns = trial.turns if trial.turns < TRIAL_LAUNCHES else TRIAL_LAUNCHES
    cdef int n = gather(trial, turns, other, found), i
    while n == 0 and turns > 1:          # what ended early may have launches under way
        turns -= 1
        n = gather(trial, turns, other, found)
    n = (n + 1) // 2
    for i in range(n):
        total += found[i]
    return total // <uint64_t>n if n else 0


cdef Verdict trial_turn(Trial *trial, bint *other, Took **took) noexcept nogil:
    cdef Verdict verdict = UNDECIDED
    cdef int32_t turn = atomic_add_i32(&trial.turns, 1)
    other[0], took[0] = False, NULL
    if turn == 2 or turn == 4 or turn == 8:
        verdict = judged(trial, turn)
    elif turn >= TRIAL_LAUNCHES:
        verdict = judged(trial, TRIAL_LAUNCHES)
        if verdict == UNDECIDED and turn > PATIENCE:
            verdict = USUAL
    if verdict == UNDECIDED and turn < TRIAL_LAUNCHES:
        other[0], took[0] = is_other(turn), &trial.took[turn]
    return verdict


def try_out(usual_ns, other_ns, int late=0):
    """(Whether the other code is kept, launches of it) of a trial in whose n-th launch a group would take the n-th of
    these times, nanoseconds; each is known `late` launches after it was enqueued."""
    cdef Trial trial
    cdef bint other
    cdef Took *took
    cdef Verdict verdict = UNDECIDED
    cdef int n = 0, others = 0
    waiting = []
    memset(&trial, 0, sizeof(Trial))
    while True:
        if waiting and waiting[0][0] + late < n:
            turn, took_ns = waiting.pop(0)
            trial.took[<int>turn] = Took(took_ns, 1, 1)
        verdict = trial_turn(&trial, &other, &took)
        if verdict != UNDECIDED:
            return verdict == OTHER, others
        if took != NULL:
            waiting.append((n, other_ns[n] if other else usual_ns[n]))
            others += other
        elif not waiting and n > PATIENCE:
            raise ValueError("it does not end")
        n += 1
