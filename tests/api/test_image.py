# SPDX-License-Identifier: Apache-2.0
"""clCreateImage and its kin, clGetSupportedImageFormats, clGetImageInfo, clGetMemObjectInfo of images."""
import ctypes
from ctypes import byref, create_string_buffer

import pytest
from clapi import E, c_size_t, handles, sizes
from image_model import KINDS, NAMES, RGBA8, Desc, Format, desc, form, formats, has_slice_pitch, pixel_bytes, some_bytes

pytestmark = pytest.mark.usefixtures("no_leak")

@pytest.fixture
def limit(api, device):
    return lambda name: api.number("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name))


@pytest.fixture
def refused(api, context):
    """The error of clCreateImage."""
    def error(image_format=RGBA8, descriptor=None, flags=0, host=None, within=context):
        made, name = api.new("clCreateImage", within, flags, byref(image_format) if image_format else None,
                             byref(descriptor or desc("IMAGE2D", 4, 4)), host)
        if made:
            api.ok("clReleaseMemObject", made)
        return name
    return error


def info(api, mem, name):
    return int.from_bytes(api.info("clGetImageInfo", mem, getattr(E, "IMAGE_" + name)), "little")


def mem_info(api, mem, name):
    return int.from_bytes(api.info("clGetMemObjectInfo", mem, getattr(E, "MEM_" + name)), "little")


EXTENT = {"IMAGE1D": (13,), "IMAGE1D_ARRAY": (13, 3), "IMAGE1D_BUFFER": (13,), "IMAGE2D": (13, 5),
          "IMAGE2D_ARRAY": (13, 5, 3), "IMAGE3D": (13, 5, 4)}


# ---- formats

def test_required_formats(api, context):
    four = {("RGBA", name) for name in ("UNORM_INT8", "UNORM_INT16", "SIGNED_INT8", "SIGNED_INT16", "SIGNED_INT32",
                                        "UNSIGNED_INT8", "UNSIGNED_INT16", "UNSIGNED_INT32", "HALF_FLOAT", "FLOAT")}
    both = {name for order, name in four if name != "UNORM_INT16"}
    for kind in KINDS:
        for flags in (0, E.MEM_READ_ONLY, E.MEM_WRITE_ONLY, E.MEM_READ_WRITE):
            found = {(NAMES[f.order], NAMES[f.type]) for f in formats(api, context, kind, flags)}
            assert found >= four | {("BGRA", "UNORM_INT8")}, (kind, flags)
        found = {(NAMES[f.order], NAMES[f.type]) for f in formats(api, context, kind, E.MEM_KERNEL_READ_AND_WRITE)}
        assert found >= {(order, name) for order in ("R", "RGBA") for name in both}, kind


def test_every_listed_format_can_be_made(api, context, image, buffer):
    for kind in KINDS:
        for flags in (E.MEM_READ_ONLY, E.MEM_WRITE_ONLY, E.MEM_READ_WRITE):
            for each in formats(api, context, kind, flags):
                below = buffer(13 * 16) if kind == "IMAGE1D_BUFFER" else None
                mem = image(each, desc(kind, *EXTENT[kind], mem_object=below), flags)
                assert info(api, mem, "ELEMENT_SIZE") == pixel_bytes(each), str(each)
                assert api.info("clGetImageInfo", mem, E.IMAGE_FORMAT) == bytes(each)


def test_no_format_twice_and_depth_in_two_dimensions_only(api, context):
    for kind in KINDS:
        found = [bytes(f) for f in formats(api, context, kind)]
        assert len(set(found)) == len(found)
        assert any(f.order == E.DEPTH for f in formats(api, context, kind)) == (kind in ("IMAGE2D", "IMAGE2D_ARRAY"))


def test_supported_formats_protocol(api, context, device):
    two, kind = (Format * 2)(), E.MEM_OBJECT_IMAGE2D
    api.ok("clGetSupportedImageFormats", context, 0, kind, 1, two, None)
    assert two[0].order and not two[1].order, "one was asked for"
    api.ok("clGetSupportedImageFormats", context, 0, kind, 0, None, None)
    assert api.error("clGetSupportedImageFormats", device, 0, kind, 0, None, None) == "CL_INVALID_CONTEXT"
    for flags in (1 << 40, E.MEM_READ_ONLY | E.MEM_WRITE_ONLY, E.MEM_USE_HOST_PTR | E.MEM_ALLOC_HOST_PTR):
        assert api.error("clGetSupportedImageFormats", context, flags, kind, 0, None, None) == "CL_INVALID_VALUE"
    for usage in (E.MEM_READ_WRITE, E.MEM_READ_ONLY):
        two_ways = [formats(api, context, "IMAGE2D", flags) for flags in (usage, usage | E.MEM_USE_HOST_PTR)]
        assert len(two_ways[0]) > 10 and [bytes(f) for f in two_ways[0]] == [bytes(f) for f in two_ways[1]]
    for other in (0, E.MEM_OBJECT_BUFFER, E.MEM_OBJECT_PIPE, 1):
        assert api.error("clGetSupportedImageFormats", context, 0, other, 0, None, None) == "CL_INVALID_VALUE"
    assert api.error("clGetSupportedImageFormats", context, 0, kind, 0, two, None) == "CL_INVALID_VALUE"


# ---- what an image says of itself

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form_name", ["R-UNORM_INT8", "RGBA-FLOAT", "RGB-UNORM_SHORT_565"])
def test_info(api, image, buffer, kind, form_name):
    image_format, extent = form(*form_name.split("-")), EXTENT[kind]
    size = pixel_bytes(image_format)
    below = buffer(13 * size) if kind == "IMAGE1D_BUFFER" else None
    mem = image(image_format, desc(kind, *extent, mem_object=below), E.MEM_READ_ONLY)
    rows = extent[1] if kind not in ("IMAGE1D_ARRAY",) and len(extent) > 1 else 1
    row = 13 * size
    assert info(api, mem, "ROW_PITCH") == row
    assert info(api, mem, "SLICE_PITCH") == (row * rows if has_slice_pitch(kind) else 0)
    assert info(api, mem, "WIDTH") == 13
    assert info(api, mem, "HEIGHT") == (5 if "2D" in kind or "3D" in kind else 0)
    assert info(api, mem, "DEPTH") == (4 if kind == "IMAGE3D" else 0)
    assert info(api, mem, "ARRAY_SIZE") == (3 if "ARRAY" in kind else 0)
    assert info(api, mem, "BUFFER") == (below or 0)
    assert info(api, mem, "NUM_MIP_LEVELS") == info(api, mem, "NUM_SAMPLES") == 0
    assert mem_info(api, mem, "TYPE") == getattr(E, "MEM_OBJECT_" + kind)
    assert mem_info(api, mem, "FLAGS") == E.MEM_READ_ONLY
    assert mem_info(api, mem, "ASSOCIATED_MEMOBJECT") == (below or 0)
    assert mem_info(api, mem, "HOST_PTR") == mem_info(api, mem, "OFFSET") == mem_info(api, mem, "MAP_COUNT") == 0
    assert mem_info(api, mem, "USES_SVM_POINTER") == 0
    count = extent[0] * (extent[1] if len(extent) > 1 else 1) * (extent[2] if len(extent) > 2 else 1)
    assert mem_info(api, mem, "SIZE") == count * size


def test_pitches_of_a_host_pointer(api, image, queue):
    """They are kept, and the memory is the application's own."""
    host = create_string_buffer(some_bytes(4 * 200), 4 * 200)
    for flag in (E.MEM_USE_HOST_PTR, E.MEM_COPY_HOST_PTR, E.MEM_COPY_HOST_PTR | E.MEM_ALLOC_HOST_PTR):
        mem = image(RGBA8, desc("IMAGE3D", 5, 3, 4, row_pitch=40, slice_pitch=200), flag, host)
        assert info(api, mem, "ROW_PITCH") == 40 and info(api, mem, "SLICE_PITCH") == 200
        assert mem_info(api, mem, "SIZE") == 800
        assert mem_info(api, mem, "HOST_PTR") == (ctypes.addressof(host) if flag == E.MEM_USE_HOST_PTR else 0)
        row, pitch = c_size_t(), c_size_t()
        at = api.make("clEnqueueMapImage", queue, mem, 1, E.MAP_READ, sizes(1, 2, 3), sizes(1, 1, 1), byref(row),
                      byref(pitch), 0, None, None)
        assert (row.value, pitch.value) == (40, 200)
        assert ctypes.string_at(at, 4) == host.raw[3 * 200 + 2 * 40 + 4:][:4]
        assert (at == ctypes.addressof(host) + 684) == (flag == E.MEM_USE_HOST_PTR), "zero copy"
        api.ok("clEnqueueUnmapMemObject", queue, mem, at, 0, None, None)
    slices = image(RGBA8, desc("IMAGE2D_ARRAY", 5, 3, 2, row_pitch=40), E.MEM_COPY_HOST_PTR, host)
    assert info(api, slices, "SLICE_PITCH") == 120, "without gaps between slices"


def test_properties(api, context):
    for properties, expected in ((None, b""), ((ctypes.c_uint64 * 1)(0), bytes(8))):
        mem = api.make("clCreateImageWithProperties", context, properties, 0, byref(RGBA8),
                       byref(desc("IMAGE2D", 4, 4)), None)
        assert api.info("clGetMemObjectInfo", mem, E.MEM_PROPERTIES) == expected
        api.ok("clReleaseMemObject", mem)
    unknown = (ctypes.c_uint64 * 3)(0x9999, 1, 0)
    assert api.new("clCreateImageWithProperties", context, unknown, 0, byref(RGBA8), byref(desc("IMAGE2D", 4, 4)),
                   None) == (None, "CL_INVALID_PROPERTY")


def test_image_queries_are_of_images(api, buffer, context):
    assert api.error("clGetImageInfo", buffer(16), E.IMAGE_WIDTH, 0, None, None) == "CL_INVALID_MEM_OBJECT"
    assert api.error("clGetImageInfo", context, E.IMAGE_WIDTH, 0, None, None) == "CL_INVALID_MEM_OBJECT"


# ---- made from buffers and images

def test_from_a_buffer(api, image, buffer, contents, queue, pitch_align):
    """The same bytes, with the pitch that is asked for; the buffer lives as long as the image."""
    row = max(64, pitch_align)
    data = some_bytes(8 * row)
    below = buffer(contents=data)
    mem = image(RGBA8, desc("IMAGE2D", 7, 5, row_pitch=row, mem_object=below))
    assert info(api, mem, "BUFFER") == mem_info(api, mem, "ASSOCIATED_MEMOBJECT") == below
    assert info(api, mem, "ROW_PITCH") == row
    out = create_string_buffer(7 * 5 * 4)
    api.ok("clEnqueueReadImage", queue, mem, 1, sizes(0, 0, 0), sizes(7, 5, 1), 0, 0, out, 0, None, None)
    assert out.raw == b"".join(data[row * y:row * y + 28] for y in range(5))
    api.ok("clEnqueueWriteImage", queue, mem, 1, sizes(1, 1, 0), sizes(1, 1, 1), 0, 0, b"abcd", 0, None, None)
    assert contents(below, 4, row + 4) == b"abcd"
    assert mem_info(api, below, "REFERENCE_COUNT") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_from_a_sub_buffer(api, image, buffer, queue, kind):
    data = some_bytes(8192)
    whole = buffer(contents=data)
    part = api.make("clCreateSubBuffer", whole, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(4096, 4096))
    mem = image(RGBA8, desc(kind, *EXTENT[kind], mem_object=part))
    assert mem_info(api, mem, "OFFSET") == 0
    api.ok("clReleaseMemObject", part)
    region = (*EXTENT[kind], 1, 1)[:3]
    out = create_string_buffer(region[0] * region[1] * region[2] * 4)
    api.ok("clEnqueueReadImage", queue, mem, 1, sizes(0, 0, 0), sizes(*region), 0, 0, out, 0, None, None)
    assert out.raw == data[4096:4096 + len(out)]


def test_a_buffer_gives_its_flags(api, image, buffer, refused, context):
    access, host = E.MEM_READ_ONLY | E.MEM_WRITE_ONLY | E.MEM_READ_WRITE, E.MEM_HOST_READ_ONLY | E.MEM_HOST_WRITE_ONLY
    for flags, asked, expected in (
            (E.MEM_READ_ONLY, 0, E.MEM_READ_ONLY), (E.MEM_READ_WRITE, E.MEM_WRITE_ONLY, E.MEM_WRITE_ONLY),
            (E.MEM_HOST_READ_ONLY, 0, E.MEM_HOST_READ_ONLY), (0, E.MEM_HOST_WRITE_ONLY, E.MEM_HOST_WRITE_ONLY),
            (E.MEM_WRITE_ONLY, E.MEM_HOST_READ_ONLY, E.MEM_WRITE_ONLY | E.MEM_HOST_READ_ONLY)):
        mem = image(RGBA8, desc("IMAGE1D_BUFFER", 4, mem_object=buffer(64, flags)), asked)
        assert mem_info(api, mem, "FLAGS") & (access | host) == expected
    copied = image(RGBA8, desc("IMAGE1D_BUFFER", 4, mem_object=buffer(contents=bytes(64))))
    assert mem_info(api, copied, "FLAGS") & E.MEM_COPY_HOST_PTR
    for flags, asked in ((E.MEM_WRITE_ONLY, E.MEM_READ_WRITE), (E.MEM_WRITE_ONLY, E.MEM_READ_ONLY),
                         (E.MEM_READ_ONLY, E.MEM_WRITE_ONLY), (0, E.MEM_ALLOC_HOST_PTR), (0, E.MEM_USE_HOST_PTR),
                         (E.MEM_HOST_WRITE_ONLY, E.MEM_HOST_READ_ONLY), (E.MEM_HOST_NO_ACCESS, E.MEM_HOST_READ_ONLY),
                         (E.MEM_HOST_READ_ONLY, E.MEM_HOST_WRITE_ONLY)):
        assert refused(descriptor=desc("IMAGE1D_BUFFER", 4, mem_object=buffer(64, flags)),
                       flags=asked) == "CL_INVALID_VALUE", (flags, asked)


def test_from_a_buffer_errors(refused, buffer, other_context, api, pitch_align):
    row = max(20, pitch_align)

    def error(kind, *extent, size=4096, image_format=RGBA8, **rest):
        return refused(image_format, desc(kind, *extent, mem_object=buffer(size), **rest))

    assert error("IMAGE2D", 4, 4) == error("IMAGE2D", 4, 4, row_pitch=row) == "CL_SUCCESS"
    # alignment: whole pixels, and what the device says
    assert error("IMAGE2D", 4, 4, row_pitch=row + 2) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    assert error("IMAGE2D", 4, 4, row_pitch=row + 4) == (
        "CL_SUCCESS" if pitch_align == 1 else "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR")
    assert error("IMAGE3D", 4, 4, 2, slice_pitch=66) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    assert error("IMAGE2D", row, 4, row_pitch=row * 2) == "CL_INVALID_IMAGE_DESCRIPTOR"
    assert error("IMAGE3D", 4, 4, 2, slice_pitch=60) == "CL_INVALID_IMAGE_DESCRIPTOR"
    # too small
    assert error("IMAGE1D_BUFFER", 16, size=64) == "CL_SUCCESS"
    assert error("IMAGE1D_BUFFER", 17, size=64) == "CL_INVALID_IMAGE_SIZE"
    assert error("IMAGE2D", 4, 4, size=63) == "CL_INVALID_IMAGE_SIZE"
    assert error("IMAGE2D", 4, 4, row_pitch=2 * row, size=8 * row - 1) == "CL_INVALID_IMAGE_SIZE"
    assert error("IMAGE2D_ARRAY", 4, 4, 2, size=127) == "CL_INVALID_IMAGE_SIZE"
    host = create_string_buffer(256)
    at = ctypes.addressof(host) | 1
    odd = api.make("clCreateBuffer", other_context, E.MEM_USE_HOST_PTR, 64, at)
    assert refused(descriptor=desc("IMAGE2D", 4, 4, mem_object=odd),
                   within=other_context) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    api.ok("clReleaseMemObject", odd)
    assert refused(descriptor=desc("IMAGE2D", 4, 4, mem_object=buffer(64, within=other_context))) \
        == "CL_INVALID_IMAGE_DESCRIPTOR"


def test_views_of_images(api, image, queue, refused, buffer):
    """Another channel order, the same pixels."""
    host = some_bytes(4 * 4 * 4)
    linear = image(RGBA8, desc("IMAGE2D", 4, 4), E.MEM_COPY_HOST_PTR, host)
    view = image(form("sRGBA", "UNORM_INT8"), desc("IMAGE2D", 4, 4, mem_object=linear))
    assert mem_info(api, view, "ASSOCIATED_MEMOBJECT") == linear and info(api, view, "BUFFER") == 0
    out = create_string_buffer(64)
    api.ok("clEnqueueWriteImage", queue, linear, 1, sizes(0, 0, 0), sizes(1, 1, 1), 0, 0, b"wxyz", 0, None, None)
    api.ok("clEnqueueReadImage", queue, view, 1, sizes(0, 0, 0), sizes(4, 4, 1), 0, 0, out, 0, None, None)
    assert out.raw == b"wxyz" + host[4:]
    for a, b, type_ in (("sBGRA", "BGRA", "UNORM_INT8"), ("RGBA", "sRGBA", "UNORM_INT8"),
                        ("sRGBx", "RGBx", "UNORM_INT8"), ("DEPTH", "R", "FLOAT"), ("DEPTH", "R", "UNORM_INT16")):
        below = image(form(b, type_), desc("IMAGE2D", 4, 4), E.MEM_READ_ONLY)
        image(form(a, type_), desc("IMAGE2D", 4, 4, mem_object=below))
    # "must match the image channel data type", "must be compatible with the image channel order"
    for other in (RGBA8, form("BGRA", "UNORM_INT8"), form("RGBA", "SNORM_INT8"), form("sBGRA", "UNORM_INT8")):
        assert refused(other, desc("IMAGE2D", 4, 4, mem_object=linear)) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    # "All of the values specified in image_desc must match"
    for other in (desc("IMAGE2D", 4, 3), desc("IMAGE2D", 5, 4), desc("IMAGE1D", 4), desc("IMAGE3D", 4, 4, 1),
                  desc("IMAGE2D", 4, 4, row_pitch=32)):
        other.mem_object = linear
        assert refused(form("sRGBA", "UNORM_INT8"), other) == "CL_INVALID_IMAGE_DESCRIPTOR"


# ---- errors of clCreateImage, in the order of its list

def test_errors(refused, device, api, context, limit, other_context, queue):
    host = create_string_buffer(1 << 16)
    at = ctypes.addressof(host)
    assert refused() == "CL_SUCCESS"
    assert refused(within=device) == refused(within=None) == "CL_INVALID_CONTEXT"
    for flags in (E.MEM_READ_ONLY | E.MEM_WRITE_ONLY, E.MEM_USE_HOST_PTR | E.MEM_COPY_HOST_PTR, 1 << 40,
                  E.MEM_HOST_READ_ONLY | E.MEM_HOST_NO_ACCESS, E.MEM_KERNEL_READ_AND_WRITE):
        assert refused(flags=flags, host=at) == "CL_INVALID_VALUE", flags
    assert refused(image_format=None) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    for order, type_ in ((0, E.FLOAT), (E.RGBA, 0), (E.RGB, E.UNORM_INT8), (E.RGBA, E.UNORM_SHORT_565),
                         (E.RGB, E.UNORM_INT_101010_2), (E.sRGB, E.UNORM_INT8), (E.RGBA, E.UNORM_INT24),
                         (E.DEPTH_STENCIL, E.UNORM_INT8), (E.RGBA, E.UNORM_INT_2_101010_EXT),
                         (E.BGRA, E.UNORM_INT10X6_EXT), (E.RG, E.UNSIGNED_INT_RAW10_EXT)):
        assert refused(Format(order, type_)) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", (order, type_)
    assert api.new("clCreateImage", context, 0, byref(RGBA8), None, None) == (None, "CL_INVALID_IMAGE_DESCRIPTOR")
    for descriptor in (Desc(type=E.MEM_OBJECT_BUFFER, width=4, height=4), Desc(width=4, height=4),
                       desc("IMAGE2D", 4, 4, samples=1), desc("IMAGE2D", 4, 4, row_pitch=16),
                       desc("IMAGE3D", 4, 4, 4, slice_pitch=64), desc("IMAGE1D_BUFFER", 4),
                       desc("IMAGE2D", 4, 4, mem_object=queue), desc("IMAGE2D", 4, 4, mem_object=8)):
        assert refused(descriptor=descriptor) == "CL_INVALID_IMAGE_DESCRIPTOR", bytes(descriptor)
    for pitches in ({"row_pitch": 15}, {"row_pitch": 12}, {"row_pitch": 18}, {"slice_pitch": 60},
                    {"slice_pitch": 66}, {"row_pitch": 20, "slice_pitch": 90}):
        assert refused(descriptor=desc("IMAGE3D", 4, 4, 4, **pitches), flags=E.MEM_COPY_HOST_PTR,
                       host=at) == "CL_INVALID_IMAGE_DESCRIPTOR", pitches
    for descriptor in (desc("IMAGE1D", 0), desc("IMAGE2D", 4, 0), desc("IMAGE2D", 0, 4), desc("IMAGE3D", 4, 4, 0),
                       desc("IMAGE1D_ARRAY", 4, 0), desc("IMAGE2D_ARRAY", 4, 4, 0),
                       desc("IMAGE1D", limit("IMAGE2D_MAX_WIDTH") + 1),
                       desc("IMAGE2D", 4, limit("IMAGE2D_MAX_HEIGHT") + 1),
                       desc("IMAGE3D", 4, 4, limit("IMAGE3D_MAX_DEPTH") + 1), desc("IMAGE2D", 1 << 63, 1 << 63),
                       desc("IMAGE2D_ARRAY", 4, 4, limit("IMAGE_MAX_ARRAY_SIZE") + 1)):
        assert refused(descriptor=descriptor) == "CL_INVALID_IMAGE_SIZE", bytes(descriptor)
    assert refused(flags=E.MEM_USE_HOST_PTR) == refused(flags=E.MEM_COPY_HOST_PTR) == "CL_INVALID_HOST_PTR"
    assert refused(host=at) == refused(flags=E.MEM_ALLOC_HOST_PTR, host=at) == "CL_INVALID_HOST_PTR"
    for order, type_ in ((E.Rx, E.FLOAT), (E.DEPTH_STENCIL, E.FLOAT), (E.DEPTH, E.UNORM_INT8),
                         (E.INTENSITY, E.SIGNED_INT8), (E.BGRA, E.FLOAT)):
        assert refused(Format(order, type_)) == "CL_IMAGE_FORMAT_NOT_SUPPORTED", (order, type_)
    assert refused(form("DEPTH", "FLOAT"), desc("IMAGE3D", 4, 4, 4)) == "CL_IMAGE_FORMAT_NOT_SUPPORTED"
    wide, high, deep = (limit(f"IMAGE3D_MAX_{name}") for name in ("WIDTH", "HEIGHT", "DEPTH"))
    assert refused(form("RGBA", "FLOAT"), desc("IMAGE3D", wide, high, deep)) == "CL_MEM_OBJECT_ALLOCATION_FAILURE"


# ---- clCreateImage2D, clCreateImage3D

def test_deprecated_creators(api, context):
    host = create_string_buffer(some_bytes(1000), 1000)
    flat = api.make("clCreateImage2D", context, E.MEM_USE_HOST_PTR, byref(RGBA8), 4, 5, 24, host)
    assert [info(api, flat, name) for name in ("WIDTH", "HEIGHT", "DEPTH", "ROW_PITCH", "SLICE_PITCH")] == [
        4, 5, 0, 24, 0]
    assert mem_info(api, flat, "TYPE") == E.MEM_OBJECT_IMAGE2D
    solid = api.make("clCreateImage3D", context, 0, byref(RGBA8), 4, 5, 6, 0, 0, None)
    assert [info(api, solid, name) for name in ("WIDTH", "HEIGHT", "DEPTH", "ROW_PITCH", "SLICE_PITCH")] == [
        4, 5, 6, 16, 80]
    assert mem_info(api, solid, "TYPE") == E.MEM_OBJECT_IMAGE3D
    for mem in (flat, solid):
        api.ok("clReleaseMemObject", mem)


def test_deprecated_creators_errors(api, context, device, limit):
    host = ctypes.addressof(create_string_buffer(4096))

    def flat(width=4, height=4, pitch=0, pointer=None, flags=0, image_format=RGBA8, within=context):
        return api.new("clCreateImage2D", within, flags, byref(image_format) if image_format else None, width, height,
                       pitch, pointer)[1]

    def solid(width=4, height=4, depth=4, pitch=0, slice_pitch=0, pointer=None, flags=0):
        return api.new("clCreateImage3D", context, flags, byref(RGBA8), width, height, depth, pitch, slice_pitch,
                       pointer)[1]

    copy = E.MEM_COPY_HOST_PTR
    assert flat(within=device) == "CL_INVALID_CONTEXT"
    assert flat(flags=3) == solid(flags=3) == "CL_INVALID_VALUE"
    assert flat(image_format=None) == flat(image_format=Format(1, 2)) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    assert flat(width=0) == flat(height=0) == flat(width=limit("IMAGE2D_MAX_WIDTH") + 1) == "CL_INVALID_IMAGE_SIZE"
    assert flat(pitch=16) == flat(pitch=12, pointer=host, flags=copy) == "CL_INVALID_IMAGE_SIZE"
    assert flat(pitch=18, pointer=host, flags=copy) == "CL_INVALID_IMAGE_SIZE"
    assert solid(depth=1) == solid(depth=0) == solid(width=0) == solid(slice_pitch=64) == "CL_INVALID_IMAGE_SIZE"
    assert solid(slice_pitch=60, pointer=host, flags=copy) == "CL_INVALID_IMAGE_SIZE"
    assert flat(pointer=host) == flat(flags=copy) == solid(pointer=host) == "CL_INVALID_HOST_PTR"
    assert flat(image_format=Format(E.Rx, E.FLOAT)) == "CL_IMAGE_FORMAT_NOT_SUPPORTED"


def test_destructors_and_counts(api, image, context):
    """The image is a memory object like any other."""
    called = []
    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda mem, data: called.append(data))
    mem = api.make("clCreateImage2D", context, 0, byref(RGBA8), 4, 4, 0, None)
    for n in (1, 2):
        api.ok("clSetMemObjectDestructorCallback", mem, ctypes.cast(callback, ctypes.c_void_p), n)
    api.ok("clRetainMemObject", mem)
    assert mem_info(api, mem, "REFERENCE_COUNT") == 2
    api.ok("clReleaseMemObject", mem)
    assert called == []
    api.ok("clReleaseMemObject", mem)
    assert called == [2, 1]


def test_migrate(api, image, queue):
    mem = image(RGBA8, desc("IMAGE2D", 4, 4))
    api.ok("clEnqueueMigrateMemObjects", queue, 1, handles(mem), E.MIGRATE_MEM_OBJECT_HOST, 0, None, None)


def test_types_of_extensions_have_names(program):
    """cl_ext_image_unorm_int_2_101010, cl_ext_image_unsigned_10x6_12x4_14x2: with the numbers of the host's. The
    specification writes some with and without INT."""
    bits = ("10X6_EXT", "12X4_EXT", "14X2_EXT")
    names = {name: name for name in ("UNORM_INT_2_101010_EXT", *(f"{kind}_INT{each}" for kind in ("UNSIGNED", "UNORM")
                                                                 for each in bits))}
    names.update({f"UNORM_{each}": f"UNORM_INT{each}" for each in bits})
    checks = "".join(f"#if CLK_{kernel} != {getattr(E, host)}\n#error {kernel}\n#endif\n"
                     for kernel, host in names.items())
    for feature in ("unorm_int_2_101010", "unsigned_10x6_12x4_14x2"):
        checks += f"#if !defined(__opencl_c_ext_image_{feature}) || !cl_ext_image_{feature}\n#error {feature}\n#endif\n"
    for version in ("", "-cl-std=CL3.0"):
        program(checks + "kernel void k(void) {}", version)
