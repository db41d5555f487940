# SPDX-License-Identifier: Apache-2.0
"""Waiting for a command."""
from clpy.cl cimport cl_int
from clpy.core.command cimport Command

cdef enum:                       # in place of a final status: what a signal handler raised has ended the wait
    WAIT_ENDED = 1
    WAIT_ENDED_AGAIN = 2         # and has ended one before, but could not come up since

# Helps meanwhile. The final status, or WAIT_*.
cdef cl_int command_wait(Command *cmd) noexcept nogil
# Does nothing meanwhile, for a command that ends without the thread. The same.
cdef cl_int command_wait_idly(Command *cmd) noexcept nogil
# For the thread that is to run it (CMD_IN_CALLER): CL_SUCCESS when all it waits for is done, or WAIT_*: somebody else
# ends it then. And for who has counted `depends` down: is that thread there?
cdef cl_int turn_wait(Command *cmd) noexcept nogil
cdef bint turn_comes(Command *cmd) noexcept nogil
# What a call returns whose wait came to such an end.
cdef cl_int wait_result(cl_int status) noexcept nogil
# `end_all` ends what the command's context has to do, in a thread whose wait for the command was interrupted.
cdef void on_interrupt(void (*end_all)(Command *cmd) noexcept nogil) noexcept
# Of a blocking call that was interrupted: returns when the command does not touch the host's memory any more.
cdef void leave_memory_of_host(Command *cmd) noexcept nogil
