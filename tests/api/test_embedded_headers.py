# SPDX-License-Identifier: Apache-2.0
"""Headers that are programs: clCompileProgram with names, folders in them, headers in headers, names given twice."""
from ctypes import byref, c_void_p

import pytest
from clapi import E, c_char_p, handles, sizes

pytestmark = pytest.mark.usefixtures("no_leak")


@pytest.fixture
def value_with(api, context, device, queue, program, buffer, contents):
    """What `kernel void k(global int *a) { *a = VALUE; }` gives, compiled with these headers and options."""
    def run(source, headers, options=""):
        user = program(source + "\nkernel void k(global int *a) { *a = VALUE; }", None)
        held = [program(text, None) for _, text in headers]
        names = (c_char_p * len(headers))(*[name.encode() for name, _ in headers]) if headers else None
        error = api.error("clCompileProgram", user, 0, None, options.encode(), len(headers),
                          handles(*held) if headers else None, names, None, None)
        if error != "CL_SUCCESS":
            return api.text("clGetProgramBuildInfo", user, device, E.PROGRAM_BUILD_LOG)
        linked = api.make("clLinkProgram", context, 0, None, None, 1, handles(user), None, None)
        kernel, mem = api.make("clCreateKernel", linked, b"k"), buffer(contents=bytes(4))
        api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
        api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(1), None, 0, None, None)
        result = int.from_bytes(contents(mem, 4), "little")
        api.ok("clReleaseKernel", kernel)
        api.ok("clReleaseProgram", linked)
        return result
    return run


@pytest.mark.parametrize("include", ['#include "v.h"', "#include <v.h>", '#include "./v.h"', "#include NAME"])
def test_ways_to_include(value_with, include):
    assert value_with('#define NAME "v.h"\n' + include, [("v.h", "#define VALUE 42")]) == 42


@pytest.mark.parametrize("name", ["dir/v.h", "a/b/c/v.h", "v", "v.h.in", "with blank.h", "../v.h", "V.H"])
def test_names(value_with, name):
    assert value_with(f'#include "{name}"', [(name, "#define VALUE 7")]) == 7


def test_headers_in_headers(value_with):
    """By the name they were given, and relative to the header that includes them."""
    headers = [("a/outer.h", '#include "inner.h"\n#include "b/other.h"\n#define VALUE (INNER + OTHER)'),
               ("a/inner.h", "#define INNER 30"), ("b/other.h", "#define OTHER 4")]
    assert value_with('#include "a/outer.h"', headers) == 34


def test_the_first_of_a_name_counts(value_with):
    assert value_with('#include "v.h"', [("v.h", "#define VALUE 1"), ("v.h", "#define VALUE 2")]) == 1


def test_before_folders_of_the_options(value_with, tmp_path):
    (tmp_path / "v.h").write_text("#define VALUE 1\n")
    (tmp_path / "w.h").write_text("#define VALUE 3\n")
    options = f'-I "{tmp_path}"'
    assert value_with('#include "v.h"', [("v.h", "#define VALUE 2")], options) == 2
    assert value_with('#include "w.h"', [("v.h", "#define VALUE 2")], options) == 3


def test_the_same_header_for_many_programs_and_with_other_options(value_with):
    header = [("v.h", "#ifdef TWICE\n#define VALUE 10\n#else\n#define VALUE 5\n#endif")]
    assert value_with('#include "v.h"', header) == 5
    assert value_with('#include "v.h"', header, "-DTWICE") == 10


def test_a_header_that_is_not_there(value_with):
    log = value_with('#include "v.h"\n#include "missing.h"', [("v.h", "#define VALUE 2")])
    assert "missing.h" in log
    assert ":2:10: fatal error" in log


def test_errors_are_told_by_the_name_of_the_header(value_with):
    log = value_with('#include "dir/v.h"', [("dir/v.h", "\nint x = nonsense;\n#define VALUE 1")])
    assert "dir/v.h:2:9: error" in log


def test_a_header_is_no_less_a_program(api, device, program):
    """It can be built, and compiled with the program it is a header of."""
    header = program("constant int x = 3;\nint f() { return x; }", None)
    user = program('#include "v.h"\nkernel void k(global int *a) { *a = f(); }', None)
    names = (c_char_p * 1)(b"v.h")
    for _ in range(2):
        api.ok("clCompileProgram", user, 0, None, None, 1, handles(header), names, None, None)
        api.ok("clBuildProgram", header, 0, None, None, None, None)
