# SPDX-License-Identifier: Apache-2.0
"""What the application is told of commands that failed. What finds out about faults needs far more of the core than
commands do, and gives itself in here when it is loaded."""
from libc.stdio cimport snprintf
from clpy.cl cimport cl_int
from clpy.core.command cimport Command
from clpy.core.context cimport Context
from clpy.device.base cimport Task
from clpy.spec.consts cimport CL_CONTEXT_TERMINATED_KHR

cdef bint (*fault_teller)(const Command *, Context *, Task *, cl_int) noexcept nogil


cdef void on_fault(bint (*tell)(const Command *, Context *, Task *, cl_int) noexcept nogil) noexcept:
    global fault_teller
    fault_teller = tell


cdef bint tell_fault(const Command *launched, Context *ctx, Task *task, cl_int status) noexcept nogil:
    return fault_teller(launched, ctx, task, status)


cdef void report_error(Command *cmd, cl_int status) noexcept nogil:
    """The context's callback: "to report information on errors that occur in this context [...] may be called
    asynchronously"."""
    cdef char text[96]
    if cmd.task.fault != NULL:
        tell_fault(cmd, cmd.context, &cmd.task, status)
        return
    if cmd.context.notify == NULL or status == CL_CONTEXT_TERMINATED_KHR:     # which is told once
        return
    snprintf(text, sizeof(text), b"a command of type %#x failed with error %d", <unsigned>cmd.type, <int>status)
    cmd.context.notify(text, &status, sizeof(status), cmd.context.notify_data)
