# SPDX-License-Identifier: Apache-2.0
"""cl_amd_offline_devices: contexts with all chips, binaries for each, and nothing that runs on those not listed."""
import os
import subprocess
import sys
from pathlib import Path

from clpy.device.gpu import chip as chips

TESTS = Path(__file__).resolve().parents[4] / "tests"
HOST = """
import ctypes, sys
from ctypes import c_char_p, c_void_p
from clapi import API, E, handles, sizes
OFFLINE = 0x403F
api = API()

def properties(value):
    return (c_void_p * 5)(E.CONTEXT_PLATFORM, api.platform(), OFFLINE, value, 0)

def context(type_=E.DEVICE_TYPE_ALL, value=1):
    return api.make("clCreateContextFromType", properties(value), type_, None, None)

def devices_of(made):
    return [c_void_p(x) for x in memoryview(api.info("clGetContextInfo", made, E.CONTEXT_DEVICES)).cast("N")]

def name(device):
    return api.text("clGetDeviceInfo", device, E.DEVICE_NAME)

def available(device):
    return api.number("clGetDeviceInfo", device, E.DEVICE_AVAILABLE)

def binaries(program):
    lengths = memoryview(api.info("clGetProgramInfo", program, E.PROGRAM_BINARY_SIZES)).cast("N")
    rooms = [ctypes.create_string_buffer(n) for n in lengths]
    at = (c_void_p * len(rooms))(*map(ctypes.addressof, rooms))
    api.ok("clGetProgramInfo", program, E.PROGRAM_BINARIES, ctypes.sizeof(at), at, None)
    return [room.raw for room in rooms]
"""


def run(body, devices, *arguments):
    done = subprocess.run([sys.executable, "-c", HOST + body, *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEVICES": devices, "PYTHONPATH": str(TESTS)})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_which_devices_a_context_has():
    rows = run("""
all_of, gpus = devices_of(context()), devices_of(context(E.DEVICE_TYPE_GPU))
print(len(all_of), len(gpus), len({x.value for x in all_of}), [x.value for x in all_of[1:]] == [x.value for x in gpus])
print([available(x) for x in gpus[:2]], {available(x) for x in gpus[2:]})
for type_, value in ((E.DEVICE_TYPE_CPU, 1), (E.DEVICE_TYPE_DEFAULT, 1), (E.DEVICE_TYPE_ALL, 0)):
    print(len(devices_of(context(type_, value))), end=" ")
print(len(api.devices()), len(devices_of(api.make("clCreateContext", properties(1), 1, handles(gpus[3]), None, None))))
print(api.new("clCreateContextFromType", properties(2), E.DEVICE_TYPE_ALL, None, None)[1],
      "cl_amd_offline_devices" in api.text("clGetDeviceInfo", gpus[0], E.DEVICE_EXTENSIONS).split())
print(*sorted(map(name, gpus)), sep="\\n")
""", "cpu,gpu:tahiti,gpu:vega10")
    known = [chips.load(each).identity.device_name for each in chips.for_any_program()]
    assert rows[:4] == [f"{len(known) + 1} {len(known)} {len(known) + 1} True", "[1, 1] {0}", "1 1 3 3 1",
                        "CL_INVALID_PROPERTY True"]
    assert rows[4:] == sorted(f"{name} (model)" for name in known)


def test_without_a_listed_gpu():
    assert run("print(len(devices_of(context(E.DEVICE_TYPE_GPU))))", "cpu") == [str(len(chips.for_any_program()))]


BUILD = """
made = context(E.DEVICE_TYPE_GPU)
devices = devices_of(made)
text = b"kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global float *a) { a[get_global_id(0)] *= 2; }"
program = api.make("clCreateProgramWithSource", made, 1, (c_char_p * 1)(text), None)
api.ok("clBuildProgram", program, 0, None, b"", None, None)
kernel = api.make("clCreateKernel", program, b"k")
for device in devices:
    assert api.number("clGetKernelWorkGroupInfo", kernel, device, E.KERNEL_WORK_GROUP_SIZE) == 64
    assert api.number("clGetKernelWorkGroupInfo", kernel, device, E.KERNEL_PRIVATE_MEM_SIZE) == 0
print(*[api.new(function, made, device, *rest)[1] for device in devices[-1:] for function, rest in (
    ("clCreateCommandQueue", (0,)), ("clCreateCommandQueueWithProperties", (None,)))])
for device, binary in zip(devices, binaries(program)):
    with open(f"{sys.argv[1]}/{name(device)}", "wb") as file:
        file.write(binary)
api.ok("clReleaseKernel", kernel)
api.ok("clReleaseProgram", program)
api.ok("clReleaseContext", made)
"""
LOAD = """
device = api.devices()[0]
made = api.make("clCreateContext", None, 1, handles(device), None, None)
queue = api.make("clCreateCommandQueueWithProperties", made, device, None)
with open(f"{sys.argv[1]}/{name(device)}", "rb") as file:
    data = file.read()
program = api.make("clCreateProgramWithBinary", made, 1, handles(device), sizes(len(data)), (c_char_p * 1)(data), None)
api.ok("clBuildProgram", program, 0, None, b"", None, None)
kernel, values = api.make("clCreateKernel", program, b"k"), (ctypes.c_float * 64)(*range(64))
buffer = api.make("clCreateBuffer", made, E.MEM_USE_HOST_PTR, 256, values)
api.ok("clSetKernelArg", kernel, 0, 8, ctypes.byref(c_void_p(buffer)))
api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(64), None, 0, None, None)
api.ok("clEnqueueReadBuffer", queue, buffer, 1, 0, 256, values, 0, None, None)
print(sum(values))
"""


def test_binaries_for_all_chips(tmp_path):
    assert run(BUILD, "cpu,gpu:tahiti", str(tmp_path)) == ["CL_INVALID_DEVICE CL_INVALID_DEVICE"]
    files = list(tmp_path.iterdir())
    assert len(files) == len({chips.load(each).identity.device_name for each in chips.for_any_program()})
    assert all(b".llvmir" in file.read_bytes() for file in files)
    for chip in ("tahiti", "hawaii"):
        assert run(LOAD, f"gpu:{chip}", str(tmp_path)) == ["4032.0"]
