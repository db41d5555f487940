# SPDX-License-Identifier: Apache-2.0
"""cl_intel_planar_yuv: whole images and their planes, flags of memory objects, and errors in the order of the
specification."""
import ctypes
import os
import subprocess
import sys
from ctypes import byref, create_string_buffer

import numpy as np
import pytest
from clapi import E, sizes
from image_model import RGBA8, Desc, Format, desc

pytestmark = pytest.mark.usefixtures("no_leak")
WIDTH, HEIGHT = 36, 8
HIDDEN = E.MEM_HOST_NO_ACCESS
OPEN = E.MEM_READ_ONLY | HIDDEN | E.MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL


def form(order, type_="UNORM_INT8"):
    return Format(getattr(E, order), getattr(E, type_))


NV12 = form("NV12_INTEL")


def some_bytes(pitch=WIDTH):
    return np.random.default_rng(6).integers(0, 256, (HEIGHT * 3 // 2, pitch), np.uint8)


@pytest.fixture
def nv12(image):
    def new(rows=None, flags=OPEN, pitch=0):
        rows = some_bytes() if rows is None else rows
        return image(NV12, desc("IMAGE2D", WIDTH, HEIGHT, row_pitch=pitch), flags | E.MEM_COPY_HOST_PTR, rows.tobytes())
    return new


@pytest.fixture
def plane(image):
    def new(parent, index, order, type_="UNORM_INT8", flags=E.MEM_READ_WRITE):
        return image(form(order, type_), Desc(type=E.MEM_OBJECT_IMAGE2D, depth=index, mem_object=parent), flags)
    return new


@pytest.fixture
def run(api, queue, set_args):
    """One work-item for each of some pixels."""
    def launch(body, width, height, *args, params):
        k = set_args(f"kernel void k({params}) {{ int x = get_global_id(0), y = get_global_id(1); {body} }}", *args,
                     options="-cl-std=CL3.0")
        api.ok("clEnqueueNDRangeKernel", queue, k, 2, None, sizes(width, height), None, 0, None, None)
    return launch


def test_is_listed(api, device, context):
    assert "cl_intel_planar_yuv" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    for name in ("WIDTH", "HEIGHT"):
        limit = api.info("clGetDeviceInfo", device, getattr(E, f"DEVICE_PLANAR_YUV_MAX_{name}_INTEL"))
        assert int.from_bytes(limit, "little") >= 4096
    closed = E.MEM_HOST_NO_ACCESS
    for flags, there in ((E.MEM_NO_ACCESS_INTEL | closed, True), (E.MEM_READ_ONLY | closed, True),
                         (E.MEM_READ_WRITE | closed, False), (E.MEM_NO_ACCESS_INTEL, False), (E.MEM_READ_ONLY, False)):
        found, count = (Format * 200)(), ctypes.c_uint32()
        api.ok("clGetSupportedImageFormats", context, flags, E.MEM_OBJECT_IMAGE2D, 200, found, byref(count))
        assert (E.NV12_INTEL in {each.order for each in found[:count.value]}) == there


@pytest.mark.parametrize("pitch", [WIDTH, WIDTH + 5])
@pytest.mark.parametrize("how", ["", "s, "])
def test_whole_pixels(nv12, run, buffer, contents, how, pitch):
    rows, out = some_bytes(pitch), buffer(WIDTH * HEIGHT * 16)
    run(f"const sampler_t s = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST; out[y * {WIDTH} + x] ="
        f" read_imagef(i, {how}(int2)(x, y));", WIDTH, HEIGHT, nv12(rows, pitch=pitch), out,
        params="read_only image2d_t i, global float4 *out")
    got = np.frombuffer(contents(out, WIDTH * HEIGHT * 16), np.float32).reshape(HEIGHT, WIDTH, 4)
    pairs = rows[HEIGHT:, :WIDTH].reshape(HEIGHT // 2, WIDTH // 2, 2).repeat(2, 0).repeat(2, 1) / 255
    np.testing.assert_allclose(got[..., 1], rows[:HEIGHT, :WIDTH] / 255, atol=1e-6)
    np.testing.assert_allclose(got[..., 2], pairs[..., 0], atol=1e-6)
    np.testing.assert_allclose(got[..., 0], pairs[..., 1], atol=1e-6)
    assert (got[..., 3] == 1).all()


def test_planes(api, queue, nv12, plane, run):
    rows = some_bytes(WIDTH + 5)
    parent = nv12(rows, pitch=WIDTH + 5)
    luma, chroma = plane(parent, 0, "R", "UNSIGNED_INT8"), plane(parent, 1, "RG", "UNSIGNED_INT8")
    asked = [int.from_bytes(api.info("clGetImageInfo", chroma, getattr(E, "IMAGE_" + name)), "little")
             for name in ("WIDTH", "HEIGHT", "DEPTH", "ROW_PITCH", "ELEMENT_SIZE")]
    assert asked == [WIDTH // 2, HEIGHT // 2, 0, WIDTH + 5, 2]
    run("write_imageui(i, (int2)(x, y), 255 - read_imageui(i, (int2)(x, y)));", WIDTH, HEIGHT, luma,
        params="read_write image2d_t i")
    run("write_imageui(i, (int2)(x, y), read_imageui(i, (int2)(x, y)).yxzw);", WIDTH // 2, HEIGHT // 2, chroma,
        params="read_write image2d_t i")
    got = [create_string_buffer(WIDTH * HEIGHT), create_string_buffer(WIDTH * HEIGHT // 2)]
    api.ok("clEnqueueReadImage", queue, luma, 1, sizes(0, 0, 0), sizes(WIDTH, HEIGHT, 1), 0, 0, got[0], 0, None, None)
    api.ok("clEnqueueReadImage", queue, chroma, 1, sizes(0, 0, 0), sizes(WIDTH // 2, HEIGHT // 2, 1), 0, 0, got[1], 0,
           None, None)
    assert got[0].raw == (255 - rows[:HEIGHT, :WIDTH]).tobytes()
    assert got[1].raw == rows[HEIGHT:, :WIDTH].reshape(-1, 2)[:, ::-1].tobytes()


def test_what_a_plane_gets_the_whole_has(api, queue, image, plane, run, buffer, contents):
    parent = image(NV12, desc("IMAGE2D", WIDTH, HEIGHT), OPEN)
    for index, order, width, height, color in ((0, "R", WIDTH, HEIGHT, (0.2, 0, 0, 0)),
                                               (1, "RG", WIDTH // 2, HEIGHT // 2, (0.4, 0.6, 0, 0))):
        made = plane(parent, index, order)
        api.ok("clEnqueueFillImage", queue, made, (ctypes.c_float * 4)(*color), sizes(0, 0, 0), sizes(width, height, 1),
               0, None, None)
    out = buffer(WIDTH * HEIGHT * 16)
    run(f"out[y * {WIDTH} + x] = read_imagef(i, (int2)(x, y));", WIDTH, HEIGHT, parent, out,
        params="read_only image2d_t i, global float4 *out")
    got = np.frombuffer(contents(out, WIDTH * HEIGHT * 16), np.float32).reshape(-1, 4)
    np.testing.assert_allclose(got, np.tile(np.float32((0.6, 0.2, 0.4, 1)), (WIDTH * HEIGHT, 1)), atol=1e-6)


def test_both_planes_mapped(api, queue, nv12, plane):
    parent = nv12()
    luma, chroma = plane(parent, 0, "R"), plane(parent, 1, "RG")
    pitch = ctypes.c_size_t()
    at = [api.make("clEnqueueMapImage", queue, mem, 1, E.MAP_WRITE, sizes(0, 0, 0), sizes(width, height, 1),
                   byref(pitch), None, 0, None, None)
          for mem, width, height in ((luma, WIDTH, HEIGHT), (chroma, WIDTH // 2, HEIGHT // 2))]
    assert at[1] - at[0] == WIDTH * HEIGHT
    for mem, where in zip((luma, chroma), at, strict=True):
        api.ok("clEnqueueUnmapMemObject", queue, mem, where, 0, None, None)
    api.ok("clFinish", queue)


# ---- flags

def test_flags_of_what_is_made(api, context, nv12, plane, buffer):
    def flags(mem):
        return int.from_bytes(api.info("clGetMemObjectInfo", mem, E.MEM_FLAGS), "little")

    def error(parent, asked):
        return api.new("clCreateSubBuffer", parent, asked, E.BUFFER_CREATE_TYPE_REGION, sizes(0, 16))[1]

    assert not flags(plane(nv12(), 0, "R", flags=E.MEM_READ_WRITE)) & HIDDEN
    hidden = buffer(64, E.MEM_NO_ACCESS_INTEL | HIDDEN)
    for asked in (E.MEM_READ_ONLY, E.MEM_WRITE_ONLY, E.MEM_READ_WRITE, E.MEM_HOST_READ_ONLY):
        assert error(hidden, asked) == "CL_INVALID_VALUE"
    part = api.make("clCreateSubBuffer", hidden, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(0, 16))
    assert flags(part) == E.MEM_NO_ACCESS_INTEL | HIDDEN
    api.ok("clReleaseMemObject", part)
    free = buffer(64, E.MEM_NO_ACCESS_INTEL | HIDDEN | E.MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL)
    part = api.make("clCreateSubBuffer", free, E.MEM_WRITE_ONLY | E.MEM_HOST_READ_ONLY, E.BUFFER_CREATE_TYPE_REGION,
                    sizes(0, 16))
    assert flags(part) & ~E.MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL == E.MEM_WRITE_ONLY | E.MEM_HOST_READ_ONLY
    api.ok("clReleaseMemObject", part)
    assert error(free, E.MEM_USE_HOST_PTR) == "CL_INVALID_VALUE"
    for wrong in (E.MEM_READ_ONLY, E.MEM_WRITE_ONLY, E.MEM_READ_WRITE):
        assert api.new("clCreateBuffer", context, wrong | E.MEM_NO_ACCESS_INTEL, 64, None)[1] == "CL_INVALID_VALUE"


def test_no_kernel_takes_what_has_no_access(api, image, buffer, kernel):
    k = kernel("kernel void k(read_only image2d_t i, global float *b) { b[0] = read_imagef(i, (int2)0).x; }")
    unread = image(RGBA8, desc("IMAGE2D", 4, 4), E.MEM_NO_ACCESS_INTEL)
    assert api.error("clSetKernelArg", k, 0, 8, byref(ctypes.c_void_p(unread))) == "CL_INVALID_ARG_VALUE"
    unread = buffer(64, E.MEM_NO_ACCESS_INTEL)
    assert api.error("clSetKernelArg", k, 1, 8, byref(ctypes.c_void_p(unread))) == "CL_INVALID_ARG_VALUE"


# ---- errors

@pytest.fixture
def error(api, context):
    def new(flags=OPEN, image_format=NV12, host=None, **rest):
        fields = {"type": E.MEM_OBJECT_IMAGE2D, "width": 8, "height": 8, "depth": 1, **rest}
        return api.new("clCreateImage", context, flags, byref(image_format), byref(Desc(**fields)), host)[1]
    return new


def test_images_that_there_are_not(error):
    assert error(E.MEM_READ_ONLY, width=5) == "CL_INVALID_VALUE"         # the host may not touch it
    assert error(OPEN | E.MEM_NO_ACCESS_INTEL) == "CL_INVALID_VALUE"
    assert error(image_format=form("NV12_INTEL", "UNSIGNED_INT8"), width=5) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    for wrong in ({"width": 6}, {"height": 6}, {"depth": 2}, {"levels": 2}):
        assert error(**wrong) == "CL_INVALID_IMAGE_DESCRIPTOR"
    assert error(width=1 << 20) == error(height=1 << 20) == error(height=0) == "CL_INVALID_IMAGE_SIZE"
    assert error(OPEN | E.MEM_COPY_HOST_PTR) == "CL_INVALID_HOST_PTR"
    for flags in (HIDDEN, HIDDEN | E.MEM_READ_WRITE, HIDDEN | E.MEM_WRITE_ONLY):
        assert error(flags) == "CL_IMAGE_FORMAT_NOT_SUPPORTED"
    for type_ in (E.MEM_OBJECT_IMAGE3D, E.MEM_OBJECT_IMAGE2D_ARRAY):
        assert error(type=type_, array_size=2) == "CL_IMAGE_FORMAT_NOT_SUPPORTED"


def test_planes_that_there_are_not(error, nv12):
    parent, closed = nv12(), nv12(flags=E.MEM_READ_ONLY | HIDDEN)

    def plane(index, order, type_="UNORM_INT8", flags=E.MEM_READ_ONLY, of=parent, **rest):
        return error(flags, form(order, type_), depth=index, mem_object=of, **rest)

    assert plane(0, "RG", flags=E.MEM_USE_HOST_PTR) == "CL_INVALID_VALUE"
    for flags in (E.MEM_READ_WRITE, E.MEM_WRITE_ONLY, E.MEM_HOST_READ_ONLY):
        assert plane(0, "R", flags=flags, of=closed) == "CL_INVALID_VALUE"
    for index, order, type_ in ((0, "RG", "UNORM_INT8"), (1, "R", "UNORM_INT8"), (0, "R", "SIGNED_INT8"),
                                (1, "RG", "UNORM_INT16"), (0, "NV12_INTEL", "UNORM_INT8")):
        flags = OPEN if order == "NV12_INTEL" else E.MEM_READ_ONLY
        assert plane(index, order, type_, flags) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    assert plane(2, "R") == plane(1 << 60, "R") == "CL_INVALID_IMAGE_DESCRIPTOR"
    assert plane(0, "R", row_pitch=WIDTH + 4) == plane(0, "R", levels=3) == "CL_INVALID_IMAGE_DESCRIPTOR"
    assert plane(0, "R", type=E.MEM_OBJECT_IMAGE3D) == "CL_INVALID_IMAGE_DESCRIPTOR"


def test_the_whole_is_no_box_of_pixels(api, queue, nv12, buffer):
    mem, flat, host = nv12(), buffer(4096), create_string_buffer(4096)
    at, region, pitch = sizes(0, 0, 0), sizes(4, 4, 1), ctypes.c_size_t()
    for name, *args in (("ReadImage", mem, 1, at, region, 0, 0, host), ("WriteImage", mem, 1, at, region, 0, 0, host),
                        ("CopyImage", mem, mem, at, sizes(8, 0, 0), region), ("FillImage", mem, host, at, region),
                        ("CopyImageToBuffer", mem, flat, at, region, 0),
                        ("CopyBufferToImage", flat, mem, 0, at, region)):
        assert api.error("clEnqueue" + name, queue, *args, 0, None, None) == "CL_INVALID_OPERATION", name
    assert api.new("clEnqueueMapImage", queue, mem, 1, E.MAP_READ, at, region, byref(pitch), None, 0, None,
                   None)[1] == "CL_INVALID_OPERATION"


INTEL_DEVICE = """
import numpy as np, pyopencl as cl
from test_intel_planar_yuv import HEIGHT, NV12, OPEN, WIDTH, some_bytes
device, = cl.get_platforms()[0].get_devices()
assert "cl_intel_planar_yuv" in device.extensions.split(), device
context = cl.Context([device])
queue, rows, got = cl.CommandQueue(context), some_bytes(), np.empty((HEIGHT, WIDTH, 4), np.float32)
planes = cl.ImageFormat(NV12.order, NV12.type)
image = cl.create_image(context, OPEN | cl.mem_flags.COPY_HOST_PTR, planes, (WIDTH, HEIGHT), hostbuf=rows)
out = cl.Buffer(context, 0, got.nbytes)
cl.Program(context, '''kernel void k(read_only image2d_t i, global float4 *out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    out[at.y * get_global_size(0) + at.x] = read_imagef(i, at);
}''').build().k(queue, (WIDTH, HEIGHT), None, image, out)
cl.enqueue_copy(queue, got, out)
pairs = rows[HEIGHT:].reshape(HEIGHT // 2, WIDTH // 2, 2).repeat(2, 0).repeat(2, 1) / 255
np.testing.assert_allclose(got[..., 1], rows[:HEIGHT] / 255, atol=1e-6)
np.testing.assert_allclose(got[..., (2, 0)], pairs, atol=1e-6)
assert (got[..., 3] == 1).all()
"""


def test_a_model_of_a_chip_of_intels():
    here = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    subprocess.run([sys.executable, "-W", "ignore", "-c", INTEL_DEVICE], check=True,
                   env={**os.environ, "CLPY_DEVICES": "gpu:skylake-gt2", "PYTHONPATH": here})
