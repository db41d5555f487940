# SPDX-License-Identifier: Apache-2.0
"""Commands that move a packet between the host and a pipe."""
from libc.stdint cimport int32_t
from clpy.cl cimport cl_int
from clpy.core.command cimport Command
from clpy.vendor_ext.intel.program_scope_host_pipe.ring cimport clpy_pipe

ctypedef struct Transfer:        # payload
    clpy_pipe *pipe
    void *ptr                    # the host's
    bint reads
    bint waits                   # until there is a packet, or a place; else it fails
    int32_t outcome              # of the last try

# Fills the task of a command; the payload is filled already.
cdef void transfer_task(Command *cmd) noexcept nogil
