# SPDX-License-Identifier: Apache-2.0
"""cl_ext_immutable_memory_objects: buffers and images that nothing may change once they are made."""
from ctypes import byref, c_uint32, create_string_buffer

import pytest
from clapi import E, sizes
from image_model import RGBA8, desc, formats

pytestmark = [pytest.mark.usefixtures("no_leak"), pytest.mark.needs("cl_ext_immutable_memory_objects")]
IMMUTABLE = E.MEM_IMMUTABLE_EXT
CONTENTS = bytes(range(256))


@pytest.fixture
def fixed(buffer):
    return buffer(contents=CONTENTS, flags=IMMUTABLE)


def test_the_device_says_so(api, device):
    assert "cl_ext_immutable_memory_objects" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


def test_it_is_made_with_its_contents(api, context, fixed):
    def error(flags, host=CONTENTS):
        mem, code = api.new("clCreateBuffer", context, flags, 256, host)
        if mem:
            api.ok("clReleaseMemObject", mem)
        return code

    assert api.number("clGetMemObjectInfo", fixed, E.MEM_FLAGS) == IMMUTABLE | E.MEM_COPY_HOST_PTR
    for more in (0, E.MEM_READ_ONLY, E.MEM_HOST_READ_ONLY, E.MEM_HOST_NO_ACCESS):
        assert error(IMMUTABLE | E.MEM_COPY_HOST_PTR | more) == "CL_SUCCESS"
        assert error(IMMUTABLE | E.MEM_USE_HOST_PTR | more, create_string_buffer(256)) == "CL_SUCCESS"
    for more in (E.MEM_READ_WRITE, E.MEM_WRITE_ONLY, E.MEM_HOST_WRITE_ONLY):
        assert error(IMMUTABLE | E.MEM_COPY_HOST_PTR | more) == "CL_INVALID_VALUE"
    assert error(IMMUTABLE, None) == error(IMMUTABLE | E.MEM_ALLOC_HOST_PTR, None) == "CL_INVALID_VALUE"


def part(api, parent, flags):
    return api.new("clCreateSubBuffer", parent, flags, E.BUFFER_CREATE_TYPE_REGION, sizes(128, 128))


def test_a_part_is_immutable_too(api, fixed):
    for flags in (E.MEM_READ_WRITE, E.MEM_WRITE_ONLY, E.MEM_HOST_WRITE_ONLY):
        assert part(api, fixed, flags) == (None, "CL_INVALID_VALUE")
    for flags in (0, E.MEM_READ_ONLY, IMMUTABLE):
        made, code = part(api, fixed, flags)
        assert code == "CL_SUCCESS"
        assert api.number("clGetMemObjectInfo", made, E.MEM_FLAGS) & IMMUTABLE
        api.ok("clReleaseMemObject", made)


def test_nothing_writes_it(api, queue, fixed, buffer, contents):
    other, number = buffer(contents=bytes(256)), c_uint32(7)
    box = (sizes(0, 0, 0), sizes(0, 0, 0), sizes(8, 2, 1))
    sub, _ = part(api, fixed, 0)
    for mem in (fixed, sub):
        for name, arguments in (
                ("clEnqueueWriteBuffer", (mem, 1, 0, 4, byref(number))),
                ("clEnqueueWriteBufferRect", (mem, 1, *box, 8, 0, 8, 0, CONTENTS)),
                ("clEnqueueCopyBuffer", (other, mem, 0, 0, 4)),
                ("clEnqueueCopyBufferRect", (other, mem, *box, 8, 0, 8, 0)),
                ("clEnqueueFillBuffer", (mem, byref(number), 4, 0, 16))):
            assert api.error(name, queue, *arguments, 0, None, None) == "CL_INVALID_OPERATION", name
        for flags in (E.MAP_WRITE, E.MAP_READ | E.MAP_WRITE, E.MAP_WRITE_INVALIDATE_REGION):
            assert api.new("clEnqueueMapBuffer", queue, mem, 1, flags, 0, 4, 0, None, None) == (
                None, "CL_INVALID_OPERATION")
    assert contents(fixed, 256) == CONTENTS
    api.ok("clReleaseMemObject", sub)


def test_it_can_be_read(api, queue, fixed, buffer, contents, kernel):
    other = buffer(contents=bytes(256))
    api.ok("clEnqueueCopyBuffer", queue, fixed, other, 0, 0, 256, 0, None, None)
    assert contents(other, 256) == CONTENTS
    pointer = api.make("clEnqueueMapBuffer", queue, fixed, 1, E.MAP_READ, 0, 256, 0, None, None)
    api.ok("clEnqueueUnmapMemObject", queue, fixed, pointer, 0, None, None)
    k = kernel("kernel void k(global const uchar *a, global uchar *b) {"
               " size_t i = get_global_id(0); b[i] = 2 * a[i]; }")
    for i, mem in enumerate((fixed, other)):
        api.ok("clSetKernelArg", k, i, 8, sizes(mem))
    api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(100), None, 0, None, None)
    assert contents(other, 100) == bytes(2 * i for i in range(100))


def test_no_kernel_is_given_it_to_write(api, fixed, kernel):
    k = kernel("kernel void k(global const uchar *a, constant uchar *b, global uchar *c, global int *restrict d) {"
               " *c = *a + *b + *d; }")
    sub, _ = part(api, fixed, 0)
    for mem in (fixed, sub):
        for i in range(2):
            api.ok("clSetKernelArg", k, i, 8, sizes(mem))
        for i in range(2, 4):
            assert api.error("clSetKernelArg", k, i, 8, sizes(mem)) == "CL_INVALID_ARG_VALUE"
    api.ok("clReleaseMemObject", sub)


def test_shared_virtual_memory_cannot_be(api, context):
    assert api.clSVMAlloc(context, IMMUTABLE, 64, 0) is None


# ---- images

@pytest.fixture
def picture(api, context):
    """picture(flags, made from) -> (image, error)"""
    made = []

    def new(flags, parent=0, host=CONTENTS):
        descriptor = desc("IMAGE2D", 8, 8, mem_object=parent) if parent else desc("IMAGE2D", 8, 8)
        mem, code = api.new("clCreateImage", context, flags, byref(RGBA8), byref(descriptor), host)
        made.extend([mem] if mem else [])
        return mem, code

    yield new
    for mem in made:
        api.ok("clReleaseMemObject", mem)


def test_images_are_made_with_their_contents(picture, fixed, buffer):
    assert picture(IMMUTABLE | E.MEM_COPY_HOST_PTR)[1] == "CL_SUCCESS"
    assert picture(IMMUTABLE, host=None)[1] == "CL_INVALID_VALUE"
    assert picture(IMMUTABLE | E.MEM_COPY_HOST_PTR | E.MEM_WRITE_ONLY)[1] == "CL_INVALID_VALUE"
    # "if CL_MEM_IMMUTABLE_EXT is not set in flags and mem_object was created with" it
    assert picture(0, fixed, None)[1] == picture(E.MEM_READ_ONLY, fixed, None)[1] == "CL_INVALID_VALUE"
    assert picture(IMMUTABLE, fixed, None)[1] == "CL_SUCCESS"
    assert picture(IMMUTABLE, buffer(contents=CONTENTS), None)[1] == "CL_SUCCESS"


def test_nothing_writes_an_image(api, queue, picture, buffer, fixed):
    image, _ = picture(IMMUTABLE | E.MEM_COPY_HOST_PTR)
    other, _ = picture(E.MEM_COPY_HOST_PTR)
    mem, place, region = buffer(contents=bytes(256)), sizes(0, 0, 0), sizes(8, 8, 1)
    for name, arguments in (
            ("clEnqueueWriteImage", (image, 1, place, region, 0, 0, bytes(256))),
            ("clEnqueueCopyImage", (other, image, place, place, region)),
            ("clEnqueueCopyBufferToImage", (mem, image, 0, place, region)),
            ("clEnqueueCopyImageToBuffer", (other, fixed, place, region, 0)),
            ("clEnqueueFillImage", (image, bytes(16), place, region))):
        assert api.error(name, queue, *arguments, 0, None, None) == "CL_INVALID_OPERATION", name
    for pitch in ((sizes(0), sizes(0)), (None, None)):
        for flags in (E.MAP_WRITE, E.MAP_WRITE_INVALIDATE_REGION):
            assert api.new("clEnqueueMapImage", queue, image, 1, flags, place, region, *pitch, 0, None, None) == (
                None, "CL_INVALID_OPERATION")
    host = create_string_buffer(256)
    api.ok("clEnqueueReadImage", queue, image, 1, place, region, 0, 0, host, 0, None, None)
    assert host.raw == CONTENTS


def test_formats_to_read(api, context):
    immutable, read_only, of_host = (list(map(bytes, formats(api, context, flags=f))) for f in (
        IMMUTABLE, E.MEM_READ_ONLY, IMMUTABLE | E.MEM_USE_HOST_PTR))
    assert immutable == read_only == of_host and immutable
