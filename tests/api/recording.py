# SPDX-License-Identifier: Apache-2.0
"""Recording commands into a command buffer, for tests."""
import ctypes
import struct
from ctypes import byref, c_size_t, c_uint32, c_void_p, create_string_buffer

from clapi import E, handles, numbers, sizes

ADD = "kernel void k(global int *p, int n) { p[get_global_id(0)] += n; }"
SCALE = "kernel void k(global int *p, int n) { p[get_global_id(0)] *= n; }"
OUT_OF_ORDER = E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
MUTABLE = (E.COMMAND_BUFFER_FLAGS_KHR, E.COMMAND_BUFFER_MUTABLE_KHR)


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


class Arg(ctypes.Structure):
    _fields_ = [("index", c_uint32), ("size", c_size_t), ("value", c_void_p)]


class Config(ctypes.Structure):
    _fields_ = [("command", c_void_p), ("n_args", c_uint32), ("n_svm", c_uint32), ("n_infos", c_uint32),
                ("dim", c_uint32), ("args", c_void_p), ("svm", c_void_p), ("infos", c_void_p), ("offset", c_void_p),
                ("size", c_void_p), ("local", c_void_p)]


def config(command, args=(), svm=(), infos=(), **rest):
    """`args`, `svm`, `infos`: (index, bytes or None or address) each."""
    made, keep = Config(command=command), []
    for name, values in (("args", args), ("svm", svm), ("infos", infos)):
        if not values:
            continue
        rows = (Arg * len(values))()
        for row, (index, value) in zip(rows, values, strict=True):
            data = create_string_buffer(value, len(value)) if isinstance(value, bytes) else value
            row.index, row.size = index, len(value) if isinstance(value, bytes) else 8
            row.value = ctypes.addressof(data) if isinstance(value, bytes) else value
            keep.append(data)
        keep.append(rows)
        setattr(made, name, ctypes.addressof(rows))
        setattr(made, {"args": "n_args", "svm": "n_svm", "infos": "n_infos"}[name], len(values))
    for name, value in rest.items():
        if isinstance(value, tuple):
            value = sizes(*value)
            keep.append(value)
            value = ctypes.addressof(value)
        setattr(made, name, value)
    made.keep = keep
    return made


def update(api, target, *configs, kind=E.STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR):
    n = len(configs)
    pointers = handles(*[ctypes.addressof(each) if each else None for each in configs])
    return api.error("clUpdateMutableCommandsKHR", target, n, numbers(c_uint32, *[kind] * n) if n else None,
                     pointers if n else None)
