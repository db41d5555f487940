# SPDX-License-Identifier: Apache-2.0
"""cl_amd_fp64: programs that enable it have double in all versions of the language."""
import numpy as np
import pyopencl as cl
import pytest

SOURCE = """
#ifndef cl_amd_fp64
#error no
#endif
#pragma OPENCL EXTENSION cl_amd_fp64 : enable
kernel void k(global double *x) { size_t i = get_global_id(0); x[i] = sqrt(x[i]) + (double)0.5; }
"""


@pytest.mark.parametrize("std", ["CL1.0", "CL1.1", "CL1.2", "CL3.0"])
def test_double(std):
    device = next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]
    assert "cl_amd_fp64" in device.extensions.split()
    context = cl.Context([device])
    queue, program = cl.CommandQueue(context), cl.Program(context, SOURCE)
    values = np.arange(64, dtype=np.float64)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    cl.Kernel(program.build(["-Werror", f"-cl-std={std}"], cache_dir=False), "k")(queue, (64,), None, buffer)
    got = np.empty_like(values)
    cl.enqueue_copy(queue, got, buffer)
    np.testing.assert_array_equal(got, np.sqrt(values) + 0.5)
