# SPDX-License-Identifier: Apache-2.0
"""Waiting for a command. What a handler of a signal raises ends the wait, and with it what its context has to do: that
needs far more of the core than commands do, and gives itself in here when it is loaded."""
from libc.stdint cimport int32_t
from clpy.atomics cimport atomic_load_i32, atomic_xchg_i32
from clpy.cl cimport cl_int
from clpy.core.command cimport Command
from clpy.device.base cimport Device
from clpy.futex cimport flag_wait_for, futex_wake
from clpy.signals cimport LOOK_NS, signals_are_mine, signals_first, signals_interrupt
from clpy.spec.consts cimport CL_OUT_OF_RESOURCES, CL_SUCCESS

cdef enum:
    SLEPT_ON = 2                 # of a flag
    LEFT = 3                     # of Command.turn: nobody waits for it any more

cdef void (*interrupted)(Command *cmd) noexcept nogil


cdef void on_interrupt(void (*end_all)(Command *cmd) noexcept nogil) noexcept:
    global interrupted
    interrupted = end_all


cdef cl_int command_wait(Command *cmd) noexcept nogil:
    cdef Device *dev
    if atomic_load_i32(&cmd.done) != 1:
        dev = cmd.queue.device if cmd.queue != NULL else cmd.context.devices[0]
        if not dev.ops.help_until(dev, &cmd.done):
            interrupted(cmd)
            return WAIT_ENDED if signals_first() else WAIT_ENDED_AGAIN
    return atomic_load_i32(&cmd.status)


cdef cl_int command_wait_idly(Command *cmd) noexcept nogil:
    while atomic_load_i32(&cmd.done) != 1:
        flag_wait_for(&cmd.done, LOOK_NS)
        if atomic_load_i32(&cmd.done) != 1 and signals_are_mine() and signals_interrupt():
            interrupted(cmd)
            return WAIT_ENDED if signals_first() else WAIT_ENDED_AGAIN
    return atomic_load_i32(&cmd.status)


cdef cl_int turn_wait(Command *cmd) noexcept nogil:
    cdef Device *dev = cmd.queue.device
    if dev.ops.help_until(dev, &cmd.turn) or atomic_xchg_i32(&cmd.turn, LEFT) == 1:
        return CL_SUCCESS
    interrupted(cmd)
    return WAIT_ENDED if signals_first() else WAIT_ENDED_AGAIN


cdef bint turn_comes(Command *cmd) noexcept nogil:
    cdef int32_t before = atomic_xchg_i32(&cmd.turn, 1)
    if before == SLEPT_ON:
        futex_wake(&cmd.turn, 1)
    return before != LEFT


cdef cl_int wait_result(cl_int status) noexcept nogil:
    """An error of ours would come up in place of the handler's exception: bindings raise what a call returns. Where
    code in between goes on without coming back to Python, it is told at its next call that waits."""
    return CL_SUCCESS if status == WAIT_ENDED else CL_OUT_OF_RESOURCES


cdef void leave_memory_of_host(Command *cmd) noexcept nogil:
    """Of a blocking call that was interrupted: what has begun goes to its end. What waits for another command will not
    begin: it has failed, and whoever counts `depends` down looks at that afterwards."""
    while atomic_load_i32(&cmd.depends) == 0 and atomic_load_i32(&cmd.done) != 1:
        flag_wait_for(&cmd.done, LOOK_NS)
