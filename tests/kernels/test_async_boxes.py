# SPDX-License-Identifier: Apache-2.0
"""Copies of boxes between global and local memory (cl_khr_extended_async_copies), and fences between copies."""
import numpy as np
import pyopencl as cl
import pytest

STANDARDS = ("", "-cl-std=CL3.0")
# bytes of an element; elements of a line, lines, planes; elements between lines, and between planes, there and back
BOXES = [(1, (7, 5, 3), (9, 50), (7, 35)), (4, (16, 4, 2), (20, 90), (17, 70)), (16, (3, 3, 3), (3, 9), (5, 20)),
         (3, (5, 1, 4), (5, 5), (6, 7)), (8, (1, 6, 1), (4, 24), (1, 6)), (4, (0, 3, 3), (4, 12), (4, 12))]
OFFSETS = [(0, 0), (3, 2)]


def box(bytes_, size, steps, offset):
    """Byte numbers of a box, in the order in which they are copied."""
    n, lines, planes = size
    element = offset + np.arange(planes)[:, None, None] * steps[1] + np.arange(lines)[:, None] * steps[0] + np.arange(n)
    return (element[..., None] * bytes_ + np.arange(bytes_)).ravel()


def source_of(name, there, back):
    return f"""kernel void k(global char *out, global const char *in, local char *tmp, uint total, uint at, uint to) {{
        for (uint i = get_local_id(0); i < total; i += get_local_size(0))
            tmp[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        event_t e = async_work_group_copy_{name}(tmp, to, in, at, {there}, 0);
        wait_group_events(1, &e);
        for (uint i = get_local_id(0); i < total; i += get_local_size(0))
            tmp[i] += tmp[i] != 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        e = async_work_group_copy_{name}(out, at, tmp, to, {back}, 0);
        wait_group_events(1, &e);
    }}"""


@pytest.mark.parametrize("options", STANDARDS)
@pytest.mark.parametrize("dims", [2, 3])
def test_there_and_back(machine, dims, options):
    machine.needs("cl_khr_extended_async_copies")
    for bytes_, (n, lines, planes), far, near in BOXES:
        size = (n, lines, planes if dims == 3 else 1)
        if dims == 3:
            there = f"{bytes_}, {n}, {lines}, {planes}, {far[0]}, {far[1]}, {near[0]}, {near[1]}"
            back = f"{bytes_}, {n}, {lines}, {planes}, {near[0]}, {near[1]}, {far[0]}, {far[1]}"
        else:
            there, back = (f"{bytes_}, {n}, {lines}, {a[0]}, {b[0]}" for a, b in ((far, near), (near, far)))
        program = machine.build(source_of(f"{dims}D{dims}D", there, back), options)
        for at, to in OFFSETS:
            given = np.random.default_rng(n).integers(1, 100, 4000).astype(np.int8)
            out = np.zeros_like(given)
            machine.launch(program.k, (13,), (13,),
                           [out, given, cl.LocalMemory(4000), np.uint32(4000), np.uint32(at), np.uint32(to)])
            wanted = np.zeros_like(given)
            outside = box(bytes_, size, far, at)
            wanted[outside] = given[outside] + 1
            np.testing.assert_array_equal(out, wanted, err_msg=f"{bytes_} {size}")


@pytest.mark.parametrize("options", STANDARDS)
@pytest.mark.parametrize("memory", ["CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE",
                                    "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"])
def test_fence(machine, memory, options):
    """The second copy reads what the first has written, without a wait between them."""
    machine.needs("cl_khr_async_work_group_copy_fence")
    source = f"""kernel void k(global int *out, global const int *in, local int *tmp) {{
        size_t n = get_local_size(0), start = get_group_id(0) * n;
        event_t e = async_work_group_copy(tmp, in + start, n, 0);
        async_work_group_copy_fence({memory});
        e = async_work_group_copy(out + start, (local const int *)tmp, n, e);
        async_work_group_copy_fence({memory});
        e = async_work_group_copy(tmp, (global const int *)(out + start), n, e);
        wait_group_events(1, &e);
        out[start + get_local_id(0)] += tmp[n - 1 - get_local_id(0)];
    }}"""
    given = np.arange(70, dtype=np.int32) * 3
    out = np.zeros_like(given)
    machine.launch(machine.build(source, options).k, (70,), (35,), [out, given, cl.LocalMemory(140)])
    np.testing.assert_array_equal(out, given + given.reshape(2, 35)[:, ::-1].ravel())
