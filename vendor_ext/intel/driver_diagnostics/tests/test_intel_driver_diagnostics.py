# SPDX-License-Identifier: Apache-2.0
"""cl_intel_driver_diagnostics: hints that the callback of a context is given."""
import os
import subprocess
import sys
from ctypes import CFUNCTYPE, c_char_p, c_size_t, c_void_p, create_string_buffer
from pathlib import Path

import clapi
import pytest
from clapi import E, handles, numbers, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

NAME = "cl_intel_driver_diagnostics"
GOOD, BAD, NEUTRAL = 1, 2, 4
NOTIFY = CFUNCTYPE(None, c_char_p, c_void_p, c_size_t, c_void_p)
SEES_GROUPS = "kernel void add(global int *p) { p[get_global_id(0)] += get_local_id(0); }"
LARGE = 4 << 20          # bytes that are copied by a command: less is done at once
STEPS = """kernel void add(global int *p) {
    int x = p[get_global_id(0)] + LOCAL;
    while (x > 1)
        x = x & 1 ? 3 * x + 1 : x / 2;
    p[get_global_id(0)] = x;
}"""


def properties(levels, *more):
    return numbers(c_size_t, E.CONTEXT_SHOW_DIAGNOSTICS_INTEL, levels, *more, 0)


class Told:
    """A context that asks for hints, and what it was told."""

    def __init__(self, api, device, levels):
        self.api, self.device, self.texts = api, device, []
        self.notify = NOTIFY(lambda text, private, size, data: self.texts.append(text.decode()))
        self.context = api.make("clCreateContext", properties(levels), 1, handles(device), self.notify, None)
        self.queue = api.make("clCreateCommandQueue", self.context, device, 0)
        self.memory = api.make("clCreateBuffer", self.context, 0, LARGE, None)
        self.made = [("MemObject", self.memory), ("CommandQueue", self.queue), ("Context", self.context)]

    def launch(self, n, local, source=STEPS, mine="0"):
        strings = (c_char_p * 1)(source.replace("LOCAL", mine).encode())
        program = self.api.make("clCreateProgramWithSource", self.context, 1, strings, None)
        self.api.ok("clBuildProgram", program, 0, None, None, None, None)
        k = self.api.make("clCreateKernel", program, b"add")
        self.api.ok("clSetKernelArg", k, 0, 8, handles(self.memory))
        self.api.ok("clEnqueueNDRangeKernel", self.queue, k, 1, None, sizes(n), sizes(local), 0, None, None)
        self.api.ok("clFinish", self.queue)
        self.made[:0] = [("Kernel", k), ("Program", program)]

    def count(self, *words):
        return sum(all(word in text for word in words) for text in self.texts)


@pytest.fixture
def told(api, device):
    made = []

    def new(levels):
        made.append(Told(api, device, levels))
        return made[-1]

    yield new
    for each in made:
        for kind, handle in each.made:
            api.ok(f"clRelease{kind}", handle)


def test_is_listed(api, device):
    assert NAME in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


@pytest.mark.parametrize("levels, good, neutral", [(GOOD, 1, 0), (BAD, 0, 0), (NEUTRAL, 0, 1), (255, 1, 1)])
def test_a_launch_that_is_as_it_should_be(told, levels, good, neutral):
    hints = told(levels)
    hints.launch(1 << 14, 256)
    assert hints.count("kernel add", "whole vectors") == good
    assert hints.count("kernel add", "took") == hints.count("a program was built") == neutral
    assert hints.count("do not fill") == hints.count("compute units") == 0


@pytest.mark.parametrize("levels", [GOOD, BAD, NEUTRAL])
def test_groups_that_fill_no_vector(told, levels):
    hints = told(levels)
    hints.launch(100 * 13, 13, mine="get_local_id(0)")
    assert hints.count("kernel add: work-groups of 13 work-items in dimension 0", "do not fill") == (levels == BAD)


def test_groups_that_are_merged(told):
    """Those that run are told of, and not what the application asked for."""
    hints = told(BAD)
    hints.launch(1 << 14, 1)
    assert hints.count("do not fill") == 0


def test_a_kernel_that_is_left_to_llvm():
    """With the vectorizer off, in a process of its own."""
    program = (f"from {Path(__file__).stem} import *; api = clapi.API()\n"
               "hints = Told(api, api.devices(E.DEVICE_TYPE_CPU)[0], NEUTRAL); hints.launch(1 << 14, 256)\n"
               "print(hints.count('kernel add: its work-items are a loop'))")
    folders = [str(Path(__file__).parent), str(Path(clapi.__file__).parent)]
    said = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True, timeout=300, env={
        **os.environ, "PYTHONPATH": os.pathsep.join(folders), "CL_CONFIG_CPU_VECTORIZER_MODE": "1"}).stdout
    assert said == b"1\n"


def test_fewer_groups_than_compute_units(api, device, told):
    units = api.number("clGetDeviceInfo", device, E.DEVICE_MAX_COMPUTE_UNITS)
    hints = told(BAD)
    hints.launch(4096, 4096)
    assert hints.count("1 work-groups for", f"{units} compute units") == (units > 1)


def test_copies_and_maps(api, told):
    hints = told(GOOD | BAD)
    host = create_string_buffer(LARGE)
    for function in ("Read", "Write"):
        api.ok(f"clEnqueue{function}Buffer", hints.queue, hints.memory, 1, 0, LARGE, host, 0, None, None)
        assert hints.count(f"clEnqueue{function}Buffer", f"{LARGE} bytes") == 1
        api.ok(f"clEnqueue{function}Buffer", hints.queue, hints.memory, 1, 0, 16, host, 0, None, None)
    assert len(hints.texts) == 2


def test_contexts_that_do_not_ask(api, device, told):
    """Also where another one does."""
    told(255)
    hints = told(0)
    hints.launch(4096, 4096)
    assert hints.texts == []


def test_errors(api, device):
    """The value is a set of levels, and there has to be a callback where one is set."""
    notify = NOTIFY(lambda *_: None)
    for levels in (1 << 8, 1 << 32):
        assert api.new("clCreateContext", properties(levels), 1, handles(device), notify, None) == (
            None, "CL_INVALID_PROPERTY")
    for levels in (GOOD, 255):
        assert api.new("clCreateContext", properties(levels), 1, handles(device), None, None) == (
            None, "CL_INVALID_PROPERTY")
        here = properties(levels, E.CONTEXT_PLATFORM, api.platform())
        assert api.new("clCreateContextFromType", here, E.DEVICE_TYPE_CPU, None, None) == (None, "CL_INVALID_PROPERTY")
    context = api.make("clCreateContext", properties(0), 1, handles(device), None, None)
    assert api.info("clGetContextInfo", context, E.CONTEXT_PROPERTIES) == bytes(properties(0))
    api.ok("clReleaseContext", context)
