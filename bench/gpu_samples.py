# SPDX-License-Identifier: Apache-2.0
"""How near the times are that a sample of a launch's groups gives to those of following all of them.

usage: gpu_samples.py [--device CHIP ...] [--only TEXT]

Each kernel runs once with CLPY_GPU_DETAIL=full and once with sample: the ratio of the predicted times, and the
uncertainty that the sample states. Exit code 1 where a ratio is further from 1 than LIMIT and than twice that.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyopencl as cl

LIMIT = 0.15
LIBRARY = Path(__file__).resolve().parents[1] / "clpy" / "libclpy.so"
SOURCE = """
kernel void sum(global float *a, global float *b, global float *c, int n) {
    int i = get_global_id(0); c[i] = a[i] + b[i]; }
kernel void sine(global float *a, global float *b, global float *c, int n) {
    int i = get_global_id(0); c[i] = sin(a[i]); }
kernel void product(global float *a, global float *b, global float *c, int n) {
    int x = get_global_id(0), y = get_global_id(1); float s = 0;
    for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = s; }
kernel void transposition(global float *a, global float *b, global float *c, int n) {
    local float t[16][17]; int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = a[get_global_id(1) * n + get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);
    c[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = t[x][y]; }
kernel void mandelbrot(global float *a, global float *b, global float *c, int n) {
    int x = get_global_id(0), y = get_global_id(1), k = 0; float u = 0, v = 0;
    for (; k < 256 && u * u + v * v < 4; k++) {
        float t = u * u - v * v - 2 + 3.0f * x / n; v = 2 * u * v - 1.5f + 3.0f * y / n; u = t; }
    c[y * n + x] = k; }
kernel void rows(global float *a, global float *b, global float *c, int n) {
    int i = get_global_id(0); float s = 0;
    for (int k = 0; k < n; k++) s += a[i * n + k];
    c[i] = s; }
kernel void bodies(global float *a, global float *b, global float *c, int n) {
    int i = get_global_id(0); float s = 0;
    for (int k = 0; k < n; k++) s += rsqrt((a[k] - a[i]) * (a[k] - a[i]) + 0.001f);
    c[i] = s; }
kernel void blur(global float *a, global float *b, global float *c, int n) {
    int x = get_global_id(0), y = get_global_id(1); float s = 0;
    for (int v = -2; v <= 2; v++) for (int u = -2; u <= 2; u++)
        s += a[clamp(y + v, 0, n - 1) * n + clamp(x + u, 0, n - 1)];
    c[y * n + x] = s; }
"""
# Kernel, n, work-items, those of a group
CASES = (("sum", 0, (1 << 24,), (256,)), ("sine", 0, (1 << 22,), (256,)), ("product", 512, (512, 512), (8, 8)),
         ("product", 256, (256, 256), (16, 16)), ("product", 256, (256, 256), (64, 1)),
         ("transposition", 4096, (4096, 4096), (16, 16)), ("mandelbrot", 1024, (1024, 1024), (8, 8)),
         ("mandelbrot", 256, (256, 256), (16, 16)), ("rows", 64, (1 << 14,), (256,)), ("rows", 256, (4096,), (64,)),
         ("bodies", 8192, (8192,), (64,)), ("bodies", 512, (2048,), (64,)), ("blur", 2048, (2048, 2048), (8, 8)))


def cases(only):
    return [case for case in CASES if only in case[0]]


def work(only):
    """In a process of its own: the launches."""
    [device] = cl.get_platforms()[0].get_devices()
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    data = np.random.default_rng(1).random(1 << 24, dtype=np.float32)
    buffers = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=data) for _ in range(3)]
    program = cl.Program(context, SOURCE).build(cache_dir=False)
    kernels = {name: cl.Kernel(program, name) for name in {case[0] for case in cases(only)}}
    for name, n, size, group in cases(only):
        kernels[name](queue, size, group, *buffers, np.int32(n))
        queue.finish()


def launches(chip, detail, only):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "clpy.icd").write_text(f"{LIBRARY}\n")
        told = Path(folder) / "told"
        env = {**os.environ, "OCL_ICD_VENDORS": folder, "CLPY_DEVICES": f"gpu:{chip}", "CLPY_GPU_DETAIL": detail,
               "CLPY_GPU_PROFILE": str(told), "PYOPENCL_NO_CACHE": "1"}
        subprocess.run([sys.executable, __file__, "--worker", "--only", only], env=env, check=True)
        return [json.loads(line) for line in told.read_text().splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", nargs="+", default=["tahiti", "vega10"], metavar="CHIP")
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose name holds TEXT")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        work(args.only)
        return 0
    far = 0
    print("| chip | kernel | n | work-items | of a group | full, us | sample / full | uncertainty |")
    print("|---|---|---|---|---|---|---|---|")
    for chip in args.device:
        pairs = zip(*(launches(chip, detail, args.only) for detail in ("full", "sample")), strict=True)
        for (name, n, size, group), (full, sample) in zip(cases(args.only), pairs, strict=True):
            ratio = sample["ns"] / full["ns"]
            far += abs(ratio - 1) > max(LIMIT, 2 * sample["uncertainty"])
            print(f"| {chip} | {name} | {n} | {size} | {group} | {full['ns'] / 1e3:.1f} | {ratio:.2f} "
                  f"| {sample['uncertainty']:.2f} |", flush=True)
    return far > 0


if __name__ == "__main__":
    sys.exit(main())
