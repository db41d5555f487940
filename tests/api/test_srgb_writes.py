# SPDX-License-Identifier: Apache-2.0
"""cl_khr_srgb_image_writes: kernels write sRGB images, which are listed for writing."""
from ctypes import byref, c_void_p, create_string_buffer

import numpy as np
import pytest
from clapi import E, sizes
from image_model import CHANNELS, KINDS, desc, form, formats, pixel, srgb

pytestmark = pytest.mark.usefixtures("no_leak")

ORDERS = ("sRGBA", "sBGRA", "sRGBx")
COLORS = np.concatenate([
    np.linspace(-0.1, 1.1, 1021, dtype=np.float32), np.array([np.nan, np.inf, -np.inf, 0.0031308], np.float32)])
WRITE = """
kernel void put(write_only image1d_t image, global const float *value) {
    int i = get_global_id(0);
    write_imagef(image, i, (float4)(value[i], 0.5f, 1.0f, value[i]));
}
kernel void halve(read_write image1d_t image) {
    int i = get_global_id(0);
    write_imagef(image, i, read_imagef(image, i) * 0.5f);
}
"""


@pytest.fixture
def run(api, queue, program):
    made = []

    def launch(name, mem, n, *more):
        if not made:
            made.append(program(WRITE, "-cl-std=CL3.0"))
        kernel = api.make("clCreateKernel", made[0], name)
        for i, arg in enumerate((mem, *more)):
            api.ok("clSetKernelArg", kernel, i, 8, byref(c_void_p(arg)))
        api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(n), None, 0, None, None)
        out = create_string_buffer(n * 4)
        api.ok("clEnqueueReadImage", queue, mem, 1, sizes(0, 0, 0), sizes(n, 1, 1), 0, 0, out, 0, None, None)
        api.ok("clReleaseKernel", kernel)
        return np.frombuffer(out.raw, np.uint8).reshape(n, 4)
    return launch


def test_listed(api, device, context):
    assert "cl_khr_srgb_image_writes" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    for kind in KINDS:
        for flags in (0, E.MEM_WRITE_ONLY, E.MEM_READ_WRITE, E.MEM_KERNEL_READ_AND_WRITE):
            found = {(f.order, f.type) for f in formats(api, context, kind, flags)}
            assert found >= {(getattr(E, order), E.UNORM_INT8) for order in ORDERS}, (kind, flags)


@pytest.mark.parametrize("order", ORDERS)
def test_write(image, buffer, run, order):
    """"the precision of the above conversion should be such that |generated - reference| <= 0.6"; alpha as it is."""
    mem = image(form(order, "UNORM_INT8"), desc("IMAGE1D", len(COLORS)), E.MEM_WRITE_ONLY)
    found = run(b"put", mem, len(COLORS), buffer(contents=COLORS.tobytes()))
    place = CHANNELS[order].index
    with np.errstate(invalid="ignore"):
        clean = np.nan_to_num(np.clip(COLORS, 0, 1), nan=0.0)
    expected = np.array([255 * srgb(float(x)) for x in clean])
    assert np.abs(found[:, place("R")] - expected).max() <= 0.6
    assert (found[:, place("G")] == 188).all() and (found[:, place("B")] == 255).all()
    np.testing.assert_array_equal(found[:, place("A")], [pixel(form("A", "UNORM_INT8"), (0, 0, 0, float(x)))[0]
                                                         for x in clean])


def test_read_and_write(image, run):
    """In one kernel: what is read is linear. Each number from 0 to 255."""
    start = np.repeat(np.arange(256, dtype=np.uint8), 4).reshape(-1, 4)
    mem = image(form("sRGBA", "UNORM_INT8"), desc("IMAGE1D", 256), E.MEM_COPY_HOST_PTR, start.tobytes())
    found = run(b"halve", mem, 256)
    share = start[:, 0] / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    expected = np.array([255 * srgb(x / 2) for x in linear])
    assert np.abs(found[:, :3] - expected[:, None]).max() <= 0.6
    assert np.abs(found[:, 3] - start[:, 3] / 2).max() <= 0.5
