# SPDX-License-Identifier: Apache-2.0
"""A kernel through the whole stack and its Python reference, compared."""
import numpy as np
import pyopencl as cl
import pytest

from .spmd import run


class Machine:
    """The CPU device, a context and a queue; programs are built once per source."""

    def __init__(self):
        platform = next(p for p in cl.get_platforms() if p.name == "clpy")
        self.device = platform.get_devices()[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.programs = {}

    def build(self, source, options=""):
        key = source, options
        if key not in self.programs:
            self.programs[key] = cl.Program(self.context, source).build(options, cache_dir=False)
        return self.programs[key]

    def launch(self, kernel, global_size, local_size, args, offset=None):
        """Run; arrays are buffers that are copied in and back out, cl.LocalMemory and numpy scalars go as they are."""
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        buffers = [cl.Buffer(self.context, flags, hostbuf=a) if isinstance(a, np.ndarray) else a for a in args]
        kernel.set_args(*buffers)
        cl.enqueue_nd_range_kernel(self.queue, kernel, global_size, local_size, offset)
        for array, buffer in zip(args, buffers, strict=True):
            if isinstance(array, np.ndarray):
                cl.enqueue_copy(self.queue, array, buffer)
        self.queue.finish()

    def check(self, source, body, global_size, local_size, args, *, name="k", options="", offset=(), shared=None,
              local_args=()):
        """Kernel and body give the same arrays. `shared` makes the body's local memory from its first group's sizes;
        `local_args` are the byte sizes of the kernel's last arguments."""
        expected = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        run(body, expected, global_size, local_size, offset, shared or (lambda: None))
        got = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        kernel = cl.Kernel(self.build(source, options), name)
        self.launch(kernel, global_size, local_size, [*got, *map(cl.LocalMemory, local_args)], offset or None)
        for index, (a, b) in enumerate(zip(got, expected, strict=True)):
            if isinstance(a, np.ndarray):
                np.testing.assert_array_equal(a, b, err_msg=f"argument {index}")


@pytest.fixture(scope="session")
def machine():
    return Machine()
