# SPDX-License-Identifier: Apache-2.0
"""cl_khr_initialize_memory: private and local memory that kernels find cleared."""
import struct
from ctypes import addressof, byref, c_size_t, c_uint32, c_void_p, create_string_buffer

import pytest
from clapi import E, handles, sizes

pytestmark = [pytest.mark.needs("cl_khr_initialize_memory"), pytest.mark.usefixtures("no_leak")]
LOCAL, PRIVATE = E.CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR, E.CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR
ITEMS, GROUP = 512, 32

# Each writes memory of its own with something else, so that whoever runs in it next would find that.
PRIVATE_SOURCE = """
kernel void dirty(global uint *out, uint n) {
    volatile uint mine[100];
    for (uint i = 0; i < 100; i++)
        mine[i] = 0xdead0000u + i;
    out[get_global_id(0)] = mine[n % 100u];
}
struct pair { uint a; uint4 b; uchar c[5]; };
uint helper(uint n) {
    uint inner[20];
    return inner[n % 20u];
}
kernel void clean(global uint *out, uint n) {
    uint array[100];
    uint scalar;
    uint4 vector;
    struct pair s;
    uint sum = scalar | vector.x | vector.w | s.a | s.b.y | s.c[n % 5u] | helper(n);
    for (uint i = 0; i < n; i++)
        sum |= array[i];
    array[n % 100u] = 1;
    for (int k = 0; k < 3; k++) {
        uint late[10];
        sum |= k == 0 ? late[n % 10u] : 0u;
        late[n % 10u] = n + k;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < n; i++)
        sum |= array[i] & 2u;
    out[get_global_id(0)] = sum;
}
"""
LOCAL_SOURCE = """
kernel void k(global uint *out, local uint *given, uint n) {
    local uint fixed[64];
    local uint never[64];
    uint l = get_local_id(0), sum = 0;
    for (uint i = 0; i < 64; i++)
        sum |= fixed[i] | given[i] | never[(i + n) % 64u];
    barrier(CLK_LOCAL_MEM_FENCE);
    fixed[l] = given[l] = 0xbad00000u + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum | (fixed[l ^ 1] != 0xbad00000u + (l ^ 1));
}
"""


@pytest.fixture
def place(api, device):
    """place(bits) -> context, queue"""
    made = []

    def new(bits):
        listed = (c_size_t * 3)(E.CONTEXT_MEMORY_INITIALIZE_KHR, bits, 0)
        context = api.make("clCreateContext", listed, 1, handles(device), None, None)
        made.append((context, api.make("clCreateCommandQueue", context, device, 0)))
        return made[-1]

    yield new
    for context, queue in made:
        api.ok("clReleaseCommandQueue", queue)
        api.ok("clReleaseContext", context)


def run(api, queue, kernel, arguments, items=ITEMS):
    for i, (size, value) in enumerate(arguments):
        api.ok("clSetKernelArg", kernel, i, size, value)
    api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(items), sizes(GROUP), 0, None, None)


def read(api, queue, mem):
    host = (c_uint32 * ITEMS)()
    api.ok("clEnqueueReadBuffer", queue, mem, 1, 0, 4 * ITEMS, host, 0, None, None)
    return list(host)


def test_the_device_says_so(api, device):
    assert "cl_khr_initialize_memory" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


def test_context(api, device, place):
    for bits in (0, LOCAL, PRIVATE, LOCAL | PRIVATE):
        context, _ = place(bits)
        assert api.info("clGetContextInfo", context, E.CONTEXT_PROPERTIES) == struct.pack(
            "=3Q", E.CONTEXT_MEMORY_INITIALIZE_KHR, bits, 0)
    for wrong in ((E.CONTEXT_MEMORY_INITIALIZE_KHR, 4, 0),
                  (E.CONTEXT_MEMORY_INITIALIZE_KHR, 1, E.CONTEXT_MEMORY_INITIALIZE_KHR, 1, 0)):
        listed = (c_size_t * len(wrong))(*wrong)
        assert api.new("clCreateContext", listed, 1, handles(device), None, None) == (None, "CL_INVALID_PROPERTY")


@pytest.mark.parametrize("options", ["", "-cl-opt-disable"])
def test_private(api, place, buffer, program, options):
    context, queue = place(PRIVATE)
    made, out = program(PRIVATE_SOURCE, options, context), buffer(size=4 * ITEMS, within=context)
    dirty, clean = (api.make("clCreateKernel", made, name) for name in (b"dirty", b"clean"))
    arguments = ((8, byref(c_void_p(out))), (4, byref(c_uint32(100))))
    for _ in range(3):
        run(api, queue, dirty, arguments)
        run(api, queue, clean, arguments)
        assert read(api, queue, out) == [0] * ITEMS
    for each in (dirty, clean):
        api.ok("clReleaseKernel", each)


@pytest.mark.parametrize("options", ["", "-cl-opt-disable"])
def test_local(api, place, buffer, kernel, options):
    """Before each group, the memory of an argument too."""
    context, queue = place(LOCAL)
    k, out = kernel(LOCAL_SOURCE, "k", options, context), buffer(size=4 * ITEMS, within=context)
    for _ in range(3):
        run(api, queue, k, ((8, byref(c_void_p(out))), (256, None), (4, byref(c_uint32(5)))))
        assert read(api, queue, out) == [0] * ITEMS


def test_a_binary_from_another_context(api, device, place, buffer, program):
    """It is made for the context it is loaded into."""
    plain, _ = place(0)
    context, queue = place(PRIVATE)
    blob = api.info("clGetProgramInfo", program(PRIVATE_SOURCE, "", plain), E.PROGRAM_BINARY_SIZES)
    size = int.from_bytes(blob, "little")
    binary = (c_size_t * 1)()
    room = create_string_buffer(size)
    binary[0] = addressof(room)
    api.ok("clGetProgramInfo", program(PRIVATE_SOURCE, "", plain), E.PROGRAM_BINARIES, 8, binary, None)
    made = api.make("clCreateProgramWithBinary", context, 1, handles(device), sizes(size), binary, None)
    api.ok("clBuildProgram", made, 0, None, None, None, None)
    out = buffer(size=4 * ITEMS, within=context)
    dirty, clean = (api.make("clCreateKernel", made, name) for name in (b"dirty", b"clean"))
    arguments = ((8, byref(c_void_p(out))), (4, byref(c_uint32(100))))
    run(api, queue, dirty, arguments)
    run(api, queue, clean, arguments)
    assert read(api, queue, out) == [0] * ITEMS
    for each in (dirty, clean):
        api.ok("clReleaseKernel", each)
    api.ok("clReleaseProgram", made)
