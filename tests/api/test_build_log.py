# SPDX-License-Identifier: Apache-2.0
"""What the author of a program reads: Clang's messages, with file, line and caret; what happens to each option."""
import os
import subprocess
import sys
from ctypes import byref, c_void_p

import pytest
from clapi import E

GOOD = "kernel void k(global float *a) { a[0] = 1.0f; }"


def build(api, device, program, source, options=""):
    """(error name, log)"""
    made = program(source, None)
    error = api.error("clBuildProgram", made, 0, None, options.encode(), None, None)
    return error, api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_LOG)


def test_an_error_has_line_column_and_caret(api, device, program):
    error, log = build(api, device, program, "kernel void k(global int *a)\n{\n    a[0] = oops + 1;\n}\n")
    assert error == "CL_BUILD_PROGRAM_FAILURE"
    lines = log.splitlines()
    at = next(i for i, line in enumerate(lines) if "error" in line)
    assert ":3:12: error: use of undeclared identifier 'oops'" in lines[at]
    source, caret = lines[at + 1:at + 3]
    assert source.endswith("a[0] = oops + 1;")
    assert source[caret.index("^"):].startswith("oops")


@pytest.mark.parametrize(("source", "message"), [
    ("kernel void k( {", "error"),
    ("#error stop here\n" + GOOD, "stop here"),
    ('#include "no_such_file.h"\n' + GOOD, "no_such_file.h"),
    ("kernel void k(global int *a) { missing(a); }", "missing"),
    ("kernel int k(global int *a) { return 1; }", "kernel"),
    ("int f(int n) { return n ? n * f(n - 1) : 1; } kernel void k(global int *a) { a[0] = f(a[1]); }", "recursi"),
    ("int g(int); int f(int n) { return n ? g(n - 1) : 1; } int g(int n) { return f(n) + 1; } "
     "kernel void k(global int *a) { a[0] = f(a[1]); }", "recursion is not allowed in OpenCL C: "),
    ("int f(int); kernel void k(global int *a) { a[0] = f(1); }", "f"),
    ("kernel void k(global int *a) { goto nowhere; }", "nowhere"),
])
def test_wrong_programs(api, device, program, source, message):
    error, log = build(api, device, program, source)
    assert error == "CL_BUILD_PROGRAM_FAILURE"
    assert message in log


def test_all_errors_are_there(api, device, program):
    source = "kernel void k(global int *a) {\n" + "\n".join(f"  a[{n}] = name{n};" for n in range(30)) + "\n}"
    _, log = build(api, device, program, source)
    assert [f"'name{n}'" in log for n in range(30)] == [True] * 30


def test_warnings(api, device, program):
    source = "kernel void k(global int *a) {\n  if (a[0] = 1) a[1] = 2;\n}"
    error, log = build(api, device, program, source)
    assert error == "CL_SUCCESS"
    assert ":2:12: warning:" in log
    assert build(api, device, program, source, "-w") == ("CL_SUCCESS", "")
    assert build(api, device, program, source, "-Werror")[0] == "CL_BUILD_PROGRAM_FAILURE"


def test_a_good_program_has_an_empty_log(api, device, program):
    assert build(api, device, program, GOOD) == ("CL_SUCCESS", "")


@pytest.mark.parametrize("options", [
    "-D A", "-DA=1", "-D A=1", "-I /tmp", "-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL3.0",
    pytest.param("-cl-std=CL2.0", marks=pytest.mark.needs("generic pointers")),
    "-cl-single-precision-constant", "-cl-denorms-are-zero", "-cl-opt-disable",
    "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
    "-cl-fast-relaxed-math", "-cl-uniform-work-group-size", "-cl-no-subgroup-ifp", "-w", "-Werror", "-g",
    "-cl-kernel-arg-info", "-cl-strict-aliasing", "-cl-fp32-correctly-rounded-divide-sqrt", "  -w   -g  ", "",
])
def test_options_of_the_specification(api, device, program, options):
    made = program(GOOD, options)
    assert api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_OPTIONS) == options


@pytest.mark.parametrize("options", ["-x", "-unknown", "-cl-std=CL9.9", "-cl-std", "-D", "-O9x", "file.cl", "-o out",
                                     "-load plugin.so", "-cl-fast-relaxed-maths", "-emit-llvm", "-create-library",
                                     "-w -w -nothing"])
def test_unknown_options(api, device, program, options):
    assert build(api, device, program, GOOD, options)[0] == "CL_INVALID_BUILD_OPTIONS"


@pytest.mark.parametrize(("options", "expression", "value"), [
    ("-DN=7", "N", 7), ("-D N=7 -D M=2", "N * M", 14), ('-DTEXT="4 + 5"', "TEXT", 9), ("-DN=1 -DN=2", "N", 2),
    ("-DFLAG", "FLAG", 1), ("-DF(x)=((x)*(x))", "F(5)", 25), ("", "__OPENCL_C_VERSION__", 120),
    ("-cl-std=CL3.0", "__OPENCL_C_VERSION__", 300), ("-cl-fast-relaxed-math", "__FAST_RELAXED_MATH__", 1),
])
def test_definitions_reach_the_kernel(api, device, queue, program, buffer, contents, options, expression, value):

    made = program(f"kernel void k(global int *a) {{ a[0] = {expression}; }}", options)
    kernel, mem = api.make("clCreateKernel", made, b"k"), buffer(contents=bytes(4))
    api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
    api.ok("clEnqueueTask", queue, kernel, 0, None, None)
    assert int.from_bytes(contents(mem, 4), "little") == value
    api.ok("clReleaseKernel", kernel)


def test_include_folder(api, device, program, tmp_path):
    (tmp_path / "with blank").mkdir()
    (tmp_path / "with blank" / "value.h").write_text("#define VALUE 3.0f\n")
    source = '#include "value.h"\nkernel void k(global float *a) { a[0] = VALUE; }'
    assert build(api, device, program, source, f'-I "{tmp_path}/with blank"') == ("CL_SUCCESS", "")
    error, log = build(api, device, program, source)
    assert error == "CL_BUILD_PROGRAM_FAILURE"
    assert "value.h" in log


def test_include_from_the_working_directory(api, device, program, tmp_path, monkeypatch):
    """AMD's guide: relative paths count from the application's working directory. Folders of options come first."""
    for folder, value in ((tmp_path, 1), (tmp_path / "sub", 2), (tmp_path / "other", 3)):
        folder.mkdir(exist_ok=True)
        (folder / "value.h").write_text(f"#define VALUE {value}\n")
    monkeypatch.chdir(tmp_path)
    source = "#include {}\n_Static_assert(VALUE == {}, \"\"); kernel void k(global int *a) {{ a[0] = VALUE; }}"
    for name, value, options in (('"value.h"', 1, ""), ("<value.h>", 1, ""), ('"sub/value.h"', 2, ""),
                                 ('"value.h"', 3, "-I other")):
        assert build(api, device, program, source.format(name, value), options) == ("CL_SUCCESS", ""), name
    monkeypatch.chdir(tmp_path / "sub")
    assert build(api, device, program, source.format('"value.h"', 2)) == ("CL_SUCCESS", "")


def test_text_that_is_no_utf_8(api, device, program):
    error, log = build(api, device, program, b"kernel void k(global int *a) { a[0] = \xff\xfe; }\xe9")
    assert error == "CL_BUILD_PROGRAM_FAILURE"
    assert "error" in log


def test_options_from_the_environment(tmp_path):
    """CLPY_BUILD_OPTIONS is added to what the program gives."""
    script = """if 1:
        import pyopencl as cl
        platform = next(p for p in cl.get_platforms() if p.name == "clpy")
        context = cl.Context(platform.get_devices()[:1])
        text = "kernel void k(global int *a) { a[0] = N; }"
        cl.Program(context, text).build(cache_dir=False)
        print("built")
    """
    environment = {**os.environ, "CLPY_BUILD_OPTIONS": "-DN=3"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "built\n", done.stderr
