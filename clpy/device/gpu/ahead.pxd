# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t
from clpy.device.base cimport Task

# Hook of the task (clpy.device.base.TaskHooks).
cdef int64_t order(Task *task, int64_t at, int64_t n, int64_t *first) noexcept nogil
