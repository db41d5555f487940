# SPDX-License-Identifier: Apache-2.0
"""The commands that move or announce the contents of memory objects. Each captures all it needs."""
from clpy.cl cimport cl_command_type, cl_int, cl_uint
from clpy.core.command cimport Queue, Wait
from clpy.core.copy cimport CopyJob, FillJob, RectFillJob, RectJob
from clpy.core.memory cimport Mem

# The wait list is checked already. Each returns what command_place does, or why there is no command. A Mem may be NULL:
# plain memory, or only one.
cdef cl_int submit_copy(Queue *q, cl_command_type type, const CopyJob *job, Mem *a, Mem *b,
                        const Wait *wait) noexcept nogil
cdef cl_int submit_rect(Queue *q, cl_command_type type, const RectJob *job, Mem *a, Mem *b,
                        const Wait *wait) noexcept nogil
cdef cl_int submit_fill(Queue *q, cl_command_type type, const FillJob *job, Mem *mem,
                        const Wait *wait) noexcept nogil
cdef cl_int submit_rect_fill(Queue *q, cl_command_type type, const RectFillJob *job, Mem *mem,
                             const Wait *wait) noexcept nogil
# Map, unmap, migrate: a command without a body, complete when its turn comes.
cdef cl_int submit_nothing(Queue *q, cl_command_type type, cl_uint n_mems, Mem *const *mems,
                           const Wait *wait) noexcept nogil
