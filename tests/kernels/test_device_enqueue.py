# SPDX-License-Identifier: Apache-2.0
"""Kernels that enqueue kernels: every form of enqueue_kernel, the order, what is asked of blocks, and recursion."""
import numpy as np
import pyopencl as cl
import pytest

from .device_queues import LANGUAGES, handle, run

# ---- every form

BASIC = """
kernel void k(global int *out, int n) {
    int factor = 3;
    void (^block)(void) = ^{ size_t i = get_global_id(0); out[i] = factor * i + n; };
    out[n] = enqueue_kernel(get_default_queue(), FLAGS, ndrange_1D(n), block);
}"""


@pytest.mark.usefixtures("device_queue")
@pytest.mark.parametrize("flags", ["NO_WAIT", "WAIT_KERNEL", "WAIT_WORK_GROUP"])
@LANGUAGES
def test_basic(machine, flags, options):
    n = 1000
    source = BASIC.replace("FLAGS", "CLK_ENQUEUE_FLAGS_" + flags)
    out, = run(machine, source, [np.full(n + 1, -1, np.int32)], np.int32(n), options=options)
    np.testing.assert_array_equal(out, [*(3 * i + n for i in range(n)), 0])


EVENTS = """
kernel void k(global int *out, queue_t q) {
    clk_event_t first, second, both[2], marker;
    int err = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), 0, NULL, &first,
                             ^{ out[get_global_id(0)] = 1; });
    err |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), 1, &first, &second,
                          ^{ out[get_global_id(0)] = out[get_global_id(0)] * 10 + 2; });
    both[0] = first; both[1] = second;
    err |= enqueue_marker(q, 2, both, &marker);
    err |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64), 1, &marker, NULL,
                          ^{ out[get_global_id(0)] = out[get_global_id(0)] * 10 + 3; });
    out[64] = err;
    out[65] = is_valid_event(first) && is_valid_event(marker) && !is_valid_event(CLK_NULL_EVENT);
    release_event(first); release_event(second); release_event(marker);
}"""


@LANGUAGES
def test_events_and_a_marker(machine, device_queue, options):
    out, = run(machine, EVENTS, [np.zeros(66, np.int32)], handle(device_queue), options=options)
    np.testing.assert_array_equal(out, [*[123] * 64, 0, 1])


LOCALS = """
kernel void k(global int *out, queue_t q, uint n) {
    clk_event_t event;
    void (^sum)(local void *, local void *) = ^(local void *a, local void *b) {
        size_t i = get_local_id(0), n = get_local_size(0);
        local int *x = a; local long *y = b;
        x[i] = i; y[i] = 2 * i;
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        int total = 0;
        for (size_t j = 0; j < n; j++) total += x[j] + (int)y[j];
        out[get_global_id(0)] += total;
    };
    ndrange_t range = ndrange_1D(4 * n, n);
    int err = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, range, 0, NULL, &event, sum, 4 * n, 8 * n);
    err |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4 * n, n), 1, &event, NULL,
                          ^(local void *a) { ((local uchar *)a)[get_local_id(0)] = 1;
                                             work_group_barrier(CLK_LOCAL_MEM_FENCE);
                                             out[get_global_id(0)] += ((local uchar *)a)[n - 1]; }, n);
    release_event(event);
    out[4 * n] = err;
}"""
LOCALS_WITHOUT_EVENTS = """
kernel void k(global int *out, queue_t q, uint n) {
    out[4 * n] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4 * n, n), ^(local void *a) {
        local int *x = a;
        x[get_local_id(0)] = get_local_id(0);
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = x[n - 1 - get_local_id(0)];
    }, 4 * n);
}"""


@LANGUAGES
def test_local_memory(machine, device_queue, options):
    n = 32
    total = sum(3 * i for i in range(n))
    out, = run(machine, LOCALS, [np.zeros(4 * n + 1, np.int32)], handle(device_queue), np.uint32(n), options=options)
    np.testing.assert_array_equal(out, [*[total + 1] * (4 * n), 0])
    out, = run(machine, LOCALS_WITHOUT_EVENTS, [np.zeros(4 * n + 1, np.int32)], handle(device_queue), np.uint32(n),
               options=options)
    np.testing.assert_array_equal(out, [*list(range(n - 1, -1, -1)) * 4, 0])


RANGES = """
#define RECORD(base, dims) ^{ \\
    size_t at = 0; \\
    for (int d = dims - 1; d >= 0; d--) at = at * get_global_size(d) + get_global_id(d) - get_global_offset(d); \\
    out[base + at] = get_work_dim() * 1000000 + get_global_offset(0) * 100000 + get_global_id(0) * 10000 \\
        + get_global_id(1) * 1000 + get_global_id(2) * 100 + get_enqueued_local_size(LOCAL); }
kernel void k(global int *out, global int *err) {
    size_t size[3] = {4, 3, 2}, group[3] = {2, 3, 1}, offset[3] = {1, 2, 3};
    queue_t q = get_default_queue();
    #define LOCAL 3
    err[0] = enqueue_kernel(q, 0, ndrange_1D(4), RECORD(0, 1));
    err[1] = enqueue_kernel(q, 0, ndrange_2D(size), RECORD(100, 2));
    err[2] = enqueue_kernel(q, 0, ndrange_3D(size), RECORD(200, 3));
    #undef LOCAL
    #define LOCAL 0
    err[3] = enqueue_kernel(q, 0, ndrange_1D(4, 2), RECORD(300, 1));
    err[4] = enqueue_kernel(q, 0, ndrange_2D(size, group), RECORD(400, 2));
    err[5] = enqueue_kernel(q, 0, ndrange_3D(size, group), RECORD(500, 3));
    err[6] = enqueue_kernel(q, 0, ndrange_1D(1, 4, 2), RECORD(600, 1));
    err[7] = enqueue_kernel(q, 0, ndrange_2D(offset, size, group), RECORD(700, 2));
    err[8] = enqueue_kernel(q, 0, ndrange_3D(offset, size, group), RECORD(800, 3));
}"""


def recorded(dims, offset, local):
    """What RECORD leaves, as {place: number}."""
    sizes = [(4, 3, 2)[d] if d < dims else 1 for d in range(3)]
    offsets = [((1, 2, 3)[d] if offset else 0) if d < dims else 0 for d in range(3)]
    for z in range(sizes[2]):
        for y in range(sizes[1]):
            for x in range(sizes[0]):
                at = (z * sizes[1] + y) * sizes[0] + x
                ids = [i + o for i, o in zip((x, y, z), offsets, strict=True)]
                yield at, (dims * 1000000 + offsets[0] * 100000 + ids[0] * 10000 + ids[1] * 1000 + ids[2] * 100 + local)


@pytest.mark.usefixtures("device_queue")
def test_ranges(machine):
    out, err = run(machine, RANGES, [np.zeros(900, np.int32), np.full(9, -1, np.int32)])
    expected = np.zeros(900, np.int32)
    for case in range(9):
        for at, number in recorded(case % 3 + 1, case > 5, 2 if case > 2 else 1):
            expected[100 * case + at] = number
    np.testing.assert_array_equal(err, np.zeros(9))
    np.testing.assert_array_equal(out, expected)


CAPTURES = """
typedef struct { char a; double b; int c[5]; } mixed;
constant int table[4] = {5, 6, 7, 8};
kernel void k(global double *out, queue_t q, float4 v, long16 w) {
    mixed m = {1, 2.5, {3, 4, 5, 6, 7}};
    private int x = 9;
    global double *where = out + 1;
    int err = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{
        size_t i = get_global_id(0);
        where[i] = m.a + m.b + m.c[i] + v.w + w.sf + x + table[i]; });
    x = 1000; m.c[0] = 1000;      // what was captured stays
    *out = err;
}"""


def test_captures(machine, device_queue):
    v = np.array([1, 2, 3, 4], np.float32)
    w = np.arange(16, dtype=np.int64)
    out, = run(machine, CAPTURES, [np.zeros(5)], handle(device_queue), v.view(cl.cltypes.float4)[0],
               w.view(cl.cltypes.long16)[0])
    np.testing.assert_array_equal(out, [0, *(1 + 2.5 + 3 + i + 4 + 15 + 9 + 5 + i for i in range(4))])


CALLED = """
void (^const twice)(global int *) = ^(global int *p) { *p *= 2; };
kernel void k(global int *out) {
    int (^add)(int, int) = ^(int a, int b) { return a + b + (int)get_global_id(0); };
    size_t i = get_global_id(0);
    out[i] = add(out[i], 1);
    twice(out + i);
}"""


@pytest.mark.usefixtures("able_to_enqueue")
@LANGUAGES
def test_blocks_that_are_called(machine, options):
    out, = run(machine, CALLED, [np.arange(100, dtype=np.int32)], n=100, options=options)
    np.testing.assert_array_equal(out, [2 * (2 * i + 1) for i in range(100)])


EVERY_ITEM = """
kernel void k(global int *out, global int *err) {
    size_t i = get_global_id(0);
    if (i % 3) return;
    err[i] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8), ^{
        atomic_add(out + i, (int)get_global_id(0) + 1); });
}"""


@pytest.mark.usefixtures("device_queue")
@pytest.mark.parametrize("local", [None, 1, 16])
def test_every_work_item_enqueues(machine, local):
    n = 960
    out, err = run(machine, EVERY_ITEM, [np.zeros(n, np.int32), np.zeros(n, np.int32)], n=n, local=local)
    np.testing.assert_array_equal(err, np.zeros(n))
    np.testing.assert_array_equal(out, [36 * (i % 3 == 0) for i in range(n)])


# ---- order

ORDER = """
kernel void k(global int *out, queue_t q) {
    size_t i = get_global_id(0);
    if (i == 0)
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            int sum = 0;
            for (int j = 0; j < 4096; j++) sum += out[j];
            out[4096] = sum; });
    out[i] = 1;
}"""


def test_a_child_waits_for_its_parent(machine, device_queue):
    for local in (None, 1, 64):
        out, = run(machine, ORDER, [np.zeros(4097, np.int32)], handle(device_queue), n=4096, local=local)
        assert out[4096] == 4096


NESTED = """
void descend(queue_t q, global int *out, int depth, int most) {
    out[depth] = depth + 1;
    if (depth + 1 < most) {
        void (^next)(void) = ^{ descend(q, out, depth + 1, most); };
        if (enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), next)) out[most] = depth;
    }
}
kernel void k(global int *out, queue_t q, int most) { descend(q, out, 0, most); }"""


@pytest.mark.parametrize("depth", [2, 100, 20000])
def test_nested(machine, device_queue, depth):
    """The parent is complete when all of them are: the copy that follows it sees what the last one wrote."""
    out, = run(machine, NESTED, [np.zeros(depth + 1, np.int32)], handle(device_queue), np.int32(depth))
    np.testing.assert_array_equal(out, [*range(1, depth + 1), 0])


NESTED_EVENT = """
void descend(queue_t q, global int *out, int depth, int most) {
    clk_event_t below;
    if (depth == most) { out[depth] = 1; return; }
    void (^next)(void) = ^{ descend(q, out, depth + 1, most); };
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &below, next);
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &below, NULL,
                   ^{ out[depth] = out[depth + 1] + 1; });
    release_event(below);
}
kernel void k(global int *out, queue_t q, int most) { descend(q, out, 0, most); }"""


@pytest.mark.parametrize("depth", [1, 40])
def test_an_event_is_of_a_child_with_its_children(machine, device_queue, depth):
    """"Kernel A is considered to have finished execution ... only after A and the kernels A enqueued" """
    out, = run(machine, NESTED_EVENT, [np.zeros(depth + 1, np.int32)], handle(device_queue), np.int32(depth))
    # what waits for a child's event runs after all that was enqueued below, but for what only waits itself
    np.testing.assert_array_equal(out, range(depth + 1, 0, -1))


# ---- queries

QUERIES = """
kernel void k(global uint *out, queue_t q) {
    ndrange_t range = ndrange_1D(100, 50);
    void (^plain)(void) = ^{ out[9] = 1; };
    out[0] = get_kernel_work_group_size(plain);
    out[1] = get_kernel_work_group_size(^(local void *a) { ((local int *)a)[0] = out[9]; });
    out[2] = get_kernel_preferred_work_group_size_multiple(plain);
    out[3] = get_kernel_max_sub_group_size_for_ndrange(range, plain);
    out[4] = get_kernel_sub_group_count_for_ndrange(range, plain);
    out[5] = get_kernel_preferred_work_group_size_multiple(^(local void *a) { ((local int *)a)[0] = out[9]; });
}"""


@LANGUAGES
def test_queries(machine, device_queue, options):
    out, = run(machine, QUERIES, [np.zeros(10, np.uint32)], handle(device_queue), options=options)
    assert list(out[:2]) == [machine.device.max_work_group_size] * 2
    assert out[2] == out[5] > 0
    assert out[3] > 0
    assert out[4] == -(-50 // int(out[3]))


# ---- algorithms

QUICKSORT = """
void sort(global int *a, int from, int to) {
    while (to - from > 64) {
        int pivot = a[from + (to - from) / 2], i = from, j = to;
        while (i <= j) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }
        }
        int low = from;
        from = i;
        if (low < j) {
            void (^left)(void) = ^{ sort(a, low, j); };
            if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), left)) return;
        }
    }
    for (int i = from + 1; i <= to; i++) {
        int x = a[i], j = i;
        for (; j > from && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}
kernel void k(global int *a, int n) { sort(a, 0, n - 1); }"""


@pytest.mark.usefixtures("device_queue")
def test_quicksort(machine):
    data = np.random.default_rng(7).integers(-10**9, 10**9, 200000, dtype=np.int32)
    out, = run(machine, QUICKSORT, [data], np.int32(len(data)))
    np.testing.assert_array_equal(out, np.sort(data))


SEARCH = """
void search(global const int *a, global int *found, int key, int from, int n, int parts) {
    size_t i = get_global_id(0);
    int part = (n + parts - 1) / parts, low = from + (int)i * part, high = min(low + part, from + n);
    if (low >= high || a[low] > key || a[high - 1] < key) return;
    if (part == 1) { *found = low; return; }
    void (^deeper)(void) = ^{ search(a, found, key, low, high - low, parts); };
    if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(parts), deeper)) *found = -2;
}
kernel void k(global const int *a, global int *found, int key, int n) { search(a, found, key, 0, n, 16); }"""


@pytest.mark.usefixtures("device_queue")
def test_search(machine):
    data = np.arange(0, 300000, 3, dtype=np.int32)
    for at in (0, 1, 77777, len(data) - 1):
        _, found = run(machine, SEARCH, [data, np.array([-1], np.int32)], data[at], np.int32(len(data)), n=16)
        assert found[0] == at
