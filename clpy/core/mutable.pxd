# SPDX-License-Identifier: Apache-2.0
"""Changing launches that are recorded in a command buffer."""
from libc.stdint cimport uint32_t
from clpy.cl cimport cl_int
from clpy.core.command cimport Command
from clpy.core.command_buffer cimport CommandBuffer
from clpy.core.recorded cimport MutableCommand, RecordedLaunch

ctypedef struct Change:          # one launch as it will be; after the commit, as it was
    uint32_t index
    Command *command             # held
    RecordedLaunch launch        # only `args` is the change's own, held; kernel, properties and handle stay

cdef MutableCommand *mutable_command_new(CommandBuffer *buffer) noexcept nogil     # NULL when out of memory
# Put all changes into effect for what is enqueued from now on, or none: CL_OUT_OF_HOST_MEMORY. Under the buffer's lock,
# which changes_free must not be called under: objects that go may call the application.
cdef cl_int changes_commit(CommandBuffer *buffer, uint32_t n, Change *changes) noexcept nogil
cdef void changes_free(uint32_t n, Change *changes) noexcept nogil
