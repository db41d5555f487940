# SPDX-License-Identifier: Apache-2.0
"""cl_intel_spirv_subgroups: instructions of SPV_INTEL_subgroups do what the functions of OpenCL C do."""
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
import spirv_source
from sub_group_blocks import Device

from clpy.extensions import ALL

STD = "-cl-std=CL3.0"
OPTIONS = (STD, "-mllvm", "-spirv-ext=+SPV_INTEL_subgroups")
SHUFFLES = [f"intel_sub_group_{call}" for t in ("uint", "float", "long", "ushort", "uchar")
            for call in (f"shuffle(({t})x, 3)", f"shuffle_xor(({t})x, 5)", f"shuffle_down(({t})x, ({t})(2 * x), 3)",
                         f"shuffle_up(({t})x, ({t})(3 * x), 2)")]
TYPES = {"uint": "", "ushort": "_us", "uchar": "_uc", "ulong": "_ul"}


def declarations():
    """Of the extensions whose functions these are; Clang has them for nobody else."""
    texts = [Path(each.file("opencl.h")).read_text() for each in ALL.values() if each.file("opencl.h")]
    return "".join(text for text in texts if "intel_sub_group_block_read##NAME(const __global" in text)


@pytest.fixture(scope="module")
def device():
    return Device()


def both(device, source, *args):
    """What the kernel k does, from source and from SPIR-V, to arrays and images."""
    il = cl._cl._create_program_with_il(device.context, spirv_source.compiled(declarations() + source, OPTIONS))
    il._build(b"", None)
    results = []
    for k in (device.build(source, STD).k, cl._cl.Kernel(il, "k")):
        memory = [cl.Buffer(device.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x) if isinstance(x, np.ndarray) else x()
                  for x in args]
        for index, mem in enumerate(memory):
            k.set_arg(index, mem)
        cl.enqueue_nd_range_kernel(device.queue, k, (64,), (32,))
        results.append([np.empty_like(x) if isinstance(x, np.ndarray) else np.zeros((16, 64), np.uint32) for x in args])
        for mem, out in zip(memory, results[-1], strict=True):
            where = {} if isinstance(mem, cl.Buffer) else {"origin": (0, 0), "region": (64, 16)}
            cl.enqueue_copy(device.queue, out, mem, **where)
    return results


def test_is_listed(device):
    assert "cl_intel_spirv_subgroups" in device.device.extensions.split()


def test_extensions_and_capabilities():
    from clpy.compiler import spirv_environment
    from clpy.compiler.target import host_target
    assert "SPV_INTEL_subgroups" in spirv_environment.extensions(host_target())
    assert {5568, 5569, 5570} <= set(spirv_environment.capabilities(host_target()))


def test_shuffles(device):
    lines = "".join(f"o[{n} * 64 + i] = (uint){call}; " for n, call in enumerate(SHUFFLES))
    source = f"kernel void k(global const uint *a, global uint *o) {{ uint i = get_global_id(0), x = a[i]; {lines} }}"
    values = np.random.default_rng(7).integers(0, 1 << 20, 64, np.uint32)
    want, got = both(device, source, values, np.zeros((len(SHUFFLES), 64), np.uint32))
    for call, a, b in zip(SHUFFLES, want[1], got[1], strict=True):
        assert a.tolist() == b.tolist(), call
    assert want[1].any()


@pytest.mark.parametrize("width", ["", "2", "4", "8"])
@pytest.mark.parametrize("type_", TYPES)
def test_blocks(device, type_, width):
    name, n = TYPES[type_] + width, int(width or 1)
    source = f"""kernel void k(global {type_} *a, global {type_} *o, read_only image2d_t s, write_only image2d_t t) {{
        size_t at = (get_global_id(0) - get_sub_group_local_id()) * {n};
        int2 place = (int2)(8, get_global_id(0) / 32);
        intel_sub_group_block_write{name}(o + at, intel_sub_group_block_read{name}(a + at) * ({type_})3);
        if (get_sub_group_id() == 0)
            intel_sub_group_block_write{name}(t, place, intel_sub_group_block_read{name}(s, place) + ({type_})1);
    }}"""
    pixels = np.random.default_rng(8).integers(0, 1 << 31, (16, 64), np.uint32)
    rgba = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)

    def image(data=pixels):
        return cl.create_image(device.context, cl.mem_flags.COPY_HOST_PTR, rgba, (64, 16), hostbuf=data)

    values = np.random.default_rng(9).integers(0, 256, 64 * n * 8, np.uint8)
    want, got = both(device, source, values, np.zeros_like(values), image, lambda: image(np.zeros_like(pixels)))
    for a, b in zip(want, got, strict=True):
        assert np.array_equal(a, b)
    assert want[1].any() and want[3].any()
