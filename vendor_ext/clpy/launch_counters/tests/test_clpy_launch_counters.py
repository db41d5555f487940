# SPDX-License-Identifier: Apache-2.0
"""Counters of a launch by its event, and what is no launch on a model."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clpy import profile

ROOT = Path(__file__).resolve().parents[4]
HOST = """
import gc, json
import numpy as np
import pyopencl as cl
import clpy.profile
SOURCE = '''kernel void spread(global const int *a, global int *b, int by) {
    local int there[64 * 32];
    int i = get_local_id(0);
    there[i * by] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = there[i * by];
    if (i < 16)
        x = x * 3 + 1;
    b[get_global_id(0) * 16] = x;
}'''
devices = [d for p in cl.get_platforms() if p.name == "clpy" for d in p.get_devices()]
gpu = next(d for d in devices if d.type == cl.device_type.GPU)
context = cl.Context(devices)
profiling = cl.command_queue_properties.PROFILING_ENABLE
queue = cl.CommandQueue(context, gpu, properties=profiling)
n = 1 << 14
a = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.arange(n, dtype=np.int32))
b = cl.Buffer(context, 0, 64 * n)
kernel = cl.Kernel(cl.Program(context, SOURCE).build(cache_dir=False), "spread")

def spread(by, queue=queue):
    return kernel(queue, (n,), (64,), a, b, np.int32(by))
"""


def run(body, devices="cpu,gpu:tahiti", **environment):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", HOST + body], capture_output=True, text=True, cwd=ROOT,
                          timeout=300, env={**os.environ, "CLPY_DEVICES": devices, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_number_is_that_of_the_header():
    text = (ROOT / "include/CL/cl_clpy.h").read_text()
    assert int(re.search(r"CL_PROFILING_LAUNCH_COUNTERS_CLPY (\w+)", text)[1], 16) == profile.LAUNCH_COUNTERS
    enums = (Path(__file__).parents[1] / "enums.txt").read_text()
    assert f"CL_PROFILING_LAUNCH_COUNTERS_CLPY 0x{profile.LAUNCH_COUNTERS:X}" in enums


COUNTED = """
first, second = (clpy.profile.launch(spread(by)) for by in (1, 32))
event = spread(1)
assert clpy.profile.counters(event) == first.counters
print(json.dumps([vars(first), vars(second), event.profile.end - event.profile.start]))
"""


def lines_of(told):
    return {line["line"]: line for line in told["lines"]}


@pytest.mark.parametrize("detail", ["full", "sample"])
def test_counters_and_lines(detail):
    first, second, ns = json.loads(run(COUNTED, CLPY_GPU_DETAIL=detail)[0])
    assert (first["kernel"], first["device"], first["global_size"]) == ("spread", "gpu:tahiti", [1 << 14, 1, 1])
    assert first["ns"] == pytest.approx(ns, abs=2)
    assert first["counters"]["Wavefronts"] == 256
    assert first["counters"]["LDSBankConflict"] == 0 < second["counters"]["LDSBankConflict"]
    lines, slower = lines_of(first), lines_of(second)
    # Words that lie 32 apart are in one bank: each of 32 waits for the others, in the store and in the load.
    assert lines[4]["conflict_cycles"] == lines[6]["conflict_cycles"] == 0
    assert slower[4]["conflict_cycles"] > 0 and slower[6]["conflict_cycles"] > 0
    assert lines[4]["lines_per_access"] == 4 and lines[9]["lines_per_access"] == 64
    assert lines[9]["active"] == 100
    assert lines[9]["instructions"] >= 256
    assert sum(lines[4]["exposed_cycles"].values()) > 0
    instructions = sum(line["instructions"] for line in first["lines"])
    per_wave = sum(first["counters"][f"{name}Insts"] for name in ("VALU", "SALU", "VFetch", "VWrite", "SFetch", "LDS"))
    assert instructions > 256 * per_wave      # waits, branches and barriers are among them


def test_divergence_by_line():
    """A quarter of the work-items goes in where the branch is not made a select."""
    body = """
text = '''kernel void part(global int *a) {
    if (get_local_id(0) < 16)
        for (int k = 0; k < a[0]; k++)
            a[get_global_id(0) + 1] += k * k;
}'''
kernel = cl.Kernel(cl.Program(context, text).build(cache_dir=False), "part")
zero = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.full(n + 1, 5, np.int32))
print(json.dumps(clpy.profile.launch(kernel(queue, (n,), (64,), zero)).lines))
"""
    lines = lines_of({"lines": json.loads(run(body)[0])})
    assert lines[4]["active"] == 25


def test_by_formula_there_is_what_is_counted():
    first, _, ns = json.loads(run(COUNTED, CLPY_GPU_DETAIL="off")[0])
    assert first["uncertainty"] is None
    assert first["counters"]["GPUTime"] == pytest.approx(ns, abs=2)
    assert first["counters"]["LDSInsts"] == 2
    assert "FetchSize" not in first["counters"]
    assert lines_of(first)[9]["active"] == 100
    assert "exposed_cycles" not in lines_of(first)[9]


def test_what_has_no_counters():
    lines = run("""
cases = {"queue": spread(1, cl.CommandQueue(context, gpu)), "cpu": spread(1, cl.CommandQueue(context, devices[0],
         properties=profiling)), "copy": cl.enqueue_copy(queue, np.empty(4, np.int32), a, is_blocking=False),
         "user": cl.UserEvent(context), "marker": cl.enqueue_marker(queue)}
cases["user"].set_status(0)
for name, event in cases.items():
    try:
        print(name, clpy.profile.launch(event))
    except clpy.profile.NotCounted as why:
        print(name, "no counters: the event has to be of a kernel on the model of a GPU" in str(why))
print(len(clpy.profile.launches(list(cases.values()) + [spread(1)])))
""")
    assert lines == ["queue True", "cpu True", "copy True", "user True", "marker True", "1"]


def test_they_outlive_program_queue_and_kernel():
    """And go with the event."""
    lines = run("""
events = [spread(1) for _ in range(200)]
queue.finish()
del kernel, queue, a, b
gc.collect()
clpy_calls = [clpy.profile.launch(event).kernel for event in events]
print(set(clpy_calls))
del events
gc.collect()
""", CLPY_LEAKS="1")
    assert lines == ["{'spread'}"]


def test_a_table():
    text = run("print(clpy.profile.launch(spread(32)).table(SOURCE))")
    assert text[0].split() == ["line", "instructions", "active", "%", "lines/access", "conflicts", "exposed", "cycles",
                               "by"]
    assert any("| " in line and "there[i * by] = a[get_global_id(0)];" in line for line in text)


def test_too_little_room():
    lines = run("""
import ctypes
driver = ctypes.CDLL("libOpenCL.so.1")
event = spread(1)
event.wait()
size, room = ctypes.c_size_t(), ctypes.create_string_buffer(b"????", 4)
handle = ctypes.c_void_p(event.int_ptr)
for query in (0x434C5001, 0x434C5002):
    print(driver.clGetEventProfilingInfo(handle, query, ctypes.c_size_t(4), room, None), room.raw)
print(driver.clGetEventProfilingInfo(handle, 0x434C5001, ctypes.c_size_t(0), None, ctypes.byref(size)),
      size.value > 1000)
""")
    assert lines == ["-30 b'????'", "-30 b'????'", "0 True"]
