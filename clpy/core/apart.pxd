# SPDX-License-Identifier: Apache-2.0
"""Commands that no device is given: whoever made one sees to it that it ends, on threads of its own."""
from libc.stdint cimport uint32_t
from clpy.device.base cimport Task

cdef enum:                       # beside the flags of clpy/device/base
    # When nothing is left that the command waits for, `run` takes it over: it calls `started`, and once, then or later,
    # `finished`. Its part is AT_ONCE where it may do that before it returns, LATER where another command is just being
    # completed.
    TASK_APART = 1 << 16
    AT_ONCE = 0
    LATER = 1

cdef inline bint goes_apart(Task *task, uint32_t part) noexcept nogil:
    if not task.flags & TASK_APART:
        return False
    task.run(task, part)
    return True
