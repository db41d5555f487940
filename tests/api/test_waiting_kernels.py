# SPDX-License-Identifier: Apache-2.0
"""Kernels whose code is made when it is first needed: by launches, queries, many threads, after all else is released,
and where it cannot be made."""
from ctypes import byref, c_int32, c_uint32, c_void_p

import pytest
from at_once import at_once
from clapi import E, sizes
from test_program import binary, from_binary, strings

from clpy.compiler import program as compiler

pytestmark = [pytest.mark.needs("host code"), pytest.mark.usefixtures("no_leak")]

SOURCE = """kernel void plus(global int *a, int b) { local int l[4]; l[get_local_id(0) & 3] = b;
                                                     barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] += l[0]; }
            kernel void times(global int *a, int b) { a[get_global_id(0)] *= b; }"""
QUERIES = (E.KERNEL_WORK_GROUP_SIZE, E.KERNEL_LOCAL_MEM_SIZE, E.KERNEL_PRIVATE_MEM_SIZE,
           E.KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)


@pytest.fixture
def made(monkeypatch):
    """Names of the kernels whose code was made."""
    names, original = [], compiler.make_kernel

    def make(executable, name, *how, **more):
        names.append(name)
        return original(executable, name, *how, **more)
    monkeypatch.setattr(compiler, "make_kernel", make)
    return names


def launch(api, queue, kernel, mem, number, items=1):
    """The error of a launch of one work-item, or of more."""
    api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
    api.ok("clSetKernelArg", kernel, 1, 4, byref(c_int32(number)))
    return api.error("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(items), None, 0, None, None)


def number_in(contents, mem):
    return int.from_bytes(contents(mem, 4), "little")


def test_a_launch_makes_the_code_of_its_kernel(api, queue, program, kernel, buffer, contents, made):
    k = kernel(SOURCE, "plus")
    assert api.number("clGetKernelInfo", k, E.KERNEL_NUM_ARGS) == 2
    assert not made
    mem = buffer(contents=(40).to_bytes(4, "little"))
    assert [launch(api, queue, k, mem, 1) for _ in range(2)] == ["CL_SUCCESS"] * 2
    assert number_in(contents, mem) == 42 and made == ["plus"]


def test_what_only_the_code_tells(api, device, queue, kernel, buffer, made):
    k = kernel(SOURCE, "plus")
    before = [api.number("clGetKernelWorkGroupInfo", k, device, query) for query in QUERIES]
    assert made == ["plus"] and before[1] == 16
    assert launch(api, queue, k, buffer(4), 1) == "CL_SUCCESS"
    assert [api.number("clGetKernelWorkGroupInfo", k, device, query) for query in QUERIES] == before
    assert made == ["plus", "plus"]          # the second is for groups of one work-item


def test_short_kernels_that_have_objects_are_made_with_it(api, queue, program, buffer, contents, made):
    """Of kernels beside each other: two of the first eight, then one of the next eight, and one that is long."""
    names = [f"k{n}" for n in range(10)] + ["long_one"]
    built = program("".join(f"kernel void k{n}(global int *a, int b) {{ a[get_global_id(0)] += b * {n}; }}\n"
                            for n in range(10)) +
                    "kernel void long_one(global int *a, int b) { int x = b;" +
                    "".join(f"x = x * {n} + (x >> {n % 7});" for n in range(60)) + "a[get_global_id(0)] = x; }")
    mem = buffer(contents=bytes(4096))
    kernels = {name: api.make("clCreateKernel", built, name.encode()) for name in names if name != "k6"}

    def run(name):
        return launch(api, queue, kernels[name], mem, 1, 1024)
    assert [run(f"k{n}") for n in (1, 2)] == ["CL_SUCCESS"] * 2 and made == ["k1", "k2"]   # k6 has no object yet
    kernels["k6"] = api.make("clCreateKernel", built, b"k6")
    assert run("k8") == "CL_SUCCESS" and made == ["k1", "k2", "k8"]
    assert run("k9") == "CL_SUCCESS" and made == ["k1", "k2", "k8"]
    assert run("k6") == "CL_SUCCESS" and made == ["k1", "k2", "k8", "k6"], "two have their own"
    assert number_in(contents, mem) == 1 + 2 + 8 + 9 + 6
    assert run("long_one") == "CL_SUCCESS" and made[-1] == "long_one"
    again = program("".join(f"kernel void k{n}(global int *a, int b) {{ a[get_global_id(0)] = b * {n}; }}\n"
                            for n in range(8)))
    total, filled = (c_uint32() for _ in range(2))
    api.ok("clCreateKernelsInProgram", again, 0, None, byref(total))          # to count them makes no objects
    one = api.make("clCreateKernel", again, b"k3")
    assert launch(api, queue, one, mem, 5, 1024) == "CL_SUCCESS" and number_in(contents, mem) == 15
    every = (c_void_p * 8)()
    api.ok("clCreateKernelsInProgram", again, 8, every, byref(filled))
    assert total.value == filled.value == 8 and made[-1] == "k3"
    for kernel in (*kernels.values(), one, *every):
        api.ok("clReleaseKernel", kernel)


@pytest.mark.parametrize("asked_before", [False, True])
def test_many_threads_want_the_same_code(api, context, device, program, buffer, contents, made, asked_before):
    """It is made once, and each launch has it; likewise where there is code, but not for groups of one work-item."""
    built = program(SOURCE)
    if asked_before:
        first = api.make("clCreateKernel", built, b"plus")
        api.number("clGetKernelWorkGroupInfo", first, device, E.KERNEL_LOCAL_MEM_SIZE)
        api.ok("clReleaseKernel", first)
    mems = [buffer(contents=(n).to_bytes(4, "little")) for n in range(8)]

    def work(n):
        queue = api.make("clCreateCommandQueueWithProperties", context, device, None)
        kernel = api.make("clCreateKernel", built, b"plus")
        error = launch(api, queue, kernel, mems[n], 10)
        api.ok("clReleaseKernel", kernel)
        api.ok("clFinish", queue)
        api.ok("clReleaseCommandQueue", queue)
        return error
    assert at_once(work, 8) == ["CL_SUCCESS"] * 8
    assert [number_in(contents, mem) for mem in mems] == list(range(10, 18))
    assert made == ["plus"] * (1 + asked_before)


def test_the_program_is_gone_by_then(api, context, device, queue, buffer, contents):
    built = api.make("clCreateProgramWithSource", context, 1, strings(SOURCE.encode()), None)
    api.ok("clBuildProgram", built, 0, None, None, None, None)
    kernel = api.make("clCreateKernel", built, b"times")
    copy = api.make("clCloneKernel", kernel)
    for name, each in (("Program", built), ("Kernel", kernel)):
        api.ok(f"clRelease{name}", each)
    mem = buffer(contents=(6).to_bytes(4, "little"))
    assert launch(api, queue, copy, mem, 7) == "CL_SUCCESS"
    api.ok("clReleaseKernel", copy)
    assert number_in(contents, mem) == 42


def test_from_a_binary(api, context, device, queue, program, buffer, contents, made):
    blob = binary(api, program(SOURCE))
    again, error, status = from_binary(api, context, device, blob)
    assert (error, status) == ("CL_SUCCESS", 0)
    api.ok("clBuildProgram", again, 0, None, None, None, None)
    kernel = api.make("clCreateKernel", again, b"times")
    assert not made
    mem = buffer(contents=(6).to_bytes(4, "little"))
    assert launch(api, queue, kernel, mem, 7) == "CL_SUCCESS"
    assert number_in(contents, mem) == 42 and made == ["times"]
    api.ok("clReleaseKernel", kernel)
    api.ok("clReleaseProgram", again)


@pytest.mark.parametrize(("error", "name", "said"), [
    (MemoryError(), "CL_OUT_OF_HOST_MEMORY", ""),
    (ValueError("nobody knows"), "CL_OUT_OF_RESOURCES", "compiling kernel plus: ValueError: nobody knows")])
def test_it_cannot_be_made(api, device, queue, kernel, buffer, contents, monkeypatch, capfd, error, name, said):
    """Nothing is enqueued, and the next launch tries again."""
    def make(*_):
        raise error
    k = kernel(SOURCE, "plus")
    mem = buffer(contents=(40).to_bytes(4, "little"))
    with monkeypatch.context() as broken:
        broken.setattr(compiler, "make_kernel", make)
        assert launch(api, queue, k, mem, 2) == name
        assert api.error("clGetKernelWorkGroupInfo", k, device, E.KERNEL_LOCAL_MEM_SIZE, 8, sizes(0), None) == name
        assert said in capfd.readouterr().err
    assert launch(api, queue, k, mem, 2) == "CL_SUCCESS"
    assert number_in(contents, mem) == 42
