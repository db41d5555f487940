# SPDX-License-Identifier: Apache-2.0
"""The commands that move or announce the contents of memory objects. Each captures all it needs."""
from libc.stdint cimport uint32_t
from clpy.cl cimport cl_command_type, cl_int, cl_map_flags, cl_mem_migration_flags, cl_uint
from clpy.core.command cimport Queue, Wait
from clpy.core.copy cimport CopyJob, FillJob, RectFillJob, RectJob
from clpy.core.memory cimport Mem
from clpy.device.base cimport FLOW_NONE, FLOW_TO_DEVICE, FLOW_TO_HOST
from clpy.spec.consts cimport (CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
                               CL_MIGRATE_MEM_OBJECT_HOST)

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
# Map, unmap, migrate: a command without a body, complete when its turn comes. `flow` and `bytes`: what a device would
# move whose memory is its own (FLOW_*).
cdef cl_int submit_nothing(Queue *q, cl_command_type type, uint32_t flow, size_t bytes, cl_uint n_mems,
                           Mem *const *mems, const Wait *wait) noexcept nogil

cdef inline uint32_t map_flow(cl_map_flags flags) noexcept nogil:
    return FLOW_NONE if flags & CL_MAP_WRITE_INVALIDATE_REGION else FLOW_TO_HOST

cdef inline uint32_t unmap_flow(cl_map_flags flags) noexcept nogil:
    return FLOW_TO_DEVICE if flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) else FLOW_NONE

cdef inline uint32_t migrate_flow(cl_mem_migration_flags flags) noexcept nogil:
    if flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED:
        return FLOW_NONE
    return FLOW_TO_HOST if flags & CL_MIGRATE_MEM_OBJECT_HOST else FLOW_TO_DEVICE
