# SPDX-License-Identifier: Apache-2.0
"""Sleeping and waking without libraries: flags, a small mutex, the clock. For nogil code; all of it inline.

A flag is 0 (not yet), 1 (raised) or 2 (not yet, and somebody sleeps on it), so raising one that nobody sleeps on makes
no system call.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t

cdef extern from "clpy_futex.h" nogil:
    void futex_wait "clpy_futex_wait"(int32_t *p, int32_t expected)    # may return at any time
    void futex_wait_for "clpy_futex_wait_for"(int32_t *p, int32_t expected, uint64_t ns)
    void futex_wake "clpy_futex_wake"(int32_t *p, int32_t n)
    # As `who`, a set of bits that is not empty, and only those that have one of them.
    void futex_wait_as "clpy_futex_wait_as"(int32_t *p, int32_t expected, uint32_t who)
    int32_t futex_wake_those "clpy_futex_wake_those"(int32_t *p, int32_t n, uint32_t who)      # how many were woken
    void flag_wait "clpy_flag_wait"(int32_t *flag)
    void flag_wait_for "clpy_flag_wait_for"(int32_t *flag, uint64_t ns)
    void flag_raise "clpy_flag_raise"(int32_t *flag)
    void nap "clpy_nap"(uint64_t ns)
    void mutex_lock "clpy_mutex_lock"(int32_t *m)
    void mutex_unlock "clpy_mutex_unlock"(int32_t *m)
    uint64_t now_ns "clpy_now_ns"()
