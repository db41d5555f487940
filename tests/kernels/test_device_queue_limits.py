# SPDX-License-Identifier: Apache-2.0
"""Kernels that enqueue kernels: what is refused, and how; what the host sees of it."""
import numpy as np
import pyopencl as cl
import pytest

from .device_queues import handle, new_queue, run

QUEUE_SIZE = 0x1094                          # CL_QUEUE_SIZE, which pyopencl does not have

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
def test_errors(machine, device_queue, precise):
    junk = np.array([machine.queue.int_ptr, 0], np.uint64)
    err, junk = run(machine, ERRORS, [np.ones(len(CODES), np.int32), junk], handle(device_queue), np.int32(0),
                    options="-cl-std=CL3.0" + " -g" * precise)
    np.testing.assert_array_equal(err, [code if precise or not code else -101 for code in CODES])
    assert junk[1] == 0, "none of them ran"


def test_uniform_groups(machine, device_queue):
    source = """kernel void k(global int *err, queue_t q) {
        err[0] = enqueue_kernel(q, 0, ndrange_1D(10, 4), ^{ atomic_inc(err + 1); }); }"""
    err, = run(machine, source, [np.zeros(2, np.int32)], handle(device_queue))
    np.testing.assert_array_equal(err, [0, 10])
    err, = run(machine, source, [np.zeros(2, np.int32)], handle(device_queue),
               options="-cl-std=CL3.0 -g -cl-uniform-work-group-size")
    np.testing.assert_array_equal(err, [-160, 0])


FULL = """
kernel void k(global int *out, queue_t q, int n) {
    for (int i = 0; i < n; i++) {
        int err = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ atomic_inc(out); });
        out[err == CLK_DEVICE_QUEUE_FULL ? 1 : err == CLK_SUCCESS ? 2 : 3]++;
    }
}"""


def test_a_full_queue(machine, device_queue):
    """It says so, and has its room again when what was enqueued has run."""
    queue = new_queue(machine, 4096)
    for _ in range(3):
        out, = run(machine, FULL, [np.zeros(4, np.int32)], handle(queue), np.int32(1000))
        assert out[0] == out[2] > 10
        assert out[1] == 1000 - out[2] > 100
        assert out[3] == 0


def test_a_tiny_queue(machine, device_queue):
    """It has room for a hundred small blocks: programs ask for a byte, and try until they are let in."""
    tiny = new_queue(machine, 1)
    assert tiny.get_info(QUEUE_SIZE) == 1
    out, = run(machine, FULL, [np.zeros(4, np.int32)], handle(tiny), np.int32(128))
    np.testing.assert_array_equal(out, [128, 0, 128, 0])


def test_a_queue_of_no_given_size_takes_a_child_of_each_work_item(machine, able_to_enqueue):
    """Of as many as there are where programs do not count them; models have the room of AMD's driver."""
    queue, n = new_queue(machine), 2000 if machine.is_model else 20000
    source = """kernel void k(global int *out, queue_t q) {
        size_t at = get_global_id(0);
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), ^{ out[2 * at + get_global_id(0)] = 42; }); }"""
    out, = run(machine, source, [np.zeros(2 * n, np.int32)], handle(queue), n=n)
    assert (out == 42).all()


def test_no_more_events(machine, device_queue):
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
    on_device = new_queue(machine, context=context)
    out = np.zeros(6, np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    cl.Program(context, source).build("-cl-std=CL3.0 -g").k(commands, (1,), None, buffer, handle(on_device),
                                                           np.int32(most + 10))
    cl.enqueue_copy(commands, out, buffer)
    np.testing.assert_array_equal(out, [most, -100, 0, 0, 1, 1])


# ---- what the host sees

ONE_MORE = """
kernel void k(global int *out, queue_t q) {
    out[1] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[0] += 1; }); }"""


def test_the_host_does_not_see_blocks(machine, device_queue):
    program = machine.build(ONE_MORE, "-cl-std=CL3.0 -g")
    assert program.num_kernels == 1
    assert program.kernel_names == "k"
    assert [kernel.function_name for kernel in program.all_kernels()] == ["k"]
    with pytest.raises(cl.LogicError):
        cl.Kernel(program, "__k_block_invoke_kernel")
    assert program.k.get_arg_info(1, cl.kernel_arg_info.TYPE_NAME) == "queue_t"
    again = cl.Program(machine.context, [machine.device], program.binaries).build()
    out = np.zeros(2, np.int32)
    machine.launch(again.k, (1,), None, [out, handle(device_queue)])
    np.testing.assert_array_equal(out, [1, 0])


def test_linked_programs_with_blocks_of_one_name(machine, device_queue):
    """Two sources have a function of the same name with a block."""
    helper = """static int start(queue_t q, global int *out) {
        return enqueue_kernel(q, 0, ndrange_1D(1), ^{ *out += NUMBER; }); }"""
    first = helper.replace("NUMBER", "1") + "int one(queue_t q, global int *out) { return start(q, out); }"
    second = helper.replace("NUMBER", "20") + """int one(queue_t q, global int *out);
        kernel void k(global int *out, queue_t q) { out[2] = start(q, out) | one(q, out + 1); }"""
    units = [cl.Program(machine.context, text).compile("-cl-std=CL3.0") for text in (first, second)]
    program = cl.link_program(machine.context, units)
    out = np.zeros(3, np.int32)
    machine.launch(program.k, (1,), None, [out, handle(device_queue)])
    np.testing.assert_array_equal(out, [20, 1, 0])


def test_no_default_queue(able_to_enqueue):
    source = """kernel void k(global int *out) {
        out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[1] = 1; }); }"""
    context = cl.Context([able_to_enqueue.device])
    out = np.zeros(2, np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    commands = cl.CommandQueue(context)
    cl.Program(context, source).build("-cl-std=CL3.0 -g").k(commands, (1,), None, buffer)
    cl.enqueue_copy(commands, out, buffer)
    np.testing.assert_array_equal(out, [-102, 0])
