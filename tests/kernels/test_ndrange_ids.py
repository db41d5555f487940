# SPDX-License-Identifier: Apache-2.0
"""The shape of a launch as its work-items see it: ids, sizes, offsets, in one to three dimensions."""
from math import prod

import numpy as np
import pyopencl as cl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from .spmd import three

QUERIES = ("global_id", "local_id", "group_id", "global_size", "local_size", "num_groups", "global_offset")
SOURCE = """
kernel void k(global ulong *out) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2);
  global ulong *to = out + ((z * get_global_size(1) + y) * get_global_size(0) + x) * %d;
%s  *to++ = get_work_dim();
  for (uint d = 0; d < 3; d++) *to++ = get_global_id(d);
  *to++ = get_global_id(3) + get_local_id(7) + get_group_id(3) + get_global_offset(4);
  *to++ = get_global_size(3) * get_local_size(9) * get_num_groups(3);
#if __OPENCL_C_VERSION__ >= 200
  *to++ = get_global_linear_id();
  *to++ = get_local_linear_id();
  for (uint d = 0; d < 3; d++) *to++ = get_enqueued_local_size(d);
#endif
}
"""
PER_ITEM = len(QUERIES) * 3 + 6 + 5
TEXT = SOURCE % (PER_ITEM, "".join(f"  *to++ = get_{query}({d});\n" for query in QUERIES for d in range(3)))


def body(dim, is_2):
    def work_item(item, _, out):
        x, y, z = (item.global_id(d) - item.global_offset(d) for d in range(3))
        at = ((z * item.global_size(1) + y) * item.global_size(0) + x) * PER_ITEM
        row = [getattr(item, query)(d) for query in QUERIES for d in range(3)]
        row += [dim, *(item.global_id(d) for d in range(3)), 0, 1]
        if is_2:
            row += [item.global_linear_id(), item.local_linear_id(), *(item.enqueued_local_size(d) for d in range(3))]
        out[at:at + len(row)] = row
    return work_item


def check(machine, shape, local, offset, options):
    offset = tuple(min(first, (1 << machine.id_bits) - 100) for first in offset)
    out = np.zeros(int(np.prod(shape)) * PER_ITEM, np.uint64)
    machine.check(TEXT, body(len(shape), "CL2" in options or "CL3" in options), shape, local, [out], options=options,
                  offset=offset)


@pytest.mark.parametrize("options", ["-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"])
@pytest.mark.parametrize(("shape", "local", "offset"), [
    ((1,), (1,), (0,)), ((64,), (16,), ()), ((64,), (1,), (5,)), ((8, 6), (4, 3), ()), ((8, 6), (1, 6), (100, 3)),
    ((4, 6, 10), (2, 3, 5), (1, 2, 3)), ((3, 1, 5), (3, 1, 1), ()), ((1, 1, 9), (1, 1, 9), (0, 0, 2**40)),
])
def test_uniform_groups(machine, shape, local, offset, options):
    check(machine, shape, local, offset, options)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_groups_of_any_size(machine, data):
    shape = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    local = [data.draw(st.integers(1, 10)) for _ in shape]
    assume(prod(local) <= machine.device.max_work_group_size)
    offset = [data.draw(st.integers(0, 2**34)) for _ in shape]
    check(machine, tuple(shape), tuple(local), tuple(offset), "-cl-std=CL2.0")


LOCAL_SIZE = """kernel void k(global ulong *out) {
  size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
  out[at] = get_local_size(0) | get_local_size(1) << 20 | get_local_size(2) << 40;
}"""


@pytest.mark.parametrize("shape", [(1,), (7,), (1024,), (1000003,), (4096 * 16,), (6 * 7 * 11 * 13,), (640, 480),
                                   (1, 777), (17, 5, 3), (64, 64, 64)], ids=str)
def test_the_choice_of_a_size_is_uniform(machine, shape):
    """Without a local size a program before OpenCL C 2.0 gets groups of one size, which divides the range."""
    out = np.zeros(int(np.prod(shape)), np.uint64)
    kernel = cl.Kernel(machine.build(LOCAL_SIZE), "k")
    machine.launch(kernel, shape, None, [out])
    assert len(set(out.tolist())) == 1
    size = [int(out[0]) >> shift & 0xfffff for shift in (0, 20, 40)]
    assert all(n % s == 0 for n, s in zip(three(shape, 1), size, strict=True))
    most = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, machine.device)
    assert np.prod(size) <= most


@pytest.mark.parametrize("shape", [(1,), (1000003,), (641, 479), (17, 5, 3)], ids=str)
def test_the_choice_of_a_size_for_groups_of_any_size(machine, shape):
    """Every work-item runs; all but the last group of a dimension have the same size."""
    out = np.zeros(int(np.prod(shape)), np.uint64)
    machine.launch(cl.Kernel(machine.build(LOCAL_SIZE, "-cl-std=CL2.0"), "k"), shape, None, [out])
    assert (out != 0).all()
    for d, shift in enumerate((0, 20, 40)):
        widths = np.unique(out >> np.uint64(shift) & np.uint64(0xfffff))
        n = three(shape, 1)[d]
        assert len(widths) <= 2
        assert n % int(widths.max()) in (0, int(widths.min()) % int(widths.max()))


def test_required_size(machine):
    program = machine.build("""kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int *out) {
        out[get_global_id(1) * 8 + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1); }""")
    out = np.zeros(32, np.int32)
    machine.launch(cl.Kernel(program, "k"), (8, 4), None, [out])
    assert (out == 42).all()
    with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
        machine.launch(cl.Kernel(program, "k"), (8, 4), (2, 4), [out])
    with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
        machine.launch(cl.Kernel(program, "k"), (6, 4), None, [out])


@pytest.mark.parametrize("shape", [(0,), (5, 0), (0, 0, 3)])
def test_an_empty_range_runs_nothing(machine, shape):
    out = np.full(4, 7, np.int32)
    program = machine.build("kernel void k(global int *out) { out[0] = 1; }")
    machine.launch(cl.Kernel(program, "k"), shape, None, [out])
    assert (out == 7).all()


def test_ids_beyond_32_bits(machine):
    if machine.id_bits == 32:
        pytest.skip(f"ids of {machine.device.name} have 32 bits (docs/gpu.md)")
    source = "kernel void k(global ulong *out) { if ((get_global_id(0) & 15) == 7) out[0] = get_global_id(0); }"
    out = np.zeros(1, np.uint64)
    machine.launch(cl.Kernel(machine.build(source), "k"), (16,), None, [out], offset=(0x100000000,))
    assert out[0] == 0x100000007


@pytest.mark.parametrize("name", ["struct", "vectors", "small"])
def test_arguments_by_value(machine, name):
    source = {
        "struct": "typedef struct { char c; double d; short s[3]; } t; kernel void k(global double *o, t a, int b)"
                  "{ o[get_global_id(0)] = a.c + a.d + a.s[2] + b; }",
        "vectors": "kernel void k(global double *o, float4 a, char3 b, double16 c)"
                   "{ o[get_global_id(0)] = a.y + b.z + c.sf; }",
        "small": "kernel void k(global double *o, char a, ushort b, ulong c)"
                 "{ o[get_global_id(0)] = a + b + c; }",
    }[name]
    record = np.zeros((), np.dtype([("c", "i1"), ("d", "f8"), ("s", "i2", 3)], align=True))
    record["c"], record["d"], record["s"] = -3, 0.5, (1, 2, 3000)
    args = {"struct": [record, np.int32(100000)],
            "vectors": [np.array([1, 2, 3, 4], np.float32).tobytes(), np.array([5, 6, 7, 0], np.int8).tobytes(),
                        np.arange(16.0).tobytes()],
            "small": [np.int8(-7), np.uint16(65535), np.uint64(2**40)]}[name]
    expected = {"struct": -3 + 0.5 + 3000 + 100000, "vectors": 2 + 7 + 15.0, "small": -7 + 65535 + 2.0**40}[name]
    out = np.zeros(5)
    buffer = cl.Buffer(machine.context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    kernel = cl.Kernel(machine.build(source), "k")
    for index, value in enumerate([buffer, *args]):
        kernel.set_arg(index, value)
    cl.enqueue_nd_range_kernel(machine.queue, kernel, (5,), None)
    cl.enqueue_copy(machine.queue, out, buffer)
    assert (out == expected).all()
