# SPDX-License-Identifier: Apache-2.0
"""Native threads, for nogil code; all of it inline."""
from libc.stdint cimport int32_t

ctypedef void (*thread_fn)(void *argument) noexcept nogil
ctypedef void (*fork_fn)() noexcept nogil

cdef extern from "clpy_threads.h" nogil:
    # name: 15 characters at most. stack: bytes, 0 for the system's default. False when there is no thread to be had.
    bint thread_start "clpy_thread_start"(thread_fn fn, void *argument, const char *name, size_t stack)
    # A thread that is waited for: thread_end returns when it is gone.
    ctypedef struct pthread_t:
        pass
    bint thread_make "clpy_thread_make"(thread_fn fn, void *argument, const char *name, size_t stack, pthread_t *made)
    int thread_end "pthread_join"(pthread_t thread, void **result)
    # Once per module, at its import: fn runs in the child of every fork, where no other thread is left.
    void at_fork_in_child "clpy_at_fork_in_child"(fork_fn fn)
