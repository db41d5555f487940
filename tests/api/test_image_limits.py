# SPDX-License-Identifier: Apache-2.0
"""Limits of images: at least what the specification demands, and what is reported can be made and used to its end.

Images this large cost nothing but addresses: of their pages a few are touched.
"""
import ctypes
from ctypes import byref, c_int32, c_void_p

import numpy as np
import pytest
from clapi import E, sizes
from image_model import desc, form, pixel_bytes

pytestmark = pytest.mark.usefixtures("no_leak")

LIMITS = {"IMAGE2D_MAX_WIDTH": 16384, "IMAGE2D_MAX_HEIGHT": 16384, "IMAGE3D_MAX_WIDTH": 2048,
          "IMAGE3D_MAX_HEIGHT": 2048, "IMAGE3D_MAX_DEPTH": 2048, "IMAGE_MAX_BUFFER_SIZE": 65536,
          "IMAGE_MAX_ARRAY_SIZE": 2048, "MAX_READ_IMAGE_ARGS": 128, "MAX_WRITE_IMAGE_ARGS": 64,
          "MAX_READ_WRITE_IMAGE_ARGS": 64, "MAX_SAMPLERS": 16, "IMAGE_PITCH_ALIGNMENT": 1,
          "IMAGE_BASE_ADDRESS_ALIGNMENT": 1}
# type -> (of OpenCL C, integer coordinates, float coordinates)
TYPES = {"IMAGE1D": ("image1d_t", "c.x", "f.x"), "IMAGE1D_ARRAY": ("image1d_array_t", "c.xy", "f.xy"),
         "IMAGE1D_BUFFER": ("image1d_buffer_t", "c.x", None), "IMAGE2D": ("image2d_t", "c.xy", "f.xy"),
         "IMAGE2D_ARRAY": ("image2d_array_t", "c", "f"), "IMAGE3D": ("image3d_t", "c", "f")}
W2, H2, W3, H3, D3, LAYERS = ("IMAGE2D_MAX_WIDTH", "IMAGE2D_MAX_HEIGHT", "IMAGE3D_MAX_WIDTH", "IMAGE3D_MAX_HEIGHT",
                              "IMAGE3D_MAX_DEPTH", "IMAGE_MAX_ARRAY_SIZE")
# (type, pixel, extent): each limit alone with the largest pixel; all of them; more than 2^31 bytes, than 2^31 pixels
LARGEST = [("IMAGE1D", "RGBA-FLOAT", (W2,)), ("IMAGE2D", "RGBA-FLOAT", (W2, 1)), ("IMAGE2D", "RGBA-FLOAT", (1, H2)),
           ("IMAGE2D", "R-UNORM_INT8", (W2, H2)), ("IMAGE2D", "RGBA-FLOAT", (W2, H2)),
           ("IMAGE3D", "RGBA-FLOAT", (W3, 1, 1)), ("IMAGE3D", "RGBA-FLOAT", (1, H3, 1)),
           ("IMAGE3D", "RGBA-FLOAT", (1, 1, D3)), ("IMAGE3D", "R-UNORM_INT8", (W3, H3, D3)),
           ("IMAGE1D_ARRAY", "RGBA-FLOAT", (1, LAYERS)), ("IMAGE1D_ARRAY", "RGBA-FLOAT", (W2, LAYERS)),
           ("IMAGE2D_ARRAY", "RGBA-FLOAT", (1, 1, LAYERS)), ("IMAGE2D_ARRAY", "R-UNORM_INT8", (W2, H2, LAYERS)),
           ("IMAGE1D_BUFFER", "RGBA-FLOAT", ("IMAGE_MAX_BUFFER_SIZE",))]


@pytest.fixture
def limit(api, device):
    return lambda name: api.number("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name))


@pytest.mark.parametrize("name", LIMITS)
def test_least(limit, name):
    assert limit(name) >= LIMITS[name]


def source(kind):
    """Work-item i is at the pixel i to the left of the last one."""
    type_, place, point = TYPES[kind]
    sampled = f"out[2 * i + 1] = read_imagef(image, s, {point});" if point else "out[2 * i + 1] = out[2 * i];"
    return f"""
kernel void put(write_only {type_} image, int4 c) {{
    int i = get_global_id(0);
    c.x -= i;
    write_imagef(image, {place}, (float4)((i + 1) / 255.0f, 1.0f, 0.0f, 1.0f));
}}
kernel void get(read_only {type_} image, int4 c, float4 size, sampler_t s, global float4 *out) {{
    int i = get_global_id(0);
    c.x -= i;
    float4 f = (convert_float4(c) + 0.5f) / size;
    out[2 * i] = read_imagef(image, {place});
    {sampled}
}}
"""


def largest(extent, size, most):
    """As large as asked for, with fewer layers or slices where that would be more than an allocation can be."""
    room = most // size
    for n in extent[:-1]:
        room //= n
    return (*extent[:-1], min(extent[-1], room))


def set_args(api, kernel, *args):
    for n, arg in enumerate(args):
        api.ok("clSetKernelArg", kernel, n, ctypes.sizeof(arg), byref(arg))


@pytest.mark.parametrize("kind, name, names", LARGEST)
def test_the_largest_can_be_used(api, context, queue, program, limit, image, buffer, contents, kind, name, names):
    """The last pixels: written by a kernel, read by one at their places and through a sampler, and by the host."""
    pixel = form(*name.split("-"))
    size, extent = pixel_bytes(pixel), [limit(n) if isinstance(n, str) else n for n in names]
    extent = largest(extent, size, limit("MAX_MEM_ALLOC_SIZE"))
    below = buffer(extent[0] * size) if kind == "IMAGE1D_BUFFER" else None
    mem, last, n = image(pixel, desc(kind, *extent, mem_object=below)), [e - 1 for e in extent], min(8, extent[0])
    whole, layered = (*extent, 1, 1, 1)[:4], "ARRAY" in kind
    built = program(source(kind), "-cl-std=CL3.0")
    put, get = (api.make("clCreateKernel", built, function) for function in (b"put", b"get"))
    at = (c_int32 * 4)(*last)
    # a layer is not normalized; half a layer beyond is the last one too
    scale = (ctypes.c_float * 4)(*(1 if layered and i == len(extent) - 1 else e for i, e in enumerate(whole)))
    sampler = api.make("clCreateSampler", context, 1, E.ADDRESS_CLAMP, E.FILTER_NEAREST)
    out = buffer(n * 32)
    set_args(api, put, c_void_p(mem), at)
    set_args(api, get, c_void_p(mem), at, scale, c_void_p(sampler), c_void_p(out))
    for kernel in (put, get):
        api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(n), None, 0, None, None)
    found = np.frombuffer(contents(out, n * 32), np.float32).reshape(n, 2, 4)
    red = np.arange(1, n + 1, dtype=np.float32) / np.float32(255)
    np.testing.assert_allclose(found[:, 0, 0], red, rtol=1e-6)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])
    one, bytes_ = (*last, 0, 0)[:3], ctypes.create_string_buffer(size)
    api.ok("clEnqueueReadImage", queue, mem, 1, sizes(*one), sizes(1, 1, 1), 0, 0, bytes_, 0, None, None)
    assert bytes_.raw[0] == 1 if size == 1 else bytes_.raw == np.array([1 / 255, 1, 0, 1], np.float32).tobytes()
    api.ok("clReleaseSampler", sampler)
    for kernel in (put, get):
        api.ok("clReleaseKernel", kernel)


# ---- as many arguments as reported

READ, WRITE = "found = read_imageui(image, 0).x;", "write_imageui(image, 0, (uint4)(value, 0, 0, 0));"
USES = {"MAX_READ_IMAGE_ARGS": ("read_only", READ, True, False),
        "MAX_WRITE_IMAGE_ARGS": ("write_only", WRITE, False, True),
        "MAX_READ_WRITE_IMAGE_ARGS": ("read_write", READ + WRITE, True, True)}


@pytest.mark.parametrize("name", USES)
def test_all_image_arguments(api, queue, kernel, limit, image, buffer, contents, name):
    """Each is another image."""
    n, (access, body, reads, writes) = limit(name), USES[name]
    parameters = ", ".join(f"{access} image1d_t i{i}" for i in range(n))
    calls = " + ".join(f"use(i{i}, {1000 + i})" for i in range(n))
    k = kernel(f"""
__attribute__((noinline)) uint use({access} image1d_t image, uint value) {{ uint found = 0; {body} return found; }}
kernel void k({parameters}, global uint *out) {{ *out = {calls}; }}""", "k", "-cl-std=CL3.0 -cl-opt-disable")
    mems, out = [image(form("R", "UNSIGNED_INT32"), desc("IMAGE1D", 1)) for _ in range(n)], buffer(4)
    for i, mem in enumerate(mems):
        api.ok("clEnqueueWriteImage", queue, mem, 1, sizes(0, 0, 0), sizes(1, 1, 1), 0, 0, (1 << i % 20).to_bytes(
            4, "little"), 0, None, None)
    set_args(api, k, *map(c_void_p, mems), c_void_p(out))
    api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(1), None, 0, None, None)
    assert int.from_bytes(contents(out, 4), "little") == (sum(1 << i % 20 for i in range(n)) if reads else 0)
    for i, mem in enumerate(mems):
        api.ok("clEnqueueReadImage", queue, mem, 1, sizes(0, 0, 0), sizes(1, 1, 1), 0, 0,
               bytes_ := ctypes.create_string_buffer(4), 0, None, None)
        assert int.from_bytes(bytes_.raw, "little") == (1000 + i if writes else 1 << i % 20)


def test_all_samplers(api, context, queue, kernel, limit, image, buffer, contents):
    """Half of them find a border where the others find the pixel at the edge."""
    n = limit("MAX_SAMPLERS")
    calls = "\n".join(f"    out[{i}] = use(image, s{i});" for i in range(n))
    k = kernel(f"""
__attribute__((noinline)) float use(read_only image1d_t image, sampler_t s) {{ return read_imagef(image, s, -1.0f).x; }}
kernel void k(read_only image1d_t image, {", ".join(f"sampler_t s{i}" for i in range(n))}, global float *out) {{
{calls}
}}""", "k", "-cl-std=CL3.0 -cl-opt-disable")
    mem, out = image(form("R", "FLOAT"), desc("IMAGE1D", 1)), buffer(4 * n)
    api.ok("clEnqueueFillImage", queue, mem, np.ones(4, np.float32).tobytes(), sizes(0, 0, 0), sizes(1, 1, 1), 0, None,
           None)
    samplers = [api.make("clCreateSampler", context, 0, E.ADDRESS_CLAMP_TO_EDGE if i % 3 else E.ADDRESS_CLAMP,
                         E.FILTER_NEAREST) for i in range(n)]
    set_args(api, k, c_void_p(mem), *map(c_void_p, samplers), c_void_p(out))
    api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(1), None, 0, None, None)
    assert np.frombuffer(contents(out, 4 * n), np.float32).tolist() == [1.0 if i % 3 else 0.0 for i in range(n)]
    for sampler in samplers:
        api.ok("clReleaseSampler", sampler)
