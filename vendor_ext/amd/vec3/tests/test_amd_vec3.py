# SPDX-License-Identifier: Apache-2.0
"""cl_amd_vec3: vectors of three in OpenCL C 1.0."""
import numpy as np
import pyopencl as cl
import pytest

SOURCE = """
#ifndef cl_amd_vec3
#error no
#endif
#pragma OPENCL EXTENSION cl_amd_vec3 : enable
kernel void k(global float *x, global short3 *y)
{
    size_t i = get_global_id(0);
    float3 v = vload3(i, x);
    y[i] = convert_short3(v) + (short3)(1, 2, 3);
    vstore3(fma(v.zyx, v, cross(v, v)), i, x);
}
"""


@pytest.mark.parametrize("std", ["CL1.0", "CL1.1", "CL1.2"])
def test_three(std):
    device = next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]
    assert "cl_amd_vec3" in device.extensions.split()
    context = cl.Context([device])
    queue, program = cl.CommandQueue(context), cl.Program(context, SOURCE)
    values, shorts = np.arange(48, dtype=np.float32).reshape(16, 3), np.zeros((16, 4), np.int16)
    ins = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=array) for array in (values, shorts)]
    cl.Kernel(program.build(["-Werror", f"-cl-std={std}"], cache_dir=False), "k")(queue, (16,), None, *ins)
    got = np.empty_like(values)
    cl.enqueue_copy(queue, got, ins[0])
    cl.enqueue_copy(queue, shorts, ins[1])
    np.testing.assert_array_equal(got, values[:, ::-1] * values)
    np.testing.assert_array_equal(shorts[:, :3], values.astype(np.int16) + np.array([1, 2, 3]))
