# SPDX-License-Identifier: Apache-2.0
"""What a program asks too much of, and what goes wrong inside the compiler: a build error, in words for people."""
import pytest
from clapi import E

from clpy import config
from clpy.compiler import program as compiler

pytestmark = pytest.mark.needs("host code")      # it is about that compiler
GOOD = "kernel void k(global int *a) { a[0] = 1; }"


def build(api, device, program, source, options=""):
    """(error name, log)"""
    made = program(source, None)
    error = api.error("clBuildProgram", made, 0, None, options.encode(), None, None)
    return error, api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_LOG)


def nested(n):
    loops = "".join(f"for (int i{k} = 0; i{k} < m; ++i{k}) {{ " for k in range(n))
    return f"kernel void k(global int *a, int m) {{ {loops} a[i0] += m; {'}' * n} }}"


PARAMETERS = ", ".join(f"int p{k}" for k in range(20000))


@pytest.mark.parametrize(("source", "message"), [
    (f"kernel void k({PARAMETERS}) {{ }}", "'k' has 20000 arguments"),
    (f"int f({PARAMETERS}); kernel void k(global int *a) {{ a[0] = f({', '.join('1' * 20000)}); }}",
     "'f' has 20000 arguments"),
    (nested(1000), "loops are nested 1000 deep"),
    ("global int large[1ul << 32]; kernel void k(global int *a) { a[0] = large[a[1]]; }", "'large' alone 17179869184"),
    ("constant int large[1ul << 32] = {1}; kernel void k(global int *a) { a[0] = large[a[1]]; }", "17179869184"),
], ids=["arguments", "arguments of a function", "loops", "global", "constant"])
def test_too_much(api, device, program, capfd, source, message):
    error, log = build(api, device, program, source, "-cl-std=CL3.0")
    assert error == "CL_BUILD_PROGRAM_FAILURE"
    assert log.startswith("error: ")
    assert message in log
    assert log.count("\n") == 1
    assert capfd.readouterr().err == ""


def test_much_but_not_too_much(api, device, program):
    parameters = ", ".join(f"char p{k}" for k in range(1000))
    assert build(api, device, program, f"kernel void k({parameters}) {{ }}") == ("CL_SUCCESS", "")
    assert build(api, device, program, nested(20)) == ("CL_SUCCESS", "")


@pytest.fixture
def broken(monkeypatch):
    """A compiler that raises something."""
    def breaks(error):
        def build(*_, **__):
            raise error
        monkeypatch.setattr(compiler, "build", build)
    return breaks


@pytest.mark.parametrize(("error", "code", "log"), [
    (ValueError("what nobody\nexpected"), "CL_BUILD_PROGRAM_FAILURE",
     "error: the compiler failed: ValueError: what nobody\n"),
    (KeyError(), "CL_BUILD_PROGRAM_FAILURE", "error: the compiler failed: KeyError\n"),
    (MemoryError(), "CL_OUT_OF_HOST_MEMORY", "error: there is not enough memory for the build\n"),
])
def test_a_fault_of_the_compiler(api, device, program, capfd, broken, error, code, log):
    """One line on stderr, unless it is memory that is missing; the device's status is an error."""
    broken(error)
    made = program(GOOD, None)
    assert api.error("clBuildProgram", made, 0, None, None, None, None) == code
    assert api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_LOG) == log
    status = api.number("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_STATUS)
    assert status == E.BUILD_ERROR & 0xFFFFFFFF
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == (code == "CL_BUILD_PROGRAM_FAILURE")
    assert all(line.startswith("clpy: build: ") and "CLPY_DEBUG=1" in line for line in lines)


def test_debug_shows_where(api, device, program, capfd, broken):
    broken(ValueError("what nobody expected"))
    with config.override(DEBUG=1):
        build(api, device, program, GOOD)
    text = capfd.readouterr().err
    assert "clpy: Traceback" in text
    assert "test_build_faults.py" in text


@pytest.mark.parametrize("convention", ["ms_abi", "regcall", "preserve_most"])
def test_a_crash_of_clang(api, device, program, convention):
    """It crashes on kernels with another calling convention: that build fails, and the next one is as ever."""
    error, log = build(api, device, program, f"__attribute__(({convention})) {GOOD}")
    assert error == "CL_BUILD_PROGRAM_FAILURE"
    assert "crashed" in log
    assert build(api, device, program, GOOD.replace("1", "77")) == ("CL_SUCCESS", "")


def test_assembly_is_refused(api, device, program):
    error, log = build(api, device, program, 'kernel void k(global int *a) { __asm__ volatile("nop"); a[0] = 1; }')
    assert error == "CL_BUILD_PROGRAM_FAILURE"
    assert log == "error: assembly in a program is not supported by this device\n"


@pytest.mark.parametrize("attribute", ["used", "annotate(\"x\")", "constructor", "destructor", "cold", "hot",
                                       "section(\".init_array\")", "weak", "target(\"avx512f\")"])
def test_attributes_for_linkers_change_nothing(api, device, program, attribute):
    assert build(api, device, program, f"__attribute__(({attribute})) {GOOD}")[0] == "CL_SUCCESS"


def test_a_kernel_that_calls_itself_is_named(api, device, program):
    _, log = build(api, device, program, "kernel void k(global int *a) { if (a[0]) k(a + 1); }")
    assert log == "error: recursion is not allowed in OpenCL C: k -> k\n"
