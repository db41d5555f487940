# SPDX-License-Identifier: Apache-2.0
"""When commands began and ended, and what they hand on of it; all of it inline. Times are on the clocks of devices, and
theirs to give: where a device does not, it is the time on its clock when it tells of the beginning and the end."""
from libc.stdint cimport uint64_t
from clpy.core.command cimport Command
from clpy.device.base cimport Device, device_root, task_has_body, time_at_least


cdef inline uint64_t end_of(const Command *cmd) noexcept nogil:
    """Of a command that belongs to no device, as a join, the end of what it waited for; of a kernel with children the
    end of the last. 0: it has no time."""
    cdef uint64_t own = cmd.task.end_ns if cmd.task.end_ns else cmd.task.ready_ns
    return max(own, cmd.t_complete)


cdef inline void pass_time(Command *target, const Command *before, uint64_t end_ns) noexcept nogil:
    """Along an edge between commands of one device; a join is its queue's."""
    if target.queue != NULL and before.queue != NULL:
        if device_root(target.queue.device) != device_root(before.queue.device):
            return
    elif (target.queue == NULL and target.context != NULL) or (before.queue == NULL and before.context != NULL):
        return                   # a gate: it may be between any two devices
    time_at_least(&target.task.ready_ns, end_ns)


cdef inline void give_times(Command *cmd) noexcept nogil:
    """Where its device has not."""
    cdef Device *dev = cmd.queue.device
    if dev.ops.account != NULL and not task_has_body(&cmd.task):
        dev.ops.account(dev, &cmd.task)
    if cmd.t_queued:
        if cmd.task.end_ns == 0:
            cmd.task.end_ns = dev.ops.timer_ns(dev)
        if cmd.task.start_ns == 0:
            cmd.task.start_ns = cmd.task.end_ns
