# SPDX-License-Identifier: Apache-2.0
"""cl_ext_atomic_counters_32 and _64: counters that kernels count up or down, on the CPU device and on a model."""
import os
import subprocess
import sys

import numpy as np
import pyopencl as cl
import pytest
from clapi import API

PRAGMA = "#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : enable\n"
SOURCE = PRAGMA + PRAGMA.replace("32", "64") + """
T next(C counter) { return atomic_inc(counter); }
kernel void up(C counter, global T *seen) { seen[get_global_id(0)] = next(counter); }
kernel void down(global T *seen, C first, C second)
{
    seen[get_global_id(0)] = atomic_dec(first);
    if (get_global_id(0) % 2)
        atomic_dec(second);
}
kernel void plain(global int *x, volatile global uint *y)
{
    local int z;
    z = 0;
    atomic_inc(&z);
    *x = atomic_inc(&z) + atomic_dec(y);
}
"""
COUNT, MOST_COUNTERS = 1000, 0x4032


def device():
    return next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]


def check(bits, type_, start, std):
    """`start` is where the second counter begins."""
    assert f"cl_ext_atomic_counters_{bits}" in device().extensions.split()
    context = cl.Context([device()])
    options = ["-Werror", f"-cl-std={std}", f"-DC=counter{bits}_t", f"-DT={'uint' if bits == 32 else 'ulong'}"]
    queue, program = cl.CommandQueue(context), cl.Program(context, SOURCE).build(options, cache_dir=False)
    counters = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.array([n], type_)) for n in (7, start)]
    found, left = np.zeros(COUNT, type_), np.zeros(1, type_)
    seen = cl.Buffer(context, 0, found.nbytes)
    cl.Kernel(program, "up")(queue, (COUNT,), None, counters[0], seen)
    cl.enqueue_copy(queue, found, seen)
    np.testing.assert_array_equal(np.sort(found), np.arange(7, 7 + COUNT))
    cl.Kernel(program, "down")(queue, (COUNT,), None, seen, *counters)
    cl.enqueue_copy(queue, found, seen)
    np.testing.assert_array_equal(np.sort(found), np.arange(8, 8 + COUNT))
    for counter, expected in zip(counters, (7, start - COUNT // 2), strict=True):
        cl.enqueue_copy(queue, left, counter)
        assert left[0] == expected
    cl.Kernel(program, "plain")(queue, (1,), None, seen, counters[0])
    cl.enqueue_copy(queue, left, counters[0])
    assert left[0] == 6


def check_both():
    for std in ("CL1.0", "CL1.2", "CL3.0"):
        check(32, np.uint32, 5000, std)
        check(64, np.uint64, (1 << 32) + 100, std)


def test_on_the_cpu_device():
    check_both()


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
    check_both()
