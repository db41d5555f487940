# SPDX-License-Identifier: Apache-2.0
"""What the application is told of commands that failed."""
from clpy.cl cimport cl_int
from clpy.core.command cimport Command
from clpy.core.context cimport Context
from clpy.device.base cimport Task

# The context's callback. The command has not completed for anyone yet.
cdef void report_error(Command *cmd, cl_int status) noexcept nogil
# What tells of a fault of a launch: `launched` is the command that has its payload, `task` what ran, `status` its end.
# It takes `task.fault`. False: the context's callback was not told.
cdef void on_fault(bint (*tell)(const Command *launched, Context *ctx, Task *task,
                                cl_int status) noexcept nogil) noexcept
cdef bint tell_fault(const Command *launched, Context *ctx, Task *task, cl_int status) noexcept nogil
