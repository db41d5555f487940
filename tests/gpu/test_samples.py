# SPDX-License-Identifier: Apache-2.0
"""Times from a sample of a launch's groups are near those of following all of them; `make gpu-samples` has more."""
import json
import os
import subprocess
import sys

HOST = """
import sys
import numpy as np
import pyopencl as cl
[device] = cl.get_platforms()[0].get_devices()
context = cl.Context([device])
queue = cl.CommandQueue(context)
program = cl.Program(context, '''
kernel void product(global const float *a, global const float *b, global float *c) {
    int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0); float s = 0;
    for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = s; }
kernel void stream(global const float *a, global const float *b, global float *c) {
    size_t i = get_global_id(0); c[i] = a[i] * 2; }
kernel void parted(global const float *a, global const float *b, global float *c) {
    size_t i = get_global_id(0); float x = a[i];
    if (get_group_id(0) % 3 == 1) x = sqrt(x) + b[i & 63];
    c[i] = x; }
kernel void turned(global const float *a, global const float *b, global float *c) {
    local float t[16][17]; int x = get_local_id(0), y = get_local_id(1), n = get_global_size(0);
    t[y][x] = a[get_global_id(1) * n + get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);
    c[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = t[x][y]; }
kernel void blurred(global const float *a, global const float *b, global float *c) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1); float s = 0;
    for (int v = -2; v <= 2; v++) for (int u = -2; u <= 2; u++)
        s += a[clamp(y + v, 0, h - 1) * w + clamp(x + u, 0, w - 1)];
    c[y * w + x] = s; }
kernel void sparse(global const int *first, global const int *column, global const float *a, global const float *x,
                   global float *y) {
    int i = get_global_id(0); float s = 0;
    for (int k = first[i]; k < first[i + 1]; k++) s += a[k] * x[column[k]];
    y[i] = s; }
kernel void copied(read_only image2d_t a, write_only image2d_t b) {
    int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(b, at, read_imagef(a, at)); }
''').build()
buffers = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ones(1 << 22, np.float32)) for _ in range(3)]
def sparse(rows, least, most, group):
    random = np.random.default_rng(7)
    first = np.concatenate([[0], np.cumsum(random.integers(least, most, rows))]).astype(np.int32)
    column = random.integers(0, rows, first[-1]).astype(np.int32)
    indices = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=data) for data in (first, column)]
    cl.Kernel(program, "sparse")(queue, (rows,), (group,), *indices, *buffers)
    queue.finish()
if len(sys.argv) > 1:
    sparse(*map(int, sys.argv[1:]))
    sys.exit()
cl.Kernel(program, "product")(queue, (256, 256), (16, 16), *buffers)
cl.Kernel(program, "product")(queue, (160, 160), (16, 16), *buffers)
cl.Kernel(program, "product")(queue, (240, 240), (16, 16), *buffers)
cl.Kernel(program, "stream")(queue, (1 << 22,), (256,), *buffers)
cl.Kernel(program, "parted")(queue, (1 << 22,), (256,), *buffers)
cl.Kernel(program, "turned")(queue, (2048, 2048), (16, 16), *buffers)
cl.Kernel(program, "blurred")(queue, (1280, 720), (16, 16), *buffers)
pixels = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
images = [cl.Image(context, flag, pixels, (64, 64)) for flag in (cl.mem_flags.READ_ONLY, cl.mem_flags.WRITE_ONLY)]
cl.Kernel(program, "copied")(queue, (64, 64), (8, 8), *images)
sparse(1 << 15, 0, 32, 256)
"""


def launches(tmp_path, detail, chip="vega10", *args):
    told = tmp_path / detail
    subprocess.run([sys.executable, "-W", "ignore", "-c", HOST, *args], check=True, timeout=120, env={
        **os.environ, "CLPY_DEVICES": f"gpu:{chip}", "CLPY_GPU_DETAIL": detail, "CLPY_GPU_PROFILE": str(told)})
    return [json.loads(line) for line in told.read_text().splitlines()]


def test_near_those_of_all_groups(tmp_path):
    """Groups of a compute unit that share columns, rows that all units share, and stores that wait for the L2 to be
    full: with units that have groups side by side these were .7 and .64, and memory read several times over. Rows that
    are a power of two apart keep few channels busy at a time: 1.5 where some sets of the L2 stand for all of them. Of
    rows with one group for each unit a fifth was read where nobody looked how far they are apart. Units begin rows in
    turn where they do not divide them: .65 where others' rows went on behind their end. And 1.26 where
    those that a unit gets stand in some columns alone, for which its L1 has few sets. Groups that part before they
    store leave their lines side by side all the same: .87. Of a sparse matrix that the L2 just holds four
    times as much was read, as the rows of others lay in any of its sets."""
    for full, sample in zip(launches(tmp_path, "full"), launches(tmp_path, "sample"), strict=True):
        assert 0 < sample["traced_groups"] < full["traced_groups"]
        assert abs(sample["ns"] / full["ns"] - 1) < (0.1 if full["kernel"] == "parted" else 0.2), full["kernel"]
        assert abs(sample["counters"]["FetchSize"] / full["counters"]["FetchSize"] - 1) < (
            0.6 if full["kernel"] == "sparse" else 0.3), full["kernel"]


def test_fewer_groups_of_scattered_lines(tmp_path):
    """Of a sparse product whose wavefronts touch very many lines a round and a quarter is followed: with all of the
    unit's groups it took twice as long as with no sample, and the time was 1.29 of that of all groups."""
    [full], [sample] = (launches(tmp_path, detail, "tahiti", str(1 << 17), "8", "25", "64")
                        for detail in ("full", "sample"))
    assert abs(sample["ns"] / full["ns"] - 1) < 0.2
    assert abs(sample["counters"]["FetchSize"] / full["counters"]["FetchSize"] - 1) < 0.3


def test_rows_of_memory_stay_open_for_the_lines_of_an_instruction(tmp_path):
    """What other units ask for and is not followed does not come between the lines that one of them reads with an
    instruction: each of those had its row of memory opened anew, and the sample took 1.9 times as long."""
    [full], [sample] = (launches(tmp_path, detail, "vega10", str(1 << 17), "8", "25", "64")
                        for detail in ("full", "sample"))
    assert abs(sample["ns"] / full["ns"] - 1) < 0.25
