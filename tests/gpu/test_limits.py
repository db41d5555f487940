# SPDX-License-Identifier: Apache-2.0
"""What a chip has, kernels on its model can have."""
import pytest

from .test_device import run

ALL_LOCAL = """
size = gpu.local_mem_size
program = cl.Program(context, f'''
kernel void turn(global uint *out) {{
    local uint memory[{size // 4}];
    uint i = get_local_id(0);
    for (uint k = i; k < {size // 4}; k += 256)
        memory[k] = k * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = i; k < {size // 4}; k += 256)
        out[k] = memory[{size // 4} - 1 - k];
}}''').build()
out = cl.Buffer(context, 0, size)
cl.Kernel(program, "turn")(queue, (256,), (256,), out)
found = result(out, np.empty(size // 4, np.uint32))
print(size, (found == np.arange(size // 4, dtype=np.uint32)[::-1] * 3).all())
"""


@pytest.mark.parametrize(("chip", "size"), [("tahiti", 32768), ("vega10", 65536)])
def test_a_group_has_all_local_memory(chip, size):
    assert run(ALL_LOCAL, f"gpu:{chip}") == [f"{size} True"]
