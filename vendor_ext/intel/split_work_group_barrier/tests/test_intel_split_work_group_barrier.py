# SPDX-License-Identifier: Apache-2.0
"""cl_intel_split_work_group_barrier: what was written before the arrival is seen after the wait."""
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
import spirv_source
from sub_group_blocks import COUNT, GROUP, Device

from clpy.extensions import ALL

ITEMS = GROUP[0] * GROUP[1]
CALLS = {"flags": ("CLK_LOCAL_MEM_FENCE", "-cl-std=CL1.2"),
         "scope": ("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device", "-cl-std=CL3.0"),
         "c++": ("CLK_LOCAL_MEM_FENCE, memory_scope_work_group", "-cl-std=CLC++2021")}


@pytest.fixture(scope="module")
def device():
    return Device()


def test_is_listed(device):
    assert "cl_intel_split_work_group_barrier" in device.device.extensions.split()
    device.build("#ifndef cl_intel_split_work_group_barrier\n#error no macro\n#endif\nkernel void k(int a) { }")


@pytest.mark.parametrize("how", CALLS)
def test_a_row_of_phases(device, how):
    """Each work-item hands its number on to the next one, and works on something else meanwhile."""
    arguments, options = CALLS[how]
    numbers, other = np.arange(COUNT, dtype=np.int32), np.zeros(COUNT, np.int32)
    device.run(f"""kernel void k(global int *numbers, global int *other) {{
        local int shared_[2][{ITEMS}];
        int i = ITEM % {ITEMS}, mine = numbers[ITEM], work = 0;
        for (int phase = 0; phase < 5; phase++) {{
            shared_[phase & 1][i] = mine;
            intel_work_group_barrier_arrive({arguments});
            work += phase * i;
            intel_work_group_barrier_wait({arguments});
            mine = shared_[phase & 1][(i + 1) % {ITEMS}];
        }}
        numbers[ITEM] = mine;
        other[ITEM] = work;
    }}""", numbers, other, options=options)
    ids = np.arange(COUNT)
    assert np.array_equal(numbers, ids - ids % ITEMS + (ids + 5) % ITEMS)
    assert np.array_equal(other, 10 * (ids % ITEMS))


def test_spirv(device):
    """The instructions of SPV_INTEL_split_barrier."""
    declared = Path(ALL["cl_intel_split_work_group_barrier"].file("opencl.h")).read_text()
    module = spirv_source.compiled(declared + f"""kernel void k(global int *a, global int *b) {{
        local int near[{ITEMS}];
        int i = get_local_linear_id(), at = get_group_id(1) * {ITEMS} + i;
        near[i] = a[at];
        intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
        b[at] = 5;
        intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
        a[at] = near[(i + 1) % {ITEMS}];
    }}""", ("-cl-std=CL3.0", "-mllvm", "-spirv-ext=+SPV_INTEL_split_barrier"))
    assert (6141).to_bytes(4, "little") in module            # the capability
    program = cl._cl._create_program_with_il(device.context, module)
    program._build(b"", None)
    numbers, other = np.arange(COUNT, dtype=np.int32), np.zeros(COUNT, np.int32)
    k = cl._cl.Kernel(program, "k")
    memory = [cl.Buffer(device.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x) for x in (numbers, other)]
    for index, mem in enumerate(memory):
        k.set_arg(index, mem)
    cl.enqueue_nd_range_kernel(device.queue, k, (GROUP[0], COUNT // GROUP[0]), GROUP)
    for x, mem in zip((numbers, other), memory, strict=True):
        cl.enqueue_copy(device.queue, x, mem)
    ids = np.arange(COUNT)
    assert np.array_equal(numbers, ids - ids % ITEMS + (ids + 1) % ITEMS) and (other == 5).all()
