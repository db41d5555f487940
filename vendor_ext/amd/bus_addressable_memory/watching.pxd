# SPDX-License-Identifier: Apache-2.0
"""Signals that are waited for."""
from libc.stdint cimport uint32_t
from clpy.core.command cimport Command

# `gate` completes when the word is `value` or more, or when it has `failed`. Takes the runtime's hold of the gate over;
# False: not, as there is no memory or no thread.
cdef bint signal_watch(const uint32_t *word, uint32_t value, Command *gate) noexcept nogil
# Once it is submitted, for it must not be held by several threads before: the command that waits for the gate, which is
# over with it, too.
cdef void signal_waiter(Command *gate, Command *waiter) noexcept nogil
# A command has written a signal.
cdef void signal_written() noexcept nogil
