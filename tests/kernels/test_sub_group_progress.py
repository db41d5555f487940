# SPDX-License-Identifier: Apache-2.0
"""Sub-groups of a work-group that wait for each other through memory: none of them keeps the others from going on."""
import numpy as np
import pyopencl as cl
import pytest

from .sub_group_case import STD
from .sub_groups import groups, sub_groups

SHAPES = [((128,), (64,)), ((70,), (35,)), ((24, 6), (12, 3)), ((8, 4, 6), (4, 4, 3)), "largest"]
# The last sub-group goes first, and each waits for the one behind it.
TURNS = """kernel void k(global int *o) {
    local atomic_int turn; if (get_local_linear_id() == 0) atomic_init(&turn, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int me = get_num_sub_groups() - 1 - get_sub_group_id();
    if (get_sub_group_local_id() == 0) { while (atomic_load(&turn) != me) ; atomic_store(&turn, me + 1); }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_linear_id()] = me + sub_group_reduce_add(1) * 1000; }"""
# The same with a flag that is volatile memory, several times around a loop with a barrier.
ROUNDS = """kernel void k(global int *o) {
    local int turns[1]; volatile local int *turn = turns; int seen = 0; uint last = get_num_sub_groups() - 1;
    for (uint round = 0; round < 3; ++round) {
        if (get_local_linear_id() == 0) *turn = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint me = round & 1 ? get_sub_group_id() : last - get_sub_group_id();
        while (*turn != me) seen |= 1 << round;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (sub_group_elect()) *turn = me + 1;
        barrier(CLK_LOCAL_MEM_FENCE); }
    o[get_global_linear_id()] = sub_group_broadcast(seen, 0) * 10000 + last; }"""
# A lock in global memory that sub-groups hold while they add to what no atomic operation protects.
LOCKED = """kernel void k(global int *lock, global volatile int *sum, global int *o) {
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    if (sub_group_elect()) {
        for (int n = 0; n < 5; ++n) {
            while (atomic_cmpxchg(lock + group, 0, 1) != 0) ;
            int before = sum[group]; for (int j = 0; j < 100; ++j) atomic_or(o, 0);
            sum[group] = before + 1; atomic_xchg(lock + group, 0); } }
    o[get_global_linear_id()] = sub_group_reduce_add(1); }"""


@pytest.fixture(params=SHAPES)
def shape(machine, request):
    most = machine.device.max_work_group_size
    return ((2 * most,), (most,)) if request.param == "largest" else request.param


@pytest.fixture
def kernel(machine, size):
    def build(source):
        return cl.Kernel(machine.build(source, STD), "k")
    return build


def test_the_first_waits_for_the_last(machine, size, kernel, shape):
    out = np.zeros(int(np.prod(shape[0])), np.int32)
    machine.launch(kernel(TURNS), *shape, [out])
    for items, number, group in sub_groups(*shape, size):
        assert (out[items] == -(-len(group) // size) - 1 - number + 1000 * len(items)).all()


def test_rounds_with_barriers(machine, size, kernel, shape):
    """Those who waited have seen it: in each round all sub-groups but the one whose turn is first."""
    out = np.zeros(int(np.prod(shape[0])), np.int32)
    machine.launch(kernel(ROUNDS), *shape, [out])
    for items, number, group in sub_groups(*shape, size):
        last = -(-len(group) // size) - 1
        assert (out[items] % 10000 == last).all()
        if 0 < number < last:
            assert (out[items] // 10000 & 1 == 1).all()


def test_a_lock(machine, size, kernel, shape):
    n = int(np.prod(shape[0]))
    out, n_groups = np.zeros(n, np.int32), len(list(groups(*shape)))
    lock, sums = np.zeros(n_groups, np.int32), np.zeros(n_groups, np.int32)
    machine.launch(kernel(LOCKED), *shape, [lock, sums, out])
    assert sums.tolist() == [5 * -(-len(items) // size) for items in groups(*shape)]
    assert lock.tolist() == [0] * n_groups


def test_the_device_says_so(machine, size):
    assert machine.device.sub_group_independent_forward_progress
    assert "cl_khr_subgroups" in machine.device.extensions.split()
