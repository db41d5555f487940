# SPDX-License-Identifier: Apache-2.0
"""A gate: a command without queue and body that others can wait for. Complete when `before` is that it was opened for,
with its error, or when command_finish is called for it. Either drops the runtime's hold, which is the caller's until
then."""
from clpy.core.command cimport Command
from clpy.core.context cimport Context

cdef Command *command_gate(Context *ctx) noexcept nogil                         # NULL when out of memory
cdef void command_open_gate(Command *gate, Command *before) noexcept nogil      # `before` is held by the caller
