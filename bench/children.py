# SPDX-License-Identifier: Apache-2.0
"""What a kernel costs that a kernel enqueues, in nanoseconds each, its own launch included: many from one work-item, a
chain of them, a tree, one from each work-item of a large range. Through the system's loader, on the platform named.

usage: children.py [--platform NAME] [--count N]
"""
import argparse
import time

import numpy as np
import pyopencl as cl

SOURCE = """
#define ENQUEUE(n, block) if (enqueue_kernel(get_default_queue(), FLAGS, ndrange_1D(n), block)) atomic_inc(out + 1)
kernel void one_item(global int *out, int n) { for (int i = 0; i < n; i++) ENQUEUE(1, ^{ atomic_inc(out); }); }
void next(global int *out, int left) {
    void (^again)(void) = ^{ next(out, left - 1); };
    atomic_inc(out);
    if (left > 1) ENQUEUE(1, again);
}
kernel void chain(global int *out, int n) { next(out, n); }
void branch(global int *out, int n) {
    void (^left)(void) = ^{ branch(out, (n - 1) / 2); }, (^right)(void) = ^{ branch(out, n - 1 - (n - 1) / 2); };
    atomic_inc(out);
    if (n > 1) ENQUEUE(1, left);
    if (n > 2) ENQUEUE(1, right);
}
kernel void tree(global int *out, int n) { branch(out, n); }
kernel void every_item(global int *out, int n) { ENQUEUE(64, ^{ if (get_global_id(0) == 0) atomic_inc(out); }); }
"""
PATTERNS = ("one_item", "chain", "tree", "every_item")
PROPERTIES = cl.command_queue_properties
ROUNDS = 5


def measure(context, queue, program, name, n):
    kernel = cl.Kernel(program, name)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 8)
    kernel.set_args(buffer, np.int32(n))
    best = float("inf")
    for _ in range(ROUNDS):
        counts = np.zeros(2, np.int32)
        cl.enqueue_copy(queue, buffer, counts)
        start = time.perf_counter()
        cl.enqueue_nd_range_kernel(queue, kernel, (n if name == "every_item" else 1,), None)
        queue.finish()
        best = min(best, time.perf_counter() - start)
        cl.enqueue_copy(queue, counts, buffer)
        if list(counts) != [n, 0]:
            raise SystemExit(f"{name}: {counts[0]} of {n} ran, {counts[1]} were refused")
    return best / n * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default="clpy")
    parser.add_argument("--count", type=int, default=100000, help="children of each pattern (100000)")
    given = parser.parse_args()
    device = next(p for p in cl.get_platforms() if p.name == given.platform).get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    most = device.get_info(cl.device_info.QUEUE_ON_DEVICE_MAX_SIZE)
    on_device = cl.CommandQueue(context, device, properties=[  # noqa: F841  the default one as long as it is there
        cl.queue_properties.PROPERTIES, PROPERTIES.ON_DEVICE | PROPERTIES.ON_DEVICE_DEFAULT
        | PROPERTIES.OUT_OF_ORDER_EXEC_MODE_ENABLE, cl.queue_properties.SIZE, most, 0])
    print(f"{'':12} {'no wait':>9} {'wait':>9}   ns a child")
    programs = [cl.Program(context, SOURCE).build(["-cl-std=CL3.0", f"-DFLAGS={flags}"]) for flags in (0, 1)]
    for name in PATTERNS:
        costs = [measure(context, queue, program, name, given.count) for program in programs]
        print(f"{name:12} {costs[0]:9.0f} {costs[1]:9.0f}")


if __name__ == "__main__":
    main()
