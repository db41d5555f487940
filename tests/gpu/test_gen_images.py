# SPDX-License-Identifier: Apache-2.0
"""Images on a model of a Gen chip: what the sampler and typed messages give is what the CPU device gives."""
import numpy as np
import pyopencl as cl
import pytest

from clpy.compiler.gen import installed
from tests.gpu.test_device import run

pytestmark = pytest.mark.skipif(bool(installed.missing()), reason="Intel's compiler is not installed")

SOURCE = """
constant sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void k(read_only IMAGE a, write_only IMAGE b, sampler_t given, global float4 *o) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    float4 pixel = read_imagef(a, INTS);
    float4 between = read_imagef(a, own, FLOATS + MORE);
    float4 sampled = read_imagef(a, given, (FLOATS + 0.5f) / SIZES);
    write_imagef(b, INTS, 1 - pixel);
    o[i] = pixel * 100 + between * 10 + sampled + get_image_width(a) + get_image_channel_order(a);
}
kernel void written(read_only IMAGE b, global float4 *o) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    o[(z * get_global_size(1) + y) * get_global_size(0) + x] = read_imagef(b, INTS);
}
"""
# Kind of image: coordinates as numbers and as fractions, what is added to those, and by what they are divided.
KINDS = {
    "image1d_t": ("x", "(float)x", "0.25f", "(float)get_image_width(a)"),
    "image2d_t": ("(int2)(x, y)", "(float2)(x, y)", "0.25f", "(float2)(get_image_width(a), get_image_height(a))"),
    "image3d_t": ("(int4)(x, y, z, 0)", "(float4)(x, y, z, 0)", "(float4)(.25f, .5f, .75f, 0)",
                  "(float4)(get_image_width(a), get_image_height(a), get_image_depth(a), 1)"),
    "image1d_array_t": ("(int2)(x, y)", "(float2)(x, y)", "(float2)(0.25f, 0)", "(float2)(get_image_width(a), 1)"),
    "image2d_array_t": ("(int4)(x, y, z, 0)", "(float4)(x, y, z, 0)", "(float4)(0.25f, 0.5f, 0, 0)",
                        "(float4)(get_image_width(a), get_image_height(a), 1, 1)")}
SHAPES = {"image1d_t": (37, 1, 1), "image2d_t": (37, 11, 1), "image3d_t": (19, 5, 7), "image1d_array_t": (37, 6, 1),
          "image2d_array_t": (19, 5, 7)}
DIMENSIONS = {"image1d_t": 1, "image2d_t": 2, "image3d_t": 3, "image1d_array_t": 2, "image2d_array_t": 3}


def made(context, kind, type_, data, flags):
    """An image of the kind, with the pixels if there are some."""
    shape = SHAPES[kind][:DIMENSIONS[kind]]
    flags |= cl.mem_flags.COPY_HOST_PTR if data is not None else 0
    return cl.create_image(context, flags, cl.ImageFormat(cl.channel_order.RGBA, type_), shape, hostbuf=data,
                           is_array="array" in kind)


def results(device, kind, type_, addressing, filtered):
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    ints, floats, more, sizes = KINDS[kind]
    options = [f"-DIMAGE={kind}", f"-DINTS={ints}".replace(" ", ""), f"-DFLOATS=({floats})".replace(" ", ""),
               f"-DMORE={more}".replace(" ", ""), f"-DSIZES=({sizes})".replace(" ", "")]
    program = cl.Program(context, SOURCE).build(options)
    shape = SHAPES[kind]
    count = int(np.prod(shape))
    numbers = np.random.default_rng(5).random((count, 4))
    is_float = type_ == cl.channel_type.FLOAT
    data = numbers.astype(np.float32) if is_float else (numbers * 255).astype(np.uint8)
    source = made(context, kind, type_, data, cl.mem_flags.READ_ONLY)
    target = made(context, kind, type_, None, cl.mem_flags.READ_WRITE)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 16 * count)
    colors = np.empty((2, count, 4), np.float32)
    cl.Kernel(program, "k")(queue, shape, None, source, target, cl.Sampler(context, True, addressing, filtered), out)
    cl.enqueue_copy(queue, colors[0], out)
    cl.Kernel(program, "written")(queue, shape, None, target, out)
    cl.enqueue_copy(queue, colors[1], out)
    return colors


def compare():
    """In a process that has both devices."""
    cpu, gpu = (device for platform in cl.get_platforms() if platform.name == "clpy"
                for device in platform.get_devices())
    for kind in KINDS:
        for type_ in (cl.channel_type.FLOAT, cl.channel_type.UNORM_INT8):
            for addressing, filtered in ((cl.addressing_mode.REPEAT, cl.filter_mode.LINEAR),
                                         (cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)):
                here, there = (results(device, kind, type_, addressing, filtered) for device in (cpu, gpu))
                np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-3, err_msg=kind)
                print(kind)


# The Gen7.5's code is Gen8's.
@pytest.mark.parametrize("chip, detail", [("skylake-gt2", "off"), ("skylake-gt2", "full"), ("broadwell-gt2", "full"),
                                          ("haswell-gt2", "off")])
def test_kinds_of_images(chip, detail):
    body = "from tests.gpu import test_gen_images\ntest_gen_images.compare()"
    assert len(run(body, f"cpu,gpu:{chip}", CLPY_GPU_DETAIL=detail)) == 4 * len(KINDS)
