# SPDX-License-Identifier: Apache-2.0
"""clLinkProgram with objects and libraries in any mixture, also from binaries; the rules for its options."""
import threading
from ctypes import CFUNCTYPE, addressof, byref, c_char_p, c_int32, c_void_p, create_string_buffer

import pytest
from clapi import E, handles, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

USER = """int plus(int a, int b); int times(int a, int b);
kernel void k(global int *a) { a[get_global_id(0)] = plus(times(a[get_global_id(0)], 10), 2); }"""
PLUS = "int plus(int a, int b) { return a + b; }"
TIMES = "int times(int a, int b) { return a * b; }\nkernel void other(global int *a) { a[0] = times(a[0], 2); }"
NOTIFY = CFUNCTYPE(None, c_void_p, c_void_p)


@pytest.fixture
def compiled(api, program):
    """new(source, options) -> program with a compiled object"""
    def new(source, options=""):
        made = program(source, None)
        api.ok("clCompileProgram", made, 0, None, options.encode(), 0, None, None, None, None)
        return made
    return new


@pytest.fixture
def link(api, context):
    """new(programs, options) -> linked program"""
    made = []

    def new(inputs, options=""):
        made.append(api.make("clLinkProgram", context, 0, None, options.encode(), len(inputs), handles(*inputs), None,
                             None))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseProgram", each)


@pytest.fixture
def reloaded(api, context, device):
    """new(program) -> the same from its binary"""
    made = []

    def new(program):
        size = api.number("clGetProgramInfo", program, E.PROGRAM_BINARY_SIZES)
        blob = create_string_buffer(size)
        api.ok("clGetProgramInfo", program, E.PROGRAM_BINARIES, 8, handles(addressof(blob)), None)
        made.append(api.make("clCreateProgramWithBinary", context, 1, handles(device), sizes(size),
                             handles(addressof(blob)), None))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseProgram", each)


@pytest.fixture
def result_of(api, queue, buffer, contents):
    """What kernel k of a program makes of 4."""
    def run(program, size=1, local=None):
        mem, kernel = buffer(contents=(4).to_bytes(4, "little") * size), api.make("clCreateKernel", program, b"k")
        api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
        error = api.error("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(size), local, 0, None, None)
        api.ok("clReleaseKernel", kernel)
        return int.from_bytes(contents(mem, 4), "little") if error == "CL_SUCCESS" else error
    return run


def binary_type(api, program, device):
    return api.number("clGetProgramBuildInfo", program, device, E.PROGRAM_BINARY_TYPE)


class TestMixtures:
    def test_objects_and_libraries_in_any_order(self, api, device, compiled, link, result_of):
        user, plus, times = compiled(USER), compiled(PLUS), compiled(TIMES)
        library = link([times], "-create-library")
        both = link([plus, library], "-create-library")
        assert {binary_type(api, each, device) for each in (library, both)} == {E.PROGRAM_BINARY_TYPE_LIBRARY}
        for inputs in ((user, plus, times), (library, user, plus), (plus, library, user), (user, both), (both, user)):
            linked = link(inputs)
            assert binary_type(api, linked, device) == E.PROGRAM_BINARY_TYPE_EXECUTABLE
            assert result_of(linked) == 42
            names = api.text("clGetProgramInfo", linked, E.PROGRAM_KERNEL_NAMES)
            assert sorted(names.split(";")) == ["k", "other"], "kernels of a library are the program's"

    def test_from_binaries(self, api, device, compiled, link, reloaded, result_of):
        user, library = compiled(USER), link([compiled(PLUS), compiled(TIMES)], "-create-library")
        for inputs in ((reloaded(user), library), (user, reloaded(library)), (reloaded(library), reloaded(user))):
            linked = link(inputs)
            assert result_of(linked) == 42
            again = reloaded(linked)
            assert binary_type(api, again, device) == E.PROGRAM_BINARY_TYPE_EXECUTABLE
            api.ok("clBuildProgram", again, 0, None, None, None, None)
            assert result_of(again) == 42
        # A library of reloaded libraries is a library again, and its binary too.
        nested = reloaded(link([reloaded(library)], "-create-library"))
        assert binary_type(api, nested, device) == E.PROGRAM_BINARY_TYPE_LIBRARY
        assert result_of(link([nested, user])) == 42

    def test_a_library_has_no_kernel_objects(self, api, compiled, link):
        library = link([compiled(TIMES)], "-create-library")
        assert api.new("clCreateKernel", library, b"other")[1] == "CL_INVALID_PROGRAM_EXECUTABLE"
        size = sizes(0)
        assert api.error("clGetProgramInfo", library, E.PROGRAM_NUM_KERNELS, 8, size,
                         None) == "CL_INVALID_PROGRAM_EXECUTABLE"

    def test_executables_are_no_input(self, api, context, program, compiled, link):
        """"All programs [...] contain a compiled binary or library": what clBuildProgram made is neither."""
        built, linked, good = program(PLUS), link([compiled(TIMES)]), compiled(PLUS)
        for inputs in ((built,), (linked,), (good, built), (linked, good)):
            assert api.new("clLinkProgram", context, 0, None, None, len(inputs), handles(*inputs), None,
                           None) == (None, "CL_INVALID_OPERATION")

    def test_defined_twice(self, api, context, device, compiled):
        made, error = api.new("clLinkProgram", context, 0, None, None, 2, handles(compiled(PLUS), compiled(PLUS)),
                              None, None)
        assert error == "CL_LINK_PROGRAM_FAILURE"
        assert "plus" in api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_LOG)
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_NONE
        api.ok("clReleaseProgram", made)

    def test_objects_outlive_their_programs(self, api, context, link, result_of):
        made = []
        for source in (USER, PLUS, TIMES):
            made.append(api.make("clCreateProgramWithSource", context, 1, (c_char_p * 1)(source.encode()), None))
            api.ok("clCompileProgram", made[-1], 0, None, None, 0, None, None, None, None)
        linked = link(made)
        for each in made:
            api.ok("clReleaseProgram", each)
        assert result_of(linked) == 42


class TestWorkGroupsOfAnySize:
    """If the program was created using clLinkProgram, "all input programs must support" groups of different sizes: a
    library says of itself what its members say."""

    @pytest.mark.parametrize(("of_library", "expected"), [
        ("-cl-std=CL3.0", 42), pytest.param("-cl-std=CL2.0", 42, marks=pytest.mark.needs("generic pointers")),
        ("-cl-std=CL1.2", "CL_INVALID_WORK_GROUP_SIZE"),
        ("", "CL_INVALID_WORK_GROUP_SIZE"),
        ("-cl-std=CL3.0 -cl-uniform-work-group-size", "CL_INVALID_WORK_GROUP_SIZE")])
    def test_library(self, api, compiled, link, reloaded, result_of, of_library, expected):
        user = compiled(USER, "-cl-std=CL3.0")
        library = link([compiled(PLUS, of_library), compiled(TIMES, "-cl-std=CL3.0")], "-create-library")
        for inputs in ((user, library), (library, user), (reloaded(library), reloaded(user))):
            linked = link(inputs)
            assert result_of(linked, 10, sizes(4)) == expected
            assert result_of(linked, 8, sizes(4)) == 42
        again = reloaded(linked)
        api.ok("clBuildProgram", again, 0, None, None, None, None)
        assert result_of(again, 10, sizes(4)) == expected


class TestOptions:
    @pytest.mark.parametrize("options", [
        "-create-library", "-create-library -enable-link-options", " -enable-link-options   -create-library ",
        "-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-no-signed-zeroes", "-cl-unsafe-math-optimizations",
        "-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp",
        "-cl-fast-relaxed-math -cl-denorms-are-zero"])
    def test_accepted_and_reported(self, api, device, compiled, link, options):
        linked = link([compiled(PLUS)], options)
        assert api.text("clGetProgramBuildInfo", linked, device, E.PROGRAM_BUILD_OPTIONS) == options
        expected = E.PROGRAM_BINARY_TYPE_LIBRARY if "library" in options else E.PROGRAM_BINARY_TYPE_EXECUTABLE
        assert binary_type(api, linked, device) == expected

    @pytest.mark.parametrize("options", [
        "-enable-link-options", "-enable-link-options -cl-fast-relaxed-math", "-create-librar", "create-library",
        "-create-library=1", "-cl-std=CL3.0", "-DX=1", "-I .", "-w", "-cl-kernel-arg-info", "-cl-opt-disable", "x"])
    def test_refused(self, api, context, compiled, options):
        made = compiled(PLUS)
        assert api.new("clLinkProgram", context, 0, None, options.encode(), 1, handles(made), None,
                       None) == (None, "CL_INVALID_LINKER_OPTIONS")

    @pytest.mark.parametrize("options", ["-create-library", "-enable-link-options"])
    def test_of_a_link_only(self, api, program, options):
        made = program(PLUS, None)
        assert api.error("clBuildProgram", made, 0, None, options.encode(), None, None) == "CL_INVALID_BUILD_OPTIONS"
        assert api.error("clCompileProgram", made, 0, None, options.encode(), 0, None, None, None,
                         None) == "CL_INVALID_COMPILER_OPTIONS"

    def test_library_that_takes_link_options(self, compiled, link, result_of):
        library = link([compiled(PLUS), compiled(TIMES)], "-create-library -enable-link-options")
        assert result_of(link([library, compiled(USER)], "-cl-fast-relaxed-math")) == 42


class TestAsynchronous:
    def test_callback(self, api, context, device, compiled, result_of):
        """It names the program that the call returned, which then is what it says it is."""
        done, seen = threading.Event(), []

        @NOTIFY
        def notify(program, user_data):
            status = c_int32(api.number("clGetProgramBuildInfo", program, device, E.PROGRAM_BUILD_STATUS)).value
            seen.append((program, user_data, status))
            done.set()

        inputs = handles(compiled(USER), compiled(PLUS), compiled(TIMES))
        made = api.make("clLinkProgram", context, 0, None, None, 3, inputs, notify, 4711)
        assert done.wait(60)
        assert seen == [(made, 4711, E.BUILD_SUCCESS)]
        assert result_of(made) == 42
        api.ok("clReleaseProgram", made)

    def test_inputs_that_are_being_compiled(self, api, context, program):
        """CL_INVALID_OPERATION until that is over."""
        made, done = program(PLUS, None), threading.Event()
        notify = NOTIFY(lambda *_: done.set())
        api.ok("clCompileProgram", made, 0, None, None, 0, None, None, notify, None)
        early, error = api.new("clLinkProgram", context, 0, None, None, 1, handles(made), None, None)
        assert error in ("CL_INVALID_OPERATION", "CL_SUCCESS")
        assert (early is None) == (error == "CL_INVALID_OPERATION")
        assert done.wait(60)
        late = api.make("clLinkProgram", context, 0, None, None, 1, handles(made), None, None)
        for each in filter(None, (early, late)):
            api.ok("clReleaseProgram", each)
