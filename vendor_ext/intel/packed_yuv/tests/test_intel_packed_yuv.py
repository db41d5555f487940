# SPDX-License-Identifier: Apache-2.0
"""cl_intel_packed_yuv: pixels in pairs, as kernels and the host see them; errors in the order of the specification."""
import ctypes
import os
import subprocess
import sys
from ctypes import byref, create_string_buffer

import numpy as np
import pytest
from clapi import E, handles, sizes
from image_model import Desc, Format, desc

pytestmark = pytest.mark.usefixtures("no_leak")
ORDERS = {"YUYV": (0, 1, 3), "UYVY": (1, 0, 2), "YVYU": (0, 3, 1), "VYUY": (1, 2, 0)}    # bytes that Y, U and V are
WIDTH, HEIGHT = 38, 7


def form(order, type_="UNORM_INT8"):
    return Format(getattr(E, order + "_INTEL"), getattr(E, type_))


def seen(raw, order):
    """[y, x, (v, y, u, 1)] of rows of bytes."""
    y, u, v = ORDERS[order]
    pairs = raw.reshape(raw.shape[0], -1, 4).astype(np.float32) / 255
    out = np.ones((raw.shape[0], raw.shape[1] // 2, 4), np.float32)
    out[:, :, 0], out[:, :, 2] = np.repeat(pairs[:, :, v], 2, 1), np.repeat(pairs[:, :, u], 2, 1)
    out[:, 0::2, 1], out[:, 1::2, 1] = pairs[:, :, y], pairs[:, :, y + 2]
    return out


def some_rows(pitch=2 * WIDTH):
    return np.random.default_rng(5).integers(0, 256, (HEIGHT, pitch), np.uint8)


@pytest.fixture
def yuv(image):
    """new(order, rows, pitch) -> an image of those bytes"""
    def new(order="YUYV", rows=None, pitch=0, flags=0):
        rows = some_rows() if rows is None else rows
        return image(form(order), desc("IMAGE2D", WIDTH, HEIGHT, row_pitch=pitch),
                     E.MEM_READ_ONLY | E.MEM_COPY_HOST_PTR | flags, rows.tobytes())
    return new


@pytest.fixture
def read(api, queue, buffer, contents, set_args):
    """The colors that a kernel gets: `how` is its expression at (x, y)."""
    def colors(mem, how, width=WIDTH, height=HEIGHT):
        out = buffer(width * height * 16)
        k = set_args(f"""kernel void k(read_only image2d_t i, global float4 *out) {{
            const sampler_t nearest = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            const sampler_t linear = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
            const sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
            int x = get_global_id(0), y = get_global_id(1);
            out[y * {width} + x] = {how};
        }}""", mem, out)
        api.ok("clEnqueueNDRangeKernel", queue, k, 2, None, sizes(width, height), None, 0, None, None)
        return np.frombuffer(contents(out, width * height * 16), np.float32).reshape(height, width, 4)
    return colors


def test_is_listed(api, device, context):
    assert "cl_intel_packed_yuv" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    for kind, flags, there in (("IMAGE2D", E.MEM_READ_ONLY, True), ("IMAGE2D", E.MEM_READ_WRITE, False),
                               ("IMAGE2D", E.MEM_WRITE_ONLY, False), ("IMAGE2D_ARRAY", E.MEM_READ_ONLY, False)):
        found, count = (Format * 200)(), ctypes.c_uint32()
        api.ok("clGetSupportedImageFormats", context, flags, getattr(E, "MEM_OBJECT_" + kind), 200, found, byref(count))
        orders = {each.order for each in found[:count.value]}
        assert all((getattr(E, order + "_INTEL") in orders) == there for order in ORDERS)


@pytest.mark.parametrize("order", ORDERS)
def test_pixels(yuv, read, order):
    mem, want = yuv(order), seen(some_rows(), order)
    for how in ("read_imagef(i, (int2)(x, y))", "read_imagef(i, nearest, (int2)(x, y))",
                "read_imagef(i, nearest, (float2)(x + 0.5f, y + 0.5f))",
                f"read_imagef(i, repeat, (float2)((x + 0.5f) / {WIDTH} - 3, (y + 0.5f) / {HEIGHT} + 1))"):
        np.testing.assert_allclose(read(mem, how), want, atol=1e-6)
    np.testing.assert_allclose(read(mem, "(float4)(get_image_channel_order(i), get_image_width(i), 0, 0)")[0, 0, :2],
                               (form(order).order, WIDTH))


@pytest.mark.parametrize("order", ORDERS)
def test_a_linear_filter(yuv, read, order):
    found = read(yuv(order), "read_imagef(i, linear, (float2)(x + 0.75f, y + 1.0f))")
    want = np.pad(seen(some_rows(), order), ((0, 1), (0, 1), (0, 0)), "edge")
    want = want[:, :-1] * 0.75 + want[:, 1:] * 0.25
    np.testing.assert_allclose(found, (want[:-1] + want[1:]) / 2, atol=2e-3)


def test_outside_is_something(yuv, read):
    assert np.isfinite(read(yuv(), "read_imagef(i, (int2)(x - 1000, y * 1000000))")).all()
    assert np.isfinite(read(yuv(), "read_imagef(i, linear, (float2)(1e30f, -1e30f))")).all()


@pytest.mark.parametrize("pitch", [2 * WIDTH + 2, 2 * WIDTH + 64])
def test_a_row_pitch(yuv, read, pitch):
    rows = some_rows(pitch)
    np.testing.assert_allclose(read(yuv("UYVY", rows, pitch), "read_imagef(i, (int2)(x, y))"),
                               seen(rows[:, :2 * WIDTH], "UYVY"), atol=1e-6)


def test_on_a_buffer(image, buffer, read):
    rows = some_rows()
    mem = image(form("VYUY"), desc("IMAGE2D", WIDTH, HEIGHT, mem_object=buffer(contents=rows.tobytes())),
                E.MEM_READ_ONLY)
    np.testing.assert_allclose(read(mem, "read_imagef(i, (int2)(x, y))"), seen(rows, "VYUY"), atol=1e-6)


def test_what_it_says(api, yuv):
    mem = yuv()
    asked = [int.from_bytes(api.info("clGetImageInfo", mem, getattr(E, "IMAGE_" + name)), "little")
             for name in ("WIDTH", "HEIGHT", "ROW_PITCH", "ELEMENT_SIZE")]
    assert asked == [WIDTH, HEIGHT, 2 * WIDTH, 2]


def test_the_host(api, queue, yuv, contents, buffer):
    mem, rows = yuv(), some_rows()
    part, region = sizes(6, 2, 0), sizes(10, 3, 1)
    out = create_string_buffer(60)
    api.ok("clEnqueueReadImage", queue, mem, 1, part, region, 0, 0, out, 0, None, None)
    assert out.raw == rows[2:5, 12:32].tobytes()
    rows[1:4, 4:24] = rows[2:5, 12:32]
    api.ok("clEnqueueWriteImage", queue, mem, 1, sizes(2, 1, 0), region, 0, 0, out, 0, None, None)
    rows[4:7, 40:60] = rows[1:4, 4:24]
    api.ok("clEnqueueCopyImage", queue, mem, mem, sizes(2, 1, 0), sizes(20, 4, 0), region, 0, None, None)
    flat = buffer(64)
    api.ok("clEnqueueCopyImageToBuffer", queue, mem, flat, sizes(20, 4, 0), region, 4, 0, None, None)
    assert contents(flat, 60, 4) == rows[4:7, 40:60].tobytes()
    api.ok("clEnqueueCopyBufferToImage", queue, flat, mem, 4, sizes(0, 0, 0), region, 0, None, None)
    rows[0:3, 0:20] = rows[4:7, 40:60]
    pitch = ctypes.c_size_t()
    at = api.make("clEnqueueMapImage", queue, mem, 1, E.MAP_READ, part, region, byref(pitch), None, 0, None, None)
    got = np.frombuffer(ctypes.string_at(at, 3 * 2 * WIDTH - 56), np.uint8)
    assert pitch.value == 2 * WIDTH and (got[:20] == rows[2, 12:32]).all()
    api.ok("clEnqueueUnmapMemObject", queue, mem, handles(at)[0], 0, None, None)
    whole = create_string_buffer(rows.size)
    api.ok("clEnqueueReadImage", queue, mem, 1, sizes(0, 0, 0), sizes(WIDTH, HEIGHT, 1), 0, 0, whole, 0, None, None)
    assert whole.raw == rows.tobytes()


@pytest.mark.parametrize("order", ORDERS)
def test_fill(api, queue, yuv, order):
    mem = yuv(order)
    color = (ctypes.c_float * 4)(10 / 255, 2.0, 30 / 255, 0.5)       # V, Y, U
    api.ok("clEnqueueFillImage", queue, mem, color, sizes(4, 1, 0), sizes(6, 2, 1), 0, None, None)
    out = create_string_buffer(24)
    api.ok("clEnqueueReadImage", queue, mem, 1, sizes(4, 1, 0), sizes(6, 2, 1), 0, 0, out, 0, None, None)
    letters = {"Y": 255, "U": 30, "V": 10}
    assert out.raw == bytes(letters[each] for each in order) * 6


# ---- errors

def test_images_that_there_are_not(api, context):
    def error(image_format=None, kind="IMAGE2D", flags=E.MEM_READ_ONLY, **rest):
        fields = {"width": 4, "height": 4, "depth": 1, "array_size": 2, **rest}
        wanted = Desc(type=getattr(E, "MEM_OBJECT_" + kind), **fields)
        return api.new("clCreateImage", context, flags, byref(image_format or form("YUYV")), byref(wanted), None)[1]

    assert error(flags=E.MEM_READ_ONLY | E.MEM_WRITE_ONLY, width=3) == "CL_INVALID_VALUE"
    for type_ in ("UNORM_INT16", "UNSIGNED_INT8", "FLOAT"):
        assert error(form("YUYV", type_), width=3) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    assert error(width=3) == error(levels=2) == "CL_INVALID_IMAGE_DESCRIPTOR"
    assert error(width=0) == error(width=1 << 20) == "CL_INVALID_IMAGE_SIZE"
    assert error(flags=E.MEM_READ_ONLY | E.MEM_COPY_HOST_PTR) == "CL_INVALID_HOST_PTR"
    for flags in (0, E.MEM_READ_WRITE, E.MEM_WRITE_ONLY):
        assert error(flags=flags) == "CL_IMAGE_FORMAT_NOT_SUPPORTED"
    for kind in ("IMAGE1D", "IMAGE2D_ARRAY", "IMAGE3D"):
        assert error(kind=kind) == "CL_IMAGE_FORMAT_NOT_SUPPORTED"


def test_a_pitch_that_is_too_large(api, context):
    host = create_string_buffer(64)         # not looked at: it would have to be larger than the image
    large = desc("IMAGE2D", 4, 16384, row_pitch=1 << 18)
    made, error = api.new("clCreateImage", context, E.MEM_READ_ONLY | E.MEM_USE_HOST_PTR, byref(form("YUYV")),
                          byref(large), host)
    assert not made and error == "CL_INVALID_IMAGE_SIZE"


def test_regions_of_half_a_pair(api, queue, yuv, buffer):
    mem, flat, host = yuv(), buffer(4096), create_string_buffer(4096)
    at, whole, even = sizes(0, 0, 0), sizes(2, 1, 1), sizes(4, 0, 0)
    for origin, region in ((sizes(1, 0, 0), whole), (at, sizes(3, 1, 1)), (at, sizes(WIDTH + 2, 1, 1))):
        for name, *args in (("ReadImage", mem, 1, origin, region, 0, 0, host),
                            ("WriteImage", mem, 1, origin, region, 0, 0, host),
                            ("CopyImage", mem, mem, origin, even, region),
                            ("CopyImage", mem, mem, even, origin, region),
                            ("CopyImageToBuffer", mem, flat, origin, region, 0),
                            ("CopyBufferToImage", flat, mem, 0, origin, region),
                            ("FillImage", mem, host, origin, region)):
            assert api.error("clEnqueue" + name, queue, *args, 0, None, None) == "CL_INVALID_VALUE", name
        pitch = ctypes.c_size_t()
        assert api.new("clEnqueueMapImage", queue, mem, 1, E.MAP_READ, origin, region, byref(pitch), None, 0, None,
                       None)[1] == "CL_INVALID_VALUE"


OTHER_DEVICE = """
import pyopencl as cl
cpu, gpu = cl.get_platforms()[0].get_devices()
pairs, read = cl.ImageFormat(0x4076, cl.channel_type.UNORM_INT8), cl.mem_flags.READ_ONLY

def error(call, *args):
    try:
        call(*args)
    except cl.Error as e:
        return cl.status_code.to_string(e.code)
    return ""

alone, both = cl.Context([gpu]), cl.Context([cpu, gpu])
assert error(cl.create_image, alone, read, pairs, (8, 8)) == "IMAGE_FORMAT_NOT_SUPPORTED"
assert pairs not in cl.get_supported_image_formats(alone, read, cl.mem_object_type.IMAGE2D)
source = "kernel void k(read_only image2d_t i, global float4 *o) { *o = read_imagef(i, (int2)0); }"
k, image, out = cl.Program(both, source).build().k, cl.create_image(both, read, pairs, (8, 8)), cl.Buffer(both, 0, 16)
k.set_args(image, out)
found = [error(cl.enqueue_nd_range_kernel, cl.CommandQueue(both, device), k, (1,), None) for device in (cpu, gpu)]
assert found == ["", "IMAGE_FORMAT_NOT_SUPPORTED"], found
"""


def test_a_device_that_has_them_not():
    """A model of a chip alone, and beside the CPU device."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", OTHER_DEVICE], check=True,
                   env={**os.environ, "CLPY_DEVICES": "cpu,gpu:tahiti"})


INTEL_DEVICE = """
import numpy as np, pyopencl as cl
from test_intel_packed_yuv import HEIGHT, ORDERS, WIDTH, form, seen, some_rows
device, = cl.get_platforms()[0].get_devices()
assert "cl_intel_packed_yuv" in device.extensions.split(), device
context = cl.Context([device])
queue, read = cl.CommandQueue(context), cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
program = cl.Program(context, '''
    constant sampler_t s = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    kernel void k(read_only image2d_t i, global float4 *out, int sampled) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        out[at.y * get_global_size(0) + at.x] = sampled ? read_imagef(i, s, convert_float2(at) + .5f)
                                                        : read_imagef(i, at);
    }''').build()
for order in ORDERS:
    pairs = cl.ImageFormat(form(order).order, cl.channel_type.UNORM_INT8)
    image = cl.create_image(context, read, pairs, (WIDTH, HEIGHT), hostbuf=some_rows())
    for sampled in (0, 1):
        got = np.empty((HEIGHT, WIDTH, 4), np.float32)
        out = cl.Buffer(context, 0, got.nbytes)
        program.k(queue, (WIDTH, HEIGHT), None, image, out, np.int32(sampled))
        cl.enqueue_copy(queue, got, out)
        np.testing.assert_allclose(got, seen(some_rows(), order), atol=1e-6)
"""


def test_a_model_of_a_chip_of_intels():
    here = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    subprocess.run([sys.executable, "-W", "ignore", "-c", INTEL_DEVICE], check=True,
                   env={**os.environ, "CLPY_DEVICES": "gpu:skylake-gt2", "PYTHONPATH": here})
