# SPDX-License-Identifier: Apache-2.0
"""Launches whose groups all run at the same time, and may wait for each other (CLPY_LAUNCH_CONCURRENT)."""
from clpy.device.base cimport Task
from clpy.device.host.launch cimport Crowd, Scratch

cdef bint is_gang(const Task *task) noexcept nogil
# All groups, in this thread and in others that are there meanwhile; `pinned`: each on a processor of its own.
cdef void gang_run(Task *task, Scratch *scratch, Crowd crowd, bint pinned) noexcept nogil
# In a kernel: what runs here has waited for another group for some time, which may want this processor. Does not return
# where the kernel is to be left.
cdef void give_way() noexcept nogil
