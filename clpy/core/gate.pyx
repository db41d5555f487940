# SPDX-License-Identifier: Apache-2.0
"""Gates: what commands wait for where that which they really wait for is not there yet."""
from clpy.atomics cimport atomic_add_i32
from clpy.core.command cimport Command, command_finish, join_new, wait_for
from clpy.core.context cimport Context
from clpy.core.object cimport object_hold
from clpy.spec.consts cimport CL_COMPLETE


cdef Command *command_gate(Context *ctx) noexcept nogil:
    cdef Command *cmd = join_new()
    if cmd != NULL:
        object_hold(ctx)
        cmd.context = ctx
    return cmd


cdef void command_open_gate(Command *gate, Command *before) noexcept nogil:
    wait_for(gate, before, &gate.waits[0], False)
    if atomic_add_i32(&gate.depends, -1) == 1:
        command_finish(gate, gate.failed if gate.failed else CL_COMPLETE)
