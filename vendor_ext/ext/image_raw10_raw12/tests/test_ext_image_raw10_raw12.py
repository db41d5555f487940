# SPDX-License-Identifier: Apache-2.0
"""cl_ext_image_raw10_raw12: pixels of parts of bytes, as kernels and the host see them, and errors in the order of the
specification."""
import ctypes
from ctypes import byref, create_string_buffer

import numpy as np
import pytest
from clapi import E, sizes
from image_model import Desc, Format, desc

pytestmark = pytest.mark.usefixtures("no_leak")
BITS = {"RAW10": (10, 4), "RAW12": (12, 2)}      # of a pixel; pixels that share bytes
WIDTH, HEIGHT = 44, 6


def form(name, order="R"):
    return Format(getattr(E, order), getattr(E, f"UNSIGNED_INT_{name}_EXT"))


def some_pixels(name):
    return np.random.default_rng(3).integers(0, 1 << BITS[name][0], (HEIGHT, WIDTH), np.uint32)


def packed(pixels, name):
    """Rows of bytes."""
    bits, n = BITS[name]
    groups = pixels.reshape(pixels.shape[0], -1, n)
    low = sum((groups[..., i] & (1 << bits - 8) - 1) << i * (bits - 8) for i in range(n))
    whole = np.concatenate([groups >> bits - 8, low[..., None]], 2)
    return whole.astype(np.uint8).reshape(pixels.shape[0], -1)


@pytest.fixture
def raw(image):
    def new(name, gap=0):
        rows = np.pad(packed(some_pixels(name), name), ((0, 0), (0, gap)), constant_values=0xA5)
        return image(form(name), desc("IMAGE2D", WIDTH, HEIGHT, row_pitch=rows.shape[1]),
                     E.MEM_READ_ONLY | E.MEM_COPY_HOST_PTR, rows.tobytes())
    return new


@pytest.fixture
def read(api, queue, buffer, contents, set_args):
    def colors(mem, how):
        out = buffer(WIDTH * HEIGHT * 16)
        k = set_args(f"""kernel void k(read_only image2d_t i, global uint4 *out) {{
            const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            const sampler_t border = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
            int x = get_global_id(0), y = get_global_id(1);
            out[y * {WIDTH} + x] = {how};
        }}""", mem, out)
        api.ok("clEnqueueNDRangeKernel", queue, k, 2, None, sizes(WIDTH, HEIGHT), None, 0, None, None)
        return np.frombuffer(contents(out, WIDTH * HEIGHT * 16), np.uint32).reshape(HEIGHT, WIDTH, 4)
    return colors


def test_is_listed(api, device, context, program):
    assert "cl_ext_image_raw10_raw12" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    for flags, there in ((E.MEM_READ_ONLY, 2), (E.MEM_READ_WRITE, 0), (E.MEM_KERNEL_READ_AND_WRITE, 0)):
        found, count = (Format * 200)(), ctypes.c_uint32()
        api.ok("clGetSupportedImageFormats", context, flags, E.MEM_OBJECT_IMAGE2D, 200, found, byref(count))
        assert sum(bytes(each) in map(bytes, map(form, BITS)) for each in found[:count.value]) == there
    for version in ("1.2", "3.0"):
        program("""#if !defined(cl_ext_image_raw10_raw12) || !defined(__opencl_c_ext_image_raw10_raw12)
                   #error
                   #endif
                   kernel void k(global int *o) { *o = CLK_UNSIGNED_INT_RAW10_EXT; }""", f"-cl-std=CL{version}")


@pytest.mark.parametrize("gap", [0, 3])
@pytest.mark.parametrize("name", BITS)
def test_pixels(raw, read, name, gap):
    mem, want = raw(name, gap), some_pixels(name)
    for how in ("read_imageui(i, (int2)(x, y))", "read_imageui(i, edge, (int2)(x, y))",
                "read_imageui(i, edge, (float2)(x + 0.5f, y + 0.5f))"):
        found = read(mem, how)
        assert (found[..., 0] == want).all() and (found[..., 1:] == (0, 0, 1)).all()
    assert (read(mem, "read_imageui(i, edge, (int2)(x - 100, y + 100))")[..., 0] == want[-1, 0]).all()
    assert (read(mem, "read_imageui(i, border, (int2)(x - 100, y))") == (0, 0, 0, 1)).all()
    type_ = f"get_image_channel_data_type(i) == CLK_UNSIGNED_INT_{name}_EXT"
    assert read(mem, f"(uint4)({type_}, get_image_channel_order(i) == CLK_R, 0, 0)")[0, 0, :2].all()


@pytest.mark.parametrize("name", BITS)
def test_the_host(api, queue, raw, buffer, contents, name):
    mem, rows, (bits, n) = raw(name), packed(some_pixels(name), name), BITS[name]
    per = n + 1                                      # bytes of a group
    at, region, part = sizes(2 * n, 1, 0), sizes(3 * n, 2, 1), rows[1:3, 2 * per:5 * per].tobytes()
    out = create_string_buffer(len(part))
    api.ok("clEnqueueReadImage", queue, mem, 1, at, region, 0, 0, out, 0, None, None)
    assert out.raw == part
    flat = buffer(64)
    api.ok("clEnqueueCopyImageToBuffer", queue, mem, flat, at, region, 1, 0, None, None)
    assert contents(flat, len(part), 1) == part
    api.ok("clEnqueueCopyImage", queue, mem, mem, at, sizes(0, 3, 0), region, 0, None, None)
    api.ok("clEnqueueCopyBufferToImage", queue, flat, mem, 1, sizes(6 * n, 3, 0), region, 0, None, None)
    api.ok("clEnqueueWriteImage", queue, mem, 1, sizes(n, 0, 0), region, 0, 0, out, 0, None, None)
    for x, y in ((0, 3), (6 * per, 3), (per, 0)):
        rows[y:y + 2, x:x + 3 * per] = np.frombuffer(part, np.uint8).reshape(2, -1)
    whole = create_string_buffer(rows.size)
    api.ok("clEnqueueReadImage", queue, mem, 1, sizes(0, 0, 0), sizes(WIDTH, HEIGHT, 1), 0, 0, whole, 0, None, None)
    assert whole.raw == rows.tobytes()
    asked = [int.from_bytes(api.info("clGetImageInfo", mem, getattr(E, "IMAGE_" + what)), "little")
             for what in ("WIDTH", "ROW_PITCH", "ELEMENT_SIZE")]
    assert asked == [WIDTH, WIDTH * bits // 8, 2]


@pytest.mark.parametrize("size", [(WIDTH, HEIGHT), (4096, 1100)])
@pytest.mark.parametrize("name", BITS)
def test_fill(api, queue, image, name, size):
    """The larger one in parts, by several threads."""
    (bits, n), (width, height) = BITS[name], size
    mem = image(form(name), desc("IMAGE2D", width, height), E.MEM_READ_ONLY)
    out = create_string_buffer(width * height * bits // 8)
    for number in (0, 5, (1 << bits) - 2, 1 << 20, 4294967295):
        color, at, region = (ctypes.c_uint32 * 4)(number, 1, 2, 3), sizes(0, 0, 0), sizes(width, height, 1)
        api.ok("clEnqueueFillImage", queue, mem, color, at, region, 0, None, None)
        if number == 5:
            color[0] = 9
            api.ok("clEnqueueFillImage", queue, mem, color, sizes(n, 2, 0), sizes(2 * n, 1, 1), 0, None, None)
        api.ok("clEnqueueReadImage", queue, mem, 1, at, region, 0, 0, out, 0, None, None)
        want = np.full((height, width), min(number, (1 << bits) - 1), np.uint32)
        if number == 5:
            want[2, n:3 * n] = 9
        assert out.raw == packed(want, name).tobytes()


# ---- errors

@pytest.mark.parametrize("name", BITS)
def test_images_that_there_are_not(api, context, name):
    def error(image_format=None, kind="IMAGE2D", flags=E.MEM_READ_ONLY, host=None, **rest):
        wanted = Desc(type=getattr(E, "MEM_OBJECT_" + kind), **{"width": 8, "height": 4, "depth": 1, "array_size": 2,
                                                                **rest})
        return api.new("clCreateImage", context, flags, byref(image_format or form(name)), byref(wanted), host)[1]

    _, n = BITS[name]
    host = create_string_buffer(64)
    for order in ("RG", "RGBA", "A", "DEPTH"):
        assert error(form(name, order), width=n + 1) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    assert error(width=n + 1) == error(width=8 + n // 2) == error(levels=2) == "CL_INVALID_IMAGE_DESCRIPTOR"
    short = {"host": host, "row_pitch": BITS[name][0] - 1}
    assert error(flags=E.MEM_READ_ONLY | E.MEM_COPY_HOST_PTR, **short) == "CL_INVALID_IMAGE_DESCRIPTOR"
    assert error(width=0) == error(width=1 << 20) == "CL_INVALID_IMAGE_SIZE"
    assert error(host=host) == "CL_INVALID_HOST_PTR"
    for flags in (0, E.MEM_READ_WRITE, E.MEM_WRITE_ONLY):
        assert error(flags=flags) == "CL_IMAGE_FORMAT_NOT_SUPPORTED"
    assert error(kind="IMAGE2D_ARRAY") == error(kind="IMAGE1D") == "CL_IMAGE_FORMAT_NOT_SUPPORTED"


@pytest.mark.parametrize("name", BITS)
def test_regions_of_parts_of_bytes(api, queue, raw, name):
    _, n = BITS[name]
    mem, host = raw(name), create_string_buffer(4096)
    for x, width in ((1, n), (n // 2, n), (0, n + 1), (n, n // 2), (WIDTH, n)):
        origin, region = sizes(x, 0, 0), sizes(width, 1, 1)
        for what, *args in (("ReadImage", mem, 1, origin, region, 0, 0, host),
                            ("FillImage", mem, host, origin, region)):
            assert api.error("clEnqueue" + what, queue, *args, 0, None, None) == "CL_INVALID_VALUE"
