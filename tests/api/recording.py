# SPDX-License-Identifier: Apache-2.0
"""Recording commands into a command buffer, for tests."""
import struct
from ctypes import byref, c_uint32

from clapi import E, handles, numbers

ADD = "kernel void k(global int *p, int n) { p[get_global_id(0)] += n; }"
SCALE = "kernel void k(global int *p, int n) { p[get_global_id(0)] *= n; }"
OUT_OF_ORDER = E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE


def ints(data):
    return list(struct.unpack(f"={len(data) // 4}i", data))


class Recorder:
    """record("FillBuffer", ..., after=[sync points]) -> the new sync point"""

    def __init__(self, api, target, queue=None):
        self.api, self.target, self.queue = api, target, queue

    def error(self, command, *args, after=(), properties=None, queue=None, handle=None, point=None):
        waits = numbers(c_uint32, *after) if after else None
        return self.api.error(f"clCommand{command}KHR", self.target, queue or self.queue, properties, *args,
                              len(after), waits, point, handle)

    def __call__(self, command, *args, **named):
        point = c_uint32(0)
        assert self.error(command, *args, point=byref(point), **named) == "CL_SUCCESS"
        assert point.value
        return point.value

    def run(self, queue=None, wait=(), event=None):
        self.api.ok("clFinalizeCommandBufferKHR", self.target)
        self.again(wait=wait, event=event)

    def again(self, wait=(), event=None, queues=()):
        self.api.ok("clEnqueueCommandBufferKHR", len(queues), handles(*queues) if queues else None, self.target,
                    len(wait), handles(*wait) if wait else None, event)
