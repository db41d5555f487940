# SPDX-License-Identifier: Apache-2.0
"""Functions of sub-groups in loops, behind branches, beside barriers and in functions of their own; work-items that
part ways at a barrier; kernels whose sub-groups are of one work-item."""
import numpy as np
import pyopencl as cl
import pytest

from clpy import config

from .sub_group_case import STD
from .sub_groups import groups, sub_groups

SHAPES = [((70,), (35,)), ((32,), (32,)), ((24, 6), (6, 3)), ((16, 4, 3), (8, 2, 3))]
LOCAL_ID = "size_t l = get_local_linear_id(), i = get_global_linear_id(); "


def launch(machine, source, shape, *args, options=STD):
    machine.launch(cl.Kernel(machine.build(source, options), "k"), *shape, list(args))
    return args[-1]


def values_for(shape, most=20, seed=0):
    return np.random.default_rng(seed).integers(0, most, int(np.prod(shape[0]))).astype(np.int32)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_loop_that_work_items_leave_one_by_one(machine, size, shape):
    """Those that are still in it take part."""
    a = values_for(shape)
    got = launch(machine, "kernel void k(global const int *a, global int *o) { size_t i = get_global_linear_id(); "
                 "int s = 0; for (int j = 0; j < a[i]; ++j) s += (j + 1) * sub_group_non_uniform_reduce_add(1); "
                 "o[i] = s; }", shape, a, np.zeros_like(a))
    for items, _, _ in sub_groups(*shape, size):
        for item in items:
            assert got[item] == sum((j + 1) * sum(a[other] > j for other in items) for j in range(a[item]))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_loop_that_a_vote_ends(machine, size, shape):
    a = values_for(shape, 5)
    got = launch(machine, "kernel void k(global const int *a, global int *o) { size_t i = get_global_linear_id(); "
                 "int v = a[i], n = 0; while (sub_group_any(v > 0)) { v -= 1; n += 1; } o[i] = n * 100 + v; }",
                 shape, a, np.zeros_like(a))
    for items, _, _ in sub_groups(*shape, size):
        most = a[items].max()
        assert (got[items] == most * 100 + a[items] - most).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_both_sides_of_branches(machine, size, shape):
    a = values_for(shape)
    source = """kernel void k(global const int *a, global int *o) { size_t i = get_global_linear_id(); int r;
        switch (a[i] & 3) { case 0: r = sub_group_non_uniform_reduce_add(a[i]); break;
        case 1: r = 1000 + sub_group_non_uniform_scan_inclusive_max(a[i]);
        case 2: if (sub_group_non_uniform_any(a[i] > 15)) r = 2000 + sub_group_broadcast_first(a[i]);
                else r = 3000; break;
        default: o[i] = -1; return; }
        o[i] = r + 10000 * sub_group_non_uniform_reduce_add(1); }"""
    got = launch(machine, source, shape, a, np.zeros_like(a))
    for items, _, _ in sub_groups(*shape, size):
        by_side = {n: [item for item in items if a[item] & 3 == n] for n in range(4)}
        second = [item for item in items if a[item] & 3 in (1, 2)]
        staying = 10000 * (len(items) - len(by_side[3]))
        for item in items:
            side = a[item] & 3
            if side == 3:
                assert got[item] == -1
            elif side == 0:
                assert got[item] == staying + a[by_side[0]].sum()
            else:
                large = (a[second] > 15).any()
                assert got[item] == staying + (2000 + a[second[0]] if large else 3000)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("options", [STD, f"{STD} -cl-opt-disable", "-cl-std=CL2.0"])
def test_a_sum_of_a_group(machine, size, shape, options):
    """Values of a sub-group live across barriers; a loop over the sub-groups has one in it."""
    source = f"""int part(int x) {{ return sub_group_reduce_add(x); }}
        kernel void k(global const int *a, global int *o) {{ local int sums[4096]; local int turn; {LOCAL_ID}
        int mine = part(a[i]); uint lane = get_sub_group_local_id();
        if (lane == 0) sums[get_sub_group_id()] = mine; barrier(CLK_LOCAL_MEM_FENCE);
        int total = 0; for (uint n = 0; n < get_num_sub_groups(); ++n) {{
            if (get_sub_group_id() == n) turn = sub_group_broadcast(a[i], get_sub_group_size() - 1);
            barrier(CLK_LOCAL_MEM_FENCE); total += sums[n] + turn; barrier(CLK_LOCAL_MEM_FENCE); }}
        o[i] = total * 100 + mine + lane; }}"""
    a = values_for(shape)
    got = launch(machine, source, shape, a, np.zeros_like(a), options=options)
    for items, _, group in sub_groups(*shape, size):
        last = [a[group[min(n + size, len(group)) - 1]] for n in range(0, len(group), size)]
        total = a[group].sum() + sum(last)
        assert (got[items] == total * 100 + a[items].sum() + np.arange(len(items))).all()


@pytest.mark.parametrize("options", [STD, f"{STD} -cl-opt-disable"])
def test_vectors_that_all_share_are_truncated(machine, options):
    """Each work-item keeps its own copy of them, in an array; LLVM mixed their halves up."""
    source = """typedef struct { int f; int4 v; } S;
        kernel void k(global const int *a, global const ulong *wide, global int4 *o) { int i = get_global_linear_id();
        S s[2]; for (int n = 0; n < 2; ++n) { s[n].f = a[i]; s[n].v = convert_int4(vload4(1, wide)); }
        int most = sub_group_reduce_max(a[i]); o[i] = s[1].v + (most < a[i]); }"""
    wide = (np.arange(8, dtype=np.uint64) + 1) << 32 | np.arange(100, 108, dtype=np.uint64)
    shape = (70,), (35,)
    got = launch(machine, source, shape, values_for(shape), wide, np.zeros(4 * 70, np.int32), options=options)
    assert (got.reshape(-1, 4) == [104, 105, 106, 107]).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_barrier_of_the_sub_group(machine, size, shape):
    """Memory that work-items of a sub-group write is there for the others behind it, each time around a loop."""
    source = f"""kernel void k(global const int *a, global int *o) {{ local int t[4096]; {LOCAL_ID}
        uint n = get_sub_group_size(), lane = get_sub_group_local_id(); local int *own = t + (l - lane);
        int x = a[i]; for (int j = 0; j < 3; ++j) {{ own[lane] = x; sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            x = own[(lane + 1) % n] * 3 + own[n - 1 - lane];
            sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group); }} o[i] = x; }}"""
    a = values_for(shape)
    got = launch(machine, source, shape, a, np.zeros_like(a))
    for items, _, _ in sub_groups(*shape, size):
        x = a[items]
        for _ in range(3):
            x = np.roll(x, -1) * 3 + x[::-1]
        assert (got[items] == x).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_one_atomic_for_a_sub_group(machine, size, shape):
    """Places in a list, taken by one work-item for all that want one."""
    source = """kernel void k(global const int *a, global int *count, global int *list) {
        size_t i = get_global_linear_id(); if (a[i] & 1) { int first = 0;
        if (sub_group_elect()) first = atomic_add(count, sub_group_non_uniform_reduce_add(a[i] & 1));
        first = sub_group_broadcast_first(first);
        uint4 before = sub_group_ballot(1) & get_sub_group_lt_mask();
        list[first + popcount(before.x) + popcount(before.y)] = i; } }"""
    a, count = values_for(shape), np.zeros(1, np.int32)
    source = source.replace("sub_group_non_uniform_reduce_add(a[i] & 1)", "sub_group_ballot_bit_count(all)").replace(
        "int first = 0;", "int first = 0; uint4 all = sub_group_ballot(1);")
    got = launch(machine, source, shape, a, count, np.full(a.size, -1, np.int32))
    odd = [n for n in range(a.size) if a[n] & 1]
    assert count[0] == len(odd) and sorted(got[:len(odd)]) == odd


@pytest.mark.parametrize("width", ["1", "4", "16"])
def test_the_size_is_the_devices_whatever_the_vectorizer_does(machine, size, width):
    with config.override(CPU_VECTORIZER_MODE=width):
        got = launch(machine, f"kernel void k(global int *o) {{ o[get_global_id(0)] = {width} * 0 + "
                     "sub_group_reduce_add(1); }", ((64,), (32,)), np.zeros(64, np.int32))
    assert (got == min(size, 32)).all()


PARTING = f"""kernel void k(global const int *a, global uint *o) {{ {LOCAL_ID} uint s = sub_group_reduce_add(a[i]);
    if (l & 1) {{ o[i] = 7; return; }} barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = s * 1000 + get_sub_group_id() * 10 + get_sub_group_local_id()
         + sub_group_non_uniform_scan_exclusive_add(a[i]) + (sub_group_non_uniform_any(a[i] > 17) ? 500 : 0); }}"""


@pytest.mark.parametrize("shape", SHAPES)
def test_work_items_that_return_before_a_barrier(machine, size, shape):
    """They take no part in it, which is more than the language asks for: those that are left are their sub-group."""
    a = values_for(shape)
    expected = np.full(a.size, 7)
    for items, number, _ in sub_groups(*shape, size):
        left = items[::2]
        for lane, item in zip(range(0, len(items), 2), left, strict=True):
            expected[item] = (a[items].sum() * 1000 + number * 10 + lane + a[left[:lane // 2]].sum()
                              + 500 * (a[left] > 17).any())
    assert launch(machine, PARTING, shape, a, np.zeros(a.size, np.uint32)).tolist() == expected.tolist()


PAIRS = f"""kernel void k(global const int *a, global int *o) {{ {LOCAL_ID} local int seen[256];
    uint pair = get_sub_group_id() / 2; int sum = 0;
    if (pair != 1)
        for (uint n = 0; n <= pair; ++n) {{
            seen[l] = a[i] * n; barrier(CLK_LOCAL_MEM_FENCE);
            sum += sub_group_reduce_add(seen[l ^ get_max_sub_group_size()]); barrier(CLK_LOCAL_MEM_FENCE); }}
    o[i] = sum; }}"""


def test_pairs_of_sub_groups_meet_without_the_others(machine, size):
    """At barriers that some of the group do not come to, or come to more often; as GPUs that count arrivals do not."""
    if machine.is_model:
        pytest.skip("a chip's barrier waits for all wavefronts that have not ended: undefined without them")
    shape = ((16 * size,), (8 * size,))
    a = values_for(shape)
    got = launch(machine, PAIRS, shape, a, np.zeros_like(a)).reshape(-1, size)
    for number, (items, in_group, _) in enumerate(sub_groups(*shape, size)):
        pair, other = in_group // 2, a.reshape(-1, size)[number ^ 1].sum()
        assert (got[number] == (other * (pair * (pair + 1) // 2) if pair != 1 else 0)).all(), items


LARGE = f"""kernel void k(global const int *a, global uint *o) {{ {LOCAL_ID} volatile int big[3000];
    for (int n = 0; n < 3000; ++n) big[n] = n; uint s = sub_group_reduce_add(big[a[i] * 7]);
    o[i] = s * 1000 + get_sub_group_id() * 10 + get_sub_group_size() + get_sub_group_local_id()
         + (get_max_sub_group_size() - 1) + (get_num_sub_groups() - get_local_size(0))
         + sub_group_scan_exclusive_add(a[i]) + (sub_group_shuffle(a[i], 0) - a[i]); }}"""


MOST_OF_A_SUB_GROUP = 128 << 10     # bytes of private arrays


def test_large_arrays_of_a_sub_group(machine, size):
    """Where a sub-group's arrays are more than a thread's stack takes, sub-groups are of one work-item: the kernel is
    right, and says so."""
    if machine.is_model:
        pytest.skip("wavefronts stay whole: a chip has scratch memory for them")
    width = size if 3000 * 4 * size <= MOST_OF_A_SUB_GROUP else 1
    a = values_for(((64,), (32,)))
    kernel = cl.Kernel(machine.build(LARGE, STD), "k")
    out = np.zeros(64, np.uint32)
    machine.launch(kernel, (64,), (32,), [a, out])
    assert out.tolist() == large(a, width)
    info = cl.kernel_sub_group_info
    assert kernel.get_sub_group_info(machine.device, info.MAX_SUB_GROUP_SIZE_FOR_NDRANGE, [32]) == width
    assert kernel.get_sub_group_info(machine.device, info.SUB_GROUP_COUNT_FOR_NDRANGE, [32]) == 32 // width
    assert kernel.get_sub_group_info(machine.device, info.LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 5)[0] == 5 * width
    most = kernel.get_sub_group_info(machine.device, info.MAX_NUM_SUB_GROUPS)
    group = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, machine.device)
    assert most == group // width
    assert most <= machine.device.max_num_sub_groups


def large(a, width):
    """What LARGE stores in groups of 32."""
    rows = a.astype(np.int64).reshape(-1, width)
    sums = np.repeat(rows.sum(axis=1) * 7, width)
    scan = np.cumsum(rows, axis=1) - rows
    places = np.arange(a.size)
    stored = (sums * 1000 + places % 32 // width * 10 + width + places % width + (width - 1) + (32 // width - 32)
              + scan.ravel() + (np.repeat(rows[:, 0], width) - a))
    return (stored & 0xFFFFFFFF).tolist()


def test_what_a_kernel_with_sub_groups_says(machine, size):
    kernel = cl.Kernel(machine.build("kernel void k(global int *o) { *o = sub_group_reduce_add(1); }", STD), "k")
    info = cl.kernel_sub_group_info
    assert kernel.get_sub_group_info(machine.device, info.MAX_SUB_GROUP_SIZE_FOR_NDRANGE, [100]) == size
    assert kernel.get_sub_group_info(machine.device, info.SUB_GROUP_COUNT_FOR_NDRANGE, [10, 10]) == -(-100 // size)
    assert kernel.get_sub_group_info(machine.device, info.LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 3)[0] == 3 * size
    assert machine.device.max_num_sub_groups * size >= machine.device.max_work_group_size


def test_groups_in_order(size):
    """The reference itself: every work-item is in one group."""
    for shape in SHAPES:
        assert sorted(item for items in groups(*shape) for item in items) == list(range(int(np.prod(shape[0]))))


@pytest.mark.parametrize("shape", SHAPES)
def test_beside_functions_of_the_group(machine, size, shape):
    """What work-groups do together is done once for all of their sub-groups."""
    a = values_for(shape)
    got = launch(machine, "kernel void k(global const int *a, global int *o) { size_t i = get_global_linear_id(); "
                 "int mine = sub_group_reduce_add(a[i]), all = work_group_reduce_add(a[i]); "
                 "o[i] = all * 1000 + mine + work_group_scan_exclusive_max(sub_group_scan_inclusive_max(a[i]) * 0); }",
                 shape, a, np.zeros_like(a))
    for items, _, group in sub_groups(*shape, size):
        first = [item == group[0] for item in items]
        want = a[group].sum() * 1000 + a[items].sum() + np.where(first, np.iinfo(np.int32).min, 0)
        assert (got[items] == want.astype(np.int32)).all()
