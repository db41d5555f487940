# SPDX-License-Identifier: Apache-2.0
"""Events of kernels that enqueue kernels: those they make, errors that pass along them, times."""
import numpy as np
import pyopencl as cl
import pytest

from .device_queues import handle, run

# ---- user events

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


def test_a_user_event(machine, device_queue):
    out, = run(machine, USER_EVENT, [np.zeros(3, np.int32)], handle(device_queue))
    np.testing.assert_array_equal(out, [42, 41, 0])


FAILED = """
kernel void k(global int *out, queue_t q) {
    clk_event_t mine = create_user_event(), second;
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &mine, &second, ^{ out[0] = 1; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &second, NULL, ^{ out[1] = 1; });
    set_user_event_status(mine, -7);
    release_event(mine); release_event(second);
}"""


def test_what_waits_for_an_error_does_not_run(machine, device_queue):
    """"an error code ... if it or any of its child kernels encounter an error" """
    program = machine.build(FAILED, "-cl-std=CL3.0")
    out = np.zeros(2, np.int32)
    buffer = cl.Buffer(machine.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    event = program.k(machine.queue, (1,), None, buffer, handle(device_queue))
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
def test_a_long_chain_of_events(machine, device_queue, status):
    n = 1000
    program = machine.build(CHAIN.replace("STATUS", str(status)).replace(
        "release_event(last);\n        last", "if (i) release_event(last);\n        last"), "-cl-std=CL3.0 -g")
    out = np.zeros(2, np.int32)
    buffer = cl.Buffer(machine.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    event = program.k(machine.queue, (1,), None, buffer, handle(device_queue), np.int32(n))
    if status:
        with pytest.raises(cl.RuntimeError):
            event.wait()
    cl.enqueue_copy(machine.queue, out, buffer)
    np.testing.assert_array_equal(out, [0 if status else n, 0])


# ---- times

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


def test_profiling(machine, device_queue):
    out, = run(machine, PROFILING, [np.zeros(4, np.uint64)], handle(device_queue))
    assert list(out[2:]) == [10000, 10000]
    assert 0 < out[0] < out[1] < 10**10


def test_times_of_the_parent(machine, device_queue):
    """COMPLETE is that of the children too."""
    queue = cl.CommandQueue(machine.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    program = machine.build(PROFILING, "-cl-std=CL3.0 -g")
    buffer = cl.Buffer(machine.context, cl.mem_flags.READ_WRITE, 32)
    event = program.k(queue, (1,), None, buffer, handle(device_queue))
    event.wait()
    assert event.profile.start <= event.profile.end <= event.profile.complete
