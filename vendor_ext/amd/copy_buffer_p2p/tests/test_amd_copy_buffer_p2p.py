# SPDX-License-Identifier: Apache-2.0
"""cl_amd_copy_buffer_p2p: copies between contexts of two models, the errors of the copy, and who the neighbours are."""
import os
import subprocess
import sys
from pathlib import Path

HOST = """
import ctypes
from ctypes import byref, c_void_p
from clapi import API, E, NAMES, handles
api = API()
cpu, a, b, c = api.devices()
NUMBER, NEIGHBOURS = 0x4088, 0x4089

def listed(device):
    return "cl_amd_copy_buffer_p2p" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()

class Side:
    def __init__(self, device, contents):
        self.device = device
        self.context = api.make("clCreateContext", None, 1, handles(device), None, None)
        self.queue = api.make("clCreateCommandQueueWithProperties", self.context, device, None)
        self.buffer = api.make("clCreateBuffer", self.context, E.MEM_COPY_HOST_PTR, 64,
                               ctypes.create_string_buffer(contents, 64))

    def contents(self):
        read = ctypes.create_string_buffer(64)
        api.ok("clEnqueueReadBuffer", self.queue, self.buffer, 1, 0, 64, read, 0, None, None)
        return read.raw

copy_type = ctypes.CFUNCTYPE(ctypes.c_int32, c_void_p, c_void_p, c_void_p, *[ctypes.c_size_t] * 3, ctypes.c_uint32,
                             c_void_p, c_void_p)
copy = copy_type(api.clGetExtensionFunctionAddressForPlatform(api.platform(), b"clEnqueueCopyBufferP2PAMD"))

def error(*arguments):
    return NAMES[copy(*arguments)]

one, two, third = Side(a, b"one"), Side(b, b"two"), Side(c, b"3")
"""


def run(body):
    tests = Path(__file__).resolve().parents[4] / "tests"
    done = subprocess.run([sys.executable, "-c", HOST + body], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEVICES": "cpu,gpu:tahiti,gpu:hawaii,gpu:vega10",
                               "PYTHONPATH": str(tests)})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_copies():
    assert run("""
event = c_void_p()
assert error(one.queue, one.buffer, two.buffer, 0, 8, 3, 0, None, byref(event)) == "CL_SUCCESS"
api.ok("clWaitForEvents", 1, byref(event))
print(two.contents()[:11], api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_COPY_BUFFER)
gate = api.make("clCreateUserEvent", two.context)
assert error(two.queue, one.buffer, two.buffer, 0, 16, 3, 1, handles(gate), byref(event)) == "CL_SUCCESS"
api.ok("clReleaseMemObject", one.buffer)
api.ok("clReleaseContext", one.context)
api.ok("clSetUserEventStatus", gate, E.COMPLETE)
api.ok("clWaitForEvents", 1, byref(event))
print(two.contents()[16:20])
""") == [r"b'two\x00\x00\x00\x00\x00one' True", r"b'one\x00'"]


def test_waits_for_the_other_context():
    assert run("""
gate, filled, event = api.make("clCreateUserEvent", one.context), c_void_p(), c_void_p()
api.ok("clEnqueueWriteBuffer", one.queue, one.buffer, 0, 0, 3, b"new", 1, handles(gate), byref(filled))
assert error(two.queue, one.buffer, two.buffer, 0, 16, 3, 1, handles(filled), byref(event)) == "CL_SUCCESS"
of_third = api.make("clCreateUserEvent", third.context)
print(error(two.queue, one.buffer, two.buffer, 0, 16, 3, 1, handles(of_third), None))
api.ok("clSetUserEventStatus", gate, E.COMPLETE)
api.ok("clWaitForEvents", 1, byref(event))
print(two.contents()[16:20])
""") == ["CL_INVALID_CONTEXT", r"b'new\x00'"]


def test_errors():
    assert run("""
x, y, rest = one.buffer, two.buffer, (0, None, None)
print(error(one.context, x, y, 0, 0, 4, *rest), error(one.queue, one.queue, y, 0, 0, 4, *rest),
      error(third.queue, x, y, 0, 0, 4, *rest), error(one.queue, x, y, 0, 61, 4, *rest),
      error(one.queue, x, y, 0, 0, 4, 1, None, None), error(one.queue, x, x, 0, 2, 4, *rest),
      error(one.queue, x, x, 0, 4, 4, *rest))
""")[0].split() == ["CL_INVALID_COMMAND_QUEUE", "CL_INVALID_MEM_OBJECT", "CL_INVALID_CONTEXT", "CL_INVALID_VALUE",
                    "CL_INVALID_EVENT_WAIT_LIST", "CL_MEM_COPY_OVERLAP", "CL_SUCCESS"]


def test_neighbours():
    assert run("""
print([listed(x) for x in (cpu, a, b, c)])
for x in (a, b, c):
    found = memoryview(api.info("clGetDeviceInfo", x, NEIGHBOURS)).cast("N").tolist()
    others = [y.value if isinstance(y, c_void_p) else y for y in (a, b, c)]
    others.remove(x.value if isinstance(x, c_void_p) else x)
    print(api.number("clGetDeviceInfo", x, NUMBER), found == others)
size = ctypes.c_size_t()
print(*[api.error("clGetDeviceInfo", cpu, query, 0, None, byref(size)) for query in (NUMBER, NEIGHBOURS)])
""") == ["[False, True, True, True]", "2 True", "2 True", "2 True", "CL_INVALID_VALUE CL_INVALID_VALUE"]
