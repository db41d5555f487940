# SPDX-License-Identifier: Apache-2.0
"""cl_amd_persistent_memory: memory of a model's that the host reaches, and what its flag's number means elsewhere."""
import os
import subprocess
import sys
from pathlib import Path

HOST = """
import ctypes
from ctypes import byref, c_uint64
from clapi import API, E, NAMES, handles
api = API()
cpu, gpu = api.devices()
PERSISTENT, MB = 1 << 6, 1 << 20

def listed(device, name):
    return name in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()

def context(*devices):
    return api.make("clCreateContext", None, len(devices), handles(*devices), None, None)

def made(context, flags, size=4096, host=None):
    return api.make("clCreateBuffer", context, flags, size, host)

def error(context, flags, host=None):
    code = ctypes.c_int32()
    assert api.clCreateBuffer(context, flags, 4096, host, byref(code)) is None
    return NAMES[code.value].removeprefix("CL_")

def flags(mem):
    value = c_uint64()
    api.ok("clGetMemObjectInfo", mem, E.MEM_FLAGS, 8, byref(value), None)
    return value.value

def ns(call, *arguments):
    event = ctypes.c_void_p()
    code = ctypes.c_int32()
    result = getattr(api, call)(*arguments, 0, None, byref(event), *([byref(code)] if "Map" in call else []))
    api.ok("clWaitForEvents", 1, byref(event))
    times = [c_uint64(), c_uint64()]
    for time, name in zip(times, (E.PROFILING_COMMAND_START, E.PROFILING_COMMAND_END)):
        api.ok("clGetEventProfilingInfo", event, name, 8, byref(time), None)
    api.ok("clReleaseEvent", event)
    return times[1].value - times[0].value, result

on_gpu = context(gpu)
queue = api.make("clCreateCommandQueue", on_gpu, gpu, E.QUEUE_PROFILING_ENABLE)
"""


def run(body):
    done = subprocess.run([sys.executable, "-c", HOST + body], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "CLPY_DEVICES": "cpu,gpu:vega10",
                               "PYTHONPATH": str(Path(__file__).parents[4] / "tests")})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_who_lists_it_and_what_the_number_is():
    """1 << 6 is CL_MEM_IMMUTABLE_EXT where a device of the context says so: then it excludes CL_MEM_READ_WRITE."""
    assert run("""
print(listed(gpu, "cl_amd_persistent_memory"), listed(gpu, "cl_ext_immutable_memory_objects"))
print(listed(cpu, "cl_amd_persistent_memory"), listed(cpu, "cl_ext_immutable_memory_objects"))
print(error(context(cpu), PERSISTENT | E.MEM_READ_WRITE), error(context(cpu, gpu), PERSISTENT | E.MEM_READ_WRITE))
for each in (0, E.MEM_READ_WRITE, E.MEM_READ_ONLY, E.MEM_WRITE_ONLY | E.MEM_HOST_WRITE_ONLY):
    print(flags(made(on_gpu, PERSISTENT | each)) == PERSISTENT | each)
""") == ["True False", "False True", "INVALID_VALUE INVALID_VALUE"] + 4 * ["True"]


def test_errors():
    assert run("""
host = ctypes.create_string_buffer(4096)
print(error(on_gpu, PERSISTENT | E.MEM_ALLOC_HOST_PTR), error(on_gpu, PERSISTENT | E.MEM_USE_HOST_PTR, host))
print(error(on_gpu, PERSISTENT, host), error(on_gpu, PERSISTENT | E.MEM_READ_ONLY | E.MEM_WRITE_ONLY))
print(error(on_gpu, 1 << 62))
buffer, code = made(on_gpu, PERSISTENT), ctypes.c_int32()
region = (ctypes.c_size_t * 2)(0, 1024)
part = api.clCreateSubBuffer(buffer, PERSISTENT, E.BUFFER_CREATE_TYPE_REGION, region, byref(code))
print(part, NAMES[code.value])
part = api.make("clCreateSubBuffer", buffer, E.MEM_READ_ONLY, E.BUFFER_CREATE_TYPE_REGION, region)
print(flags(part) == PERSISTENT | E.MEM_READ_ONLY)
""") == ["INVALID_VALUE INVALID_VALUE", "INVALID_HOST_PTR INVALID_VALUE", "INVALID_VALUE", "None CL_INVALID_VALUE",
             "True"]


def test_a_map_copies_nothing():
    """As long for 64 MB as for a page; of other memory 64 MB go over the link, both ways."""
    assert run("""
contents = ctypes.create_string_buffer(bytes(range(256)) * (MB // 4), 64 * MB)
def map_and_unmap(mem, size):
    there, pointer = ns("clEnqueueMapBuffer", queue, mem, 1, E.MAP_READ | E.MAP_WRITE, 0, size)
    assert ctypes.string_at(pointer, 512) == contents[:512]
    ctypes.memset(pointer, 7, 16)
    back, _ = ns("clEnqueueUnmapMemObject", queue, mem, pointer)
    read = ctypes.create_string_buffer(32)
    api.ok("clEnqueueReadBuffer", queue, mem, 1, 0, 32, read, 0, None, None)
    assert read.raw == bytes(16 * [7]) + contents[16:32]
    return there, back
page = map_and_unmap(made(on_gpu, PERSISTENT | E.MEM_COPY_HOST_PTR, 4096, contents), 4096)
print(page == map_and_unmap(made(on_gpu, PERSISTENT | E.MEM_COPY_HOST_PTR, 64 * MB, contents), 64 * MB))
there, back = map_and_unmap(made(on_gpu, E.MEM_COPY_HOST_PTR, 64 * MB, contents), 64 * MB)
print(there > 1000 * page[0], back > 1000 * page[0])
# Commands move it as they move other memory of the device's.
one, other = made(on_gpu, PERSISTENT, MB), made(on_gpu, 0, MB)
print(ns("clEnqueueWriteBuffer", queue, one, 1, 0, MB, contents)[0] ==
      ns("clEnqueueWriteBuffer", queue, other, 1, 0, MB, contents)[0])
""") == ["True", "True True", "True"]


def test_images():
    assert run("""
code = ctypes.c_int32()
desc = (ctypes.c_uint64 * 9)(E.MEM_OBJECT_IMAGE2D, 16, 16)
format = (ctypes.c_uint32 * 2)(E.RGBA, E.FLOAT)
image = api.make("clCreateImage", on_gpu, PERSISTENT | E.MEM_READ_WRITE, format, desc, None)
print(flags(image) == PERSISTENT | E.MEM_READ_WRITE)
print(api.clCreateImage(on_gpu, PERSISTENT | E.MEM_ALLOC_HOST_PTR, format, desc, None, byref(code)), NAMES[code.value])
""") == ["True", "None CL_INVALID_VALUE"]
