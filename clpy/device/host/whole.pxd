# SPDX-License-Identifier: Apache-2.0
"""Tasks that one thread runs from their beginning to their end."""
from clpy.device.base cimport Task

# Until the owner is told of the end. The task is in no list.
cdef void run_whole(Task *task) noexcept nogil
# What is left to claim of a task that is no kernel.
cdef void run_parts(Task *task) noexcept nogil
