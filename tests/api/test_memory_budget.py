# SPDX-License-Identifier: Apache-2.0
"""More memory than there is: CL_MEM_OBJECT_ALLOCATION_FAILURE when it is asked for, not the end of the process when it
is written."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = """if 1:
    import ctypes
    from tests.clapi import *
    from clpy.api.process import lend
    from clpy.device.host.budget import held_bytes
    lend()
    api = API()
    device = api.devices()[0]
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    MIB = 1 << 20
    def buffer(size, flags=0, host=None):
        return api.new("clCreateBuffer", context, flags, size, host)
    def most(size, limit=100000):
        made = []
        while len(made) < limit:
            new, error = buffer(size)
            if error != "CL_SUCCESS":
                assert error == "CL_MEM_OBJECT_ALLOCATION_FAILURE", error
                break
            made.append(new)
        return made
    def release(made):
        for each in made:
            api.ok("clReleaseMemObject", each)
"""


def run(script, **environment):
    text = START + "".join(f"    {line}\n" for line in script.splitlines())
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300, cwd=ROOT,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_what_is_left_is_given_and_no_more():
    assert run("""
for size in (64 * MIB, 16 * MIB, MIB, 64 << 10):
    made = most(size)
    print(len(made) * size // MIB)
    release(made)
print(held_bytes(), api.number("clGetDeviceInfo", device, E.DEVICE_GLOBAL_MEM_SIZE) // MIB)
made = most(16 * MIB)
release(made[:2])
print(len(most(16 * MIB)))
""", CLPY_MEMORY_MB="256") == ["256", "256", "256", "256", "0", "256", "2"]


def test_what_takes_no_memory_counts_nothing():
    assert run("""
made = most(64 * MIB)
room = ctypes.create_string_buffer(128 * MIB)
print(buffer(128 * MIB, E.MEM_USE_HOST_PTR, room)[1])
region = sizes(0, 32 * MIB)
print(api.new("clCreateSubBuffer", made[0], 0, E.BUFFER_CREATE_TYPE_REGION, region)[1], held_bytes() // MIB)
""", CLPY_MEMORY_MB="256") == ["CL_SUCCESS", "CL_SUCCESS", "256"]


def test_images_and_shared_virtual_memory_count():
    assert run("""
made = most(64 * MIB, 3)
description = ctypes.create_string_buffer(72)
ctypes.c_uint32.from_buffer(description, 0).value = E.MEM_OBJECT_IMAGE2D
for i in (1, 2):
    ctypes.c_size_t.from_buffer(description, 8 * i).value = 2048
format = (ctypes.c_uint32 * 2)(E.RGBA, E.FLOAT)
image, error = api.new("clCreateImage", context, 0, format, description, None)
print(error, api.new("clCreateImage", context, 0, format, description, None)[1])
print(api.clSVMAlloc(context, E.MEM_READ_WRITE, 64 * MIB, 0))
release([image])
svm = api.clSVMAlloc(context, E.MEM_READ_WRITE, 64 * MIB, 0)
print(svm is not None, held_bytes() // MIB)
api.clSVMFree(context, svm)
print(held_bytes() // MIB)
""", CLPY_MEMORY_MB="256") == ["CL_SUCCESS", "CL_MEM_OBJECT_ALLOCATION_FAILURE", "None", "True", "256", "192"]


def test_who_wants_more_than_there_is_says_so():
    assert run("print(len(most(64 * MIB, 20)))", CLPY_MEMORY_MB="256", CLPY_OVERCOMMIT="1") == ["20"]


def test_the_memory_of_this_machine_has_an_end():
    """Nothing of it is touched; each buffer alone would fit."""
    given, total = map(int, run("""
size = api.number("clGetDeviceInfo", device, E.DEVICE_MAX_MEM_ALLOC_SIZE) // 2
swap = next(int(line.split()[1]) << 10 for line in open("/proc/meminfo") if line.startswith("SwapTotal:"))
made = most(size)
print(len(made) * size, api.number("clGetDeviceInfo", device, E.DEVICE_GLOBAL_MEM_SIZE) + swap)
"""))
    assert 0 < given <= total


def test_the_child_of_a_fork_begins_with_none():
    assert run("""
import os
made = most(64 * MIB)
child = os.fork()
if not child:
    os._exit(held_bytes() != 0)
print(os.waitpid(child, 0)[1], held_bytes() // MIB)
""", CLPY_MEMORY_MB="256") == ["0", "256"]
