# SPDX-License-Identifier: Apache-2.0
"""A kernel through the whole stack and its Python reference, compared."""
import numpy as np
import pyopencl as cl
import pytest

from .device_queues import DEFAULT, new_queue
from .spmd import run

AMD, INTEL = 0x1002, 0x8086
# Where each kernel may have sub-groups of another size: kernels that say "sub_group" have this one.
OF_ONE_SIZE = "#define kernel __attribute__((intel_reqd_sub_group_size(16))) __kernel\n#line 1\n"


class Machine:
    """A device, a context and a queue; programs are built once per source. It is the CPU device, or the one that
    `--device` names (test_on_models.py)."""

    def __init__(self, name):
        platform = next(p for p in cl.get_platforms() if p.name == "clpy")
        kind = cl.device_type.CUSTOM if name == "fake" else cl.device_type.ALL
        self.device = platform.get_devices(kind)[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.programs = {}
        self.features = {row.name for row in self.device.opencl_c_features}
        self.is_model = self.device.type == cl.device_type.GPU
        self.has_amds_library = self.device.vendor_id == AMD
        self.id_bits = 32 if self.device.vendor_id == INTEL else 64     # docs/gpu.md
        self.has_generic_pointers = "__opencl_c_generic_address_space" in self.features

    def needs(self, extension):
        """For tests of what not all devices have: what this one says it has not is not tested on it."""
        if extension not in self.device.extensions.split():
            pytest.skip(f"{self.device.name} has no {extension}")

    def needs_il(self):
        if not self.device.il_version:
            pytest.skip(f"{self.device.name} takes no SPIR-V")

    def flushes(self, dtype):
        """Whether denormal numbers are zeros to the device."""
        return dtype == np.float32 and not self.device.single_fp_config & cl.device_fp_config.DENORM

    def seen(self, array):
        """What the device makes of an array's denormal numbers."""
        if not self.flushes(array.dtype):
            return array
        return np.where(np.abs(array) < np.finfo(array.dtype).tiny, np.copysign(array.dtype.type(0), array), array)

    def build(self, source, options=""):
        """OpenCL C 2.0, which needs pointers to any memory, is 3.0 on a device without."""
        if not self.has_generic_pointers:
            options = options.replace("-cl-std=CL2.0", "-cl-std=CL3.0")
        if self.device.vendor_id == INTEL and self.is_model and "sub_group" in source:
            source = OF_ONE_SIZE + source
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
def machine(pytestconfig):
    return Machine(pytestconfig.getoption("--device"))


@pytest.fixture(scope="session")
def size(machine):
    """Work-items of a sub-group, where a kernel is vectors of them."""
    if "__opencl_c_subgroups" not in machine.features:
        pytest.skip(f"{machine.device.name} has no sub-groups")
    kernel = machine.build("kernel void k(global uint *o) { *o = get_max_sub_group_size(); }", "-cl-std=CL3.0").k
    out = np.zeros(1, np.uint32)
    machine.launch(kernel, (1,), (1,), [out])
    return int(out[0])


@pytest.fixture
def able_to_enqueue(machine):
    if "__opencl_c_device_enqueue" not in machine.features:
        pytest.skip(f"{machine.device.name} has no queues of its own")
    return machine


@pytest.fixture
def device_queue(able_to_enqueue):
    """The default one."""
    return new_queue(able_to_enqueue, properties=DEFAULT)
