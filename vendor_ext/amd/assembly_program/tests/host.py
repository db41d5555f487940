# SPDX-License-Identifier: Apache-2.0
"""What the programs of these tests share: contexts of chips, and programs from assembly."""
import ctypes
import struct
from ctypes import byref, c_char_p, c_int32, c_void_p  # noqa: F401 (for the tests)

from clapi import API, E, handles, sizes

api = API()
DATA = range(1, 257)


def chips():
    return api.devices(E.DEVICE_TYPE_GPU)


def context_of(*devices):
    return api.make("clCreateContext", None, len(devices), handles(*devices), None, None)


def create(context, *texts, lengths=None):
    """(program, name of the error)."""
    strings = (c_char_p * max(1, len(texts)))(*texts)
    return api.new("clCreateProgramWithAssemblyAMD", context, len(texts), strings, lengths)


def build(program, options=b""):
    return api.error("clBuildProgram", program, 0, None, options, None, None)


def log(program, device):
    return api.text("clGetProgramBuildInfo", program, device, E.PROGRAM_BUILD_LOG)


def built(context, text, options=b""):
    """(program, what clBuildProgram answers)."""
    program, error = create(context, text)
    assert error == "CL_SUCCESS", error
    return program, build(program, options)


def run_both(context, device, program):
    """What the two kernels make of DATA: scale with 7, then turn on the first 64 of them."""
    queue = api.make("clCreateCommandQueueWithProperties", context, device, None)
    source, to = (api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, 1024, struct.pack("<256i", *DATA))
                  for _ in range(2))
    scale = api.make("clCreateKernel", program, b"scale")
    turn = api.make("clCreateKernel", program, b"turn")
    for index, value in enumerate((source, to)):
        api.ok("clSetKernelArg", scale, index, 8, handles(value))
    api.ok("clSetKernelArg", scale, 2, 4, byref(c_int32(7)))
    api.ok("clSetKernelArg", turn, 0, 8, handles(to))
    api.ok("clSetKernelArg", turn, 1, 256, None)
    api.ok("clEnqueueNDRangeKernel", queue, scale, 1, None, sizes(256), None, 0, None, None)
    api.ok("clEnqueueNDRangeKernel", queue, turn, 1, None, sizes(64), sizes(64), 0, None, None)
    read = ctypes.create_string_buffer(1024)
    api.ok("clEnqueueReadBuffer", queue, to, 1, 0, 1024, read, 0, None, None)
    for name, made in (("Kernel", scale), ("Kernel", turn), ("MemObject", source), ("MemObject", to),
                       ("CommandQueue", queue)):
        api.ok(f"clRelease{name}", made)
    return list(struct.unpack("<256i", read.raw))


def right():
    scaled = [2 * x + 7 for x in DATA]
    return scaled[63::-1] + scaled[64:]
