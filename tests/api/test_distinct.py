# SPDX-License-Identifier: Apache-2.0
"""Launches whose arguments have memory in common, where the code is for such that have none: in command buffers, and
after a way through a binary."""
import threading
from ctypes import addressof, byref, c_int32, c_void_p, create_string_buffer

import pytest
from clapi import E, handles, sizes
from recording import ints
from test_command_buffer_mutable import MUTABLE, config, pointer, update

pytestmark = pytest.mark.usefixtures("no_leak")

N, ITEMS = 4, 8
SOURCE = """kernel void k(global int *c, global int *a, int n) {
    int i = get_global_id(0) * n;
    for (int j = 0; j < n; ++j)
        c[i] += a[i + (j + 1) % n];
}"""
START = list(range(1, N * ITEMS + 1))


def packed(values):
    return b"".join(int(v).to_bytes(4, "little") for v in values)


def after(c, a):
    """What one launch makes of `c`; they may be the same list."""
    for i in range(0, N * ITEMS, N):
        for j in range(N):
            c[i] += a[i + (j + 1) % N]
    return c


def same():
    c = list(START)
    return after(c, c)


def apart():
    return after(list(START), list(START))


@pytest.fixture
def filled(buffer):
    return lambda: buffer(contents=packed(START))


def read(contents, mem):
    return ints(contents(mem, 4 * N * ITEMS))


def launch(api, queue, kernel, *mems):
    for i, mem in enumerate(mems):
        api.ok("clSetKernelArg", kernel, i, 8, handles(mem))
    api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(ITEMS), None, 0, None, None)


def test_launches_take_turns(api, queue, set_args, filled, contents):
    other = filled()
    kernel = set_args(SOURCE, other, other, N)
    for _ in range(3):
        one, two = filled(), filled()
        launch(api, queue, kernel, one, one)
        launch(api, queue, kernel, two, other)
        assert read(contents, one) == same() and read(contents, two) == apart()


@pytest.mark.parametrize("first", ["the same", "apart"])
def test_recorded_and_changed(api, record, set_args, filled, contents, first):
    """The check is of what a replay has, not of what was recorded first."""
    r, handle = record(properties=MUTABLE), c_void_p()
    c, a = filled(), filled()
    kernel = set_args(SOURCE, c, c if first == "the same" else a, N)
    assert r.error("NDRangeKernel", kernel, 1, None, sizes(ITEMS), None, handle=byref(handle)) == "CL_SUCCESS"
    api.ok("clFinalizeCommandBufferKHR", r.target)
    r.again()
    assert read(contents, c) == (same() if first == "the same" else apart())
    for argument, expected in (("c", same), ("a", apart), ("c", same)):
        c, a = filled(), filled()
        changed = [(0, pointer(c)), (1, pointer({"c": c, "a": a}[argument]))]
        assert update(api, r.target, config(handle.value, changed)) == "CL_SUCCESS"
        r.again()
        assert read(contents, c) == expected()


@pytest.mark.parametrize("options", [b"", b"-fno-bin-llvmir", b"-fno-bin-exe", b"-fbin-source -fno-bin-llvmir"])
def test_from_a_binary(api, context, device, queue, program, filled, contents, options):
    """With the bitcode that other code is made of, and without."""
    source = program(SOURCE, options.decode())
    size = api.number("clGetProgramInfo", source, E.PROGRAM_BINARY_SIZES)
    binary = create_string_buffer(size)
    api.ok("clGetProgramInfo", source, E.PROGRAM_BINARIES, 8, handles(addressof(binary)), None)
    made = api.make("clCreateProgramWithBinary", context, 1, handles(device), sizes(size),
                    handles(addressof(binary)), None)
    api.ok("clBuildProgram", made, 1, handles(device), None, None, None)
    kernel = api.make("clCreateKernel", made, b"k")
    api.ok("clSetKernelArg", kernel, 2, 4, byref(c_int32(N)))
    for _ in range(2):
        one, two, other = filled(), filled(), filled()
        launch(api, queue, kernel, one, one)
        launch(api, queue, kernel, two, other)
        assert read(contents, one) == same() and read(contents, two) == apart()
    api.ok("clReleaseKernel", kernel)
    api.ok("clReleaseProgram", made)


def test_many_threads_want_the_other_code(api, context, queue, set_args, filled, contents):
    """It is made once, or more often, and each launch has the right one."""
    mems = [filled() for _ in range(8)]
    kernels = [set_args(SOURCE, mem, mem, N) for mem in mems]
    threads = [threading.Thread(target=launch, args=(api, queue, k, mem, mem))
               for k, mem in zip(kernels, mems, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(read(contents, mem) == same() for mem in mems)
