# SPDX-License-Identifier: Apache-2.0
"""Instructions of sub-groups in SPIR-V do what the functions of OpenCL C do that they were made from."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

from .sub_group_case import STD

GROUPS = {
    "who": ["get_sub_group_size()", "get_max_sub_group_size()", "get_num_sub_groups()", "get_enqueued_num_sub_groups()",
            "get_sub_group_id()", "get_sub_group_local_id()"],
    "uniform": [f"sub_group_{how}_{what}({x})" for how in ("reduce", "scan_inclusive", "scan_exclusive")
                for what in ("add", "min", "max") for x in ("x", "(int)x", "(float)(x & 1023)")]
               + ["sub_group_all(x > 5) != 0", "sub_group_any(x > 9) != 0", "sub_group_broadcast(x, 1)"],
    "non_uniform": [f"sub_group_non_uniform_{how}_{what}({x})" for how in ("reduce", "scan_inclusive", "scan_exclusive")
                    for what, x in (("add", "x"), ("mul", "x"), ("min", "(int)x"), ("max", "x"), ("and", "x"),
                                    ("or", "x"), ("xor", "x"), ("min", "(float)(x & 1023)"))]
                   + [f"sub_group_non_uniform_{how}_logical_{what}(x & 1) != 0"
                      for how in ("reduce", "scan_inclusive", "scan_exclusive") for what in ("and", "or", "xor")],
    "votes": ["sub_group_elect() != 0",
              "sub_group_non_uniform_all(x & 1) != 0", "sub_group_non_uniform_any(x & 1) != 0",
              "sub_group_non_uniform_all_equal(x) != 0", "sub_group_non_uniform_all_equal((float)(x & 1)) != 0"],
    "ballots": ["sub_group_ballot(x & 1).x", "sub_group_inverse_ballot((uint4)(x)) != 0",
                "sub_group_ballot_bit_extract((uint4)(x), 3) != 0", "sub_group_ballot_bit_count((uint4)(x))",
                "sub_group_ballot_inclusive_scan((uint4)(x))", "sub_group_ballot_exclusive_scan((uint4)(x))",
                "sub_group_ballot_find_lsb((uint4)(x | 1))", "sub_group_ballot_find_msb((uint4)(x | 1))",
                "sub_group_broadcast_first(x)", "sub_group_non_uniform_broadcast(x, 1)",
                *(f"get_sub_group_{which}_mask().x" for which in ("eq", "ge", "gt", "le", "lt"))],
    "shuffles": ["sub_group_shuffle(x, 2)", "sub_group_shuffle_xor(x, 1)", "sub_group_shuffle_up(x, 0)",
                 "sub_group_shuffle_down(x, 0)", "sub_group_shuffle((long)x, get_sub_group_local_id())"],
    "clusters": [f"sub_group_clustered_reduce_{what}(x, 4)"
                 for what in ("add", "mul", "min", "max", "and", "or", "xor")]
                + [f"sub_group_clustered_reduce_logical_{what}(x & 1, 2) != 0" for what in ("and", "or", "xor")],
    "rotations": ["sub_group_rotate(x, 1)", "sub_group_clustered_rotate(x, 1, 4)"],
}
OPTIONS = (STD, "-mllvm", "-spirv-ext=+SPV_KHR_subgroup_rotate")


@pytest.mark.parametrize("name", GROUPS)
def test_spirv(machine, size, name):
    machine.needs_il()
    calls = GROUPS[name]
    some = "if (i & 3) " if name in ("non_uniform", "votes", "ballots") else ""
    lines = "".join(f"o[{n} * 64 + i] = {call}; " for n, call in enumerate(calls))
    source = f"""kernel void k(global const uint *a, global uint *o) {{ uint i = get_global_id(0), x = a[i];
        {some} {{ {lines} }} sub_group_barrier(CLK_GLOBAL_MEM_FENCE); }}"""
    values = np.random.default_rng(7).integers(0, 1 << 31, 64, np.uint32)
    values[8:24] |= 1
    program = cl._cl._create_program_with_il(machine.context, spirv_source.compiled(source, OPTIONS))
    program._build(b"", None)
    results = []
    for kernel in (cl.Kernel(machine.build(source, STD), "k"), cl._cl.Kernel(program, "k")):
        out = np.zeros((len(calls), 64), np.uint32)
        machine.launch(kernel, (64,), (max(32, size),), [values, out])
        results.append(out)
    for call, want, got in zip(calls, *results, strict=True):
        assert got.tolist() == want.tolist(), call


MODES = {"literal": ("OpExecutionMode %k SubgroupsPerWorkgroup 3", ""),
         "constant": ("OpExecutionModeId %k SubgroupsPerWorkgroupId %three", "%three = OpConstant %uint 3")}


@pytest.mark.parametrize("mode", MODES)
def test_a_number_of_sub_groups_is_required(machine, mode):
    """On devices without queues of their own, too."""
    machine.needs_il()
    decoration, constant = MODES[mode]
    module = spirv_source.kernel(decorations=f"OpExecutionMode %k SubgroupSize 8\n{decoration}", types=constant,
                                 version="1.2")
    program = cl._cl._create_program_with_il(machine.context, module)
    program._build(b"", None)
    kernel = cl._cl.Kernel(program, "k")
    asked = kernel.get_sub_group_info(machine.device, cl.kernel_sub_group_info.COMPILE_NUM_SUB_GROUPS)
    assert asked == 3
    size = kernel.get_sub_group_info(machine.device, cl.kernel_sub_group_info.MAX_SUB_GROUP_SIZE_FOR_NDRANGE, [64])
    for local in (None, (3 * size,), (2 * size + 1,)):
        out = np.zeros(1, np.uint32)
        machine.launch(kernel, (12 * size,), local, [out])
        assert out[0] == 2
    for local in (2 * size, 3 * size + 1, 1):
        with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
            machine.launch(kernel, (12 * size,), (local,), [np.zeros(1, np.uint32)])
