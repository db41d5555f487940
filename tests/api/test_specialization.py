# SPDX-License-Identifier: Apache-2.0
"""Kernels that run long are compiled for their work-group size in the background; results and lifetimes stay right."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HOST = """
import json, os, sys, time
import numpy as np, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
source, sizes, launches, until = json.loads(sys.argv[1])
kernel = cl.Program(context, source).build(cache_dir=False).k
out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 65536)
kernel.set_args(out, np.int32(0))
wrong, host, turns = 0, np.empty(65536, np.int32), int(os.environ.get("TURNS", 100))
n, latest = 0, time.monotonic() + 60
alone = "ALONE" in os.environ                   # the first size, until it is said

def has_said():
    with open("/proc/self/fd/2") as said:       # other programs may leave little time for a compiler in the background
        return until in said.read() or time.monotonic() > latest

while n < launches or until and (n % 20 or not has_said()):
    if alone and n % 20 == 0 and has_said():
        alone, launches = False, launches + n
    size = tuple(sizes[0 if alone else n // turns % len(sizes)])
    total = (65536 // (size[0] * size[1]) * size[0], size[1])
    if turns == 1 and n % 2:
        total = size                            # little work
    kernel.set_arg(1, np.int32(n))
    cl.enqueue_nd_range_kernel(queue, kernel, total, size)
    n += 1
    if n % 50 == 0:
        cl.enqueue_copy(queue, host, out)
        count = total[0] * total[1]
        local = size[0] * size[1]
        items = np.arange(count)
        if "reverse" in source:
            items = items // local * local + local - 1 - items % local
        wrong += int((host[:count] != items + n - 1).sum()) if "// " in source else 0
queue.finish()
cl.enqueue_copy(queue, host, out)
print(json.dumps([wrong, int(host[0])]))
"""
REVERSE = """// reverse
kernel void k(global int *o, int n) { local int t[256];
    int w = get_local_size(0), x = get_local_id(0) + get_local_id(1) * w, size = w * get_local_size(1);
    int first = get_group_id(0) * size; t[x] = first + x; barrier(CLK_LOCAL_MEM_FENCE);
    o[first + x] = t[size - 1 - x] + n; }"""
COUNTING = "global int calls; kernel void k(global int *o, int n) { if (get_global_id(0) == 0) o[0] = ++calls; }"


def run(source, sizes, launches, milliseconds="5", until="", **more):
    """What the program prints, and what it says of code. It goes on until it has said `until`, for a minute at most."""
    printed, said = run_and_listen(source, sizes, launches, milliseconds, until, **more)
    return printed, made_of(said)


def made_of(said):
    return [line for line in said if ": code for work-groups" in line and "instead" not in line]


def run_and_listen(source, sizes, launches, milliseconds, until, **more):
    environment = os.environ | {"CLPY_SPECIALIZE_MS": milliseconds, "CLPY_DEBUG": "3", "CLPY_CACHE": "0", **more}
    with tempfile.TemporaryFile("w+") as errors:
        done = subprocess.run([sys.executable, "-c", HOST, json.dumps([source, sizes, launches, until])], text=True,
                              stdout=subprocess.PIPE, stderr=errors, timeout=180, env=environment, check=False)
        errors.seek(0)
        said = errors.read()
    assert done.returncode == 0, said[-2000:]
    return json.loads(done.stdout), said.splitlines()


def test_long_running_kernel_gets_code_for_its_size():
    """The results are right before, while and after the code changes, in each of the sizes."""
    (wrong, _), made = run(REVERSE, [(256, 1), (16, 16), (30, 5)], 100000, until="work-groups of 256 x 1 x 1")
    assert wrong == 0
    assert any("256 x 1 x 1" in line for line in made)
    assert len(made) <= 3


def test_the_next_process_begins_with_what_was_made(tmp_path):
    """Without being compared: too few launches follow when it is there. It is for that size alone."""
    cache = {"CLPY_CACHE": "1", "CLPY_CACHE_DIR": str(tmp_path)}
    (wrong, _), made = run(REVERSE, [(256, 1)], 0, "1", until="work-groups of 256 x 1 x 1", **cache)
    assert wrong == 0 and made and "made before" not in made[0]
    (wrong, _), made = run(REVERSE, [(256, 1), (16, 16)], 200, "1000000", **cache)
    assert wrong == 0 and [line.partition("k: ")[2] for line in made] == [
        "code for work-groups of 256 x 1 x 1, made before"]


IN_DOUBT = REVERSE.replace("barrier", """int seen = x;
    while (seen > 0 && (o[seen] ^ n) != 77) seen -= 1 + (o[seen & 7] & 15);
    barrier""").replace("+ n; }", "+ n + (seen == 1 << 30); }")


def test_what_may_be_faster_the_other_way_is_tried_and_known_later(tmp_path):
    """Launches of both codes in turns, with the same results; the next process begins with the faster one. Both may be
    no faster than the code for all sizes, where other programs take the processor: then nothing is kept."""
    cache = {"CLPY_CACHE": "1", "CLPY_CACHE_DIR": str(tmp_path)}
    (wrong, _), said = run_and_listen(IN_DOUBT, [(256, 1)], 0, "1", "k: other code is", **cache)
    code = "code for work-groups of 256 x 1 x 1"
    assert wrong == 0 and any(line.endswith(f"k: {code}") for line in said)
    is_kept = any("k: other code is faster" in line for line in said) or not any(
        f"k: {code} given up" in line for line in said)
    (wrong, _), made = run(IN_DOUBT, [(256, 1)], 200, "1000000", **cache)
    assert wrong == 0 and [line.partition("k: ")[2] for line in made] == [f"{code}, made before"] * is_kept


def test_what_all_groups_take_decides_not_the_last_ones():
    """Where the first groups of a launch do nearly all of its work, the others tell nothing of either code."""
    uneven = IN_DOUBT.replace("int seen = x;", "int seen = get_group_id(0) < 100 ? 1 << 14 : 0;").replace(
        "o[seen]", "o[seen & 255]")
    _, said = run_and_listen(uneven, [(256, 1)], 0, "1", "k: other code is", CLPY_CACHE="0")
    verdict = next(line for line in said if "k: other code is" in line)
    took = re.search(r"(\d+) ns per group instead of (\d+)", verdict).groups()
    assert min(map(int, took)) > 1500, verdict      # the last ones: less than a tenth of it


def test_without_what_was_made_nothing_is_found(tmp_path):
    cache = {"CLPY_CACHE": "1", "CLPY_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        (wrong, _), made = run(REVERSE, [(256, 1), (64, 1)], 200, "1000000", **cache)
        assert wrong == 0 and made == []


def test_a_kernel_has_code_for_a_few_sizes_only():
    sizes = [(n, 1) for n in range(101, 125, 2)]         # no whole vectors: all have the same general code
    (wrong, _), made = run(REVERSE, sizes, 6000, "1", until=": code for work-groups")
    assert wrong == 0 and 1 <= len(made) <= 4


FORWARD = """// it does not see its groups
kernel void k(global int *o, int n) { int i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    o[i] = i + n; }"""


def test_code_for_one_size_is_for_others_where_the_kernel_does_not_see_its_groups():
    """The range is cut into groups that there is code for, if these are whole; groups of 24 x 1 get their own."""
    (wrong, _), said = run_and_listen(FORWARD, [(256, 1), (512, 1), (128, 1), (1024, 1)], 20000, "1",
                                      "code for work-groups", ALONE="1")
    doubts = [line for line in said if ": code for work-groups" in line and " doubted: " in line]
    assert wrong == 0 and made_of(said)
    assert len(made_of(said)) == 1 or doubts      # a busy machine: while it is in doubt it is for its size alone
    (wrong, _), made = run(FORWARD, [(256, 1), (24, 1)], 2000, "1", until="work-groups of 24 x 1 x 1")
    assert wrong == 0 and any("24 x 1 x 1" in line for line in made)


def test_a_size_that_takes_most_of_the_time_gets_code_however_often_others_come_between():
    """In turns, as programs have them that end a reduction with a smaller group."""
    (wrong, _), made = run(REVERSE, [(256, 1), (16, 1)], 0, "1", until="work-groups of 256 x 1 x 1", TURNS="1")
    assert wrong == 0 and made


def test_variables_of_the_program_stay_what_they_are():
    """Code of its own would have variables of its own: such programs are left alone."""
    (_, last), made = run(COUNTING, [(64, 1)], 2000, "1", CLPY_BUILD_OPTIONS="-cl-std=CL3.0")
    assert last == 2000 and made == []


def test_zero_switches_it_off():
    (wrong, _), made = run(REVERSE, [(256, 1)], 1000, milliseconds="0")
    assert wrong == 0 and made == []


IMAGES = """
import time
import numpy as np, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
queue = cl.CommandQueue(context)
n = 32
kernel = cl.Program(context, '''
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t from, read_only image2d_t a, read_only image2d_t b, read_only image2d_t c,
              sampler_t given, write_only image2d_t to, global float4 *o) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int i = 0; i < 3; i++)
        sum += read_imagef(from, nearest, p - i) + read_imagef(from, given, convert_float2(p) - .75f * i);
    o[p.y * 32 + p.x] = sum;
    write_imagef(to, p, sum / 4);
}''').build(cache_dir=False).k
out = cl.Buffer(context, 0, 16 * n * n)
order, type_ = cl.channel_order, cl.channel_type
samplers = [cl.Sampler(context, False, cl.addressing_mode.CLAMP, filter)
            for filter in (cl.filter_mode.NEAREST, cl.filter_mode.LINEAR)]
cases = []
for format in ((order.RGBA, type_.UNORM_INT8), (order.RGBA, type_.SNORM_INT16), (order.RG, type_.FLOAT),
               (order.RGBx, type_.UNORM_INT_101010)):
    images = [cl.create_image(context, flag, cl.ImageFormat(*format), (n, n))
              for flag in (cl.mem_flags.READ_ONLY, cl.mem_flags.WRITE_ONLY)]
    bytes_each = images[0].get_image_info(cl.image_info.ELEMENT_SIZE)
    data = np.random.default_rng(3).integers(0, 63, n * n * bytes_each, dtype=np.uint8)
    cl.enqueue_copy(queue, images[0], data, origin=(0, 0), region=(n, n))
    cases.append((images, bytes_each, samplers[len(cases) % 2], set()))
cases.append((*cases[0][:2], samplers[1], set()))
for turn in range(60):
    if turn % 20 == 19:
        time.sleep(.5)      # what makes the code has its turn on a busy machine, too
    for images, bytes_each, sampler, seen in cases:
        for _ in range(200):
            kernel(queue, (n, n), (n, 1), *images[:1] * 4, sampler, images[1], out)
        sums, pixels = np.empty(4 * n * n, np.float32), np.empty(bytes_each * n * n, np.uint8)
        cl.enqueue_copy(queue, sums, out)
        cl.enqueue_copy(queue, pixels, images[1], origin=(0, 0), region=(n, n))
        seen.add(sums.tobytes() + pixels.tobytes())
print(*[len(seen) for *_, seen in cases])
"""


def test_code_for_formats_of_images():
    """Each format has code of its own, that runs where images have this format alone, for one sampler; results are
    those of the code for any."""
    environment = os.environ | {"CLPY_SPECIALIZE_MS": "1", "CLPY_DEBUG": "3", "CLPY_CACHE": "0"}
    done = subprocess.run([sys.executable, "-c", IMAGES], text=True, capture_output=True, timeout=120, env=environment,
                          check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["1"] * 5
    made = {line.rpartition("images of ")[2] for line in done.stderr.splitlines() if " and images of " in line}
    assert made >= {", ".join([format_] * 5) for format_ in ("0x10b5 0x10d1", "0x10b2 0x10de")}


def test_first_code_is_for_the_formats_of_the_first_launch():
    """And for its sampler; others get code for any: results are those of a process without such code."""
    once = IMAGES.replace("range(60)", "range(2)").replace("range(200)", "range(1)") + (
        "print([sorted(seen) for *_, seen in cases])")
    said = []
    for milliseconds in ("0", "1000000"):
        environment = os.environ | {"CLPY_SPECIALIZE_MS": milliseconds, "CLPY_CACHE": "0"}
        done = subprocess.run([sys.executable, "-c", once], text=True, capture_output=True, timeout=120,
                              env=environment, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        said.append(done.stdout)
    assert said[0] == said[1] and said[0].startswith("1 1 1 1 1\n")


@pytest.mark.parametrize("launches", [100, 200, 400, 800])
def test_the_process_may_end_meanwhile(launches):
    """Between a wish and the code, or while it is made."""
    (wrong, _), _ = run(REVERSE, [(256, 1), (64, 1), (128, 1)], launches, milliseconds="1")
    assert wrong == 0


REPLAYS = """
import json, sys
from ctypes import byref, c_char_p, c_int, c_void_p, create_string_buffer
from clapi import API, E, handles, sizes
source, size, times = json.loads(sys.argv[1])
api = API()
device, = api.devices()[:1]
context = api.make("clCreateContext", None, 1, handles(device), None, None)
queue = api.make("clCreateCommandQueue", context, device, 0)
program = api.make("clCreateProgramWithSource", context, 1, (c_char_p * 1)(source.encode()), None)
api.ok("clBuildProgram", program, 0, None, b"", None, None)
kernel = api.make("clCreateKernel", program, b"k")
total = [65536 // (size[0] * size[1]) * size[0], size[1]]
out = api.make("clCreateBuffer", context, 0, 4 * total[0] * total[1], None)
api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(out)))
target = api.make("clCreateCommandBufferKHR", 1, handles(queue), None)
for n in range(3):
    api.ok("clSetKernelArg", kernel, 1, 4, byref(c_int(n)))
    api.ok("clCommandNDRangeKernelKHR", target, None, None, kernel, 2, None, sizes(*total), sizes(*size), 0, None, None,
           None)
api.ok("clFinalizeCommandBufferKHR", target)
host, wrong, local = create_string_buffer(4 * total[0] * total[1]), 0, size[0] * size[1]
for n in range(times):
    api.ok("clEnqueueFillBuffer", queue, out, b"z", 1, 0, len(host), 0, None, None)
    api.ok("clEnqueueCommandBufferKHR", 0, None, target, 0, None, None)
    if n % 50 == 0:
        api.ok("clEnqueueReadBuffer", queue, out, 1, 0, len(host), host, 0, None, None)
        wrong += sum(value != i // local * local + local - 1 - i % local + 2
                     for i, value in enumerate(memoryview(host).cast("B").cast("i")[:4000]))
api.ok("clReleaseCommandBufferKHR", target)
api.ok("clFinish", queue)
print(json.dumps(wrong))
"""


def test_command_buffers_use_the_code_too():
    """A buffer that was finalized before there was such code asks for it, and takes it up when it is there."""
    environment = os.environ | {"CLPY_SPECIALIZE_MS": "2", "CLPY_DEBUG": "3", "CLPY_CACHE": "0",
                                "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    done = subprocess.run([sys.executable, "-c", REPLAYS, json.dumps([REVERSE, [64, 1], 3000])], text=True,
                          capture_output=True, timeout=120, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "0"
    made = [line for line in done.stderr.splitlines() if "k: code for work-groups of 64 x 1 x 1" in line]
    assert len(made) == 2, done.stderr[-2000:]
    assert "ns per group instead of" in made[1]      # so it was launched


RUNTIME_CHOOSES = """
import numpy as np, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
kernel = cl.Program(context, '''kernel void k(global uchar *o) { o[4096 * get_global_id(1) + get_global_id(0)]++; }'''
                    ).build(cache_dir=False).k
host = np.zeros((4300, 4096), np.uint8)
out = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=host)
kernel.set_args(out)
for n in range(200):
    cl.enqueue_nd_range_kernel(queue, kernel, (4094, 4094), None)
    queue.finish()
cl.enqueue_copy(queue, host, out)
print(int((host[:4094, :4094] != 200).sum() + (host[4094:] != 0).sum() + (host[:, 4094:] != 0).sum()))
"""


def test_where_the_runtime_cuts_the_range_its_last_groups_stay_smaller():
    """A kernel that does not see its groups may get groups that do not divide the range; so may its special code."""
    environment = os.environ | {"CLPY_SPECIALIZE_MS": "1", "CLPY_DEBUG": "3", "CLPY_CACHE": "0"}
    done = subprocess.run([sys.executable, "-c", RUNTIME_CHOOSES], text=True, capture_output=True, timeout=120,
                          env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "code for work-groups" in done.stderr
    assert done.stdout.strip() == "0"
