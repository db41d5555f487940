# SPDX-License-Identifier: Apache-2.0
"""cl_intel_media_block_io: regions of images that a sub-group reads and writes, inside and beyond the edges."""
import subprocess
import sys

import numpy as np
import pyopencl as cl
import pytest
from sub_group_blocks import SIZES, Device, numbers

TYPES = {"uc": np.uint8, "us": np.uint16, "ui": np.uint32}
NAMES = {"uc": "uchar", "us": "ushort", "ui": "uint"}
ROWS, PITCH = 24, 48             # of the images, in bytes
PLACES = [(8, 3), (0, 0), (-8, 2), (44, 5), (-400, -3), (1000, 20), (4, ROWS - 2)]


@pytest.fixture(scope="module")
def device():
    return Device()


def an_image(device, data, pixel):
    """Of rows of bytes."""
    return device.image(data.view(f"u{pixel}"), getattr(cl.channel_type, f"UNSIGNED_INT{8 * pixel}"))


def run(device, source, size, *args):
    """By one sub-group of a size."""
    sized = f"__attribute__((intel_reqd_sub_group_size({size}))) kernel void k("
    kernel = device.build(sized + source, "-cl-std=CL3.0").k
    kernel(device.queue, (size,), (size,), *args)


def region(data, pixel, place, width, height, element):
    """[row, element], with the nearest pixel beyond the edges."""
    x = place[0] + np.arange(width * element)
    columns = np.clip(x // pixel, 0, PITCH // pixel - 1) * pixel + x % pixel
    rows = np.clip(place[1] + np.arange(height), 0, ROWS - 1)
    return np.ascontiguousarray(data[rows][:, columns])


def check(device, name, n, size, pixel, place, width, height):
    T, dtype = NAMES[name] + (str(n) if n > 1 else ""), TYPES[name]
    element = np.dtype(dtype).itemsize
    data = numbers("uchar", ROWS, PITCH)
    out = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, size * n * element)
    suffix = name + (str(n) if n > 1 else "")
    run(device, f"""read_only image2d_t i, global {T} *out, int2 at) {{
        out[get_global_id(0)] = intel_sub_group_media_block_read_{suffix}(at, {width}, {height}, i); }}""",
        size, an_image(device, data, pixel), out, np.array(place, np.int32))
    got = np.empty((size, n), dtype)
    cl.enqueue_copy(device.queue, got, out)
    want = region(data, pixel, place, width, height, element).view(dtype).reshape(-1)
    count = min(want.size, size * n)
    assert (got.T.reshape(-1)[:count] == want[:count]).all()

    source = np.random.default_rng(2).integers(0, 200, (size, n)).astype(dtype)
    target = an_image(device, data, pixel)
    memory = cl.Buffer(device.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=source)
    run(device, f"""write_only image2d_t i, global {T} *from, int2 at) {{
        intel_sub_group_media_block_write_{suffix}(at, {width}, {height}, from[get_global_id(0)], i); }}""",
        size, target, memory, np.array(place, np.int32))
    expected = data.copy()
    for k, value in enumerate(source.T.reshape(-1)[:width * height]):
        y, x = place[1] + k // width, place[0] + k % width * element
        if 0 <= y < ROWS and 0 <= x <= PITCH - element:
            expected[y, x:x + element] = np.frombuffer(value.tobytes(), np.uint8)
    assert (device.contents(target, data.view(f"u{pixel}")).view(np.uint8) == expected).all()


def test_is_listed(device):
    assert "cl_intel_media_block_io" in device.device.extensions.split()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name,widths", [("uc", (1, 2, 4, 8, 16)), ("us", (1, 2, 4, 8, 16)), ("ui", (1, 2, 4, 8))])
def test_all_widths(device, name, widths, size):
    for n in widths if size == 8 else (1, 4):       # long vectors take long to build
        check(device, name, n, size, 1, (8, 3), 16 // TYPES[name]().itemsize, 8)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name,pixel", [("uc", 1), ("us", 1), ("us", 2), ("ui", 1), ("ui", 2), ("ui", 4)])
def test_edges(device, name, pixel, place):
    check(device, name, 4, 16, pixel, place, 12 // TYPES[name]().itemsize, 7)


@pytest.mark.parametrize("width,height", [(1, 64), (1, 16), (2, 32), (3, 5), (8, 8), (5, 1)])
def test_regions(device, width, height):
    """Larger and smaller than what the work-items have room for."""
    check(device, "ui", 2, 8, 4, (0, 0), width, height)


@pytest.mark.parametrize("order,luma", [(0x4076, 0), (0x4077, 1), (0x4078, 0), (0x4079, 1)])
def test_pairs_of_yuv(device, order, luma):
    """Beyond the edge Y is that of the last pixel, U and V those of the last pair."""
    data = numbers("uchar", ROWS, PITCH)
    image = cl.create_image(device.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR,
                            cl.ImageFormat(order, cl.channel_type.UNORM_INT8), (PITCH // 2, ROWS), hostbuf=data)
    out = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, 64)
    run(device, """read_only image2d_t i, global uint *out) {
        out[get_global_id(0)] = intel_sub_group_media_block_read_ui((int2)(-4, 2), 1, 8, i);
        out[8 + get_global_id(0)] = intel_sub_group_media_block_read_ui((int2)(48, 2), 1, 8, i); }""", 8, image, out)
    got = np.empty((2, 8, 4), np.uint8)
    cl.enqueue_copy(device.queue, got, out)
    left, right = data[2:10, :4].copy(), data[2:10, -4:].copy()
    left[:, luma + 2], right[:, luma] = left[:, luma], right[:, luma + 2]
    assert (got[0] == left).all() and (got[1] == right).all()


def test_what_no_program_should_ask_for(device):
    """No harm outside of the image, whatever the numbers are."""
    data = numbers("uchar", ROWS, PITCH)
    image, numbers_ = an_image(device, data, 1), (0, -1, 1 << 30, 2147483647, -2147483648)
    out = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, 16 * 32)
    for size in numbers_:
        for x in numbers_:
            run(device, """read_write image2d_t i, global uint8 *out, int2 at, int width, int height) {
                uint8 x = intel_sub_group_media_block_read_ui8(at, width, height, i);
                out[get_global_id(0)] = x;
                intel_sub_group_media_block_write_ui8(at, width, 0, x, i); }""", 16, image, out,
                np.array((x, x), np.int32), np.int32(size), np.int32(size))
    assert (device.contents(image, data) == data).all()


def test_it_needs_its_name(device):
    with pytest.raises(cl.RuntimeError, match="media_block_read_uc3"):
        device.build("kernel void k(read_only image2d_t i, global uchar *o) {"
                     " *o = intel_sub_group_media_block_read_uc3((int2)0, 4, 4, i).x; }")


def test_within_the_image_it_is_gathered(tmp_path):
    """Loads of single bytes are left for the edges."""
    file = tmp_path / "k.cl"
    file.write_text("""kernel __attribute__((intel_reqd_sub_group_size(16)))
    void k(read_only image2d_t i, global uint *o) {
        o[get_global_id(0)] = intel_sub_group_media_block_read_ui((int2)(get_group_id(0) * 4, 0), 1, 16, i);
    }""")
    text = subprocess.run([sys.executable, "-m", "clpy.tools.cli", "stages", str(file), "--pass", "optimize", "--isa",
                           "avx2"], capture_output=True, text=True, check=True).stdout
    assert "masked.gather" in text
