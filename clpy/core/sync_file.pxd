# SPDX-License-Identifier: Apache-2.0
"""Sync files: fences of drivers in the kernel, behind file descriptors."""
from clpy.cl cimport cl_int
from clpy.core.command cimport Command
from clpy.core.context cimport Context

cdef bint is_sync_file(int fd) noexcept nogil
cdef bint sync_file_is_signaled(int fd) noexcept nogil
# A command to wait for, held by the caller, that is complete when the fence is signaled, and fails where that failed.
# Takes fd over, whatever it returns.
cdef cl_int sync_file_gate(Context *ctx, int fd, Command **out) noexcept nogil
