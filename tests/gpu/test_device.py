# SPDX-License-Identifier: Apache-2.0
"""The models as devices of the platform, each in a process that lists them beside the CPU device: results, times on the
device's clock, counters, `clpy profile`."""
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLPY = ROOT / ".venv/bin/clpy"

HOST = """
import sys
import numpy as np
import pyopencl as cl
SOURCE = '''
kernel void add(global const float *a, global const float *b, global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
kernel void multiply(global const float *a, global const float *b, global float *c, int n) {
    local float x[16][16], y[16][16];
    int column = get_global_id(0), row = get_global_id(1), i = get_local_id(0), j = get_local_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        x[j][i] = a[row * n + k + i];
        y[j][i] = b[(k + j) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int l = 0; l < 16; l++)
            sum += x[j][l] * y[l][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
'''
devices = [d for p in cl.get_platforms() if p.name == "clpy" for d in p.get_devices()]
gpu = next(d for d in devices if d.type == cl.device_type.GPU)
context = cl.Context(devices)
profiling = cl.command_queue_properties.PROFILING_ENABLE
queue = cl.CommandQueue(context, gpu, properties=profiling)
program = cl.Program(context, SOURCE).build()
random = np.random.default_rng(1)

def buffers(n):
    a, b = random.random((2, n), dtype=np.float32)
    flags = cl.mem_flags.COPY_HOST_PTR
    return a, b, [cl.Buffer(context, flags, hostbuf=x) for x in (a, b)] + [cl.Buffer(context, 0, a.nbytes)]

def result(of, like, q=queue):
    out = np.empty_like(like)
    cl.enqueue_copy(q, out, of)
    return out

def ns(event):
    event.wait()
    return event.profile.end - event.profile.start
"""


def run(body, devices="cpu,gpu:tahiti", **environment):
    """What a host program prints, line by line."""
    return run_and_tell(body, devices, **environment)[0]


def run_and_tell(body, devices="cpu,gpu:tahiti", **environment):
    """That, and what clpy tells."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", HOST + body], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "CLPY_DEVICES": devices, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


ADDED = """
n = 100000
a, b, (A, B, C) = buffers(n)
cl.Kernel(program, "add")(queue, (n,), None, A, B, C)
assert (result(C, a) == a + b).all()
cl.Kernel(program, "add")(cl.CommandQueue(context, devices[0]), (n,), None, A, C, B).wait()    # the CPU device goes on
assert (result(B, a) == a + (a + b)).all()
"""
SUMS = ADDED + """
m = 64
a, b, (A, B, C) = buffers(m * m)
cl.Kernel(program, "multiply")(queue, (m, m), (16, 16), A, B, C, np.int32(m))
wanted = a.reshape(m, m) @ b.reshape(m, m)
assert np.allclose(result(C, a).reshape(m, m), wanted, rtol=1e-5)
print(gpu.name, gpu.max_compute_units, gpu.local_mem_size)
"""


@pytest.mark.parametrize(("chip", "line"), [
    ("tahiti", "Tahiti (model) 32 32768"), ("hawaii", "Hawaii (model) 44 32768"), ("fiji", "Fiji (model) 64 32768"),
    ("vega10", "gfx900 (model) 64 65536")])
def test_results_beside_the_cpu_device(chip, line):
    assert run(SUMS, f"cpu,gpu:{chip}") == [line]


TIMES = """
n = 1 << 20
a, b, (A, B, C) = buffers(n)
kernel = cl.Kernel(program, "add")
times = {ns(kernel(queue, (n,), (256,), A, B, C)) for _ in range(3)}
print(*times)
"""


@pytest.mark.parametrize("more", [{}, {"CLPY_GPU_DETAIL": "full", "CLPY_GPU_TRACE_MB": "2"}],
                         ids=["sample", "more is told than there is room for"])
def test_the_same_launch_takes_the_same_time(more):
    """Whatever the threads: "the same program gives the same numbers"."""
    alone, together = (run(TIMES, CLPY_NUM_THREADS=n, **more) for n in ("1", "2"))
    assert alone == together
    assert len(alone[0].split()) == 1


def test_a_stream_takes_what_the_memory_allows():
    """12 MiB at 264 GB/s of the pins take 48 us, and streams reach part of that."""
    [line] = run(TIMES)
    assert 48_000 < int(line) < 160_000


@pytest.mark.parametrize("detail", ["full", "sample", "off"])
def test_detail_changes_no_result(detail):
    assert run(SUMS, CLPY_GPU_DETAIL=detail) == ["Tahiti (model) 32 32768"]


LONG = """
import clpy.profile
long = cl.Program(context, '''
kernel void walk(global uint *o, local uint *t, int n) {
    uint l = get_local_id(0), size = get_local_size(0), x = get_global_id(0);
    float f = l;
    for (int k = 0; k < n; k++) {
        t[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = l & 3; i < 5; i++)
            x = x * 1664525u + t[(l + i * k) % size];
        f += x & 15;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = x + (uint)f;
}
''').build()
O = cl.Buffer(context, 0, 400 * 4)
for _ in range(4):
    event = cl.Kernel(long, "walk")(queue, (400,), (100,), O, cl.LocalMemory(400), np.int32(2000))
    launch = clpy.profile.launch(event)
    print(result(O, np.empty(400, np.uint32)).tolist(), *(launch.counters[name] for name in ("VALUInsts", "LDSInsts")))
"""


@pytest.mark.parametrize("chip", ["tahiti", "vega10"])
def test_wavefronts_that_have_told_enough_go_on(chip):
    """And say no more: from a barrier on, with all that they have in registers."""
    counted, sampled = (run(LONG, f"cpu,gpu:{chip}", CLPY_GPU_DETAIL=detail) for detail in ("off", "sample"))
    assert counted == sampled
    assert len(set(counted)) == 1


def test_wavefronts_that_have_told_enough_go_on_in_fast_code(tmp_path):
    """As soon as the kernel has some: in this process from the second launch on, in the next one from the first."""
    counted = run(LONG, CLPY_GPU_DETAIL="off")
    folder = {"CLPY_CACHE_DIR": str(tmp_path), "CLPY_DEBUG": "3", "CLPY_SPECIALIZE_MS": "1"}
    first, second = (run_and_tell(LONG, **folder) for _ in range(2))
    assert first[0] == second[0] == counted
    assert "which are fast" in first[1]
    assert "translated" not in second[1]


@pytest.mark.parametrize(("detail", "tells"), [("off", False), ("sample", True), ("full", True)])
def test_a_program_is_translated_once(detail, tells):
    """Where launches are traced to code that can tell, which serves what is not to be traced too."""
    lines, told = run_and_tell(SUMS, "gpu:tahiti", CLPY_GPU_DETAIL=detail, CLPY_DEBUG="3", CLPY_CACHE="0")
    assert lines == ["Tahiti (model) 32 32768"]
    made, = [line for line in told.splitlines() if "translated" in line]
    assert ("which tell what they do" in made) is tells


SAMPLES = """
more = cl.Program(context, '''
kernel void blur(global const float *a, global float *b, int w) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += a[clamp(y + j, 0, w - 1) * w + clamp(x + i, 0, w - 1)];
    b[y * w + x] = sum;
}
kernel void uneven(global const float *a, global float *b) {
    int i = get_global_id(0);
    float x = a[i];
    for (int k = 0; k < (i >> 8) + 20; k++)
        x = x * 0.5f + 1;
    b[i] = x;
}
''').build()
m = 256
a, b, (A, B, C) = buffers(m * m)
print(ns(cl.Kernel(program, "multiply")(queue, (m, m), (16, 16), A, B, C, np.int32(m))))
print(ns(cl.Kernel(more, "uneven")(queue, (m * m,), (64,), A, B)))
m = 1024
a, b, (A, B, C) = buffers(m * m)
print(ns(cl.Kernel(program, "add")(queue, (m * m,), (256,), A, B, C)))
print(ns(cl.Kernel(more, "blur")(queue, (m, m), (8, 8), A, B, np.int32(m))))
"""


def test_a_sample_takes_about_as_long():
    """A few compute units, and the first instructions of their wavefronts, stand for all."""
    sample, full = ([int(line) for line in run(SAMPLES, CLPY_GPU_DETAIL=detail)] for detail in ("sample", "full"))
    assert sample != full
    assert sample == pytest.approx(full, rel=0.25)


KEEPS_THE_LOCK = """
import ctypes
n = 1 << 20
a, b, (A, B, C) = buffers(n)
kernel = cl.Kernel(program, "add")
event = kernel(queue, (n,), (256,), A, B, C)
queue.flush()
driver = ctypes.PyDLL("libOpenCL.so.1")      # its functions are called with Python's lock held
driver.clWaitForEvents(1, ctypes.byref(ctypes.c_void_p(event.int_ptr)))
driver.clFinish(ctypes.c_void_p(queue.int_ptr))
print(event.profile.end > event.profile.start)
kernel(queue, (n,), (256,), A, B, C)         # and nobody waits for this one
"""


@pytest.mark.parametrize("environment", [{}, {"CLPY_GPU_DETAIL": "off"}, {"CLPY_GPU_PROFILE": "/dev/null"}])
def test_a_host_that_waits_with_the_lock_of_python(environment):
    assert run(KEEPS_THE_LOCK, **environment) == ["True"]


FAULT = """
import os
os.dup2(1, 2)
bad = cl.Program(context, "kernel void far(global float *p, ulong by) { p[get_global_id(0) + by] = 1; }").build()
a, b, (A, B, C) = buffers(256)
launch = cl.Kernel(bad, "far")(queue, (256,), (64,), A, np.uint64(1 << 40))
try:
    launch.wait()
except cl.RuntimeError:
    pass
print(launch.command_execution_status, flush=True)
cl.Kernel(program, "add")(queue, (256,), (64,), A, B, C).wait()
assert (result(C, a) == a + b).all()
print("goes on")
"""


@pytest.mark.parametrize(("detail", "after"), [("full", "100"), ("sample", "100"), ("off", "100"), ("sample", "0")])
def test_a_fault_is_the_error_of_its_command(detail, after):
    """Told with its line, whichever code runs."""
    lines = run(FAULT, CLPY_GPU_DETAIL=detail, CLPY_SPECIALIZE_MS=after)
    assert any(line.startswith("clpy: fault: kernel far writes 0x") for line in lines)
    assert "clpy:   at <source>:1 in far" in lines
    assert lines[-2:] == ["-5", "goes on"]


def test_commands_follow_each_other_on_the_device_clock():
    lines = run("""
n = 1 << 16
a, b, (A, B, C) = buffers(n)
kernel = cl.Kernel(program, "add")
events = [kernel(queue, (n,), (64,), A, B, C) for _ in range(4)] + [cl.enqueue_copy(queue, A, C)]
queue.finish()
for e in events:
    print(e.profile.queued, e.profile.submit, e.profile.start, e.profile.end)
""")
    rows = [tuple(map(int, line.split())) for line in lines]
    assert all(queued <= submit <= start < end for queued, submit, start, end in rows)
    assert all(later[2] >= earlier[3] for earlier, later in itertools.pairwise(rows))


def test_unknown_chips_and_wrong_files_leave_the_other_devices(tmp_path):
    (tmp_path / "mine.toml").write_text('like = "tahiti"\n[compute]\nunits = { value = 0, basis = "estimated", '
                                        'source = "a test" }\n')
    code = "import pyopencl as cl; print([d.type for p in cl.get_platforms() for d in p.get_devices()])"
    for name, told in (("gpu:nonsense", "there is no chip nonsense"), ("gpu:mine", "[compute] units = 0")):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "CLPY_DEVICES": f"cpu,{name}", "CLPY_GPU_CHIPS": str(tmp_path)})
        assert done.stdout.strip() == "[2]", done.stderr
        assert told in done.stderr


def test_inline_assembly_is_a_build_error():
    """The translator has to know each instruction."""
    lines = run("""
try:
    cl.Program(cl.Context([gpu]), 'kernel void k(global int *o) { __asm__("s_nop 0"); }').build()
except cl.RuntimeError as error:
    print(str(error).replace(chr(10), " "))
""")
    assert len(lines) == 1 and "inline assembly" in lines[0]


VARIABLES = """
source = 'global int counter; kernel void k(global int *o) { o[0] = atomic_inc(&counter); }'
kernel = cl.Kernel(cl.Program(cl.Context([gpu]), source).build("-cl-std=CL3.0"), "k")
queue = cl.CommandQueue(kernel.context)
out = cl.Buffer(kernel.context, 0, 4)
for n in (1 << 16, 1 << 22, 1):
    kernel(queue, (n,), (64,) if n > 1 else None, out)
last = np.zeros(1, np.int32)
cl.enqueue_copy(queue, last, out)
print(last[0])
"""


def test_variables_are_those_of_all_groups():
    """Those that are followed and those that are not."""
    assert run(VARIABLES) == [str((1 << 16) + (1 << 22))]


FASTER = """
source = '''
global int calls;
kernel void work(global const float *a, global float *b, int n) {
    local float t[64];
    size_t i = get_global_id(0), l = get_local_id(0);
    float x = a[i];
    for (int j = 0; j < n; j++) {
        t[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = x * 0.75f + t[63 - l] * 0.25f;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[i] = x;
    if (i == 0) b[get_global_size(0)] = ++calls;
}
'''
work = cl.Kernel(cl.Program(context, source).build("-cl-std=CL3.0"), "work")
n = 4096
a, _, (A, _, _) = buffers(n)
B = cl.Buffer(context, 0, 4 * (n + 1))
seen = set()
for calls in range(1, 31):
    time = ns(work(queue, (n,), (64,), A, B, np.int32(100)))
    out = result(B, np.empty(n + 1, np.float32))
    assert out[n] == calls, (out[n], calls)
    seen.add((time, out[:n].tobytes()))
print(len(seen))
"""


LATE_FAULT = """
work = cl.Kernel(cl.Program(context, '''kernel void work(global float *a, global const ulong *by) {
    float x = 0;
    for (int k = 0; k < 100; k++)
        x = sin(x + k);
    a[get_global_id(0) + *by] = x;
}''').build(), "work")
_, _, (A, _, _) = buffers(4096)
by = cl.Buffer(context, 0, 8)
for far in (*30 * [0], 1 << 40):
    cl.enqueue_fill_buffer(queue, by, np.uint64(far), 0, 8)
    work(queue, (4096,), (64,), A, by)
    try:
        queue.finish()
    except cl.RuntimeError:
        pass
"""


def test_the_line_of_a_fault_in_fast_code(tmp_path):
    _, log = run_and_tell(LATE_FAULT, CLPY_CACHE_DIR=str(tmp_path), CLPY_DEBUG="3", CLPY_SPECIALIZE_MS="1")
    assert "which are fast" in log and "clpy:   at <source>:5 in work" in log


@pytest.mark.parametrize("after", ["1", "0"])
def test_kernels_that_run_long_get_fast_code(after, tmp_path):
    """Nothing but the time on the host's clock tells which code runs: results, the model's time and the program's
    variables are the same. Another process has the fast code from the cache."""
    folder = {"CLPY_CACHE_DIR": str(tmp_path), "CLPY_DEBUG": "3", "CLPY_SPECIALIZE_MS": after}
    first, second = (run_and_tell(FASTER, **folder) for _ in range(2))
    assert first[0] == second[0] == ["1"]
    assert ("which are fast" in first[1]) == (after == "1")
    assert "translated" not in second[1]


IMAGES = """
source = '''kernel void twice(read_only image2d_t a, sampler_t s, write_only image2d_t b) {
    int x = get_global_id(0), y = get_global_id(1);
    float4 c = read_imagef(a, s, (float2)((x + 0.25f) / get_image_width(a), (y + 0.75f) / get_image_height(a)));
    write_imagef(b, (int2)(x, y), c * 2);
    if (x == 1 && y == 1)
        printf("%d %s %v2f", x, "prints", (float2)(0.5, 2));
}'''
form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
given = np.random.default_rng(1).random((32, 64, 4), dtype=np.float32)
made = []
for device in devices:
    context, flags = cl.Context([device]), cl.mem_flags
    queue = cl.CommandQueue(context)
    images = [cl.Image(context, flags.COPY_HOST_PTR, form, shape=(64, 32), hostbuf=given.copy()) for _ in range(2)]
    sampler = cl.Sampler(context, True, cl.addressing_mode.REPEAT, cl.filter_mode.LINEAR)
    cl.Program(context, source).build().twice(queue, (64, 32), (16, 16), images[0], sampler, images[1])
    made.append(np.empty_like(given))
    cl.enqueue_copy(queue, made[-1], images[1], origin=(0, 0), region=(64, 32))    # waits with the interpreter's lock
    print(flush=True)
assert np.allclose(made[0], made[1], atol=1e-5)
"""


@pytest.mark.parametrize("detail", ["full", "off"])
def test_images_and_printf(detail, tmp_path):
    told = tmp_path / "launches"
    assert run(IMAGES, CLPY_GPU_DETAIL=detail, CLPY_GPU_PROFILE=str(told)) == ["1 prints 0.500000,2.000000"] * 2
    counters = json.loads(told.read_text())["counters"]
    # 64 * 32 pixels of 16 bytes each way, and what the kernel's arguments and constants take
    assert detail == "off" or (32 <= counters["FetchSize"] < 40 and 32 <= counters["WriteSize"] < 34)


def test_profile(tmp_path):
    script = tmp_path / "host.py"
    script.write_text(HOST + "n = 1 << 16\na, b, (A, B, C) = buffers(n)\n"
                      "cl.Kernel(program, 'add')(queue, (n,), (256,), A, B, C)\nqueue.finish()\nsys.exit(3)\n")
    command = [CLPY, "profile", "--device", "hawaii", "--json", "--", sys.executable, "-W", "ignore", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env={
        **os.environ, "GPU_DEVICE_ORDINAL": "3", "CLPY_GPU_CLOCK": "host"})      # which profile does without
    assert done.returncode == 3, done.stderr
    [row] = json.loads(done.stdout)
    assert (row["kernel"], row["device"], row["global_size"][0]) == ("add", "gpu:hawaii", 1 << 16)
    counters = row["counters"]
    assert counters["Wavefronts"] == 1024
    assert counters["VFetchInsts"] == 2 and counters["VWriteInsts"] == 1
    assert counters["VALUUtilization"] == 100
    assert counters["FetchSize"] == pytest.approx(512, abs=8)      # 2 x 64 Ki floats, and the arguments
    assert "lines" not in row
    by_line = ["--device", "gpu", "--lines", "--source", str(script), "--", sys.executable, "-W", "ignore", str(script)]
    text = subprocess.run([CLPY, "profile", *by_line], capture_output=True, text=True, timeout=300).stdout.splitlines()
    assert text[0].startswith("add on gpu:tahiti: ")
    assert text[1].split()[:2] == ["line", "instructions"] and any(line.split()[0] == "3" for line in text[2:])
    told = subprocess.run([CLPY, "profile", "--json", *by_line], capture_output=True, text=True, timeout=300).stdout
    [row] = json.loads(told)
    lines, counters = row["lines"], row["counters"]
    assert {line["line"] for line in lines} >= {3, 4}
    for name in ("VALUInsts", "SALUInsts", "VFetchInsts", "VWriteInsts", "SFetchInsts", "LDSInsts"):
        assert sum(line["by_counter"].get(name, 0) for line in lines) == counters[name] * counters["Wavefronts"]
    what = json.loads(subprocess.run([CLPY, "profile", "--json", "--counters"], capture_output=True, text=True).stdout)
    assert [each["name"] for each in what if each["chips"] not in ("VLIW", "Gen")] == list(counters)
    assert all(each["basis"] in ("exact", "modelled", "assumed") and each["formula"] for each in what)


def test_smaller_groups_at_the_end_count_as_they_are():
    """Five wavefronts of two groups, where two whole ones have eight: what takes them longest is to be started. By the
    formula."""
    rows = run("""
source = "kernel void none(global int *a) { if (get_global_id(0) > 99) a[0] = 1; }"
program = cl.Program(context, source).build("-cl-std=CL3.0")
kernel = cl.Kernel(program, "none")
memory = buffers(1)[2][0]
kernel.set_args(memory)
for size in ((65, 80000), (64, 100000)):
    print(ns(cl.enqueue_nd_range_kernel(queue, kernel, size, (64, 4))))
""", CLPY_GPU_DETAIL="off")
    uneven, even = map(int, rows)
    assert uneven == pytest.approx(even, rel=.05)
