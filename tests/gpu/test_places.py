# SPDX-License-Identifier: Apache-2.0
"""Times on a model do not depend on where the host's memory lies: lines have numbers by buffer and offset."""
import os
import subprocess
import sys

import pytest

HOST = """
import sys
import numpy as np
import pyopencl as cl
N = 1 << 14
NAMES = [f"p{i}" for i in range(40)]
SOURCE = f'''
#define PLACE ((uint) get_global_id(0) * 1031 & {N - 1})
kernel void many({", ".join(f"global float *{name}" for name in NAMES[:17])}) {{
    uint i = PLACE;
    p0[i] = {" + ".join(f"{name}[i]" for name in NAMES[:17])};
}}
kernel void more({", ".join(f"global float *{name}" for name in NAMES)}) {{
    uint i = PLACE;
    p0[i] = {" + ".join(f"{name}[i]" for name in NAMES)};
}}
kernel void picture(global float4 *out, read_only image2d_t image) {{
    const sampler_t s = CLK_FILTER_NEAREST | CLK_ADDRESS_NONE | CLK_NORMALIZED_COORDS_FALSE;
    uint i = PLACE;
    out[i & 255] = read_imagef(image, s, (int2)(i & 127, i >> 7));
}}
'''
[device] = cl.get_platforms()[0].get_devices()
context = cl.Context([device])
queue = cl.CommandQueue(context)
program = cl.Program(context, SOURCE).build()
others = []

def make(kind, *args, **more):
    # Another one before it, of a size that differs from run to run.
    if sys.argv[1] != "0":
        others.append(cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR,
                                hostbuf=np.zeros(int(sys.argv[1]) * 1000 * (len(others) + 1), np.uint8)))
    return kind(context, cl.mem_flags.COPY_HOST_PTR, *args, **more)

def run(name, *args):
    cl.Kernel(program, name)(queue, (N,), (64,), *args).wait()

buffers = [make(cl.Buffer, hostbuf=np.zeros(N, np.float32)) for _ in NAMES]
image = make(cl.Image, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT), shape=(128, 128),
             hostbuf=np.zeros((128, 128, 4), np.float32))
run("many", *buffers[:17])
run("more", *buffers)
run("picture", buffers[0], image)
"""


@pytest.mark.parametrize("detail", ["full", "sample"])
def test_other_memory_in_between(detail, tmp_path):
    """Times and all counters of kernels with few and many buffers, and with an image."""
    told = set()
    for size in ("0", "3", "7", "61"):
        path = tmp_path / size
        subprocess.run([sys.executable, "-W", "ignore", "-c", HOST, size], check=True, timeout=120,
                       env={**os.environ, "CLPY_DEVICES": "gpu:tahiti", "CLPY_GPU_DETAIL": detail,
                            "CLPY_GPU_PROFILE": str(path)})
        told.add(path.read_text())
    assert len(told) == 1
    assert told.pop().count("\n") == 3
