# SPDX-License-Identifier: Apache-2.0
"""Groups that are whole vectors of work-items and groups that are not: the same kernel objects run all of them, though
code is made for the first alone before others come (core/versions.pyx)."""
import numpy as np
import pyopencl as cl
import pytest

SOURCE = """
kernel void below(global int *a, int n, global const int *b) {
    int i = get_global_id(0), j = get_global_id(1), w = get_global_size(0);
    if (b[i] < n)
        a[j * w + i] = b[i] * 3 + j;
}
kernel void sums(global int *a, local int *l) {
    int i = get_global_id(0), t = get_local_id(0);
    l[t] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < get_local_size(0); d *= 2) {
        int v = t >= d ? l[t - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        l[t] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = l[t];
}
kernel void far(global uint *a, ulong from) {
    a[get_global_id(0) - from] = (uint)get_global_id(0) * 2 + 1;
}
kernel void columns(global float *a, local float *l) {
    int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), h = get_local_size(1);
    l[x * h + y] = a[get_global_id(1) * get_global_size(0) + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(1) * get_global_size(0) + get_global_id(0)] = l[x * h + y] + l[(w - 1 - x) * h + y];
}
"""


@pytest.fixture(params=["", "-cl-std=CL3.0"], ids=["1.2", "3.0"])
def kernels(machine, request):
    return {kernel.function_name: kernel for kernel in machine.build(SOURCE, request.param).all_kernels()}


def test_any_range(machine, kernels):
    for size, group in [((64, 4), (16, 2)), ((60, 3), None), ((7, 7), None), ((64, 4), None), ((1, 5), (1, 1)),
                        ((48, 3), (24, 1)), ((100, 3), (10, 3)), ((33, 1), (11, 1)), ((64, 4), (32, 4))]:
        b, a = np.arange(size[0], dtype=np.int32) * 7 % 23, np.zeros(size[::-1], np.int32)
        machine.launch(kernels["below"], size, group, [a, np.int32(12), b])
        np.testing.assert_array_equal(a, np.where(b < 12, b * 3 + np.arange(size[1])[:, None], 0), err_msg=str(size))


def test_barriers_in_any_group(machine, kernels):
    for size, group in [(64, 16), (60, 20), (7, 7), (5, 1), (48, 24), (1024, 64)]:
        a = np.arange(size, dtype=np.int32)
        want = np.cumsum(a.reshape(-1, group), axis=1).ravel()
        machine.launch(kernels["sums"], (size,), (group,), [a, cl.LocalMemory(4 * group)])
        np.testing.assert_array_equal(a, want, err_msg=str((size, group)))


def test_groups_in_two_dimensions(machine, kernels):
    for group in [(16, 4), (4, 16), (16, 16), (3, 5), (32, 1), (1, 32)]:
        width, height = group[0] * 2, group[1] * 2
        a = np.arange(width * height, dtype=np.float32).reshape(height, width)
        mirrored = a.reshape(height, 2, group[0])[:, :, ::-1].reshape(height, width)
        want = a + mirrored
        machine.launch(kernels["columns"], (width, height), group, [a, cl.LocalMemory(4 * group[0] * group[1])])
        np.testing.assert_array_equal(a, want, err_msg=str(group))


@pytest.mark.parametrize("start", [0, (1 << 31) - 96, (1 << 31) - 64, (1 << 32) - 64, (1 << 40) + 3])
def test_ids_that_do_not_fit_into_31_bits(machine, kernels, start):
    a = np.zeros(128, np.uint32)
    kernel, memory = kernels["far"], cl.Buffer(machine.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
    kernel.set_args(memory, np.uint64(start))
    cl.enqueue_nd_range_kernel(machine.queue, kernel, (128,), (64,), (start,))
    cl.enqueue_copy(machine.queue, a, memory)
    np.testing.assert_array_equal(a, (np.arange(start, start + 128, dtype=np.uint64) * 2 + 1).astype(np.uint32))


SHORT_ROWS = "".join(f"""
kernel __attribute__((reqd_work_group_size({n}, 1, 1))) void line{n}(global int *a) {{
    a[get_group_id(0) * {n} + get_local_id(0)] += get_local_id(0);
}}
""" for n in (4, 8, 16))


def test_groups_of_one_or_two_vectors(machine):
    """Code that is made again is for one row of a group, which is no loop where it is of two vectors at most."""
    program = machine.build(SHORT_ROWS)
    for n in (4, 8, 16):
        a = np.arange(64, dtype=np.int32)
        machine.launch(getattr(program, f"line{n}"), (64,), (n,), [a])
        assert (a == np.arange(64) + np.arange(64) % n).all(), n
