# SPDX-License-Identifier: Apache-2.0
"""Models of Intel's chips as devices of the platform, with Intel's compiler: what they answer, times and counters."""
import json
import subprocess
import sys

import pytest

from clpy.compiler.gen import installed
from tests.gpu.test_device import CLPY, HOST, SUMS, run

pytestmark = pytest.mark.skipif(bool(installed.missing()), reason="Intel's compiler is not installed")
DEVICE = "cpu,gpu:skylake-gt2"

ANSWERS = """
import json
kernel = cl.Kernel(program, "multiply")
info, sizes = cl.device_info, cl.kernel_work_group_info
print(json.dumps([gpu.vendor, gpu.vendor_id, gpu.max_work_group_size, gpu.host_unified_memory, gpu.local_mem_type,
    gpu.global_mem_cache_size, gpu.global_mem_cacheline_size, gpu.native_vector_width_char,
    gpu.preferred_work_group_size_multiple, gpu.max_clock_frequency,
    gpu.max_pipe_args, gpu.pipe_max_packet_size, kernel.get_work_group_info(sizes.WORK_GROUP_SIZE, gpu),
    kernel.get_work_group_info(sizes.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, gpu) in (8, 16, 32)]))
"""


@pytest.mark.parametrize(("chip", "line"), [
    ("skylake-gt2", "Intel(R) HD Graphics 530 (model) 24 65536"),
    ("skylake-gt4e", "Intel(R) Iris(TM) Pro Graphics 580 (model) 72 65536"),
    ("broadwell-gt2", "Intel(R) HD Graphics 5500 (model) 24 65536"),
    ("broadwell-gt2-5600", "Intel(R) HD Graphics 5600 (model) 24 65536"),
    ("haswell-gt2", "Intel(R) HD Graphics 4600 (model) 20 65536"),
    ("haswell-gt3e", "Intel(R) Iris(TM) Pro Graphics 5200 (model) 40 65536")])
def test_results_beside_the_cpu_device(chip, line):
    assert run(SUMS, f"cpu,gpu:{chip}") == [line]


def test_what_it_answers():
    assert json.loads(run(ANSWERS, DEVICE)[0]) == ["Intel(R) Corporation", 0x8086, 256, 1, 1, 524288, 64, 16, 32, 1150,
                                                   16, 1024, 256, True]


OLDER = """
import json
made = cl.Program(context, "kernel void odd(global uint *o) { local uint t[512]; uint l = get_local_id(0); t[l] = l;"
                  "barrier(CLK_LOCAL_MEM_FENCE); o[l] = t[511 - l]; }").build()
C = cl.Buffer(context, 0, 4 * 512)
cl.Kernel(made, "odd")(queue, (512,), (512,), C)
assert (result(C, np.zeros(512, np.uint32)) == np.arange(512)[::-1]).all()
only = cl.Context([gpu])
def builds(source, options=""):
    try:
        cl.Program(only, source).build(options)
    except cl.Error:
        return False
    return True
kernel = "kernel void k(global %s *o) { *o += *o; }"
print(json.dumps([gpu.version.split(" clpy")[0], gpu.opencl_c_version.split(" clpy")[0], gpu.max_work_group_size,
    gpu.global_mem_cache_size, gpu.double_fp_config, gpu.native_vector_width_double,
    gpu.svm_capabilities, gpu.max_pipe_args,
    [name for name in ("fp16", "fp64", "subgroups", "il_program") if f"cl_khr_{name}" in gpu.extensions],
    [builds(kernel % name) for name in ("float", "long", "half", "double")], builds(kernel % "int", "-cl-std=CL2.0"),
    gpu.image_support]))
"""


def test_what_older_chips_answer():
    """Haswell: OpenCL 1.2 without halves and doubles, though its kernels are Gen8's code, which has both."""
    told = json.loads(run(OLDER, "gpu:haswell-gt2")[0])
    assert told == ["OpenCL 1.2", "OpenCL C 1.2", 512, 262144, 0, 0, 0, 0, [], [True, True, False, False], False, 1]


CHAIN = """
made = cl.Program(context, '''kernel void chain(global float *o, float a) {
    float16 x = (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + a, y = get_local_id(0);
    for (int i = 0; i < 64; i++) { x = y * x + y; y = x * y + x; x = y * x + y; y = x * y + x; }
    x += y;
    o[get_global_id(0)] = x.s0 + x.s1 + x.s2 + x.s3 + x.s4 + x.s5 + x.s6 + x.s7 + x.s8 + x.s9 + x.sa + x.sb + x.sc
                          + x.sd + x.se + x.sf;
}''').build()
n = 1 << 16
event = cl.Kernel(made, "chain")(queue, (n,), (256,), cl.Buffer(context, 0, 4 * n), np.float32(1))
print(2 * 4 * 64 * 16 * n / ns(event))
"""


@pytest.mark.parametrize("detail", ["sample", "full"])
def test_no_more_than_the_peak(detail):
    """Some EUs have seven threads and others six, whose slots are nobody's until all of a group have ended."""
    assert 370 < float(run(CHAIN, "cpu,gpu:haswell-gt2", CLPY_GPU_DETAIL=detail)[0]) <= 400


COUNTED = """
import json
import clpy.profile
other = cl.Program(context, '''
kernel void chain(global float *o, float a) {
    float x = get_local_id(0), y = a;
    for (int i = 0; i < 64; i++) {
        x = y * x + y; y = x * y + x; x = y * x + y; y = x * y + x;
        x = y * x + y; y = x * y + x; x = y * x + y; y = x * y + x;
    }
    o[get_global_id(0)] = x + y;
}
kernel void twice(global const float *a, global float *o, int n) {
    float sum = 0;
    for (int turn = 0; turn < 4; turn++)
        for (int i = get_local_id(0); i < n; i += 256)
            sum += a[i];
    o[get_global_id(0)] = sum;
}
kernel void beside(global const float *a, global float *o, int n) {
    local float t[256];
    float sum = 0;
    for (int turn = 0; turn < 4; turn++)
        for (int i = get_local_id(0); i < n; i += 256)
            sum += a[i];
    t[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[255 - get_local_id(0)];
}
''').build()
n = 1 << 20
a, b, (A, B, C) = buffers(n)
def told(name, size, *arguments, of=other):
    event = cl.Kernel(of, name)(queue, (size,), (256,), *arguments)
    counters = clpy.profile.launch(event).counters
    print(json.dumps(counters | {"ns": ns(event)}))
told("add", n, A, B, C, of=program)
told("chain", n, C, np.float32(1))
for name in ("twice", "beside"):
    told(name, 3 * 256, A, C, np.int32(110_000))
"""


@pytest.fixture(scope="module")
def counted():
    return [json.loads(line) for line in run(COUNTED, DEVICE)]


def test_a_stream_takes_what_the_memory_allows(counted):
    """34.1 GB/s, of which .83 are reached."""
    add = counted[0]
    assert 12 * 2 ** 20 / add["ns"] == pytest.approx(34.1 * 0.83, rel=0.05)
    assert (add["UntypedBytesRead"], add["UntypedBytesWritten"]) == (8 << 20, 4 << 20)
    assert add["GtiReadThroughput"] == pytest.approx(8 << 20, rel=0.01)


def test_chains_reach_the_peak(counted):
    """24 EUs, 16 operations a cycle: clpeak has .98 of it on such a chip, 436 GFLOP/s."""
    chain = counted[1]
    assert 2 * 8 * 64 * 2 ** 20 / chain["ns"] == pytest.approx(436, rel=0.03)
    assert chain["FpuBusy"] > 95 and chain["CsThreads"] == 2 ** 20 / chain["SimdWidth"]


def test_local_memory_takes_room_from_the_l3(counted):
    """440 KB fit the 512 that are for data, not the 384 beside local memory."""
    twice, beside = counted[2:]
    assert twice["L3Misses"] == pytest.approx(440_000 / 64, rel=0.02)
    assert beside["L3Misses"] > 2 * twice["L3Misses"]
    assert (twice["SlmBytesRead"], beside["SlmBytesRead"]) == (0, 3 * 256 * 4)


SHARED = """
import ctypes
from ctypes import byref, c_int, c_size_t, c_uint, c_void_p
opencl = ctypes.CDLL("libOpenCL.so.1")
opencl.clGetExtensionFunctionAddressForPlatform.restype = c_void_p
def function(name, restype, *types):
    at = opencl.clGetExtensionFunctionAddressForPlatform(c_void_p(gpu.platform.int_ptr), name.encode())
    return ctypes.CFUNCTYPE(restype, *types)(at)
def allocate(kind, *device):
    types = [c_void_p, *[c_void_p for _ in device], c_void_p, c_size_t, c_uint, c_void_p]
    found = function(f"cl{kind}MemAllocINTEL", c_void_p, *types)(context.int_ptr, *device, None, 4096, 0, None)
    assert found, kind
    return found
host, shared, device = allocate("Host"), allocate("Shared", gpu.int_ptr), allocate("Device", gpu.int_ptr)
words = (c_uint * 1024).from_address(host)
for i in range(1024):
    words[i] = 3 * i
ctypes.cast(shared, ctypes.POINTER(c_void_p))[0] = host
k = cl.Program(context, '''kernel void follow(global uint *global *list, global uint *out) {
    out[get_global_id(0)] = list[0][get_global_id(0)] + 1;
}''').build("-cl-std=CL3.0").follow
for index, place in enumerate((shared, device)):
    assert function("clSetKernelArgMemPointerINTEL", c_int, c_void_p, c_uint, c_void_p)(k.int_ptr, index, place) == 0
flag = c_uint(1)
for name in (0x4200, 0x4201, 0x4202):       # CL_KERNEL_EXEC_INFO_INDIRECT_*_ACCESS_INTEL
    assert opencl.clSetKernelExecInfo(c_void_p(k.int_ptr), name, c_size_t(4), byref(flag)) == 0
cl.enqueue_nd_range_kernel(queue, k, (1024,), (64,))
copy = function("clEnqueueMemcpyINTEL", c_int, c_void_p, c_uint, *[c_void_p] * 2, c_size_t, c_uint, *[c_void_p] * 2)
assert copy(queue.int_ptr, 1, host, device, 4096, 0, None, None) == 0
assert list(words) == [3 * i + 1 for i in range(1024)]
for place in (host, shared, device):
    assert function("clMemBlockingFreeINTEL", c_int, c_void_p, c_void_p)(context.int_ptr, place) == 0
print("freed")
"""


def test_memory_that_is_named_by_its_address():
    assert run(SHARED, DEVICE) == ["freed"]


@pytest.mark.parametrize("detail", ["full", "sample", "off"])
def test_a_fault_has_a_line(detail):
    """Of the kernel that is to blame, among others."""
    lines = run("""
import os
os.dup2(1, 2)
bad = cl.Program(context, '''kernel void near(global float *p) { p[get_global_id(0)] += 1; }
kernel void far(global float *p, ulong by) {
    size_t i = get_global_id(0);
    if (i > 2)
        p[i + by] = 1;
    p[i] = 2;
}''').build()
a, b, (A, B, C) = buffers(256)
launch = cl.Kernel(bad, "far")(queue, (256,), (64,), A, np.uint64(1 << 28))
try:
    launch.wait()
except cl.RuntimeError:
    pass
print(launch.command_execution_status)
""", DEVICE, CLPY_GPU_DETAIL=detail)
    assert any(line.startswith("clpy: fault: kernel far writes 0x") for line in lines)
    assert "clpy:   at <source>:5 in far" in lines and lines[-1] == "-5"


def test_counters_by_lines(tmp_path):
    """Together they are the launch's."""
    script = tmp_path / "host.py"
    script.write_text(HOST + "a, b, (A, B, C) = buffers(64 * 64)\n"
                      "cl.Kernel(program, 'multiply')(queue, (64, 64), (16, 16), A, B, C, np.int32(64))\n"
                      "queue.finish()\n")
    command = [CLPY, "profile", "--device", "skylake-gt2", "--lines", "--detail", "full", "--json", "--",
               sys.executable, "-W", "ignore", str(script)]
    [row] = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300).stdout)
    lines, counters = {line["line"]: line for line in row["lines"]}, row["counters"]
    # Of the text that begins with an empty line.
    assert set(lines) <= {0, *range(6, 20)} and {8, 10, 11, 12, 13, 15, 16, 18} <= set(lines)
    for name in ("FpuInsts", "LoadMessages", "StoreMessages", "SlmReadMessages", "SlmWriteMessages"):
        told = sum(line["by_counter"].get(name, 0) for line in lines.values())
        assert told == counters[name] * counters["CsThreads"] > 0
    assert lines[18]["by_counter"]["StoreMessages"] and lines[15]["by_counter"]["SlmReadMessages"]
    assert lines[11]["lines_per_access"] == 1 and lines[13]["exposed_cycles"]["barrier"]
    assert {line["active"] for line in lines.values()} == {100}
