# SPDX-License-Identifier: Apache-2.0
"""Nanoseconds an argument of each math function, clpy and other platforms in turn, each in a process of its own."""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .table import FUNCTIONS, kernel

ROOT = Path(__file__).resolve().parents[2]
COUNT = 1 << 18          # arguments: they fit into a core's cache
ROUNDS = 3
# Where a function is no NaN; the others are timed between 0.1 and 10.
BETWEEN = {"acos": (-0.95, 0.95), "acospi": (-0.95, 0.95), "asin": (-0.95, 0.95), "asinpi": (-0.95, 0.95),
           "atanh": (-0.95, 0.95), "acosh": (1.1, 10)}


def time_of(context, queue, function, name):
    """The best of many launches. (The context that some platforms' queues name cannot be retained.)"""
    import numpy as np
    import pyopencl as cl
    kind = {"half": np.float16, "float": np.float32, "double": np.float64}[name]
    rng = np.random.default_rng(1)
    x = rng.uniform(*BETWEEN.get(function.name, (0.1, 10)), COUNT).astype(kind)
    second = {"": [], "T": [rng.uniform(0.1, 4, COUNT).astype(kind)],
              "int": [rng.integers(1, 9, COUNT).astype(np.int32)]}[function.second]
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=array) for array in (x, x, *second)]
    run = cl.Program(context, kernel(function, name)).build(cache_dir=False).k
    best, end, turns = float("inf"), time.perf_counter() + 0.04, 0
    while turns < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run(queue, (COUNT,), None, *buffers)
        queue.finish()
        best = min(best, time.perf_counter() - start)
        turns += 1
    return round(best / COUNT * 1e9, 3)


def worker(names, types):
    import pyopencl as cl
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    found = {}
    for name in types:
        for function in FUNCTIONS:
            if function.name not in names:
                continue
            try:
                found.setdefault(name, {})[function.name] = time_of(context, queue, function, name)
            except cl.Error:        # what a platform does not have has no time
                continue
    print(json.dumps(found))


def run_worker(library, folder, names, types):
    with tempfile.TemporaryDirectory() as vendors:
        (Path(vendors) / "one.icd").write_text(library + "\n")
        env = dict(os.environ, OCL_ICD_VENDORS=vendors, PYOPENCL_NO_CACHE="1")
        if folder:
            env["LD_LIBRARY_PATH"] = f"{folder}:{env.get('LD_LIBRARY_PATH', '')}"
        command = [sys.executable, "-m", "tests.accuracy.times", ",".join(names), ",".join(types)]
        done = subprocess.run(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{library}: its process ended with {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def measure(peers, functions, types, results):
    """results[type][function]["ns"][platform]: the best of the rounds."""
    platforms = {"clpy": (str(ROOT / "clpy" / "libclpy.so"), "")}
    platforms |= {name: tuple(rest.partition(":")[::2]) for name, _, rest in (peer.partition("=") for peer in peers)}
    best = {}
    for number in range(ROUNDS):
        for platform, (library, folder) in platforms.items():
            print(f"round {number + 1} of {ROUNDS}: {platform}", file=sys.stderr, flush=True)
            found = run_worker(library, folder, [f.name for f in functions], types)
            for name, times in found.items():
                for function, ns in times.items():
                    key = name, function, platform
                    best[key] = min(ns, best.get(key, ns))
    for (name, function, platform), ns in best.items():
        results.setdefault(name, {}).setdefault(function, {}).setdefault("ns", {})[platform] = ns


if __name__ == "__main__":
    worker(sys.argv[1].split(","), sys.argv[2].split(","))
