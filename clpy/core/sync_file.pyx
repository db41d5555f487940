# SPDX-License-Identifier: Apache-2.0
"""Sync files can be waited for with poll() and asked for their status; only drivers in the kernel make them."""
from posix.unistd cimport close
from clpy.cl cimport cl_int
from clpy.core.command cimport Command, command_finish
from clpy.core.context cimport Context
from clpy.core.gate cimport command_gate
from clpy.core.object cimport object_drop, object_hold
from clpy.core.watch cimport watch
from clpy.spec.consts cimport CL_COMPLETE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS

cdef extern from "sync_file_status.h":
    int sync_file_status "clpy_sync_file_status"(int fd) noexcept nogil

cdef enum:
    NO_SYNC_FILE = -1000000


cdef bint is_sync_file(int fd) noexcept nogil:
    return sync_file_status(fd) != NO_SYNC_FILE


cdef bint sync_file_is_signaled(int fd) noexcept nogil:
    return sync_file_status(fd) == 1


cdef bint open_gate(void *arg) noexcept nogil:
    """The descriptor can be read: signaled, or failed."""
    cdef Command *gate = <Command *>arg
    cdef int fd = (<int *>gate.payload.bytes)[0]
    cdef int status = sync_file_status(fd)
    close(fd)
    command_finish(gate, CL_COMPLETE if status == 1 else CL_OUT_OF_RESOURCES)
    return False


cdef cl_int sync_file_gate(Context *ctx, int fd, Command **out) noexcept nogil:
    cdef Command *gate = command_gate(ctx)
    if gate == NULL:
        close(fd)
        return CL_OUT_OF_HOST_MEMORY
    (<int *>gate.payload.bytes)[0] = fd
    object_hold(gate)            # the caller's; the other one is the runtime's, until it is finished
    if not watch(fd, open_gate, gate):
        close(fd)
        object_drop(gate)
        object_drop(gate)
        return CL_OUT_OF_RESOURCES
    out[0] = gate
    return CL_SUCCESS
