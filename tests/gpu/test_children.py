# SPDX-License-Identifier: Apache-2.0
"""Kernels that kernels enqueue, on the clock of a model."""
import json

import pytest

from clpy.device.gpu import chip as chips

from .test_device import run

CHILDREN = """
parents = cl.Program(gpu_context, '''
void fill(global float *to, int turns) {
    float x = get_global_id(0);
    for (int i = 0; i < turns; i++) x = x * 1.0001f + 1;
    to[get_global_id(0)] = x;
}
kernel void alone(global float *to, int turns) { fill(to, turns); }
kernel void parent(global float *to, int turns, int children) {
    if (get_global_id(0)) return;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1024, 64), ^{
        if (get_global_id(0)) return;
        for (int i = 0; i < children; i++)
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(65536, 64),
                           ^{ fill(to, turns); });
    });
}''').build("-cl-std=CL2.0")
to = cl.Buffer(gpu_context, 0, 4 << 16)
parent, alone = cl.Kernel(parents, "parent"), cl.Kernel(parents, "alone")
for turns, children in ((2000, 1), (4000, 5)):
    first = parent(own, (64,), (64,), to, np.int32(turns), np.int32(children))
    second = alone(own, (65536,), (64,), to, np.int32(turns))
    own.finish()
    complete = first.get_profiling_info(cl.profiling_info.COMPLETE) - first.profile.start
    print(first.profile.end - first.profile.start, complete, second.profile.start - first.profile.start,
          second.profile.end - second.profile.start)
"""
# A queue of the device is of a context whose devices all have such.
DEVICE_QUEUE = """
properties, names = cl.command_queue_properties, cl.queue_properties
gpu_context = cl.Context([gpu])
on_device = properties.ON_DEVICE | properties.ON_DEVICE_DEFAULT | properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
default = cl.CommandQueue(gpu_context, gpu, properties=[names.PROPERTIES, on_device, 0])
own = cl.CommandQueue(gpu_context, gpu, properties=profiling)
"""


def test_children_follow_their_parent_on_the_device_clock(tmp_path):
    """A parent is complete when the last of them has ended, and what comes behind it in its queue waits for that. It is
    the same on each run, with any number of threads. Each is there a launch after who enqueued it has ended; of those
    that may run at once together they take what there is of the device."""
    launch_ns, share = chips.load("hawaii").dispatch.launch_us * 1000, 1024 / (44 * 40)     # of all wavefronts' slots
    rows = [tuple(map(int, line.split())) for threads in ("1", "4")
            for line in run(DEVICE_QUEUE + CHILDREN, "cpu,gpu:hawaii", CLPY_NUM_THREADS=threads,
                            CLPY_GPU_PROFILE=str(tmp_path / threads))]
    (end, complete, _, alone), (end_too, of_five, _, alone_too) = rows[:2]
    assert [row[:2] for row in rows[:2]] == [row[:2] for row in rows[2:]]
    parent, between, child, *_ = [json.loads(line)["ns"] for line in (tmp_path / "1").read_text().splitlines()]
    assert end == pytest.approx(parent, abs=2)
    assert complete == pytest.approx(parent + launch_ns + between + launch_ns + child, abs=5)
    assert child == pytest.approx(alone, rel=0.02)
    assert of_five == pytest.approx(end_too + 5 * share * alone_too, rel=0.02)
    assert all(following >= complete for _, complete, following, _ in rows)
