# SPDX-License-Identifier: Apache-2.0
"""Intel's extensions for sub-groups on models of its chips, by the chip's own instructions and messages, beside
numpy."""
import json

import pytest

from clpy.compiler.gen import installed
from tests.gpu.test_device import run

pytestmark = pytest.mark.skipif(bool(installed.missing()), reason="Intel's compiler is not installed")
DEVICE = "gpu:skylake-gt2"
CHECKS = "from sub_group_blocks import *\ndevice = Device()\n"


def check(body, device=DEVICE):
    """In a process in which the model is the first device; the checks are those of the CPU device."""
    run(f"import sys\nsys.path.insert(0, 'tests')\n{CHECKS}{body}", device)


@pytest.mark.parametrize("device", [DEVICE, "gpu:broadwell-gt2"])
def test_shuffles(device):
    check("""
for size in SIZES:
    check_exchanges(device, "float", "", size)
check_exchanges(device, "uint", "3", 8)
for type_ in ("uchar", "short", "ulong", "half", "double"):
    check_exchanges(device, type_, "", 16)
""", device)


def test_short_numbers():
    check("""
for type_, size in (("char", 8), ("uchar", 16), ("short", 32), ("ushort", 16)):
    check_short_numbers(device, type_, size)
""")


def test_blocks_of_memory():
    check("""
for type_, name, width, size in (("uint", "", "", 8), ("uint", "", "8", 16), ("uchar", "_uc", "16", 16),
                                 ("uchar", "_uc", "", 8), ("ushort", "_us", "16", 8), ("ushort", "_us", "2", 16),
                                 ("ulong", "_ul", "", 16), ("ulong", "_ul", "4", 8)):
    check_memory_blocks(device, type_, name, width, size)
""")


@pytest.mark.parametrize("device", [DEVICE, "gpu:broadwell-gt2"])
def test_blocks_of_images(device):
    check("""
for type_, name, width, size in (("uint", "", "", 8), ("uint", "", "8", 16), ("uchar", "_uc", "8", 16),
                                 ("ushort", "_us", "", 8), ("ulong", "_ul", "2", 8)):
    check_image_blocks(device, type_, name, width, size)
check_image_blocks(device, "uint", "", "4", 8, ("read_write", "read_write"))
check_image_edges(device, 8)
check_image_edges(device, 16)
""", device)


REGIONS = """
pixels = numbers("uchar", 20, 40, 4)
image, target = device.image(pixels), device.image(np.zeros_like(pixels))
for width, height, n, size in ((8, 8, 4, 16), (4, 2, 1, 8), (8, 4, 8, 8), (2, 8, 1, 16)):
    T = "uint" + (str(n) if n > 1 else "")
    out = np.zeros((size, n), np.uint32)
    kernel = device.build(f'''__attribute__((intel_reqd_sub_group_size({size})))
        kernel void k(read_only image2d_t a, write_only image2d_t b, global {T} *o) {{
            {T} x = intel_sub_group_media_block_read_ui{T[4:]}((int2)(-4, 15), {width}, {height}, a);
            o[get_global_id(0)] = x;
            intel_sub_group_media_block_write_ui{T[4:]}((int2)(-4, 15), {width}, {height}, x + 1, b);
        }}''').k
    memory = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, out.nbytes)
    kernel(device.queue, (size,), (size,), image, target, memory)
    cl.enqueue_copy(device.queue, out, memory)
    words = pixels.view(np.uint32)[..., 0]
    region = words[np.clip(15 + np.arange(height), 0, 19)][:, np.clip(np.arange(width) - 1, 0, 39)]
    assert np.array_equal(out.T.reshape(-1)[:width * height], region.reshape(-1))
    written = device.contents(target, pixels).view(np.uint32)[..., 0]
    inside = min(height, 5)
    assert np.array_equal(written[15:15 + inside, :width - 1], words[15:15 + inside, :width - 1] + 1)
    assert not written[:15].any()
"""


def test_regions_of_images():
    check(REGIONS)


def test_a_barrier_in_two():
    check("""
a, out = numbers("uint", COUNT), np.zeros(COUNT, np.uint32)
device.run('''SIZED kernel void k(global uint *a, global uint *out) {
    local uint near[64];
    uint own = get_local_id(1) * 32 + get_local_id(0), x = a[ITEM];
    near[own] = x;
    intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
    x = x * 3 + 1;
    intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
    out[ITEM] = x + near[63 - own];
}''', a, out, size=16, options="-cl-std=CL3.0")
assert np.array_equal(out, a * 3 + 1 + a.reshape(-1, 64)[:, ::-1].reshape(-1))
""")


def test_what_such_a_chip_has_not():
    """Threads of 32 have no blocks: the chip's compiler says so."""
    check("""
for call in ("*o = intel_sub_group_block_read(o)", "*o = intel_sub_group_block_read8(o).x"):
    try:
        device.build("__attribute__((intel_reqd_sub_group_size(32))) kernel void k(global uint *o) { %s; }" % call)
    except cl.RuntimeError as why:
        assert "SIMD32" in str(why)
    else:
        raise AssertionError(call)
try:
    device.build("__attribute__((intel_reqd_sub_group_size(4))) kernel void k(global uint *o) { *o = 1; }")
except cl.RuntimeError as why:
    assert "no sub-groups of 4 work-items" in str(why) and "8, 16, 32" in str(why)
else:
    raise AssertionError("4 work-items")
""")


ANSWERS = """
import ctypes, json, struct
opencl = ctypes.CDLL("libOpenCL.so.1")
def ask(number, form):
    size = struct.calcsize(form)
    data = ctypes.create_string_buffer(size)
    assert opencl.clGetDeviceInfo(ctypes.c_void_p(gpu.int_ptr), number, ctypes.c_size_t(size), data, None) == 0
    return struct.unpack(form, data.raw)
print(json.dumps([ask(0x4250 + i, "I")[0] for i in range(6)] + [ask(0x4108, "3Q")]))
"""


@pytest.mark.parametrize(("chip", "answers"), [
    ("skylake-gt2", [0x2400009, 0x1912, 1, 3, 8, 7]), ("skylake-gt4e", [0x2400009, 0x193b, 3, 3, 8, 7]),
    ("broadwell-gt2", [0x2000000, 0x1616, 1, 3, 8, 7])])
def test_how_a_chip_is_divided(chip, answers):
    assert json.loads(run(ANSWERS, f"cpu,gpu:{chip}")[0]) == [*answers, [8, 16, 32]]
