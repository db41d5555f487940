# SPDX-License-Identifier: Apache-2.0
"""Programs with handlers of their own for faults: they get all but those of kernels."""
import signal
import sys

import pytest
from host_build import LIBRARY, compile_host, run, run_ok, vendors

PYTHON = """
import faulthandler, sys
faulthandler.enable()
import ctypes, os
sys.path.insert(0, {tests!r})
from clapi import API, E, c_char_p, handles, sizes
api = API()
device = api.devices()[0]
context = api.make("clCreateContext", None, 1, handles(device), None, None)
queue = api.make("clCreateCommandQueue", context, device, 0)
def fault():
    source = (c_char_p * 1)(b"kernel void k(global int *p) {{ p[get_global_id(0)] = 1; }}")
    program = api.make("clCreateProgramWithSource", context, 1, source, None)
    api.ok("clBuildProgram", program, 0, None, None, None, None)
    kernel = api.make("clCreateKernel", program, b"k")
    api.ok("clSetKernelArg", kernel, 0, 8, handles(None))
    api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(1), None, 0, None, None)
    assert api.error("clFinish", queue) == "CL_OUT_OF_RESOURCES"
fault()
if {again}:
    faulthandler.disable()
    faulthandler.enable()
    fault()
print("ok", flush=True)
def my_own_fault():
    ctypes.string_at(64)
my_own_fault()
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return compile_host(tmp_path_factory.mktemp("hosts"), "faults.c", "-lOpenCL")


@pytest.fixture
def only_clpy(tmp_path):
    return vendors(tmp_path / "vendors", LIBRARY)


@pytest.mark.parametrize("when", ["before", "between"])
def test_a_handler_of_the_host(host, only_clpy, when):
    out, _ = run_ok(host, when, vendors=only_clpy)
    assert out == "ok\n"


def test_no_handler(host, only_clpy):
    """The process ends as it would without us."""
    code, out, err = run(host, "none", vendors=only_clpy)
    assert (code, out) == (-signal.SIGSEGV, "")
    assert "fault: kernel k1 writes 0x0" in err


def test_switched_off(host, only_clpy):
    code, _, err = run(host, "none", vendors=only_clpy, env={"CLPY_FAULTS": "0"})
    assert (code, err) == (-signal.SIGSEGV, "")


@pytest.mark.parametrize("again", [False, True])
def test_the_fault_handler_of_python(only_clpy, again):
    """Set before ours, or set anew between two programs."""
    from pathlib import Path
    text = PYTHON.format(tests=str(Path(__file__).resolve().parents[1]), again=again)
    code, out, err = run(sys.executable, "-c", text, vendors=only_clpy)
    assert (code, out) == (-signal.SIGSEGV, "ok\n"), err
    assert err.count("Fatal Python error: Segmentation fault") == 1
    assert "in my_own_fault" in err
