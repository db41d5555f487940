# SPDX-License-Identifier: Apache-2.0
"""Models of VLIW chips as devices of the platform: results, what they answer, counters of their wavefronts."""
import json

import pytest

from clpy.compiler.r600 import installed
from tests.gpu.test_device import ADDED, run

pytestmark = pytest.mark.skipif(bool(installed.missing("cypress")), reason="libclc-22 is not installed")

SUMS = ADDED + """
print(gpu.name, gpu.max_compute_units, gpu.max_work_group_size)
"""
COUNTED = """
import json
import clpy.profile
info = cl.kernel_work_group_info
made = cl.Program(context, '''
kernel void odd(global uint *o) {
    local uint t[96];
    uint l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[95 - l];
}''').build()
odd = cl.Kernel(made, "odd")
C = cl.Buffer(context, 0, 4 * 960)
event = odd(queue, (960,), (96,), C)
assert (result(C, np.zeros(960, np.uint32)).reshape(10, 96) == np.arange(96)[::-1]).all()
counters = clpy.profile.launch(event).counters
print(json.dumps([odd.get_work_group_info(info.WORK_GROUP_SIZE, gpu),
                  odd.get_work_group_info(info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, gpu),
                  *(counters[name] for name in ("Wavefronts", "LDSWriteInsts", "KernelOccupancy")),
                  counters.get("LDSBankConflict")]))
"""
TOO_LARGE = """
try:
    cl.Kernel(program, "add")(queue, (192,), (192,), *buffers(192)[2])
except cl.LogicError as error:
    print(error.code == cl.status_code.INVALID_WORK_GROUP_SIZE)
"""


FAR = """
source = "kernel void far(global uint *o) { o[get_local_id(0)] = get_global_id(0); }"
made = cl.Kernel(cl.Program(context, source).build(), "far")
C = cl.Buffer(context, 0, 256)
made.set_args(C)
for offset, size in (((1 << 32) - 65, 64), ((1 << 32) - 64, 64), (1 << 32, 64), (0, 1 << 32)):
    try:
        cl.enqueue_nd_range_kernel(queue, made, (size,), (64,), (offset,))
    except cl.LogicError as error:
        print(cl.status_code.to_string(error.code))
    else:
        print(*result(C, np.zeros(64, np.uint32))[[0, 63]])
"""


@pytest.mark.parametrize(("chip", "line"), [("cedar", "Cedar (model) 2 128"), ("redwood", "Redwood (model) 5 256")])
def test_results_beside_the_cpu_device(chip, line):
    assert run(SUMS, f"cpu,gpu:{chip}") == [line]


@pytest.mark.parametrize(("detail", "conflicts"), [("off", None), ("sample", 0), ("full", 0)])
@pytest.mark.parametrize(("chip", "told"), [("cedar", [128, 32, 30, 1, 75]), ("redwood", [256, 64, 20, 1, 50])])
def test_groups_that_are_no_whole_wavefronts(chip, told, detail, conflicts):
    """Ten of 96 work-items: three wavefronts each on Cedar, where eight groups are resident; two elsewhere."""
    lines = run(COUNTED, f"cpu,gpu:{chip}", CLPY_GPU_DETAIL=detail)
    assert json.loads(lines[0]) == [*told, conflicts]


def test_ids_have_32_bits():
    """Those of the CPU device, in the same context, have more."""
    refused = ["INVALID_GLOBAL_OFFSET", "INVALID_GLOBAL_OFFSET", "INVALID_GLOBAL_WORK_SIZE"]
    assert run(FAR, "cpu,gpu:redwood") == ["4294967231 4294967294", *refused]


def test_groups_of_more_than_cedar_has():
    assert run(TOO_LARGE, "cpu,gpu:cedar") == ["True"]
