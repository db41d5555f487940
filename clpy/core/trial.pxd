# SPDX-License-Identifier: Apache-2.0
"""Which of two codes of a kernel is faster: a few launches of each, in turns, and what a work-group took in them."""
from libc.stdint cimport int32_t, uint64_t
from clpy.device.base cimport Took

cdef enum:
    TRIAL_LAUNCHES = 16

ctypedef enum Verdict:
    UNDECIDED = 0
    USUAL = 1                    # the first is kept
    OTHER = 2                    # the second is clearly faster

ctypedef struct Trial:           # zero: it begins
    int32_t turns                # launches, and later looks at what they took; atomic
    Took took[TRIAL_LAUNCHES]    # each of them

# One launch more, which any thread may make. UNDECIDED: it is to be of the `other` code or not, and what it takes goes
# to `took`, NULL where launches enough are under way. Else the trial has ended.
cdef Verdict trial_turn(Trial *trial, bint *other, Took **took) noexcept nogil
# What a group took with one of the codes, as it counts; 0 where that is not known.
cdef uint64_t trial_ns(const Trial *trial, bint other) noexcept nogil
