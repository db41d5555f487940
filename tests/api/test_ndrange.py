# SPDX-License-Identifier: Apache-2.0
"""clEnqueueNDRangeKernel and its kin: errors, and what a launch captures."""
import struct
from ctypes import CFUNCTYPE, byref, c_int32, c_size_t, c_void_p

import pytest
from clapi import E, handles, sizes
from image_model import RGBA8, desc

COUNT = "kernel void k(global int *a) { atomic_inc(a); }"
LOCAL = "kernel void k(global int *a, local int *b) { b[get_local_id(0)] = 1; a[0] = b[0]; }"
TOP = 2**64 - 1
MOST = 2**62 - 1          # of an offset, and of the work-items of a launch


@pytest.fixture
def ready(api, kernel, buffer):
    """new(source, options) -> kernel with its first argument set, the buffer"""
    def new(source=COUNT, options="", within=None):
        k, mem = kernel(source, options=options, within=within), buffer(contents=bytes(16), within=within)
        api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
        return k, mem
    return new


def enqueue(api, queue, kernel, shape, local=None, offset=None, dim=None, wait=(0, None)):
    def array(values):
        return sizes(*values) if values is not None else None
    return api.error("clEnqueueNDRangeKernel", queue, kernel, len(shape or (1,)) if dim is None else dim,
                     array(offset), array(shape), array(local), *wait, None)


def count_of(contents, mem):
    return struct.unpack("i", contents(mem, 4))[0]


def test_objects(api, context, queue, other_context, device, kernel, ready):
    k, _ = ready()
    foreign, _ = ready(within=other_context)
    assert enqueue(api, None, None, (1,)) == "CL_INVALID_COMMAND_QUEUE"
    assert enqueue(api, context, k, (1,)) == "CL_INVALID_COMMAND_QUEUE"
    assert enqueue(api, queue, None, (1,)) == "CL_INVALID_KERNEL"
    assert enqueue(api, queue, queue, (1,)) == "CL_INVALID_KERNEL"
    assert enqueue(api, queue, foreign, (1,)) == "CL_INVALID_CONTEXT"
    assert enqueue(api, queue, kernel(COUNT), (1,), dim=9) == "CL_INVALID_KERNEL_ARGS"


def test_each_argument_has_to_be_set(api, queue, kernel, buffer):
    k = kernel("kernel void k(global int *a, int b, local int *c) { c[0] = b; a[0] = c[0]; }")
    settings = {0: (8, byref(c_void_p(buffer(4)))), 1: (4, byref(c_int32(1))), 2: (4, None)}
    for index, (size, value) in settings.items():
        assert enqueue(api, queue, k, (1,)) == "CL_INVALID_KERNEL_ARGS"
        api.ok("clSetKernelArg", k, index, size, value)
    assert enqueue(api, queue, k, (1,)) == "CL_SUCCESS"


def test_a_buffer_released_since(api, context, queue, kernel):
    k = kernel(COUNT)
    mem = api.make("clCreateBuffer", context, 0, 16, None)
    api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
    api.ok("clReleaseMemObject", mem)
    assert enqueue(api, queue, k, (1,)) == "CL_INVALID_KERNEL_ARGS"


@pytest.mark.parametrize("was_image", [False, True])
def test_another_kind_in_the_place_of_a_released_one(api, context, queue, kernel, was_image):
    """A kernel holds no reference: where its image was there may be a buffer by now, and the other way round."""
    def new(is_image):
        if is_image:
            return api.make("clCreateImage", context, 0, byref(RGBA8), byref(desc("IMAGE2D", 4, 4)), None)
        return api.make("clCreateBuffer", context, 0, 16, None)
    k, mem = kernel("kernel void k(read_only image2d_t i) {}" if was_image else COUNT), new(was_image)
    api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
    assert enqueue(api, queue, k, (1,)) == "CL_SUCCESS"
    api.ok("clFinish", queue)
    api.ok("clReleaseMemObject", mem)
    others = [new(not was_image) for _ in range(64)]
    assert mem in others
    assert enqueue(api, queue, k, (1,)) == "CL_INVALID_KERNEL_ARGS"
    for other in others:
        api.ok("clReleaseMemObject", other)


def test_dimension_offset_and_size(api, queue, ready):
    k, _ = ready()
    assert enqueue(api, queue, k, (1,), dim=0) == "CL_INVALID_WORK_DIMENSION"
    assert enqueue(api, queue, k, (1, 1, 1, 1)) == "CL_INVALID_WORK_DIMENSION"
    assert enqueue(api, queue, k, (2,), offset=(TOP,)) == "CL_INVALID_GLOBAL_OFFSET"
    assert enqueue(api, queue, k, (1, 10), offset=(0, TOP - 5)) == "CL_INVALID_GLOBAL_OFFSET"
    assert enqueue(api, queue, k, (2**32, 2**33)) == "CL_INVALID_GLOBAL_WORK_SIZE"


@pytest.mark.needs("ids of 64 bits")
@pytest.mark.parametrize("offset", [MOST, MOST - 1, 2**32])
def test_large_offsets(api, queue, kernel, buffer, contents, offset):
    k = kernel("kernel void k(global ulong *a) { a[get_global_id(0) - get_global_offset(0)] = get_global_id(0); }")
    mem = buffer(contents=bytes(24))
    api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
    assert enqueue(api, queue, k, (3,), offset=(offset,)) == "CL_SUCCESS"
    assert struct.unpack("3Q", contents(mem, 24)) == (offset, offset + 1, offset + 2)
    assert enqueue(api, queue, k, (3,), offset=(MOST + 1,)) == "CL_INVALID_GLOBAL_OFFSET"
    assert enqueue(api, queue, k, (3, 1), offset=(0, 2**63)) == "CL_INVALID_GLOBAL_OFFSET"
    assert enqueue(api, queue, k, (0,), offset=(MOST + 1,)) == "CL_INVALID_GLOBAL_OFFSET"


@pytest.mark.parametrize("shape", [(MOST + 1,), (1, MOST + 1), (2, 2, 2**60), (TOP,), (2**31, 2**31)])
def test_too_large_a_range(api, queue, ready, contents, shape):
    k, mem = ready()
    assert enqueue(api, queue, k, shape) == "CL_INVALID_GLOBAL_WORK_SIZE"
    assert enqueue(api, queue, k, shape, (1,) * len(shape)) == "CL_INVALID_GLOBAL_WORK_SIZE"
    assert count_of(contents, mem) == 0


@pytest.mark.parametrize("shape", [None, (0,), (4, 0), (0, 4, 4)])
def test_an_empty_range_waits_and_signals(api, context, queue, ready, contents, user_event, shape):
    k, mem = ready()
    gate, event = user_event(), c_void_p()
    array = sizes(*shape) if shape else None
    api.ok("clEnqueueNDRangeKernel", queue, k, len(shape or (1,)), None, array, None, 1, handles(gate), byref(event))
    state = "clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS
    assert api.number(*state) != E.COMPLETE
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clWaitForEvents", 1, byref(event))
    assert api.number(*state) == E.COMPLETE
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_NDRANGE_KERNEL
    api.ok("clReleaseEvent", event)
    assert count_of(contents, mem) == 0


@pytest.mark.parametrize("options", [
    "", "-cl-std=CL1.2", "-cl-std=CL3.0", pytest.param("-cl-std=CL2.0", marks=pytest.mark.needs("generic pointers")),
    pytest.param("-cl-std=CL2.0 -cl-uniform-work-group-size", marks=pytest.mark.needs("generic pointers"))])
def test_group_sizes(api, device, queue, ready, contents, options):
    k, mem = ready(options=options)
    uniform = ("2.0" not in options and "3.0" not in options) or "uniform" in options
    most = api.number("clGetKernelWorkGroupInfo", k, device, E.KERNEL_WORK_GROUP_SIZE)
    wrong = "CL_INVALID_WORK_GROUP_SIZE"
    assert enqueue(api, queue, k, (10,), (3,)) == (wrong if uniform else "CL_SUCCESS")
    assert enqueue(api, queue, k, (4, 10), (2, 3)) == (wrong if uniform else "CL_SUCCESS")
    assert enqueue(api, queue, k, (10,), (0,)) == wrong
    assert enqueue(api, queue, k, (10, 10), (5, 0)) == wrong
    assert enqueue(api, queue, k, (2 * most,), (2 * most,)) == wrong
    assert enqueue(api, queue, k, (most, 2), (most, 2)) == wrong
    assert enqueue(api, queue, k, (2**40,), (2**39,)) == wrong
    assert enqueue(api, queue, k, (2**21, 2**21), (2**21, 2**21)) == wrong
    assert enqueue(api, queue, k, (10,), (5,)) == "CL_SUCCESS"
    assert enqueue(api, queue, k, (most,), (most,)) == "CL_SUCCESS"
    assert count_of(contents, mem) == 10 + most + (0 if uniform else 50)


def test_required_size(api, queue, ready):
    attribute = "kernel __attribute__((reqd_work_group_size(4, 2, 1))) "
    k, _ = ready(COUNT.replace("kernel ", attribute))
    wrong = "CL_INVALID_WORK_GROUP_SIZE"
    assert enqueue(api, queue, k, (8, 8), (4, 2)) == "CL_SUCCESS"
    assert enqueue(api, queue, k, (8, 8, 3), (4, 2, 1)) == "CL_SUCCESS"
    assert enqueue(api, queue, k, (8, 8), None) == "CL_SUCCESS"
    assert enqueue(api, queue, k, (8, 8), (2, 4)) == wrong
    assert enqueue(api, queue, k, (8,), (4,)) == wrong
    assert enqueue(api, queue, k, (8,), (8,)) == wrong
    assert enqueue(api, queue, k, (9, 8), None) == wrong
    assert api.error("clEnqueueTask", queue, k, 0, None, None) == wrong


@pytest.mark.parametrize("size", [(2**20, 2, 1), (2**21, 1, 1), (2**31, 2**31, 4)])
def test_a_required_size_beyond_the_device(api, device, queue, ready, size):
    """It builds, as the kernel may be for another device; no launch has such groups."""
    k, _ = ready(COUNT.replace("kernel ", "kernel __attribute__((reqd_work_group_size({},{},{}))) ".format(*size)))
    most = api.number("clGetDeviceInfo", device, E.DEVICE_MAX_WORK_GROUP_SIZE)
    assert api.number("clGetKernelWorkGroupInfo", k, device, E.KERNEL_WORK_GROUP_SIZE) == most
    for local in (None, size, (most, 1, 1)):
        assert enqueue(api, queue, k, size if size[0] < 2**31 else (2**31, 1, 1), local) == "CL_INVALID_WORK_GROUP_SIZE"


def test_misaligned_sub_buffer(api, context, queue, kernel, buffer):
    """A sub-buffer that starts where the device wants it can be used; where it cannot be made otherwise, so be it."""
    k, whole = kernel(COUNT), buffer(8192)
    for origin in (4096, 4):
        part, error = api.new("clCreateSubBuffer", whole, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(origin, 64))
        if error == "CL_SUCCESS":
            api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(part)))
            assert enqueue(api, queue, k, (1,)) == ("CL_MISALIGNED_SUB_BUFFER_OFFSET" if origin == 4 else "CL_SUCCESS")
            api.ok("clReleaseMemObject", part)
        else:
            assert (origin, error) == (4, "CL_MISALIGNED_SUB_BUFFER_OFFSET")


def test_wait_list(api, queue, other_context, ready, user_event):
    k, _ = ready()
    foreign = user_event(within=other_context)
    assert enqueue(api, queue, k, (1,), wait=(1, None)) == "CL_INVALID_EVENT_WAIT_LIST"
    assert enqueue(api, queue, k, (1,), wait=(0, handles(foreign))) == "CL_INVALID_EVENT_WAIT_LIST"
    assert enqueue(api, queue, k, (1,), wait=(1, handles(k))) == "CL_INVALID_EVENT_WAIT_LIST"
    assert enqueue(api, queue, k, (1,), wait=(1, handles(foreign))) == "CL_INVALID_CONTEXT"


def test_too_much_local_memory(api, device, queue, ready):
    k, _ = ready(LOCAL)
    most = api.number("clGetDeviceInfo", device, E.DEVICE_LOCAL_MEM_SIZE)
    for size, expected in ((most, "CL_SUCCESS"), (most + 1, "CL_OUT_OF_RESOURCES"),
                           (2**60, "CL_OUT_OF_RESOURCES"), (TOP, "CL_OUT_OF_RESOURCES")):
        api.ok("clSetKernelArg", k, 1, size, None)
        assert enqueue(api, queue, k, (1,)) == expected


def test_arguments_are_captured(api, context, queue, kernel, user_event, contents, buffer):
    """A waiting launch keeps its values, its buffers and its code, whatever happens to the objects."""
    k = kernel("kernel void k(global int *a, global const int *b, int c) { a[0] = b[0] + c; }")
    to, other, gate = buffer(contents=bytes(4)), buffer(contents=bytes(4)), user_event()
    source = api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, 4, struct.pack("i", 40))
    for index, mem in enumerate((to, source)):
        api.ok("clSetKernelArg", k, index, 8, byref(c_void_p(mem)))
    api.ok("clSetKernelArg", k, 2, 4, byref(c_int32(2)))
    assert enqueue(api, queue, k, (1,), wait=(1, handles(gate))) == "CL_SUCCESS"
    api.ok("clReleaseMemObject", source)
    api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(other)))
    api.ok("clSetKernelArg", k, 2, 4, byref(c_int32(1000)))
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    assert struct.unpack("i", contents(to, 4)) == (42,)
    assert struct.unpack("i", contents(other, 4)) == (0,)


def test_task(api, queue, ready, contents):
    k, mem = ready()
    event = c_void_p()
    api.ok("clEnqueueTask", queue, k, 0, None, byref(event))
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_TASK
    assert count_of(contents, mem) == 1
    api.ok("clReleaseEvent", event)
    assert api.error("clEnqueueTask", None, k, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
    assert api.error("clEnqueueTask", queue, None, 0, None, None) == "CL_INVALID_KERNEL"


def suggest(api):
    """clGetKernelSuggestedLocalWorkSizeKHR: found by its name, as all that came after OpenCL 3.0."""
    find = api.clGetExtensionFunctionAddressForPlatform
    address = find(api.platform(), b"clGetKernelSuggestedLocalWorkSizeKHR")
    assert address
    prototype = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_int32, c_void_p, c_void_p, c_void_p)
    return prototype(address)


def test_suggested_local_size(api, queue, ready, contents):
    k, mem = ready("kernel void k(global ulong *a) { if (!get_global_id(0)) a[0] = get_local_size(0); }")
    call, size = suggest(api), c_size_t()
    for n in (1, 12, 1000, 4096, 10**6):
        assert call(queue, k, 1, None, sizes(n), byref(size)) == 0
        assert n % size.value == 0
        assert enqueue(api, queue, k, (n,)) == "CL_SUCCESS"
        assert struct.unpack("Q", contents(mem, 8)) == (size.value,)
    assert call(None, k, 1, None, sizes(4), byref(size)) == E.INVALID_COMMAND_QUEUE
    assert call(queue, None, 1, None, sizes(4), byref(size)) == E.INVALID_KERNEL
    assert call(queue, k, 4, None, sizes(4), byref(size)) == E.INVALID_WORK_DIMENSION
    assert call(queue, k, 1, None, None, byref(size)) == E.INVALID_GLOBAL_WORK_SIZE
    assert call(queue, k, 1, None, sizes(0), byref(size)) == E.INVALID_GLOBAL_WORK_SIZE
    assert call(queue, k, 1, None, sizes(4), None) == E.INVALID_VALUE
