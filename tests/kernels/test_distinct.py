# SPDX-License-Identifier: Apache-2.0
"""Arguments that have memory in common: each launch does what the source says, whatever the code takes for granted when
they have none. Each work-item reads and writes places of its own, in order, so that there is one right result."""
import numpy as np
import pyopencl as cl
import pytest

ITEMS, ROW = 64, 32          # a row of ints is as far apart as sub-buffers may begin
SOURCE = f"""
kernel void sums(global int *c, global int *a, global int *x, int n) {{
    int i = get_global_id(0) * {ROW};
    for (int j = 0; j < n; ++j)
        c[i] += a[i + (j + 1) % n] * 3 + x[i + j];
}}
kernel void shifts(global int *c, global const int *a, int n) {{
    int i = get_global_id(0) * {ROW};
    for (int j = 0; j + 1 < n; ++j)
        c[i + j + 1] = a[i + j] + c[i + j + 1] * 2;
}}
kernel void nested(global int *c, global int *a, int n) {{
    int i = get_global_id(0) * {ROW};
    for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
            c[i + j] += a[i + k] ^ (j * n + k);
}}
kernel void waits(global int *c, global int *a, local int *t, int n) {{
    int i = get_global_id(0) * {ROW}, l = get_local_id(0);
    for (int k = 0; k < 3; ++k) {{
        t[l] = a[i + k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < n; ++j)
            c[i] += a[i + (j + 1) % n] + t[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }}
}}
kernel void chosen(global int *c, global int *a, global int *b, int n) {{
    int i = get_global_id(0) * {ROW};
    global int *p = i & 64 ? a : b;
    for (int j = 0; j < n; ++j)
        c[i] += p[i + (j + 1) % n];
}}
"""
N = 13


def wrap(value):
    return int(np.int64(value).astype(np.int32))


def sums(m, item, c, a, x):
    for j in range(N):
        m[c] = wrap(int(m[c]) + int(m[a + (j + 1) % N]) * 3 + int(m[x + j]))


def shifts(m, item, c, a):
    for j in range(N - 1):
        m[c + j + 1] = wrap(int(m[a + j]) + int(m[c + j + 1]) * 2)


def nested(m, item, c, a):
    for j in range(N):
        for k in range(N):
            m[c + j] = wrap(int(m[c + j]) + (int(m[a + k]) ^ (j * N + k)))


def waits(m, item, c, a):
    for k in range(3):
        t = int(m[a + k])
        for j in range(N):
            m[c] = wrap(int(m[c]) + int(m[a + (j + 1) % N]) + t)


def chosen(m, item, c, a, b):
    p = a if item * ROW & 64 else b
    for j in range(N):
        m[c] = wrap(int(m[c]) + int(m[p + (j + 1) % N]))


BODIES = {f.__name__: f for f in (sums, shifts, nested, waits, chosen)}
POINTERS = {"sums": 3, "shifts": 2, "nested": 2, "waits": 2, "chosen": 3}
BYTES = ITEMS * ROW * 4
# Where the arguments begin, in rows of one memory of three times as many; those of a name lie in different places.
PLACES = {"apart": (0, ITEMS, 2 * ITEMS), "all the same": (0, 0, 0), "two the same": (ITEMS, ITEMS, 0),
          "written apart, read the same": (0, ITEMS, ITEMS), "the last the same": (0, ITEMS, 0)}


def memory():
    return np.random.default_rng(5).integers(-9, 9, 3 * ITEMS * ROW, dtype=np.int32)


def expected(name, start, places):
    m = start.copy()
    for item in range(ITEMS):
        BODIES[name](m, item, *[(place + item) * ROW for place in places[:POINTERS[name]]])
    return m


def launch(machine, name, pointers):
    kernel = cl.Kernel(machine.build(SOURCE), name)
    more = [cl.LocalMemory(4 * 16)] if name == "waits" else []
    kernel.set_args(*pointers[:POINTERS[name]], *more, np.int32(N))
    cl.enqueue_nd_range_kernel(machine.queue, kernel, (ITEMS,), (16,))
    machine.queue.finish()


def as_sub_buffers(machine, start, places):
    whole = cl.Buffer(machine.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=start)
    return [whole.get_sub_region(place * ROW * 4, BYTES) for place in places], \
        lambda out: cl.enqueue_copy(machine.queue, out, whole)


def as_host_memory(machine, start, places):
    whole = start.copy()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    parts = [cl.Buffer(machine.context, flags, hostbuf=whole[place * ROW:][:ITEMS * ROW]) for place in places]

    def read(out):
        for place, part in zip(places, parts, strict=True):
            cl.enqueue_copy(machine.queue, out[place * ROW:][:ITEMS * ROW], part)
    return parts, read


def as_svm(machine, start, places):
    whole = cl.csvm_empty(machine.context, start.shape, start.dtype)
    with cl.SVM(whole).map_rw(machine.queue) as mapped:
        mapped[:] = start

    def read(out):
        with cl.SVM(whole).map_ro(machine.queue) as mapped:
            out[:] = mapped
    return [cl.SVM(whole[place * ROW:]) for place in places], read


def as_plain_memory(machine, start, places):
    """The host's own, of which nobody has told."""
    whole = start.copy()

    def read(out):
        out[:] = whole
    return [cl.SVM(whole[place * ROW:]) for place in places], read


HOW = {"sub-buffers": as_sub_buffers, "the host's memory": as_host_memory, "shared memory": as_svm,
       "memory of the system": as_plain_memory}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", BODIES)
def test_memory_in_common(machine, name, how):
    """One kernel object for all of it: launches with and without memory in common take turns."""
    if machine.is_model and how != "sub-buffers":
        pytest.skip("memory of the host's")
    for where in [*PLACES, "apart", "two the same"]:
        start = memory()
        want = expected(name, start, PLACES[where])
        pointers, read = HOW[how](machine, start, PLACES[where])
        launch(machine, name, pointers)
        got = start.copy()
        read(got)
        np.testing.assert_array_equal(got, want, err_msg=where)


def test_a_row_in_common(machine):
    """Sub-buffers that overlap in part: an item reads what it or one before it has written; so there is one item."""
    for shift in (0, 1, 2):
        start = memory()
        whole = cl.Buffer(machine.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=start)
        c = whole.get_sub_region(shift * ROW * 4, 2 * ROW * 4)
        a = whole.get_sub_region(0, 2 * ROW * 4)
        kernel = cl.Kernel(machine.build(SOURCE), "shifts")
        kernel.set_args(c, a, np.int32(2 * ROW))
        cl.enqueue_nd_range_kernel(machine.queue, kernel, (1,), (1,))
        got = np.empty_like(start)
        cl.enqueue_copy(machine.queue, got, whole)
        want = start.copy()
        for j in range(2 * ROW - 1):
            want[shift * ROW + j + 1] = wrap(int(want[j]) + int(want[shift * ROW + j + 1]) * 2)
        np.testing.assert_array_equal(got, want)


EXCHANGE = """
kernel void k(global int *restrict data, global int *restrict out) {
    int i = get_local_id(0), x = data[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i + 1] = x * 3;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = data[i] + x;
}"""


def test_restrict_says_nothing_across_a_barrier(machine):
    """What is read behind the barrier is what the neighbour has written there."""
    data, out = np.arange(65, dtype=np.int32), np.zeros(64, np.int32)
    machine.launch(cl.Kernel(machine.build(EXCHANGE), "k"), (64,), (64,), [data, out])
    before = np.arange(64)
    np.testing.assert_array_equal(out, np.concatenate([[0], before[:-1] * 3]) + before)


WAITING = """
kernel void k(global int *restrict data, global int *restrict out) {
    int i = get_global_id(0);
    global int *kept = data + data[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i] = 5;
    *kept += i;
    out[i] = data[i];
}"""


@pytest.mark.parametrize("options", ["", "-cl-opt-disable"])
def test_an_address_that_waits_at_a_barrier_is_still_of_its_argument(machine, options):
    """It is made of the argument before the barrier and used behind it, beside one that is made there."""
    data, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    machine.launch(cl.Kernel(machine.build(WAITING, options), "k"), (64,), (16,), [data, out])
    np.testing.assert_array_equal(out, np.arange(64) + 5)
