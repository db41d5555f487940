# SPDX-License-Identifier: Apache-2.0
"""Work-groups that wait in a loop for what groups behind them write, as programs for GPUs have them: more groups than
processors, each of which must have begun before the first can end."""
import os

import numpy as np
import pyopencl as cl
import pytest

GROUPS, SIZE = 3 * max(8, os.cpu_count()), 32
HEAD = "kernel void k(volatile global int *count, volatile global int *turn, global int *o, int goal) { "
KERNELS = {
    # a barrier of all groups, by an atomic operation that changes nothing
    "barrier": HEAD + """
        o[get_global_id(0)] = get_group_id(0) + goal;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) { atomic_inc(count); while (atomic_add(count, 0) < goal) ; }
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[get_global_size(0) + get_global_id(0)] =
            o[(get_global_id(0) + get_local_size(0)) % get_global_size(0)]; }""",
    # the same with volatile memory, by all work-items
    "volatile": HEAD + """
        o[get_global_id(0)] = get_group_id(0) + goal;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) atomic_inc(count);
        while (*count < goal) ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        o[get_global_size(0) + get_global_id(0)] =
            o[(get_global_id(0) + get_local_size(0)) % get_global_size(0)]; }""",
    # and with an atomic load
    "loads": HEAD + """
        o[get_global_id(0)] = get_group_id(0) + goal;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) {
            volatile global atomic_int *here = (volatile global atomic_int *)count;
            atomic_fetch_add_explicit(here, 1, memory_order_acq_rel, memory_scope_device);
            while (atomic_load_explicit(here, memory_order_acquire, memory_scope_device) < goal) ; }
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[get_global_size(0) + get_global_id(0)] =
            o[(get_global_id(0) + get_local_size(0)) % get_global_size(0)]; }""",
    # the last group goes first
    "backwards": HEAD + """
        if (get_local_id(0) == 0) {
            int me = goal - 1 - get_group_id(0);
            while (atomic_or(turn, 0) != me) ;
            o[get_group_id(0)] = atomic_add(count, 1);
            atomic_xchg(turn, me + 1); } }""",
    "forwards": HEAD + """
        if (get_local_id(0) == 0) {
            int me = get_group_id(0);
            while (atomic_or(turn, 0) != me) ;
            o[me] = atomic_add(count, 1);
            atomic_xchg(turn, me + 1); } }""",
}


def run(machine, name, groups):
    count, turn, out = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(2 * groups * SIZE, np.int32)
    options = "-cl-std=CL3.0" if "explicit" in KERNELS[name] else ""
    machine.launch(cl.Kernel(machine.build(KERNELS[name], options), "k"), (groups * SIZE,), (SIZE,),
                   [count, turn, out, np.int32(groups)])
    assert count[0] == groups
    return out


@pytest.mark.parametrize("name", ["barrier", "volatile", "loads"])
def test_all_groups_meet(machine, name):
    if name == "loads" and "__opencl_c_atomic_scope_device" not in machine.features:
        pytest.skip(f"{machine.device.name} has no such atomic operations")
    out = run(machine, name, GROUPS)
    numbers = np.repeat(np.arange(GROUPS), SIZE) + GROUPS
    assert (out[:GROUPS * SIZE] == numbers).all()
    assert (out[GROUPS * SIZE:] == np.roll(numbers, -SIZE)).all()


def test_the_first_waits_for_the_last(machine):
    out = run(machine, "backwards", GROUPS)
    assert (out[:GROUPS] == np.arange(GROUPS)[::-1]).all()


def test_groups_that_wait_for_earlier_ones_need_no_threads_of_their_own(machine):
    """More groups than may each have a thread."""
    groups = 3000
    out = run(machine, "forwards", groups)
    assert (out[:groups] == np.arange(groups)).all()
