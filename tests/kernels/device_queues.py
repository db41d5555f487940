# SPDX-License-Identifier: Apache-2.0
"""Queues on the device for tests of kernels that enqueue kernels."""
import numpy as np
import pyopencl as cl
import pytest

ON_DEVICE = (cl.command_queue_properties.ON_DEVICE | cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
DEFAULT = cl.command_queue_properties.ON_DEVICE_DEFAULT
LANGUAGES = pytest.mark.parametrize("options", ["-cl-std=CL2.0 -g", "-cl-std=CL3.0 -g"])


def new_queue(machine, size=None, properties=0, context=None):
    sized = [] if size is None else [cl.queue_properties.SIZE, size]
    return cl.CommandQueue(context or machine.context, machine.device, properties=[
        cl.queue_properties.PROPERTIES, ON_DEVICE | properties, *sized, 0])


def handle(queue):
    return np.uint64(queue.int_ptr)


def run(machine, source, arrays, *args, n=1, local=None, options="-cl-std=CL3.0 -g", name="k"):
    """The arrays after a kernel with these arguments; numpy scalars go as they are."""
    got = [a.copy() for a in arrays]
    kernel = cl.Kernel(machine.build(source, options), name)
    machine.launch(kernel, (n,), local and (local,), [*got, *args])
    return got
