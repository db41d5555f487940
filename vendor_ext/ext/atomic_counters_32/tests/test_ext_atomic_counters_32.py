# SPDX-License-Identifier: Apache-2.0
"""cl_ext_atomic_counters_32: counters that kernels count up or down, on the CPU device and on a model."""
import os
import subprocess
import sys

import numpy as np
import pyopencl as cl
import pytest
from clapi import API

PRAGMA = "#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : enable\n"
SOURCE = PRAGMA + """
uint next(counter32_t counter) { return atomic_inc(counter); }
kernel void up(counter32_t counter, global uint *seen) { seen[get_global_id(0)] = next(counter); }
kernel void down(global uint *seen, counter32_t first, counter32_t second)
{
    seen[get_global_id(0)] = atomic_dec(first);
    if (get_global_id(0) % 2)
        atomic_dec(second);
}
"""
COUNT, MOST_COUNTERS = 1000, 0x4032


def device():
    return next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]


def check():
    assert "cl_ext_atomic_counters_32" in device().extensions.split()
    context = cl.Context([device()])
    queue, program = cl.CommandQueue(context), cl.Program(context, SOURCE).build(["-Werror"], cache_dir=False)
    counters = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.array([n], np.uint32)) for n in (7, 5000)]
    seen = cl.Buffer(context, 0, 4 * COUNT)
    found, left = np.zeros(COUNT, np.uint32), np.zeros(1, np.uint32)
    cl.Kernel(program, "up")(queue, (COUNT,), None, counters[0], seen)
    cl.enqueue_copy(queue, found, seen)
    np.testing.assert_array_equal(np.sort(found), np.arange(7, 7 + COUNT))
    cl.Kernel(program, "down")(queue, (COUNT,), None, seen, *counters)
    cl.enqueue_copy(queue, found, seen)
    np.testing.assert_array_equal(np.sort(found), np.arange(8, 8 + COUNT))
    for counter, expected in zip(counters, (7, 4500), strict=True):
        cl.enqueue_copy(queue, left, counter)
        assert left[0] == expected


def test_on_the_cpu_device():
    check()


def test_how_many_there_are():
    api = API()
    assert api.number("clGetDeviceInfo", api.devices()[0], MOST_COUNTERS) >= 8


def test_on_a_model():
    """In a process of its own, for the devices are chosen once."""
    done = subprocess.run([sys.executable, "-W", "ignore", __file__], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEVICES": "gpu:tahiti", "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr


def test_the_name_is_the_programs_where_it_is_not_enabled():
    text = "typedef int counter32_t;\nkernel void k(global int *x) { counter32_t y = *x; *x = y + 1; }"
    cl.Program(cl.Context([device()]), text).build(["-Werror"], cache_dir=False)


def test_a_counter_cannot_be_assigned():
    with pytest.raises(cl.RuntimeError, match="const"):
        cl.Program(cl.Context([device()]), PRAGMA + "kernel void k(counter32_t a, counter32_t b) { a = b; }").build(
            cache_dir=False)


if __name__ == "__main__":
    check()
