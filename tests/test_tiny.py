# SPDX-License-Identifier: Apache-2.0
"""The first test to run: the loader finds clpy, and a kernel adds two vectors on each of its devices. Seconds."""
import numpy as np
import pyopencl as cl
import pytest

VADD = """
kernel void vadd(global const float *a, global const float *b, global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
"""


def devices():
    return [d for p in cl.get_platforms() if p.name == "clpy" for d in p.get_devices()]


def test_the_loader_finds_the_platform():
    assert len(devices()) >= 1
    assert devices()[0].type == cl.device_type.CPU


@pytest.mark.parametrize("n", [1, 1000, 1 << 20])
def test_vector_add_on_each_device(n):
    a = np.arange(n, dtype=np.float32)
    b = np.full(n, 0.5, dtype=np.float32)
    for device in devices():
        context = cl.Context([device])
        queue = cl.CommandQueue(context)
        program = cl.Program(context, VADD).build(cache_dir=False)
        flags = cl.mem_flags
        inputs = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x) for x in (a, b)]
        output = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
        program.vadd(queue, (n,), None, *inputs, output)
        c = np.empty_like(a)
        cl.enqueue_copy(queue, c, output)
        np.testing.assert_array_equal(c, a + b)
