# SPDX-License-Identifier: Apache-2.0
"""cl_intel_device_partition_by_names: in processes of their own, so that the number of compute units is known."""
import os
import subprocess
import sys

import pytest

CODE = """
import os, sys
sys.path.insert(0, {tests!r})
os.environ["CLPY_NUM_THREADS"] = "4"
from ctypes import byref, c_size_t, c_uint32
from clapi import API, E, handles
api = API()
device = api.devices()[0]
NAMES, END = E.DEVICE_PARTITION_BY_NAMES_INTEL, (1 << 64) - 1

def ask(device, *values):
    out, count = handles(None), c_uint32(7)
    err = api.error("clCreateSubDevices", device, (c_size_t * len(values))(*values), 1, out, byref(count))
    return err, out[0], count.value

def units(device):
    return api.number("clGetDeviceInfo", device, E.DEVICE_MAX_COMPUTE_UNITS)

def style(device):
    data = api.info("clGetDeviceInfo", device, E.DEVICE_PARTITION_TYPE)
    return [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8)]

"""


def run(machine_code, **environment):
    tests = os.path.join(os.path.dirname(__file__), *[".."] * 4, "tests")
    done = subprocess.run([sys.executable, "-c", CODE.format(tests=os.path.abspath(tests)) + machine_code],
                          env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_parts():
    run("""
assert "cl_intel_device_partition_by_names" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
data = api.info("clGetDeviceInfo", device, E.DEVICE_PARTITION_PROPERTIES)
assert NAMES in [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8)]
for names in ([0], [3, 0, 1], [0, 1, 2, 3]):
    err, part, count = ask(device, NAMES, *names, END, 0)
    assert (err, count) == ("CL_SUCCESS", 1) and units(part) == len(names)
    assert style(part) == [NAMES, *names, END, 0]
    assert api.number("clGetDeviceInfo", part, E.DEVICE_PARENT_DEVICE) == device
    if len(names) > 1:
        err, inner, count = ask(part, NAMES, 1, END, 0)
        assert err == "CL_SUCCESS" and units(inner) == 1
        api.ok("clReleaseDevice", inner)
        err, inner, count = ask(part, E.DEVICE_PARTITION_BY_COUNTS, 1, 0, 0)
        assert err == "CL_SUCCESS" and units(inner) == 1
        api.ok("clReleaseDevice", inner)
    api.ok("clReleaseDevice", part)
""")


def test_kernels():
    """A sub-device of a sub-device works."""
    run("""
from ctypes import c_char_p, c_void_p
from clapi import sizes
err, part, _ = ask(device, NAMES, 1, 3, END, 0)
err, inner, _ = ask(part, NAMES, 1, END, 0)
context = api.make("clCreateContext", None, 1, handles(inner), None, None)
queue = api.make("clCreateCommandQueue", context, inner, 0)
text = b"kernel void k(global int *x) { x[get_global_id(0)] = get_global_id(0); }"
program = api.make("clCreateProgramWithSource", context, 1, (c_char_p * 1)(text), None)
api.ok("clBuildProgram", program, 0, None, None, None, None)
kernel = api.make("clCreateKernel", program, b"k")
memory = api.make("clCreateBuffer", context, 0, 4000, None)
api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(memory)))
api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(1000), None, 0, None, None)
import ctypes
back = (ctypes.c_int * 1000)()
api.ok("clEnqueueReadBuffer", queue, memory, 1, 0, 4000, back, 0, None, None)
assert list(back) == list(range(1000))
""")


@pytest.mark.parametrize("wrong", ["END, 0", "4, END, 0", "0, 4, END, 0", "0, 0, END, 0", "(1 << 64) - 2, END, 0",
                                   "0, END, 1"])
def test_wrong_lists(wrong):
    run(f"""
err, part, count = ask(device, NAMES, {wrong})
assert err == "CL_INVALID_VALUE" and part is None and count == 7
""")


def test_a_device_of_one_unit():
    run("""
err, part, _ = ask(device, NAMES, 2, END, 0)
assert ask(part, NAMES, 0, END, 0)[0] == "CL_DEVICE_PARTITION_FAILED"
assert ask(part, NAMES, 1, END, 0)[0] == "CL_INVALID_VALUE"
""")
