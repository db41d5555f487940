# SPDX-License-Identifier: Apache-2.0
"""cl_khr_mipmap_image and cl_khr_mipmap_image_writes: images of several levels, commands on each of them, kernels that
make and sample them."""
import ctypes
import struct
from ctypes import byref, c_size_t, c_uint64, create_string_buffer

import numpy as np
import pytest
from clapi import E, sizes
from image_model import KINDS, RGBA8, boxed, desc, dimensions, form, has_slice_pitch, put, some_bytes

pytestmark = [pytest.mark.needs("cl_khr_mipmap_image"), pytest.mark.usefixtures("no_leak")]

MIPMAPPED = [kind for kind in KINDS if kind != "IMAGE1D_BUFFER"]
EXTENT = {"IMAGE1D": (13,), "IMAGE1D_ARRAY": (13, 6), "IMAGE2D": (13, 7), "IMAGE2D_ARRAY": (13, 7, 3),
          "IMAGE3D": (13, 7, 5)}
LEVELS = 4


def extent_of(kind, level):
    """"Each successively smaller mipmap level is half the size of the previous level, rounded down"; all layers."""
    extent = EXTENT[kind]
    sizes_ = extent[:-1] if "ARRAY" in kind else extent
    return (*(max(1, n >> level) for n in sizes_), *extent[len(sizes_):], 1, 1)[:3]


def pitches(kind, level):
    """(row, slice) by the coordinates, without gaps."""
    width, height, _ = extent_of(kind, level)
    return width * 4, width * 4 * height


def at(kind, level, *origin):
    """"If image is a 1D image, origin[1] specifies the mip level to use", and so on; behind it are zeros."""
    return sizes(*((*origin, 0, 0, 0)[:dimensions(kind)]), level, 0, 0)


class Image:
    """Of LEVELS levels; `data` has the bytes of each."""

    def __init__(self, api, queue, image, kind, seed=1):
        self.api, self.queue, self.kind = api, queue, kind
        self.mem = image(RGBA8, desc(kind, *EXTENT[kind], levels=LEVELS))
        self.data = []
        for level in range(LEVELS):
            region = extent_of(kind, level)
            self.data.append(some_bytes(region[0] * region[1] * region[2] * 4, seed + level))
            self.write(level, (), region, self.data[-1])

    def write(self, level, origin, region, data):
        self.api.ok("clEnqueueWriteImage", self.queue, self.mem, 1, at(self.kind, level, *origin), sizes(*region), 0, 0,
                    data, 0, None, None)

    def read(self, level, origin=(), region=None):
        region = region or extent_of(self.kind, level)
        out = create_string_buffer(region[0] * region[1] * region[2] * 4)
        self.api.ok("clEnqueueReadImage", self.queue, self.mem, 1, at(self.kind, level, *origin), sizes(*region), 0, 0,
                    out, 0, None, None)
        return out.raw

    def holds(self):
        """Is each level as it should be?"""
        return all(self.read(level) == self.data[level] for level in range(LEVELS))


@pytest.fixture
def made(api, queue, image):
    return lambda kind, seed=1: Image(api, queue, image, kind, seed)


def part_of(kind, level):
    """(origin, region) of a part of a level."""
    extent = extent_of(kind, level)
    origin = tuple(min(1, n - 1) for n in extent)
    return origin, tuple(max(1, n - 2) for n in extent)


# ---- images

@pytest.mark.parametrize("kind", MIPMAPPED)
def test_queries(api, image, kind):
    mem = image(RGBA8, desc(kind, *EXTENT[kind], levels=LEVELS))
    assert api.number("clGetImageInfo", mem, E.IMAGE_NUM_MIP_LEVELS) == LEVELS
    assert api.number("clGetImageInfo", mem, E.IMAGE_WIDTH) == 13
    assert api.number("clGetImageInfo", mem, E.IMAGE_ROW_PITCH) == 13 * 4
    assert api.number("clGetMemObjectInfo", mem, E.MEM_SIZE) == sum(
        4 * np.prod(extent_of(kind, level)) for level in range(LEVELS))
    one = image(RGBA8, desc(kind, *EXTENT[kind], levels=1))
    assert api.number("clGetImageInfo", one, E.IMAGE_NUM_MIP_LEVELS) == 1
    assert api.number("clGetMemObjectInfo", one, E.MEM_SIZE) == 4 * np.prod(EXTENT[kind])


def test_extension_is_listed(api, device):
    listed = api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    assert "cl_khr_mipmap_image" in listed


def test_levels_behind_a_single_pixel_are_single_pixels(api, queue, image):
    mem = image(RGBA8, desc("IMAGE2D", 2, 1, levels=4))
    assert api.number("clGetMemObjectInfo", mem, E.MEM_SIZE) == (2 + 1 + 1 + 1) * 4
    api.ok("clEnqueueWriteImage", queue, mem, 1, sizes(0, 0, 3), sizes(1, 1, 1), 0, 0, b"last", 0, None, None)
    assert api.error("clEnqueueWriteImage", queue, mem, 1, sizes(0, 0, 3), sizes(2, 1, 1), 0, 0, b"lastlast", 0, None,
                     None) == "CL_INVALID_VALUE"


def test_what_cannot_have_levels(api, context, buffer):
    """The restrictions in the order of their list."""
    host = create_string_buffer(4096)

    def error(descriptor, flags=0, pointer=None, image_format=RGBA8):
        made, name = api.new("clCreateImage", context, flags, byref(image_format), byref(descriptor), pointer)
        if made:
            api.ok("clReleaseMemObject", made)
        return name

    flat = desc("IMAGE2D", 8, 8, levels=2)
    assert error(flat) == error(flat, E.MEM_ALLOC_HOST_PTR) == "CL_SUCCESS"
    # "CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR cannot be specified"
    assert error(flat, E.MEM_USE_HOST_PTR, host) == error(flat, E.MEM_COPY_HOST_PTR, host) \
        == "CL_INVALID_IMAGE_DESCRIPTOR"
    # "The host_ptr argument to clCreateImage must be a NULL value."
    assert error(flat, 0, host) == "CL_INVALID_HOST_PTR"
    # "Mip-mapped images cannot be created for CL_MEM_OBJECT_IMAGE1D_BUFFER images, [...] or multi-sampled [...] images"
    for mem_object in (buffer(4096),):
        assert error(desc("IMAGE1D_BUFFER", 8, levels=2, mem_object=mem_object)) == "CL_INVALID_IMAGE_DESCRIPTOR"
        assert error(desc("IMAGE2D", 256, 4, levels=2, mem_object=mem_object)) == "CL_INVALID_IMAGE_DESCRIPTOR"
    assert error(desc("IMAGE2D", 8, 8, levels=2, samples=2)) == "CL_INVALID_IMAGE_DESCRIPTOR"
    assert error(desc("IMAGE2D", 8, 8, levels=32)) == "CL_SUCCESS"
    assert error(desc("IMAGE2D", 8, 8, levels=33)) == error(desc("IMAGE2D", 8, 8, levels=2**32 - 1)) \
        == "CL_INVALID_IMAGE_DESCRIPTOR"
    # Not so depth images: OpenCL C has functions for their levels.
    assert error(flat, image_format=form("DEPTH", "FLOAT")) == "CL_SUCCESS"


# ---- commands

@pytest.mark.parametrize("kind", MIPMAPPED)
def test_read_and_write(made, kind):
    it = made(kind)
    assert it.holds()
    for level in range(LEVELS):
        origin, region = part_of(kind, level)
        steps, size = pitches(kind, level), region[0] * region[1] * region[2] * 4
        assert it.read(level, origin, region) == boxed(it.data[level], steps, 4, origin, region)
        new = some_bytes(size, 99)
        it.write(level, origin, region, new)
        it.data[level] = put(it.data[level], steps, 4, origin, region, new)
        assert it.holds()


@pytest.mark.parametrize("kind", MIPMAPPED)
def test_fill(api, queue, made, kind):
    for level in range(LEVELS):
        it, (origin, region) = made(kind), part_of(kind, level)
        api.ok("clEnqueueFillImage", queue, it.mem, struct.pack("=4f", 1, 0, 0.2, 1), at(kind, level, *origin),
               sizes(*region), 0, None, None)
        it.data[level] = put(it.data[level], pitches(kind, level), 4, origin, region,
                             b"\xff\0\x33\xff" * (region[0] * region[1] * region[2]))
        assert it.holds()


@pytest.mark.parametrize("target", MIPMAPPED)
@pytest.mark.parametrize("source", MIPMAPPED)
def test_copy(api, queue, made, source, target):
    """Between levels of all types, of the region that both have."""
    for a_level, b_level in ((0, 0), (1, 0), (0, 2), (3, 1)):
        a, b = made(source), made(target, seed=7)
        # What is a layer to the one may be a height to the other: by the coordinate they are the same.
        region = tuple(map(min, extent_of(source, a_level), extent_of(target, b_level)))
        api.ok("clEnqueueCopyImage", queue, a.mem, b.mem, at(source, a_level), at(target, b_level), sizes(*region), 0,
               None, None)
        tight = boxed(a.data[a_level], pitches(source, a_level), 4, (0, 0, 0), region)
        b.data[b_level] = put(b.data[b_level], pitches(target, b_level), 4, (0, 0, 0), region, tight)
        assert b.holds() and a.holds(), (a_level, b_level)


@pytest.mark.parametrize("kind", MIPMAPPED)
def test_copy_between_levels_of_one_image(api, queue, made, kind):
    it, region = made(kind), extent_of(kind, 2)
    api.ok("clEnqueueCopyImage", queue, it.mem, it.mem, at(kind, 1), at(kind, 2), sizes(*region), 0, None, None)
    it.data[2] = boxed(it.data[1], pitches(kind, 1), 4, (0, 0, 0), region)
    assert it.holds()
    assert api.error("clEnqueueCopyImage", queue, it.mem, it.mem, at(kind, 2), at(kind, 2), sizes(*region), 0, None,
                     None) == "CL_MEM_COPY_OVERLAP"


@pytest.mark.parametrize("kind", MIPMAPPED)
def test_image_and_buffer(api, queue, made, buffer, contents, kind):
    for level in range(LEVELS):
        it, (origin, region) = made(kind), part_of(kind, level)
        flat, size = buffer(contents=b"." * 3000), region[0] * region[1] * region[2] * 4
        api.ok("clEnqueueCopyImageToBuffer", queue, it.mem, flat, at(kind, level, *origin), sizes(*region), 5, 0, None,
               None)
        tight = boxed(it.data[level], pitches(kind, level), 4, origin, region)
        assert contents(flat, 3000) == b"....." + tight + b"." * (2995 - size)
        source = some_bytes(3000, 42)
        api.ok("clEnqueueCopyBufferToImage", queue, buffer(contents=source), it.mem, 7, at(kind, level, *origin),
               sizes(*region), 0, None, None)
        it.data[level] = put(it.data[level], pitches(kind, level), 4, origin, region, source[7:7 + size])
        assert it.holds()


@pytest.mark.parametrize("kind", MIPMAPPED)
def test_map(api, queue, made, kind):
    """With the pitches of the level, which no other level's map is in the way of."""
    it, pointers, write = made(kind), [], E.MAP_READ | E.MAP_WRITE
    for level in range(LEVELS):
        row, between = c_size_t(), c_size_t()
        whole = sizes(*extent_of(kind, level))
        pointer = api.make("clEnqueueMapImage", queue, it.mem, 1, write, at(kind, level), whole, byref(row),
                           byref(between), 0, None, None)
        width, height, _ = extent_of(kind, level)
        assert row.value == width * 4
        one = 1 if kind == "IMAGE1D_ARRAY" else height
        assert between.value == (width * 4 * one if has_slice_pitch(kind) else 0)
        assert ctypes.string_at(pointer, len(it.data[level])) == it.data[level]
        ctypes.memmove(pointer, b"!", 1)
        it.data[level] = b"!" + it.data[level][1:]
        pointers.append(pointer)
        assert api.new("clEnqueueMapImage", queue, it.mem, 1, write, at(kind, level), sizes(1, 1, 1), byref(row),
                       byref(between), 0, None, None) == (None, "CL_INVALID_OPERATION")
    assert len(set(pointers)) == LEVELS
    for pointer in pointers:
        api.ok("clEnqueueUnmapMemObject", queue, it.mem, pointer, 0, None, None)
    assert it.holds()


def test_recorded(api, queue, made, buffer, record):
    """Commands of a command buffer; what the level was is kept."""
    it, other, flat = made("IMAGE2D_ARRAY"), made("IMAGE2D_ARRAY", seed=9), buffer(contents=some_bytes(3000, 5))
    r, origin, region = record(), (*at("IMAGE2D_ARRAY", 1),), extent_of("IMAGE2D_ARRAY", 1)
    place = sizes(*origin)
    r("CopyImage", it.mem, other.mem, place, place, sizes(*region))
    r("CopyBufferToImage", flat, it.mem, 0, at("IMAGE2D_ARRAY", 2), sizes(*extent_of("IMAGE2D_ARRAY", 2)))
    place[3] = 0
    r.run()
    other.data[1] = it.data[1]
    it.data[2] = some_bytes(3000, 5)[:len(it.data[2])]
    assert it.holds() and other.holds()


# ---- errors

def errors_of(api, queue, it, level, origin=(), region=(1, 1, 1), pointer=True, wait=(0, None, None)):
    """The errors of every command on an image."""
    place, other, region = at(it.kind, level, *origin), at(it.kind, 0), sizes(*region)
    row, between, out = c_size_t(), c_size_t(), create_string_buffer(64)
    flat = api.make("clCreateBuffer", it.context, 0, 64, None)
    host = out if pointer else None
    found = [api.error("clEnqueueReadImage", queue, it.mem, 1, place, region, 0, 0, host, *wait),
             api.error("clEnqueueWriteImage", queue, it.mem, 1, place, region, 0, 0, host, *wait),
             api.error("clEnqueueCopyImage", queue, it.mem, it.mem, place, other, region if pointer else None, *wait),
             api.error("clEnqueueCopyImage", queue, it.mem, it.mem, other, place, region if pointer else None, *wait),
             api.error("clEnqueueFillImage", queue, it.mem, bytes(16) if pointer else None, place, region, *wait),
             api.error("clEnqueueCopyImageToBuffer", queue, it.mem, flat, place, region, 0 if pointer else 64, *wait),
             api.error("clEnqueueCopyBufferToImage", queue, flat, it.mem, 0 if pointer else 64, place, region, *wait),
             api.new("clEnqueueMapImage", queue, it.mem, 1, E.MAP_READ, place, region, byref(row) if pointer else None,
                     byref(between), *wait)[1]]
    api.ok("clReleaseMemObject", flat)
    return set(found)


@pytest.mark.parametrize("kind", MIPMAPPED)
def test_errors(api, queue, context, made, kind):
    """"if [...] the mip level specified in origin is not a valid level for image": behind the values, before the rest
    of the list."""
    it = made(kind)
    it.context = context
    for level in (LEVELS, LEVELS + 1, 2**32, 2**64 - 1):
        assert errors_of(api, queue, it, level) == {"CL_INVALID_MIP_LEVEL"}
    assert errors_of(api, queue, it, LEVELS, pointer=False) == {"CL_INVALID_VALUE"}
    assert errors_of(api, queue, it, LEVELS, region=(0, 1, 1)) == {"CL_INVALID_VALUE"}
    assert errors_of(api, queue, it, LEVELS, wait=(1, None, None)) == {"CL_INVALID_MIP_LEVEL"}
    # the region of a level is that of its own size
    width, height, depth = extent_of(kind, 2)
    assert errors_of(api, queue, it, 2, origin=(width,)) == {"CL_INVALID_VALUE"}
    if height > 1:
        assert errors_of(api, queue, it, 2, origin=(0, height)) == {"CL_INVALID_VALUE"}
    if depth > 1:
        assert errors_of(api, queue, it, 2, origin=(0, 0, depth)) == {"CL_INVALID_VALUE"}


# ---- kernels

FILL = """
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
kernel void fill(write_only image2d_t image, int level) {
    int2 c = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(image, c, level, (float4)(level, c.x, c.y, 1));
}
"""
LOOK = """
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
kernel void look(read_only image2d_t image, sampler_t s, global const float *lods, global float4 *out) {
    int i = get_global_id(0);
    out[i] = read_imagef(image, s, (float2)(0.0f, 0.0f), lods[i]);
}
"""


def bits(x):
    return struct.unpack("=I", struct.pack("=f", x))[0]


def sampler_of(api, context, linear, low, high):
    filter_ = E.FILTER_LINEAR if linear else E.FILTER_NEAREST
    entries = (E.SAMPLER_ADDRESSING_MODE, E.ADDRESS_CLAMP_TO_EDGE, E.SAMPLER_MIP_FILTER_MODE_KHR, filter_,
               E.SAMPLER_LOD_MIN_KHR, bits(low), E.SAMPLER_LOD_MAX_KHR, bits(high), 0)
    return api.make("clCreateSamplerWithProperties", context, (c_uint64 * len(entries))(*entries))


@pytest.fixture
def filled(api, queue, set_args, image):
    """by(who) -> an image whose pixels are (level, x, y, 1), by who wrote them"""
    def by(who):
        mem = image(form("RGBA", "FLOAT"), desc("IMAGE2D", 16, 8, levels=LEVELS))
        for level in range(LEVELS):
            width, height = 16 >> level, 8 >> level
            if who == "kernels":
                fill = set_args(FILL, mem, level, name="fill", options="-cl-std=CL3.0")
                api.ok("clEnqueueNDRangeKernel", queue, fill, 2, None, sizes(width, height), None, 0, None, None)
                continue
            pixels = np.full((height, width, 4), (level, 0, 0, 1), np.float32)
            pixels[..., 1], pixels[..., 2] = np.meshgrid(np.arange(width), np.arange(height))
            api.ok("clEnqueueWriteImage", queue, mem, 1, sizes(0, 0, level), sizes(width, height, 1), 0, 0,
                   pixels.tobytes(), 0, None, None)
        return mem
    return by


@pytest.mark.parametrize("low, high", [(0.0, 3.4e38), (0.5, 3.4e38), (0.0, 1.25), (1.5, 2.25), (0.0, 0.0)])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("who", ["the host", pytest.param("kernels", marks=pytest.mark.needs(
    "cl_khr_mipmap_image_writes"))])
def test_kernels_sample_levels(api, context, queue, program, filled, buffer, who, linear, low, high):
    """A sampler object says how levels are chosen, and between which."""
    mem = filled(who)
    look = api.make("clCreateKernel", program(LOOK, "-cl-std=CL3.0"), b"look")
    lods = np.array([-1, 0, 0.25, 0.4, 0.75, 1, 1.3, 1.75, 2.25, 2.9, 3, 3.7, 100], np.float32)
    given, out = buffer(contents=lods.tobytes()), buffer(len(lods) * 16)
    sampler = sampler_of(api, context, linear, low, high)
    for n, arg in enumerate((mem, sampler, given, out)):
        api.ok("clSetKernelArg", look, n, 8, byref(ctypes.c_void_p(arg)))
    api.ok("clEnqueueNDRangeKernel", queue, look, 1, None, sizes(len(lods)), None, 0, None, None)
    found = np.zeros((len(lods), 4), np.float32)
    api.ok("clEnqueueReadBuffer", queue, out, 1, 0, found.nbytes, found.ctypes.data, 0, None, None)
    chosen = np.clip(np.clip(lods, low, high), 0, LEVELS - 1)
    np.testing.assert_allclose(found[:, 0], chosen if linear else np.rint(chosen), atol=1 / 256)
    np.testing.assert_array_equal(found[:, 1:], [[0, 0, 1]] * len(lods))
    api.ok("clReleaseSampler", sampler)
    api.ok("clReleaseKernel", look)
