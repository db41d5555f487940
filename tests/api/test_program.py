# SPDX-License-Identifier: Apache-2.0
"""Program objects: clCreateProgram*, clBuildProgram, clCompileProgram, clLinkProgram, their queries."""
import gc
import subprocess
import sys
import threading
from ctypes import CFUNCTYPE, addressof, byref, c_char_p, c_int32, c_uint32, c_void_p, create_string_buffer
from pathlib import Path

import pytest
from at_once import at_once
from clapi import E, handles, sizes

ADD = "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }"
TWO = ADD + "\nkernel void twice(global int *a) { a[get_global_id(0)] *= 2; }"
WRONG = "kernel void bad(global int *a) { a[0] = nothing; }"


def strings(*parts):
    return (c_char_p * len(parts))(*parts)


def status(api, program, device):
    return c_int32(api.number("clGetProgramBuildInfo", program, device, E.PROGRAM_BUILD_STATUS)).value


def binary_type(api, program, device):
    return api.number("clGetProgramBuildInfo", program, device, E.PROGRAM_BINARY_TYPE)


def log(api, program, device):
    return api.text("clGetProgramBuildInfo", program, device, E.PROGRAM_BUILD_LOG)


def binary(api, program):
    size = api.number("clGetProgramInfo", program, E.PROGRAM_BINARY_SIZES)
    blob = create_string_buffer(size or 1)
    api.ok("clGetProgramInfo", program, E.PROGRAM_BINARIES, 8, handles(addressof(blob)), None)
    return blob.raw[:size]


def from_binary(api, context, device, blob):
    """(program, error, status of the binary)"""
    result = c_int32(99)
    data = create_string_buffer(blob, len(blob)) if blob is not None else None
    made, error = api.new("clCreateProgramWithBinary", context, 1, handles(device), sizes(len(blob or b"")),
                          handles(addressof(data) if data is not None else None), byref(result))
    return made, error, result.value


def run_add(api, context, queue, buffer, contents, program):
    mem = buffer(contents=(41).to_bytes(4, "little"))
    kernel = api.make("clCreateKernel", program, b"add")
    api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
    api.ok("clSetKernelArg", kernel, 1, 4, byref(c_int32(1)))
    api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(1), None, 0, None, None)
    api.ok("clReleaseKernel", kernel)
    assert int.from_bytes(contents(mem, 4), "little") == 42


class TestFromSource:
    def test_errors_in_order(self, api, context):
        def error(*args):
            return api.new("clCreateProgramWithSource", *args)[1]
        assert error(None, 0, None, None) == "CL_INVALID_CONTEXT"
        assert error(context, 0, strings(b"x"), None) == "CL_INVALID_VALUE"
        assert error(context, 1, None, None) == "CL_INVALID_VALUE"
        assert error(context, 2, strings(b"x", None), None) == "CL_INVALID_VALUE"

    def test_strings_and_lengths(self, api, context):
        """Length 0 means up to the zero; the result has no zeros but the last."""
        parts = strings(b"int a;", b"int b;garbage", b"int\0 c;")
        made = api.make("clCreateProgramWithSource", context, 3, parts, sizes(0, 6, 7))
        assert api.text("clGetProgramInfo", made, E.PROGRAM_SOURCE) == "int a;int b;int c;"
        api.ok("clReleaseProgram", made)

    def test_queries_before_a_build(self, api, context, device, program):
        made = program(ADD, None)
        info = "clGetProgramInfo"
        assert api.number(info, made, E.PROGRAM_REFERENCE_COUNT) == 1
        assert api.number(info, made, E.PROGRAM_CONTEXT) == context
        assert api.number(info, made, E.PROGRAM_NUM_DEVICES) == 1
        assert api.number(info, made, E.PROGRAM_DEVICES) == device
        assert api.text(info, made, E.PROGRAM_SOURCE) == ADD
        assert api.info(info, made, E.PROGRAM_IL) == b""
        assert api.number(info, made, E.PROGRAM_BINARY_SIZES) == 0
        for param in (E.PROGRAM_NUM_KERNELS, E.PROGRAM_KERNEL_NAMES, E.PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT):
            assert api.error(info, made, param, 0, None, None) == "CL_INVALID_PROGRAM_EXECUTABLE"
        assert status(api, made, device) == E.BUILD_NONE
        assert log(api, made, device) == ""
        assert api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_OPTIONS) == ""
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_NONE

    @pytest.mark.needs("generic pointers")
    def test_queries_after_a_build(self, api, device, program):
        made = program(TWO + "\nglobal int counter[100] = {1};\n", "-cl-std=CL2.0 -DX=1")
        info, build = "clGetProgramInfo", "clGetProgramBuildInfo"
        assert api.number(info, made, E.PROGRAM_NUM_KERNELS) == 2
        assert sorted(api.text(info, made, E.PROGRAM_KERNEL_NAMES).split(";")) == ["add", "twice"]
        assert api.number(info, made, E.PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT) == 0
        assert api.number(info, made, E.PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT) == 0
        assert api.number(info, made, E.PROGRAM_BINARY_SIZES) == len(binary(api, made)) > 100
        assert status(api, made, device) == E.BUILD_SUCCESS
        assert api.text(build, made, device, E.PROGRAM_BUILD_OPTIONS) == "-cl-std=CL2.0 -DX=1"
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_EXECUTABLE

    @pytest.mark.needs("program variables")
    def test_program_scope_variables_are_counted(self, api, device, program):
        source = "global int counter[100] = {1}; kernel void k(global int *a) { a[0] = ++counter[a[1]]; }"
        made = program(source, "-cl-std=CL3.0")
        total = api.number("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)
        assert 400 <= total < 500

    def test_query_errors(self, api, device, program):
        made = program(ADD)
        small = create_string_buffer(3)
        for function, leading in (("clGetProgramInfo", ()), ("clGetProgramBuildInfo", (device,))):
            assert api.error(function, None, *leading, 0, 0, None, None) == "CL_INVALID_PROGRAM"
            assert api.error(function, made, *leading, 0x1234, 0, None, None) == "CL_INVALID_VALUE"
        for param in (E.PROGRAM_REFERENCE_COUNT, E.PROGRAM_SOURCE, E.PROGRAM_BINARIES, E.PROGRAM_KERNEL_NAMES):
            assert api.error("clGetProgramInfo", made, param, 3, small, None) == "CL_INVALID_VALUE"
        assert api.error("clGetProgramBuildInfo", made, None, E.PROGRAM_BUILD_STATUS, 0, None,
                         None) == "CL_INVALID_DEVICE"
        assert api.error("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_STATUS, 3, small,
                         None) == "CL_INVALID_VALUE"

    def test_references(self, api, context):
        made = api.make("clCreateProgramWithSource", context, 1, strings(ADD.encode()), None)
        api.ok("clRetainProgram", made)
        assert api.number("clGetProgramInfo", made, E.PROGRAM_REFERENCE_COUNT) == 2
        api.ok("clReleaseProgram", made)
        api.ok("clReleaseProgram", made)
        assert api.error("clReleaseProgram", made) == "CL_INVALID_PROGRAM"
        assert api.error("clBuildProgram", made, 0, None, None, None, None) == "CL_INVALID_PROGRAM"


class TestBuild:
    def test_errors_in_order(self, api, device, program):
        made = program(ADD, None)
        marker = create_string_buffer(1)

        def error(*args):
            return api.error("clBuildProgram", *args)
        assert error(None, 1, None, None, None, None) == "CL_INVALID_PROGRAM"
        assert error(made, 1, None, None, None, None) == "CL_INVALID_VALUE"
        assert error(made, 0, handles(device), None, None, None) == "CL_INVALID_VALUE"
        assert error(made, 0, None, None, None, marker) == "CL_INVALID_VALUE"
        assert error(made, 1, handles(made), None, None, None) == "CL_INVALID_DEVICE"
        assert error(made, 0, None, b"-no-such-option", None, None) == "CL_INVALID_BUILD_OPTIONS"
        assert status(api, made, device) == E.BUILD_NONE

    def test_rebuild_with_other_options(self, api, context, queue, device, program, buffer, contents):
        made = program("kernel void add(global int *a, int b) { *a += b * N; }", "-DN=5")
        api.ok("clBuildProgram", made, 1, handles(device), b"-D N=1", None, None)
        assert api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_OPTIONS) == "-D N=1"
        run_add(api, context, queue, buffer, contents, made)

    def test_refused_while_kernels_are_attached(self, api, program):
        made = program(ADD)
        kernel = api.make("clCreateKernel", made, b"add")
        assert api.error("clBuildProgram", made, 0, None, None, None, None) == "CL_INVALID_OPERATION"
        assert api.error("clCompileProgram", made, 0, None, None, 0, None, None, None, None) == "CL_INVALID_OPERATION"
        api.ok("clReleaseKernel", kernel)
        api.ok("clBuildProgram", made, 0, None, None, None, None)

    def test_a_failed_build_leaves_no_executable(self, api, device, program):
        made = program("kernel void k(global int *a) { *a = N; }", "-DN=1")
        assert api.error("clBuildProgram", made, 0, None, b"-DN=oops", None, None) == "CL_BUILD_PROGRAM_FAILURE"
        assert status(api, made, device) == E.BUILD_ERROR
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_NONE
        assert api.new("clCreateKernel", made, b"k")[1] == "CL_INVALID_PROGRAM_EXECUTABLE"
        assert api.number("clGetProgramInfo", made, E.PROGRAM_BINARY_SIZES) == 0
        api.ok("clBuildProgram", made, 0, None, b"-DN=2", None, None)
        assert log(api, made, device) == ""

    def test_a_launch_outlives_rebuild_and_release(self, api, context, queue, program, buffer, contents, user_event):
        mem = buffer(contents=bytes(4))
        made = program(ADD)
        kernel = api.make("clCreateKernel", made, b"add")
        api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
        api.ok("clSetKernelArg", kernel, 1, 4, byref(c_int32(7)))
        gate = user_event()
        api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(1), None, 1, handles(gate), None)
        api.ok("clReleaseKernel", kernel)
        api.ok("clBuildProgram", made, 0, None, b"-cl-opt-disable", None, None)
        program(TWO)             # releases what nobody needs any more
        gc.collect()
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        assert int.from_bytes(contents(mem, 4), "little") == 7


NOTIFY = CFUNCTYPE(None, c_void_p, c_void_p)


class TestAsynchronous:
    """With pfn_notify the call returns before the build ends; the callback sees its result."""

    def start(self, api, device, made, function, *args):
        done, seen = threading.Event(), []

        @NOTIFY
        def notify(program, user_data):
            seen.append((program, user_data, status(api, program, device), log(api, program, device)))
            done.set()

        api.ok(function, *args, notify, 77)
        assert done.wait(60), "the callback was not called"
        assert [row[:2] for row in seen] == [(made, 77)]
        return seen[0][2:]

    def test_build(self, api, context, queue, device, program, buffer, contents):
        made = program(ADD, None)
        assert self.start(api, device, made, "clBuildProgram", made, 0, None, None) == (E.BUILD_SUCCESS, "")
        run_add(api, context, queue, buffer, contents, made)

    def test_a_wrong_program(self, api, device, program):
        made = program(WRONG, None)
        result, text = self.start(api, device, made, "clBuildProgram", made, 0, None, None)
        assert result == E.BUILD_ERROR
        assert "nothing" in text

    def test_compile(self, api, device, program):
        made = program(ADD, None)
        assert self.start(api, device, made, "clCompileProgram", made, 0, None, None, 0, None, None)[0] == 0
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_COMPILED_OBJECT

    @pytest.mark.needs("host code")
    def test_a_second_build_meanwhile_is_refused(self, api, program):
        """Started from the callback's thread while that build still counts as done, and from here while it runs."""
        body = "".join(f"a[{i}] = sin((float)a[{i}]) + {i};\n" for i in range(400))
        made = program(f"kernel void k(global float *a) {{ {body} }}", None)
        done = threading.Event()
        notify = NOTIFY(lambda *_: done.set())
        api.ok("clBuildProgram", made, 0, None, None, notify, None)
        errors = {api.error("clBuildProgram", made, 0, None, None, None, None),
                  api.new("clCreateKernel", made, b"k")[1]}
        assert done.wait(60)
        assert errors <= {"CL_INVALID_OPERATION", "CL_INVALID_PROGRAM_EXECUTABLE", "CL_SUCCESS"}
        assert errors != {"CL_SUCCESS"}

    def test_released_before_its_end(self, api, context):
        made = api.make("clCreateProgramWithSource", context, 1, strings(ADD.encode()), None)
        done = threading.Event()
        notify = NOTIFY(lambda *_: done.set())
        api.ok("clBuildProgram", made, 0, None, None, notify, None)
        api.ok("clReleaseProgram", made)
        assert done.wait(60)

    @pytest.mark.parametrize("delay", [0, 0.01, 0.03, 0.06])
    def test_exit_while_builds_run(self, delay):
        """The process ends normally: neither a crash in a thread that compiles, nor a hang."""
        script = f"""if 1:
            import ctypes, sys, time
            sys.path.insert(0, {str(Path(__file__).parents[1])!r})
            from clapi import API, handles
            api = API()
            context = api.make("clCreateContext", None, 1, handles(api.devices()[0]), None, None)
            notify = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: None)
            for n in range(4):
                source = f"kernel void k(global float *a) {{{{ a[0] = sin(a[1]) + {delay} + {{n}}; }}}}".encode()
                made = api.make("clCreateProgramWithSource", context, 1, (ctypes.c_char_p * 1)(source), None)
                api.ok("clBuildProgram", made, 0, None, None, notify, None)
            time.sleep({delay})
            print("end")
        """
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr

    def test_many_threads_build_at_once(self, api, context, device):
        failures = []

        def work(number):
            source = f"kernel void k(global int *a) {{ a[get_global_id(0)] = {number}; }}".encode()
            made = api.make("clCreateProgramWithSource", context, 1, strings(source), None)
            error = api.error("clBuildProgram", made, 0, None, None, None, None)
            if error != "CL_SUCCESS" or api.text("clGetProgramInfo", made, E.PROGRAM_KERNEL_NAMES) != "k":
                failures.append(error)
            api.ok("clReleaseProgram", made)

        at_once(work, 8)
        assert failures == []


class TestBinaries:
    def test_round_trip(self, api, context, queue, device, program, buffer, contents):
        blob = binary(api, program(ADD, "-cl-std=CL1.2"))
        made, error, result = from_binary(api, context, device, blob)
        assert (error, result) == ("CL_SUCCESS", 0)
        assert status(api, made, device) == E.BUILD_NONE
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_EXECUTABLE
        assert api.text("clGetProgramInfo", made, E.PROGRAM_SOURCE) in ("", ADD)
        assert api.new("clCreateKernel", made, b"add")[1] == "CL_INVALID_PROGRAM_EXECUTABLE"
        api.ok("clBuildProgram", made, 1, handles(device), None, None, None)
        assert binary(api, made) == blob
        run_add(api, context, queue, buffer, contents, made)
        assert api.error("clCompileProgram", made, 0, None, None, 0, None, None, None, None) == "CL_INVALID_OPERATION"
        api.ok("clReleaseProgram", made)

    def test_damaged(self, api, context, device, program):
        blob = binary(api, program(ADD))
        for bad in (b"x", b"\x7fELF", blob[:40], blob[:len(blob) // 2], blob[:-1], bytes(len(blob)),
                    blob[:200] + bytes([blob[200] ^ 1]) + blob[201:]):
            assert from_binary(api, context, device, bad) == (None, "CL_INVALID_BINARY", E.INVALID_BINARY)

    def test_errors_in_order(self, api, context, device, program):
        blob = binary(api, program(ADD))
        data = create_string_buffer(blob, len(blob))
        one, length = handles(addressof(data)), sizes(len(blob))
        result = c_int32(99)

        def error(*args):
            return api.new("clCreateProgramWithBinary", *args)[1]
        assert error(None, 1, handles(device), length, one, None) == "CL_INVALID_CONTEXT"
        assert error(context, 1, None, length, one, None) == "CL_INVALID_VALUE"
        assert error(context, 0, handles(device), length, one, None) == "CL_INVALID_VALUE"
        assert error(context, 1, handles(context), length, one, None) == "CL_INVALID_DEVICE"
        assert error(context, 1, handles(device), None, one, None) == "CL_INVALID_VALUE"
        assert error(context, 1, handles(device), length, None, None) == "CL_INVALID_VALUE"
        assert error(context, 1, handles(device), sizes(0), one, byref(result)) == "CL_INVALID_VALUE"
        assert result.value == E.INVALID_VALUE
        assert error(context, 1, handles(device), length, handles(None), byref(result)) == "CL_INVALID_VALUE"

    def test_what_does_not_exist(self, api, context, device, program):
        built_in = "clCreateProgramWithBuiltInKernels"
        assert api.new(built_in, None, 1, handles(device), b"x")[1] == "CL_INVALID_CONTEXT"
        assert api.new(built_in, context, 1, handles(device), b"x")[1] == "CL_INVALID_VALUE"
        assert api.error("clSetProgramReleaseCallback", None, None, None) == "CL_INVALID_PROGRAM"
        assert api.error("clSetProgramReleaseCallback", program(ADD, None), None, None) == "CL_INVALID_OPERATION"


class TestCompileAndLink:
    HEADER, USER = "int plus(int a, int b);\n", '#include "dir/plus.h"\n' + ADD.replace("+= b", "= plus(41, b)")
    BODY = "int plus(int a, int b) { return a + b; }"

    def compile(self, api, program, source, headers=()):
        made = program(source, None)
        names = strings(*[name.encode() for name, _ in headers]) if headers else None
        sources = handles(*[header for _, header in headers]) if headers else None
        api.ok("clCompileProgram", made, 0, None, None, len(headers), sources, names, None, None)
        return made

    def test_embedded_headers(self, api, context, queue, device, program, buffer, contents):
        header = program(self.HEADER, None)
        user = self.compile(api, program, self.USER, [("dir/plus.h", header), ("dir/plus.h", program("#error", None))])
        body = self.compile(api, program, self.BODY)
        assert binary_type(api, user, device) == E.PROGRAM_BINARY_TYPE_COMPILED_OBJECT
        assert api.new("clCreateKernel", user, b"add")[1] == "CL_INVALID_PROGRAM_EXECUTABLE"
        linked = api.make("clLinkProgram", context, 0, None, None, 2, handles(user, body), None, None)
        assert status(api, linked, device) == E.BUILD_SUCCESS
        assert binary_type(api, linked, device) == E.PROGRAM_BINARY_TYPE_EXECUTABLE
        run_add(api, context, queue, buffer, contents, linked)
        assert api.error("clBuildProgram", linked, 0, None, None, None, None) == "CL_INVALID_OPERATION"
        api.ok("clReleaseProgram", linked)

    def test_library_and_binaries(self, api, context, queue, device, program, buffer, contents):
        """Objects and libraries go through binaries as well."""
        body = self.compile(api, program, self.BODY)
        library = api.make("clLinkProgram", context, 0, None, b"-create-library", 1, handles(body), None, None)
        assert binary_type(api, library, device) == E.PROGRAM_BINARY_TYPE_LIBRARY
        user = self.compile(api, program, self.HEADER + ADD.replace("+= b", "= plus(41, b)"))
        again = []
        for made, kind in ((library, E.PROGRAM_BINARY_TYPE_LIBRARY), (user, E.PROGRAM_BINARY_TYPE_COMPILED_OBJECT)):
            copy, error, _ = from_binary(api, context, device, binary(api, made))
            assert error == "CL_SUCCESS"
            assert binary_type(api, copy, device) == kind
            assert api.error("clBuildProgram", copy, 0, None, None, None, None) == "CL_INVALID_BINARY"
            again.append(copy)
        linked = api.make("clLinkProgram", context, 1, handles(device), b"", 2, handles(*again), None, None)
        run_add(api, context, queue, buffer, contents, linked)
        for made in (library, linked, *again):
            api.ok("clReleaseProgram", made)

    def test_a_link_that_fails_gives_a_program_with_a_log(self, api, context, device, program):
        user = self.compile(api, program, self.HEADER + ADD.replace("+= b", "= plus(41, b)"))
        linked, error = api.new("clLinkProgram", context, 0, None, None, 1, handles(user), None, None)
        assert error == "CL_LINK_PROGRAM_FAILURE"
        assert status(api, linked, device) == E.BUILD_ERROR
        assert "plus" in log(api, linked, device)
        api.ok("clReleaseProgram", linked)

    def test_compile_failure(self, api, device, program):
        made = program(WRONG, None)
        assert api.error("clCompileProgram", made, 0, None, None, 0, None, None, None,
                         None) == "CL_COMPILE_PROGRAM_FAILURE"
        assert "nothing" in log(api, made, device)

    def test_compile_errors_in_order(self, api, other_context, device, program):
        made, header = program(ADD, None), program(self.HEADER, None)
        foreign = program(self.HEADER, None, within=other_context)
        name = strings(b"x.h")

        def error(*args):
            return api.error("clCompileProgram", *args)
        assert error(None, 0, None, None, 0, None, None, None, None) == "CL_INVALID_PROGRAM"
        assert error(made, 1, None, None, 0, None, None, None, None) == "CL_INVALID_VALUE"
        assert error(made, 0, None, None, 1, None, name, None, None) == "CL_INVALID_VALUE"
        assert error(made, 0, None, None, 0, handles(header), None, None, None) == "CL_INVALID_VALUE"
        assert error(made, 0, None, None, 0, None, None, None, name) == "CL_INVALID_VALUE"
        assert error(made, 0, None, None, 1, handles(foreign), name, None, None) == "CL_INVALID_CONTEXT"
        assert error(made, 1, handles(header), None, 0, None, None, None, None) == "CL_INVALID_DEVICE"
        assert error(made, 0, None, b"-create-library", 0, None, None, None, None) == "CL_INVALID_COMPILER_OPTIONS"

    def test_link_errors_in_order(self, api, context, other_context, device, program):
        good, plain = self.compile(api, program, ADD), program(ADD, None)

        def error(*args):
            return api.new("clLinkProgram", *args)[1]
        assert error(None, 0, None, None, 1, handles(good), None, None) == "CL_INVALID_CONTEXT"
        assert error(other_context, 0, None, None, 1, handles(good), None, None) == "CL_INVALID_CONTEXT"
        assert error(context, 1, None, None, 1, handles(good), None, None) == "CL_INVALID_VALUE"
        assert error(context, 0, None, None, 0, None, None, None) == "CL_INVALID_VALUE"
        assert error(context, 0, None, None, 1, None, None, None) == "CL_INVALID_VALUE"
        assert error(context, 0, None, None, 1, handles(device), None, None) == "CL_INVALID_PROGRAM"
        assert error(context, 0, None, None, 1, handles(good), None, handles(device)) == "CL_INVALID_VALUE"
        assert error(context, 1, handles(good), None, 1, handles(good), None, None) == "CL_INVALID_DEVICE"
        assert error(context, 0, None, b"-DX", 1, handles(plain), None, None) == "CL_INVALID_LINKER_OPTIONS"
        assert error(context, 0, None, None, 1, handles(plain), None, None) == "CL_INVALID_OPERATION"
        assert error(context, 0, None, None, 2, handles(good, plain), None, None) == "CL_INVALID_OPERATION"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_create_kernels_in_program(api, program, count):
    made = program(TWO)
    found, kernels = c_uint32(99), (c_void_p * 3)()
    error = api.error("clCreateKernelsInProgram", made, count, kernels if count else None, byref(found))
    if count == 1:
        assert error == "CL_INVALID_VALUE"
        api.ok("clBuildProgram", made, 0, None, None, None, None)        # nothing is left attached
        return
    assert (error, found.value) == ("CL_SUCCESS", 2)
    names = sorted(api.text("clGetKernelInfo", k, E.KERNEL_FUNCTION_NAME) for k in kernels if k)
    assert names == (["add", "twice"] if count else [])
    for kernel in filter(None, kernels):
        api.ok("clReleaseKernel", kernel)
