# SPDX-License-Identifier: Apache-2.0
"""Waiting for file descriptors without a thread for each: one thread per process looks at all of them."""

# Called when the descriptor can be read. True: go on watching.
ctypedef bint (*readable_fn)(void *arg) noexcept nogil

# `arg` is an object; it is held while it is watched, and keeps `fd` open. False when out of memory or threads.
cdef bint watch(int fd, readable_fn readable, void *arg) noexcept nogil
# No longer, though it never could be read.
cdef void watch_end(void *arg) noexcept nogil
