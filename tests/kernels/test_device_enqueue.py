# SPDX-License-Identifier: Apache-2.0
"""Kernels that enqueue kernels: every form of enqueue_kernel, events, what is queried of blocks, and recursion."""
import numpy as np
import pyopencl as cl
import pytest

ON_DEVICE = (cl.command_queue_properties.ON_DEVICE | cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
DEFAULT = cl.command_queue_properties.ON_DEVICE_DEFAULT
BOTH = pytest.mark.parametrize("options", ["-cl-std=CL2.0 -g", "-cl-std=CL3.0 -g"])


@pytest.fixture
def able(machine):
    if "__opencl_c_device_enqueue" not in machine.features:
        pytest.skip(f"{machine.device.name} has no queues of its own")
    return machine


def device_queue(machine, size=None, properties=0):
    sized = [] if size is None else [cl.queue_properties.SIZE, size]
    return cl.CommandQueue(machine.context, machine.device, properties=[
        cl.queue_properties.PROPERTIES, ON_DEVICE | properties, *sized, 0])


@pytest.fixture
def queue(able):
    """The default one."""
    return device_queue(able, properties=DEFAULT)


def handle(queue):
    return np.uint64(queue.int_ptr)


def run(machine, source, arrays, *args, n=1, local=None, options="-cl-std=CL3.0 -g", name="k"):
    """The arrays after a kernel with these arguments; numpy scalars go as they are."""
    got = [a.copy() for a in arrays]
    kernel = cl.Kernel(machine.build(source, options), name)
    machine.launch(kernel, (n,), local and (local,), [*got, *args])
    return got


# ---- every form

BASIC = """
kernel void k(global int *out, int n) {
    int factor = 3;
    void (^block)(void) = ^{ size_t i = get_global_id(0); out[i] = factor * i + n; };
    out[n] = enqueue_kernel(get_default_queue(), FLAGS, ndrange_1D(n), block);
}"""


@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize("flags", ["NO_WAIT", "WAIT_KERNEL", "WAIT_WORK_GROUP"])
@BOTH
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


@BOTH
def test_events_and_a_marker(machine, queue, options):
    out, = run(machine, EVENTS, [np.zeros(66, np.int32)], handle(queue), options=options)
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
    int err = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4 * n, n), 0, NULL, &event, sum, 4 * n, 8 * n);
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


@BOTH
def test_local_memory(machine, queue, options):
    n = 32
    total = sum(3 * i for i in range(n))
    out, = run(machine, LOCALS, [np.zeros(4 * n + 1, np.int32)], handle(queue), np.uint32(n), options=options)
    np.testing.assert_array_equal(out, [*[total + 1] * (4 * n), 0])
    out, = run(machine, LOCALS_WITHOUT_EVENTS, [np.zeros(4 * n + 1, np.int32)], handle(queue), np.uint32(n),
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


@pytest.mark.usefixtures("queue")
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


def test_captures(machine, queue):
    v = np.array([1, 2, 3, 4], np.float32)
    w = np.arange(16, dtype=np.int64)
    out, = run(machine, CAPTURES, [np.zeros(5)], handle(queue), v.view(cl.cltypes.float4)[0],
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


@pytest.mark.usefixtures("able")
@BOTH
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


@pytest.mark.usefixtures("queue")
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


def test_a_child_waits_for_its_parent(machine, queue):
    for local in (None, 1, 64):
        out, = run(machine, ORDER, [np.zeros(4097, np.int32)], handle(queue), n=4096, local=local)
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
def test_nested(machine, queue, depth):
    """The parent is complete when all of them are: the copy that follows it sees what the last one wrote."""
    out, = run(machine, NESTED, [np.zeros(depth + 1, np.int32)], handle(queue), np.int32(depth))
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
def test_an_event_is_of_a_child_with_its_children(machine, queue, depth):
    """"Kernel A is considered to have finished execution ... only after A and the kernels A enqueued" """
    out, = run(machine, NESTED_EVENT, [np.zeros(depth + 1, np.int32)], handle(queue), np.int32(depth))
    # what waits for a child's event runs after all that was enqueued below, but for what only waits itself
    np.testing.assert_array_equal(out, range(depth + 1, 0, -1))


USER_EVENT = """
kernel void k(global int *out, queue_t q) {
    clk_event_t mine = create_user_event();
    int err = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &mine, NULL, ^{ out[0] = out[1] + 1; });
    retain_event(mine);
    release_event(mine);
    out[1] = 41;
    err |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        set_user_event_status(mine, CL_COMPLETE); release_event(mine); });
    out[2] = err;
}"""


def test_a_user_event(machine, queue):
    out, = run(machine, USER_EVENT, [np.zeros(3, np.int32)], handle(queue))
    np.testing.assert_array_equal(out, [42, 41, 0])


FAILED = """
kernel void k(global int *out, queue_t q) {
    clk_event_t mine = create_user_event(), second;
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &mine, &second, ^{ out[0] = 1; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &second, NULL, ^{ out[1] = 1; });
    set_user_event_status(mine, -7);
    release_event(mine); release_event(second);
}"""


def test_what_waits_for_an_error_does_not_run(machine, queue):
    """"an error code ... if it or any of its child kernels encounter an error" """
    program = machine.build(FAILED, "-cl-std=CL3.0")
    out = np.zeros(2, np.int32)
    buffer = cl.Buffer(machine.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    event = program.k(machine.queue, (1,), None, buffer, handle(queue))
    with pytest.raises(cl.RuntimeError):
        event.wait()
    assert event.command_execution_status < 0
    cl.enqueue_copy(machine.queue, out, buffer)
    np.testing.assert_array_equal(out, [0, 0])


CHAIN = """
kernel void k(global int *out, queue_t q, int n) {
    clk_event_t mine = create_user_event(), last = mine;
    for (int i = 0; i < n; i++) {
        clk_event_t next;
        out[1] |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &last, &next, ^{ *out += 1; });
        release_event(last);
        last = next;
    }
    set_user_event_status(mine, STATUS);
    release_event(last);
}"""


@pytest.mark.parametrize("status", [0, -1])
def test_a_long_chain_of_events(machine, queue, status):
    n = 1000
    program = machine.build(CHAIN.replace("STATUS", str(status)).replace(
        "release_event(last);\n        last", "if (i) release_event(last);\n        last"), "-cl-std=CL3.0 -g")
    out = np.zeros(2, np.int32)
    buffer = cl.Buffer(machine.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    event = program.k(machine.queue, (1,), None, buffer, handle(queue), np.int32(n))
    if status:
        with pytest.raises(cl.RuntimeError):
            event.wait()
    cl.enqueue_copy(machine.queue, out, buffer)
    np.testing.assert_array_equal(out, [0 if status else n, 0])


# ---- errors

ERRORS = """
kernel void k(global int *err, global ulong *junk, queue_t q, int n) {
    size_t big[2] = {4, 4}, none[2] = {4, 0};
    clk_event_t event = create_user_event();
    union { ulong bits; queue_t q; } host = {junk[0]};
    ndrange_t range = ndrange_1D(4), wrong = range, huge = range;
    wrong.workDimension = 4;
    huge.globalWorkSize[0] = ~0ul;
    void (^b)(void) = ^{ junk[1] = 1; };
    #define TRY err[at++] =
    int at = 0;
    TRY enqueue_kernel(host.q, 0, range, b);
    TRY enqueue_kernel(q, 0, wrong, b);
    TRY enqueue_kernel(q, 0, huge, b);
    TRY enqueue_kernel(q, 0, ndrange_2D(big, none), b);
    TRY enqueue_kernel(q, 0, ndrange_1D(1 << 20, 1 << 20), b);
    TRY enqueue_kernel(q, 0, range, 1, NULL, NULL, b);
    TRY enqueue_kernel(q, 0, range, 0, &event, NULL, b);
    clk_event_t other = CLK_NULL_EVENT;
    TRY enqueue_kernel(q, 0, range, 1, &other, NULL, b);
    TRY enqueue_kernel(q, 0, range, ^(local void *a) { ((local int *)a)[0] = 0; }, n);
    TRY enqueue_kernel(q, 0, range, ^(local void *a) { ((local int *)a)[0] = 0; }, n + (1 << 30));
    TRY enqueue_marker(host.q, 1, &event, &other);
    TRY enqueue_marker(q, 0, &event, &other);
    TRY enqueue_marker(q, 1, NULL, &other);
    TRY enqueue_marker(q, 1, &event, NULL);
    TRY enqueue_kernel(q, 0, ndrange_1D(0), b);
    set_user_event_status(event, CL_COMPLETE);
    release_event(event);
}"""
CODES = [-102, -160, -160, -160, -160, -57, -57, -57, -51, -5, -102, -57, -57, 0, 0]


@pytest.mark.parametrize("precise", [True, False])
def test_errors(machine, queue, precise):
    junk = np.array([machine.queue.int_ptr, 0], np.uint64)
    err, junk = run(machine, ERRORS, [np.ones(len(CODES), np.int32), junk], handle(queue), np.int32(0),
                    options="-cl-std=CL3.0" + " -g" * precise)
    np.testing.assert_array_equal(err, [code if precise or not code else -101 for code in CODES])
    assert junk[1] == 0, "none of them ran"


def test_uniform_groups(machine, queue):
    source = """kernel void k(global int *err, queue_t q) {
        err[0] = enqueue_kernel(q, 0, ndrange_1D(10, 4), ^{ atomic_inc(err + 1); }); }"""
    err, = run(machine, source, [np.zeros(2, np.int32)], handle(queue))
    np.testing.assert_array_equal(err, [0, 10])
    err, = run(machine, source, [np.zeros(2, np.int32)], handle(queue),
               options="-cl-std=CL3.0 -g -cl-uniform-work-group-size")
    np.testing.assert_array_equal(err, [-160, 0])


FULL = """
kernel void k(global int *out, queue_t q, int n) {
    for (int i = 0; i < n; i++) {
        int err = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ atomic_inc(out); });
        out[err == CLK_DEVICE_QUEUE_FULL ? 1 : err == CLK_SUCCESS ? 2 : 3]++;
    }
}"""


def test_a_full_queue(able):
    """It says so, and has its room again when what was enqueued has run."""
    queue = device_queue(able, 4096)
    for _ in range(3):
        out, = run(able, FULL, [np.zeros(4, np.int32)], handle(queue), np.int32(1000))
        assert out[0] == out[2] > 10
        assert out[1] == 1000 - out[2] > 100
        assert out[3] == 0
    tiny = device_queue(able, 16)
    out, = run(able, FULL, [np.zeros(4, np.int32)], handle(tiny), np.int32(10))
    np.testing.assert_array_equal(out, [0, 10, 0, 0])


def test_no_more_events(machine, queue):
    most = machine.device.get_info(0x1052)       # CL_DEVICE_MAX_ON_DEVICE_EVENTS
    source = """kernel void k(global int *out, queue_t q, int n) {
        clk_event_t first = create_user_event(), last = first, next;
        int made = 1, err = 0;
        for (; made < n && is_valid_event(last); made++) last = create_user_event();
        out[0] = made - !is_valid_event(last);
        out[1] = enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &next, ^{ out[2] = 1; });
        out[3] = enqueue_kernel(q, 0, ndrange_1D(1), ^{ out[4] = 1; });
        release_event(first);
        out[5] = is_valid_event(create_user_event()); }"""
    context = cl.Context([machine.device])       # its events are lost
    commands = cl.CommandQueue(context)
    on_device = cl.CommandQueue(context, machine.device, properties=[cl.queue_properties.PROPERTIES, ON_DEVICE, 0])
    out = np.zeros(6, np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    cl.Program(context, source).build("-cl-std=CL3.0 -g").k(commands, (1,), None, buffer, handle(on_device),
                                                           np.int32(most + 10))
    cl.enqueue_copy(commands, out, buffer)
    np.testing.assert_array_equal(out, [most, -100, 0, 0, 1, 1])


# ---- queries, profiling

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


@BOTH
def test_queries(machine, queue, options):
    out, = run(machine, QUERIES, [np.zeros(10, np.uint32)], handle(queue), options=options)
    assert list(out[:2]) == [machine.device.max_work_group_size] * 2
    assert out[2] == out[5] > 0
    assert out[3] > 0
    assert out[4] == -(-50 // int(out[3]))


PROFILING = """
kernel void k(global ulong *out, queue_t q) {
    clk_event_t event;
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{
        for (int i = 0; i < 10000; i++) atomic_inc((volatile global int *)(out + 2));
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
            for (int i = 0; i < 10000; i++) atomic_inc((volatile global int *)(out + 3)); });
    });
    capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, out);
    release_event(event);
}"""


def test_profiling(machine, queue):
    out, = run(machine, PROFILING, [np.zeros(4, np.uint64)], handle(queue))
    assert list(out[2:]) == [10000, 10000]
    assert 0 < out[0] < out[1] < 10**10


def test_times_of_the_parent(able):
    """COMPLETE is that of the children too."""
    queue = cl.CommandQueue(able.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    program = able.build(PROFILING, "-cl-std=CL3.0 -g")
    buffer = cl.Buffer(able.context, cl.mem_flags.READ_WRITE, 32)
    on_device = device_queue(able)
    event = program.k(queue, (1,), None, buffer, handle(on_device))
    event.wait()
    assert event.profile.start <= event.profile.end <= event.profile.complete


# ---- what the host sees

def test_the_host_does_not_see_blocks(machine, queue):
    program = machine.build(EVENTS, "-cl-std=CL3.0 -g")
    assert program.num_kernels == 1
    assert program.kernel_names == "k"
    assert [kernel.function_name for kernel in program.all_kernels()] == ["k"]
    with pytest.raises(cl.LogicError):
        cl.Kernel(program, "__k_block_invoke_kernel")
    assert program.k.get_arg_info(1, cl.kernel_arg_info.TYPE_NAME) == "queue_t"
    again = cl.Program(machine.context, [machine.device], program.binaries).build()
    out = np.zeros(66, np.int32)
    machine.launch(again.k, (1,), None, [out, handle(queue)])
    np.testing.assert_array_equal(out, [*[123] * 64, 0, 1])


def test_linked_programs_with_blocks_of_one_name(machine, queue):
    """Two sources have a function of the same name with a block."""
    helper = """static int start(queue_t q, global int *out) {
        return enqueue_kernel(q, 0, ndrange_1D(1), ^{ *out += NUMBER; }); }"""
    first = helper.replace("NUMBER", "1") + "int one(queue_t q, global int *out) { return start(q, out); }"
    second = helper.replace("NUMBER", "20") + """int one(queue_t q, global int *out);
        kernel void k(global int *out, queue_t q) { out[2] = start(q, out) | one(q, out + 1); }"""
    units = [cl.Program(machine.context, text).compile("-cl-std=CL3.0") for text in (first, second)]
    program = cl.link_program(machine.context, units)
    out = np.zeros(3, np.int32)
    machine.launch(program.k, (1,), None, [out, handle(queue)])
    np.testing.assert_array_equal(out, [20, 1, 0])


def test_no_default_queue(able):
    source = """kernel void k(global int *out) {
        out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[1] = 1; }); }"""
    context = cl.Context([able.device])
    out = np.zeros(2, np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    commands = cl.CommandQueue(context)
    cl.Program(context, source).build("-cl-std=CL3.0 -g").k(commands, (1,), None, buffer)
    cl.enqueue_copy(commands, out, buffer)
    np.testing.assert_array_equal(out, [-102, 0])


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


@pytest.mark.usefixtures("queue")
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


@pytest.mark.usefixtures("queue")
def test_search(machine):
    data = np.arange(0, 300000, 3, dtype=np.int32)
    for at in (0, 1, 77777, len(data) - 1):
        _, found = run(machine, SEARCH, [data, np.array([-1], np.int32)], data[at], np.int32(len(data)), n=16)
        assert found[0] == at
