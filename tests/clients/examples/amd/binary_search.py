# SPDX-License-Identifier: Apache-2.0
"""Binary search of many keys at once by kernels that enqueue kernels: each launch cuts the range of every key in parts
and keeps the one that the key is in, until no key has a range left to cut. The host launches once."""
import bisect
import random

import numpy as np
import pyopencl as cl
from example import DEVICE_ENQUEUE, Outcome, build, main

PARTS = 16

SOURCE = """
#define PARTS 16

kernel void narrow(global const int *sorted, global const int *keys, global const uint2 *from, global uint2 *to,
                   global uint *wide)
{
    size_t k = get_global_id(0), part = get_global_id(1);
    uint2 range = from[k];
    uint length = (range.y - range.x + PARTS - 1) / PARTS;
    uint first = range.x + (uint)part * length, end = min(first + length, range.y);
    if (part == 0 && (range.x == range.y || keys[k] < sorted[range.x]))
        to[k] = (uint2)(0);                              // it is nowhere
    else if (first < end && sorted[first] <= keys[k] && (end == range.y || keys[k] < sorted[end])) {
        to[k] = (uint2)(first, end);
        if (end - first > 1)
            atomic_inc(wide);
    }
}

kernel void answer(global const int *sorted, global const int *keys, global const uint2 *ranges, global int *found)
{
    size_t k = get_global_id(0);
    uint2 range = ranges[k];
    found[k] = range.x < range.y && sorted[range.x] == keys[k] ? (int)range.x : -1;
}

/* One work-item: enqueues a round, and behind it itself, or the answer when the last round left nothing to cut. */
kernel void search(global const int *sorted, global const int *keys, uint n_keys, global uint2 *from, global uint2 *to,
                   global uint *wide, global int *found, global int *state)
{
    queue_t queue = get_default_queue();
    size_t grid[2] = {n_keys, PARTS};
    int err;
    if (*wide == 0)
        err = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(n_keys),
                             ^{ answer(sorted, keys, from, found); });
    else {
        clk_event_t narrowed;
        *wide = 0;
        state[0]++;
        err = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(grid), 0, NULL, &narrowed,
                             ^{ narrow(sorted, keys, from, to, wide); });
        if (err == 0) {
            err = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &narrowed, NULL,
                                 ^{ search(sorted, keys, n_keys, to, from, wide, found, state); });
            release_event(narrowed);
        }
    }
    if (err != 0)
        state[1] = err;
}
"""


def place_of(key, numbers):
    at = bisect.bisect_left(numbers, key)
    return at if at < len(numbers) and numbers[at] == key else -1


def device_queue(context):
    """The default one, which get_default_queue() finds; it lives as long as this object."""
    kinds = cl.command_queue_properties
    wanted = kinds.ON_DEVICE | kinds.ON_DEVICE_DEFAULT | kinds.OUT_OF_ORDER_EXEC_MODE_ENABLE
    return cl.CommandQueue(context, properties=[cl.queue_properties.PROPERTIES, wanted, 0])


def run(queue, n):
    rng = random.Random(4)
    numbers = sorted(rng.sample(range(4 * n), n))
    keys = [-1, 4 * n, numbers[0], numbers[-1], *(rng.randrange(4 * n) for _ in range(124))]
    flags = cl.mem_flags

    def buffer(values, dtype):
        return cl.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=np.array(values, dtype))

    found, state = np.full(len(keys), -2, np.int32), np.zeros(2, np.int32)
    found_mem, state_mem = buffer(found, np.int32), buffer(state, np.int32)
    ranges = [buffer([(0, n)] * len(keys), np.uint32) for _ in range(2)]
    on_device = device_queue(queue.context)
    build(queue, SOURCE).search(queue, (1,), (1,), buffer(numbers, np.int32), buffer(keys, np.int32),
                                np.uint32(len(keys)), *ranges, buffer([1], np.uint32), found_mem, state_mem)
    cl.enqueue_copy(queue, found, found_mem)
    cl.enqueue_copy(queue, state, state_mem)
    del on_device

    right = state[1] == 0 and found.tolist() == [place_of(key, numbers) for key in keys]
    hits = np.sum(found >= 0)
    return Outcome(f"{hits} of {len(keys)} keys found among {n} numbers in {state[0]} rounds", bool(right))


if __name__ == "__main__":
    main("binary search", run, 1 << 18, __doc__, DEVICE_ENQUEUE)
