# SPDX-License-Identifier: Apache-2.0
"""cl_intel_subgroup_buffer_prefetch: hints, which change nothing."""
import struct

import numpy as np
import pyopencl as cl
import pytest
import spirv_source
from sub_group_blocks import COUNT, Device

NAMES = {"uc": "uchar", "us": "ushort", "ui": "uint", "ul": "ulong"}


@pytest.fixture(scope="module")
def device():
    return Device()


def test_is_listed(device):
    assert "cl_intel_subgroup_buffer_prefetch" in device.device.extensions.split()
    device.build("#ifndef cl_intel_subgroup_buffer_prefetch\n#error no macro\n#endif\nkernel void k(int a) { }")


@pytest.mark.parametrize("name", NAMES)
def test_all_widths(device, name):
    widths = ("", "2", "4", "8", *(("16",) if name in ("uc", "us") else ()))
    calls = "".join(f"intel_sub_group_block_prefetch_{name}{width}((global {NAMES[name]} *)a);" for width in widths)
    numbers = np.arange(COUNT, dtype=np.uint32)
    device.run(f"kernel void k(global uint *a) {{ {calls} a[ITEM] += 1; }}", numbers)
    assert np.array_equal(numbers, np.arange(COUNT) + 1)


def test_spirv(device):
    """The instruction is put into a module of assembly, as assemblers need not know it."""
    words = list(struct.unpack(f"={len(spirv_source.kernel()) // 4}I", spirv_source.kernel()))
    places, i = {}, 5
    while i < len(words):
        places.setdefault(words[i] & 0xFFFF, i)
        i += words[i] >> 16
    # OpExtension before OpMemoryModel, the hint before OpStore: for its pointer, a number of bytes
    text = b"SPV_INTEL_subgroup_buffer_prefetch\0\0"
    store, model = places[62], places[14]
    constant = words[places[43] + 2]
    hint = [3 << 16 | 6221, words[store + 1], constant]
    extension = [(1 + len(text) // 4) << 16 | 10, *struct.unpack(f"={len(text) // 4}I", text)]
    capability = [2 << 16 | 17, 6220]
    words = words[:5] + capability + words[5:model] + extension + words[model:store] + hint + words[store:]
    program = cl._cl._create_program_with_il(device.context, struct.pack(f"={len(words)}I", *words))
    program._build(b"", None)
    k, out = cl._cl.Kernel(program, "k"), np.zeros(1, np.uint32)
    memory = cl.Buffer(device.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    k.set_arg(0, memory)
    cl.enqueue_nd_range_kernel(device.queue, k, (1,), (1,))
    cl.enqueue_copy(device.queue, out, memory)
    assert out[0] == 2
