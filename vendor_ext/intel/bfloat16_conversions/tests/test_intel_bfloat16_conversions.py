# SPDX-License-Identifier: Apache-2.0
"""cl_intel_bfloat16_conversions beside plain numpy: all bfloat16 numbers, and floats on both sides of every border."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source
from sub_group_blocks import Device

WIDTHS = ("", "2", "3", "4", "8", "16")
ALL = np.arange(1 << 16, dtype=np.uint32)


@pytest.fixture(scope="module")
def device():
    return Device()


def source(width):
    n = int(width or 1)
    load, store = (f"vload{n}(i, {{}})", f"vstore{n}({{}}, i, {{}})") if width else ("{}[i]", "{1}[i] = {0}")
    to = f"intel_convert_bfloat16{width}_as_ushort{width}({load.format('x')})"
    back = f"intel_convert_as_bfloat16{width}_float{width}({load.format('b')})"
    return f"""ushort{width} __attribute__((overloadable)) intel_convert_bfloat16{width}_as_ushort{width}(float{width});
    float{width} __attribute__((overloadable)) intel_convert_as_bfloat16{width}_float{width}(ushort{width});
    kernel void k(global float *x, global ushort *narrow, global ushort *b, global float *wide) {{
        size_t i = get_global_id(0); {store.format(to, 'narrow')}; {store.format(back, 'wide')}; }}"""


def check(device, kernel, width):
    """Three floats for each number: it, the middle between it and the next one, and a little more."""
    n = int(width or 1)
    bits = np.concatenate([ALL << 16, (ALL << 16) + 0x8000, (ALL << 16) + 0x8001])
    x, b = bits.view(np.float32), np.tile(ALL.astype(np.uint16), 3)
    memory = [cl.Buffer(device.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(data))
              for data in (x, np.zeros_like(b), b, np.zeros_like(x))]
    for index, mem in enumerate(memory):
        kernel.set_arg(index, mem)
    items = len(b) // n // 4 * 4
    cl.enqueue_nd_range_kernel(device.queue, kernel, (items,), (4,))
    narrow, wide = np.empty_like(b), np.empty_like(bits)
    cl.enqueue_copy(device.queue, narrow, memory[1])
    cl.enqueue_copy(device.queue, wide, memory[3])
    upper, is_nan = bits >> 16, np.isnan(x)
    nearest = (upper + ((bits & 0xFFFF) > 0x8000) + (((bits & 0xFFFF) == 0x8000) & (upper & 1))).astype(np.uint16)
    done = slice(0, items * n)
    assert np.array_equal(narrow[done][~is_nan[done]], nearest[done][~is_nan[done]])
    assert np.isnan((narrow[done][is_nan[done]].astype(np.uint32) << 16).view(np.float32)).all()
    assert np.array_equal(wide[done], b[done].astype(np.uint32) << 16)


def test_is_listed(device):
    assert "cl_intel_bfloat16_conversions" in device.device.extensions.split()
    device.build("#ifndef cl_intel_bfloat16_conversions\n#error no macro\n#endif\nkernel void k(int a) { }")


@pytest.mark.parametrize("width", WIDTHS)
def test_conversions(device, width):
    check(device, device.build(source(width)).k, width)


@pytest.mark.parametrize("width", WIDTHS)
def test_spirv(device, width):
    options = ("-cl-std=CL3.0", "-mllvm", "-spirv-ext=+SPV_INTEL_bfloat16_conversion")
    module = spirv_source.compiled(source(width), options)
    assert (6115).to_bytes(4, "little") in module            # the capability
    program = cl._cl._create_program_with_il(device.context, module)
    program._build(b"", None)
    check(device, cl._cl.Kernel(program, "k"), width)
