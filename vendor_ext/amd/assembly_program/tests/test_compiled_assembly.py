# SPDX-License-Identifier: Apache-2.0
"""What -save-temps writes of a program of OpenCL C, back through clCreateProgramWithAssemblyAMD: the same results."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = """
typedef struct { int a; char b; long c; } S;
constant int table[4] = {3, 1, 4, 1};
global int counter = 5;

__attribute__((noinline)) int helper(int x, int y)
{
    int many[20];
    for (int i = 0; i < 20; i++)
        many[i] = x * i;
    return many[y % 20] + y + table[x & 3];
}

kernel void mix_all(global const int *in, global int *out, int4 add, constant float *c, local int *t,
                    char z, double d, S s)
{
    size_t i = get_global_id(0), l = get_local_id(0);
    t[l] = in[i] + add.y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[get_local_size(0) - 1 - l] + helper(in[i] & 7, (int)i)
        + z + (int)d + (int)c[i & 3] + s.a + s.b + (int)s.c;
    if (i == 3)
        printf("%d %s %f\\n", out[i], "text", d);
    if (l == 0)
        atomic_add(&counter, 1);
}

kernel void picture(read_only image2d_t from, sampler_t s, write_only image2d_t to, global int *count)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, p, read_imagef(from, s, p + 1));
    if (p.x == 0 && p.y == 0)
        count[0] = counter;
}
"""
HOST = """
import numpy as np
import pyopencl as cl
from host import *
device, = cl.get_platforms()[0].get_devices()
ctx = cl.Context([device])
queue = cl.CommandQueue(ctx)
READ, COPY = cl.mem_flags.READ_WRITE, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR

def results(program):
    numbers, floats = np.arange(256, dtype=np.int32) * 7 % 101, np.array([1.5, 2.5, 3.5, 4.5], np.float32)
    out, count = cl.Buffer(ctx, READ, 1024), cl.Buffer(ctx, READ, 4)
    s = np.array([(11, -3, 1 << 20)], np.dtype([("a", "i4"), ("b", "i1"), ("c", "i8")], align=True))
    kernel = cl.Kernel(program, "mix_all")
    names = [kernel.get_arg_info(i, cl.kernel_arg_info.TYPE_NAME) for i in range(8)]
    inputs = [cl.Buffer(ctx, COPY, hostbuf=data) for data in (numbers, floats)]
    for i, value in enumerate((inputs[0], out, np.array([1, 2, 3, 4], np.int32), inputs[1], cl.LocalMemory(256),
                               np.int8(-9), np.float64(12.75), s)):
        kernel.set_arg(i, value)
    cl.enqueue_nd_range_kernel(queue, kernel, (256,), (64,))
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    pixels = np.arange(1024, dtype=np.uint8).reshape(16, 16, 4)
    images = [cl.create_image(ctx, flags, form, shape=(16, 16), hostbuf=data)
              for flags, data in ((COPY, pixels), (READ, None))]
    sampler = cl.Sampler(ctx, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
    copy = cl.Kernel(program, "picture")
    copy.set_args(images[0], sampler, images[1], count)
    cl.enqueue_nd_range_kernel(queue, copy, (16, 16), (8, 8))
    read = [np.empty(256, np.int32), np.empty_like(pixels), np.empty(1, np.int32)]
    cl.enqueue_copy(queue, read[0], out)
    cl.enqueue_copy(queue, read[1], images[1], origin=(0, 0), region=(16, 16))
    cl.enqueue_copy(queue, read[2], count)
    sizes = [kernel.get_work_group_info(getattr(cl.kernel_work_group_info, name), device)
             for name in ("LOCAL_MEM_SIZE", "PRIVATE_MEM_SIZE", "COMPILE_WORK_GROUP_SIZE")]
    return [each.tolist() for each in read], names, sizes

first = cl._cl._Program(ctx, source)
first.build(f"-cl-std=CL3.0 -cl-kernel-arg-info -save-temps={folder}/t".encode(), [device])
text, = folder.glob("*.s")
made, error = create(c_void_p(ctx.int_ptr), text.read_bytes())
print(error, build(made), log(made, c_void_p(device.int_ptr)))
one, two = results(first), results(cl._cl._Program.from_int_ptr(made))
print(one == two, one[0][2], one[1])
"""


@pytest.mark.parametrize("chip", ["tahiti", "vega10"])
def test_back_again(chip, tmp_path):
    given = f"from pathlib import Path\nsource, folder = {SOURCE.encode()!r}, Path({str(tmp_path)!r})\n"
    done = subprocess.run([sys.executable, "-u", "-W", "ignore", "-c", given + HOST], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "CLPY_DEVICES": f"gpu:{chip}",
                                            "PYTHONPATH": f"{HERE.parents[3] / 'tests'}:{HERE}"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "CL_SUCCESS CL_SUCCESS ", "1048628 text 12.750000", "1048628 text 12.750000",
        "True [9] ['int*', 'int*', 'int4', 'float*', 'int*', 'char', 'double', 'S']"]
