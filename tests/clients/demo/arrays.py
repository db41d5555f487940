# SPDX-License-Identifier: Apache-2.0
"""pyopencl arrays: element-wise expressions, a dot product, a custom kernel and a prefix sum, checked with NumPy."""
import json
import os
import sys
import time

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.scan import InclusiveScanKernel


def open_queue():
    wanted = os.environ.get("DEMO_PLATFORM", "clpy")
    platform = next((p for p in cl.get_platforms() if wanted in p.name), None)
    if platform is None:
        sys.exit(f"no platform is called {wanted}")
    wants_gpu = os.environ.get("DEMO_DEVICE") == "gpu"
    devices = platform.get_devices(cl.device_type.GPU if wants_gpu else cl.device_type.ALL)
    return cl.CommandQueue(cl.Context(devices[:1]))


def best_time(queue, work, rounds=5):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        queue.finish()
        times.append(time.perf_counter() - start)
    return min(times)


def row(queue, program, n, seconds, n_bytes, verified):
    print(json.dumps({"program": program, "device": queue.device.name, "size": f"{n} floats", "seconds": seconds,
                      "rate": n_bytes / seconds / 1e9, "unit": "GB/s", "verified": bool(verified)}), flush=True)
    return verified


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 22
    queue = open_queue()
    rng = np.random.default_rng(4)
    x, y = (rng.random(n, dtype=np.float32) for _ in range(2))
    x_dev, y_dev = cl_array.to_device(queue, x), cl_array.to_device(queue, y)
    results = []

    seconds = best_time(queue, lambda: 2 * x_dev + y_dev * y_dev)
    right = np.allclose((2 * x_dev + y_dev * y_dev).get(), 2 * x + y * y, rtol=1e-6)
    results.append(row(queue, "pyopencl 2*x + y*y", n, seconds, 9 * x.nbytes, right))

    seconds = best_time(queue, lambda: cl_array.dot(x_dev, y_dev))
    right = np.isclose(float(cl_array.dot(x_dev, y_dev).get()), np.dot(x.astype(float), y), rtol=1e-4)
    results.append(row(queue, "pyopencl dot(x, y)", n, seconds, 2 * x.nbytes, right))

    hypotenuse = ElementwiseKernel(queue.context, "float *z, const float *x, const float *y",
                                   "z[i] = sqrt(x[i] * x[i] + y[i] * y[i])", "hypotenuse")
    z_dev = cl_array.empty_like(x_dev)
    seconds = best_time(queue, lambda: hypotenuse(z_dev, x_dev, y_dev))
    right = np.allclose(z_dev.get(), np.hypot(x, y), rtol=1e-5)
    results.append(row(queue, "pyopencl element-wise kernel", n, seconds, 3 * x.nbytes, right))

    prefix = InclusiveScanKernel(queue.context, np.int32, "a + b", neutral="0")
    counts = rng.integers(0, 100, n).astype(np.int32)
    counts_dev, sums_dev = cl_array.to_device(queue, counts), cl_array.empty(queue, n, np.int32)
    seconds = best_time(queue, lambda: prefix(counts_dev, sums_dev))
    right = np.array_equal(sums_dev.get(), np.cumsum(counts, dtype=np.int32))
    results.append(row(queue, "pyopencl prefix sum", n, seconds, 2 * counts.nbytes, right))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
