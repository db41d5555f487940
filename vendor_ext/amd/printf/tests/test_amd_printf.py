# SPDX-License-Identifier: Apache-2.0
"""cl_amd_printf: programs that enable it print in OpenCL C 1.0 and 1.1 as in 1.2."""
import os
import subprocess
import sys

import pyopencl as cl
import pytest

SOURCE = """
#ifndef cl_amd_printf
#error no
#endif
#pragma OPENCL EXTENSION cl_amd_printf : enable
kernel void k(int4 v, float f, long l)
{
    printf("%s of %d: %v4d %.2f %lx\\n", "item", (int)get_global_id(0), v, f, l);
}
"""


def run(std):
    device = next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]
    assert "cl_amd_printf" in device.extensions.split()
    context = cl.Context([device])
    queue, program = cl.CommandQueue(context), cl.Program(context, SOURCE)
    kernel = cl.Kernel(program.build(["-Werror", f"-cl-std={std}"], cache_dir=False), "k")
    kernel(queue, (1,), None, cl.cltypes.make_int4(1, -2, 3, 4), cl.cltypes.float(2.5), cl.cltypes.long(1 << 40))
    queue.finish()


@pytest.mark.parametrize("device", ["cpu", "gpu:tahiti"])
@pytest.mark.parametrize("std", ["CL1.0", "CL1.1", "CL1.2"])
def test_what_is_printed(device, std):
    """In a process of its own, for the devices are chosen once."""
    done = subprocess.run([sys.executable, "-W", "ignore", __file__, std], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEVICES": device})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "item of 0: 1,-2,3,4 2.50 10000000000\n"


if __name__ == "__main__":
    run(sys.argv[1])
