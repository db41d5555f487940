# SPDX-License-Identifier: Apache-2.0
"""The tips of Intel's guide for developers, chapter by chapter: what becomes of a program that follows them, and of one
that does not; never times. The table in docs/performance.md has all tips, with the tests of those that are tested
elsewhere."""
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "kernel void k(global int *a, global ulong *at) { a[get_global_id(0)] += 1; *at = (ulong)a; }"
FLAGS = cl.mem_flags


@pytest.fixture(scope="module")
def queue():
    cpu = next(p for p in cl.get_platforms() if p.name == "clpy").get_devices(cl.device_type.CPU)[0]
    return cl.CommandQueue(cl.Context([cpu]))


def build(queue, source, options=""):
    return cl.Program(queue.context, source).build(options, cache_dir=False)


def on_device(queue, array):
    return cl.Buffer(queue.context, FLAGS.COPY_HOST_PTR, hostbuf=array)


def contents(queue, buffer, like):
    out = np.empty_like(like)
    cl.enqueue_copy(queue, out, buffer)
    return out


def aligned(count, alignment, offset=0):
    """int32, `offset` bytes behind a multiple of an alignment."""
    memory = np.zeros(count * 4 + alignment + offset, np.uint8)
    first = -memory.ctypes.data % alignment + offset
    return memory[first:first + count * 4].view(np.int32)


def run_by_itself(script, *arguments, **environment):
    """What a process writes to stdout that begins with the variables queue, np and cl."""
    head = ("import sys, numpy as np, pyopencl as cl\n"
            "devices = next(p for p in cl.get_platforms() if p.name == 'clpy').get_devices()\n"
            "context = cl.Context(devices)\n")
    done = subprocess.run([sys.executable, "-c", head + script, *arguments], env={**os.environ, **environment},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- Mapping Memory Objects; Minimizing Data Copying; Aligning Pointers ... Upon Mapping

@pytest.mark.parametrize("offset", [0, 64, 4], ids=["page", "line", "word"])
def test_memory_of_the_host_is_used_where_it_is(queue, offset):
    """As the guide has it, a multiple of lines at a page's beginning; and one may as well not look after that."""
    host = aligned(1024, 4096, offset)
    mem = cl.Buffer(queue.context, FLAGS.USE_HOST_PTR, hostbuf=host)
    at = on_device(queue, np.zeros(1, np.uint64))
    build(queue, ADDRESS).k(queue, host.shape, None, mem, at)
    assert contents(queue, at, np.zeros(1, np.uint64))[0] == host.ctypes.data
    assert (host == 1).all(), "what kernels write is there without a map"
    mapped, _ = cl.enqueue_map_buffer(queue, mem, cl.map_flags.READ, 0, host.shape, np.int32)
    assert mapped.ctypes.data == host.ctypes.data


def test_memory_for_the_host_is_the_devices(queue):
    """CL_MEM_ALLOC_HOST_PTR: each map is the same address, that kernels have too, at the beginning of two lines."""
    mem, at = cl.Buffer(queue.context, FLAGS.ALLOC_HOST_PTR, 4096), on_device(queue, np.zeros(1, np.uint64))
    kernel, places = build(queue, ADDRESS).k, set()
    for n in range(3):
        mapped, _ = cl.enqueue_map_buffer(queue, mem, cl.map_flags.WRITE, 0, (1024,), np.int32)
        places.add(mapped.ctypes.data)
        mapped[:] = n
        mapped.base.release(queue)
        kernel(queue, (1024,), None, mem, at)
    mapped, _ = cl.enqueue_map_buffer(queue, mem, cl.map_flags.READ, 0, (1024,), np.int32)
    assert (mapped == 3).all()
    assert places == {mapped.ctypes.data} == {int(contents(queue, at, np.zeros(1, np.uint64))[0])}
    assert mapped.ctypes.data % 128 == 0
    assert queue.device.host_unified_memory


# ---- Avoid Needless Synchronization; Eliminating Device Starvation

def test_a_chain_without_events_is_in_order(queue):
    """A hundred kernels of an in-order queue, none waited for, and one blocking map that shows what the last one left;
    none of the calls waits for the first of them, which has not begun."""
    gate = cl.UserEvent(queue.context)
    mem, kernel = on_device(queue, np.zeros(64, np.uint32)), build(
        queue, "kernel void k(global uint *a, uint n) { uint i = get_global_id(0); a[i] = a[i] * 3 + n; }").k
    cl.enqueue_marker(queue, wait_for=[gate])
    for n in range(100):
        last = kernel(queue, (64,), None, mem, np.uint32(n))
    assert last.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    expected = 0
    for n in range(100):
        expected = expected * 3 + n
    mapped, _ = cl.enqueue_map_buffer(queue, mem, cl.map_flags.READ, 0, (64,), np.uint32)
    assert (mapped == expected % 2**32).all()


# ---- Task-Parallel Programming Model Hints

MEET = """
text = '''kernel void meet(volatile global uint *a, int me) {
    atomic_xchg(&a[me], 1); uint met = 0;
    for (int n = 0; n < 1000000000 && !met; n++) met = atomic_or(&a[1 - me], 0);
    a[2 + me] = met; }'''
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
mem = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(4, np.uint32))
kernel, out = cl.Program(context, text).build(cache_dir=False).meet, np.empty(4, np.uint32)
tasks = [kernel(queue, (1,), (1,), mem, np.int32(me)) for me in range(2)]
cl.enqueue_copy(queue, out, mem, wait_for=tasks)
print(out.tolist())
"""


def test_independent_tasks_of_an_out_of_order_queue_run_together():
    """Each sees what the other writes while it runs, where there are compute units for both."""
    assert run_by_itself(MEET, CLPY_DEVICES="cpu", CLPY_NUM_THREADS="2") == "[1, 1, 1, 1]\n"


# ---- Work-Group Size Considerations; Work-Group Level Parallelism; Use Row-Wise Data Accesses

SIZES = """kernel void k(global uint *a) { if (get_global_id(0) + get_global_id(1) == 0) {
    a[0] = get_local_size(0) * get_local_size(1); a[1] = get_num_groups(0) * get_num_groups(1);
    a[2] = get_local_size(0); } }"""


@pytest.mark.parametrize("shape", [(1 << 16,), (4096,), (1024, 64)])
def test_groups_where_none_are_asked_for(queue, shape):
    """64 work-items or more, whole vectors, as many groups as there are compute units or more; rows are not cut."""
    kernel, mem = build(queue, SIZES).k, on_device(queue, np.zeros(3, np.uint32))
    kernel(queue, shape, None, mem)
    items, groups, row = contents(queue, mem, np.zeros(3, np.uint32)).tolist()
    units = queue.device.max_compute_units
    multiple = kernel.get_work_group_info(cl.kernel_work_group_info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, queue.device)
    assert items >= 64 or groups <= units
    assert items % multiple == 0
    assert groups >= min(units, np.prod(shape) // 64)
    assert row >= 64


# ---- Coding for the Intel CPU OpenCL Device: what runs as vectors. name: (arguments, body, options)

PAIR = "global const float *a, global const float *b, global float *c"
IMAGE = "global const float *a, global float *b"
AT = "int i = get_global_id(0); "
XY = "int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1); "
VECTORS = {
    # Benefitting From Implicit Vectorization: plain scalar code
    "scalar": (PAIR, AT + "c[i] = a[i] * b[i];"),
    # Using Vector Data Types, without the attribute: taken apart, and lanes are work-items
    "of_float4": ("global const float4 *a, global float4 *c", AT + "c[i] = a[i] * a[i];"),
    # Avoid Spurious Operations in Kernel Code: indices of size_t cost nothing here
    "index_64": (PAIR, "size_t i = get_global_id(0); c[i] = a[i] * b[i];"),
    # Tips for Auto-Vectorization: arrays of structures, and structures of arrays
    "of_structures": ("global const float4 *a, global float *c", AT + "c[i] = a[i].x + a[i].y + a[i].z + a[i].w;"),
    "of_arrays": ("global const float *x, global const float *y, global const float *z, global float *c",
                  AT + "c[i] = x[i] + y[i] + z[i];"),
    # ... memory accesses inside of branches, and outside
    "inside": ("global const float *a, global const int *at, global float *b",
               AT + "if (a[i] > 0) { float x = a[at[i]]; b[i] = x * 2; } else { float x = a[at[i]]; b[i] = x - 1; }"),
    "outside": ("global const float *a, global const int *at, global float *b",
                AT + "float x = a[at[i]], r; if (a[i] > 0) r = x * 2; else r = x - 1; b[i] = r;"),
    # Using Built-In Functions
    "built_in": (PAIR, AT + "c[i] = rsqrt(a[i]) + powr(a[i], b[i]) + dot((float2)(a[i], b[i]), (float2)(b[i], a[i]));"),
    # Avoid Extracting Vector Components: the component costs no detour through memory
    "component": ("global const float4 *a, global float4 *c",
                  AT + "c[i] = 1 - a[i]; c[i].w = a[i].w; c[i] = sqrt(c[i]);"),
    # Avoiding Handling Edge Conditions in Kernels: with them, and with places that are held inside
    "edges": (IMAGE, XY + "float s = a[y * w + x]; int n = 1; if (x + 1 < w) { s += a[y * w + x + 1]; n++; }"
              "if (y + 1 < h) { s += a[(y + 1) * w + x]; n++; } b[y * w + x] = s / n;"),
    "clamped": (IMAGE, XY + "x = max(min(x, w - 2), 1); y = max(min(y, h - 2), 1); b[y * w + x] = (a[y * w + x]"
                " + a[y * w + x + 1] + a[y * w + x - 1] + a[(y + 1) * w + x] + a[(y - 1) * w + x]) / 5;"),
    # Applying Shared Local Memory; Perform Initialization in a Separate Task: barriers leave vectors
    "shared": (IMAGE, AT + "local float t[64]; t[get_local_id(0)] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);"
              "b[i] = t[get_local_id(0) ^ 1];"),
}
REPORT = """
names = sys.argv[2].split()
program = cl.Program(context, sys.argv[1]).build(cache_dir=False)
for name in names:
    cl.Kernel(program, name).get_work_group_info(cl.kernel_work_group_info.PRIVATE_MEM_SIZE, devices[0])
print(devices[0].preferred_vector_width_float, devices[0].native_vector_width_float)
print(program.get_build_info(devices[0], cl.program_build_info.LOG))
"""


@pytest.fixture(scope="module")
def report():
    """(preferred and native width, {region: what the build log says of it})"""
    kernels = {name: f"kernel void {name}({arguments}) {{ {body} }}" for name, (arguments, body) in VECTORS.items()}
    kernels["hinted"] = kernels["of_float4"].replace("kernel void of_float4",
                                                  "kernel __attribute__((vec_type_hint(float4))) void hinted")
    text = run_by_itself(REPORT, "\n".join(kernels.values()), " ".join(kernels), CLPY_DEVICES="cpu", CLPY_DEBUG="3",
                         CLPY_CACHE="0")
    widths, _, log = text.partition("\n")
    return [int(n) for n in widths.split()], dict(re.findall(r"(\w+\.region\.\d+): (.*)", log))


@pytest.mark.parametrize("name", VECTORS)
def test_kernels_are_vectors_of_work_items(report, name):
    (_, native), log = report
    regions = {region: text for region, text in log.items() if region.startswith(f"{name}.region")}
    assert len(regions) == (2 if name == "shared" else 1)
    for text in regions.values():
        assert int(re.match(r"(\d+) work-items at a time", text)[1]) >= native // 2, text


def test_the_width_to_write_for_is_one(report):
    """Scalar code is what works best, says the guide, and the device; a kernel whose hint says that it is written for
    vectors is left as it is."""
    (preferred, native), log = report
    assert preferred == 1 and native in (4, 8, 16)
    assert log["hinted.region.0"] == "scalar: vec_type_hint(float4)"


ROWS = """
text = '''kernel void rows(global const float *a, uint w, global float *b) {
    int x = get_global_id(0), y = get_global_id(1); b[y * w + x] = a[y * w + x] * 2; }
kernel void columns(global const float *a, uint w, global float *b) {
    int y = get_global_id(0), x = get_global_id(1); b[y * w + x] = a[y * w + x] * 2; }'''
queue, program = cl.CommandQueue(context), cl.Program(context, text).build(cache_dir=False)
a = np.arange(1024 * 64, dtype=np.float32)
for kernel, shape in ((program.rows, (1024, 64)), (program.columns, (64, 1024))):
    mems = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a) for _ in range(2)]
    kernel(queue, shape, None, mems[0], np.uint32(1024), mems[1])
    out = np.empty_like(a)
    cl.enqueue_copy(queue, out, mems[1])
    assert (out == 2 * a).all()
sys.stdout.flush()
"""


def test_rows_are_read_as_rows_whichever_dimension_they_are():
    """Where the second dimension goes along rows, groups and vectors do, too."""
    script = f"import os\nos.dup2(1, 2)\n{ROWS}"
    log = run_by_itself(script, CLPY_DEVICES="cpu", CLPY_DEBUG="2")
    groups = re.findall(r"launch (\w+): global \d+ \d+ 1, local (\d+) (\d+) 1", log)
    assert groups == [("rows", "1024", "1"), ("columns", "4", "1024")]      # whole rows, as many as a group may have


# ---- Using Compiler Options for Optimizations; Using Floating Point for Calculations; the preprocessor

def test_relaxed_math_is_relaxed_where_it_is_asked_for(queue):
    """(x + 1) - x is 0 for large x, and 1 to who says that such things do not matter."""
    source, large = "kernel void k(global float *a) { a[0] = (a[0] + 1.0f) - a[0]; }", np.full(1, 1e8, np.float32)
    for options, expected in (("", 0), ("-cl-mad-enable", 0), ("-cl-fast-relaxed-math", 1)):
        mem = on_device(queue, large)
        build(queue, source, options).k(queue, (1,), None, mem)
        assert contents(queue, mem, large)[0] == expected, options


def test_mad_is_one_instruction(queue):
    """Rounded once, as fma is, where the processor has that; elsewhere two instructions, and fma many."""
    kernel = build(queue, "kernel void k(global const float *a, global float *b) { int i = get_global_id(0);"
                   "b[i] = mad(a[i], a[i], -1.0f); b[i + 64] = fma(a[i], a[i], -1.0f); }").k
    a = np.linspace(1, 2, 64, dtype=np.float32)
    out = on_device(queue, np.zeros(128, np.float32))
    kernel(queue, (64,), None, on_device(queue, a), out)
    mad, fma = contents(queue, out, np.zeros(128, np.float32)).reshape(2, 64)
    assert (mad == (fma if " fma " in Path("/proc/cpuinfo").read_text() else a * a - 1)).all()
    assert (fma == (a.astype(np.float64)**2 - 1).astype(np.float32)).all()


def test_constants_of_the_preprocessor_are_the_arguments(queue):
    source = """kernel void k(global uint *a, uint n) { uint i = get_global_id(0), base = a[i];
        for (uint k = 1; k < EXPONENT; ++k) a[i] *= base; }"""
    values = np.arange(1, 65, dtype=np.uint32)
    for options in ("-DEXPONENT=5u", "-DEXPONENT=n"):
        mem = on_device(queue, values)
        build(queue, source, options).k(queue, (64,), None, mem, np.uint32(5))
        assert (contents(queue, mem, values) == values**5).all()


# ---- Using Multiple OpenCL Devices

SHARED = """
program = cl._cl._Program(context, '''kernel void k(global int *a) { int i = get_global_id(0); a[i] += WHO; }''')
for n, device in enumerate(devices):
    program._build(b'-DWHO=%d' % (n + 1), [device])
kernel, queues = cl.Kernel(program, 'k'), [cl.CommandQueue(context, device) for device in devices]
memory = np.zeros(4096, np.int32)
host = memory[-memory.ctypes.data % 4096 // 4:][:1024]
mem = cl.Buffer(context, cl.mem_flags.USE_HOST_PTR, hostbuf=host)
halves = [mem.get_sub_region(2048 * n, 2048) for n in range(2)]
for turn in range(3):
    events = []
    for n, queue in enumerate(queues):
        kernel.set_args(halves[n ^ turn & 1])
        events.append(cl.enqueue_nd_range_kernel(queue, kernel, (512,), None))
        queue.flush()
    cl.wait_for_events(events)
maps = [cl.enqueue_map_buffer(queue, mem, cl.map_flags.READ, 0, (1024,), np.int32)[0] for queue in queues]
print([device.type for device in devices], [m.ctypes.data - host.ctypes.data for m in maps],
      [sorted(set(part.tolist())) for part in (host[:512], host[512:])])
"""


def test_a_context_of_a_processor_and_a_gpu():
    """One kernel of one program built for each with options of its own, one buffer whose halves both write at the same
    time, in turn; nothing is copied for that."""
    out = run_by_itself(SHARED, CLPY_DEVICES="cpu,gpu:vega10")
    assert out == f"[{cl.device_type.CPU}, {cl.device_type.GPU}] [0, 0] [[4], [5]]\n"


# ---- the table

def test_the_table_names_tests_that_there_are():
    page = (ROOT / "docs" / "performance.md").read_text()
    table = page.partition("## The tips of Intel's guide")[2]
    named = set(re.findall(r"`((?:tests|vendor_ext)/[\w/]+\.py)::(\w+)`", table))
    assert len(named) > 20
    for path, name in named:
        assert re.search(rf"^def {name}\(", (ROOT / path).read_text(), re.M), (path, name)
    tests = {name for name in globals() if name.startswith("test_") and "table" not in name}
    assert {name for path, name in named if path == "tests/clients/test_intel_guide.py"} == tests
