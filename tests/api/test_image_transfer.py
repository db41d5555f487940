# SPDX-License-Identifier: Apache-2.0
"""Reading, writing, copying, filling and mapping images, against a model of rows of bytes."""
import ctypes
from ctypes import byref, c_size_t, c_void_p, create_string_buffer

import pytest
from clapi import E, handles, sizes
from image_model import (
    KINDS,
    NAMES,
    RGBA8,
    boxed,
    desc,
    dimensions,
    form,
    formats,
    has_slice_pitch,
    is_integer,
    pixel,
    put,
    some_bytes,
)

pytestmark = pytest.mark.usefixtures("no_leak")

EXTENT = {"IMAGE1D": (13,), "IMAGE1D_ARRAY": (13, 6), "IMAGE1D_BUFFER": (13,), "IMAGE2D": (13, 7),
          "IMAGE2D_ARRAY": (13, 7, 4), "IMAGE3D": (13, 7, 5)}
REGIONS = {1: [((0, 0, 0), (13, 1, 1)), ((3, 0, 0), (7, 1, 1))],
           2: [((0, 0, 0), (13, 6, 1)), ((2, 1, 0), (5, 3, 1)), ((0, 2, 0), (13, 2, 1))],
           3: [((0, 0, 0), (13, 7, 4)), ((2, 1, 1), (5, 4, 3)), ((0, 3, 0), (13, 2, 1))]}


class Image:
    """One with known contents and gaps between rows and slices: `data` is what the bytes must be."""

    def __init__(self, image, kind, seed=1, gaps=True, image_format=RGBA8, size=4, buffer=None, extent=None, flags=0):
        self.kind, self.size = kind, size
        extent = (*(extent or EXTENT[kind]), 1, 1)[:3]
        row = (extent[0] + (3 if gaps else 0)) * size
        between = row * (2 if gaps else 1) if kind == "IMAGE1D_ARRAY" else row * (extent[1] + (2 if gaps else 0))
        # by the coordinates: the second one of a 1D array is the layer
        self.pitches = (between, 0) if kind == "IMAGE1D_ARRAY" else (row, between)
        slices = extent[1] if kind == "IMAGE1D_ARRAY" else extent[2]
        self.data = some_bytes(between * slices if dimensions(kind) > 1 else row, seed)
        self.host = create_string_buffer(self.data, len(self.data))
        rest = {"slice_pitch": between} if has_slice_pitch(kind) else {}
        if kind == "IMAGE1D_BUFFER":
            self.mem = image(image_format, desc(kind, *extent[:1], mem_object=buffer(contents=self.data)), flags)
        else:
            self.mem = image(image_format, desc(kind, *extent[:dimensions(kind)], row_pitch=row, **rest),
                             flags | E.MEM_USE_HOST_PTR, self.host)

    def bytes(self, api, queue):
        if self.kind != "IMAGE1D_BUFFER":
            return self.host.raw
        out = create_string_buffer(len(self.data))
        below = int.from_bytes(api.info("clGetImageInfo", self.mem, E.IMAGE_BUFFER), "little")
        api.ok("clEnqueueReadBuffer", queue, below, 1, 0, len(out), out, 0, None, None)
        return out.raw


@pytest.fixture
def made(image, buffer):
    kept = []                    # their memory is that of the images

    def new(kind, **how):
        kept.append(Image(image, kind, buffer=buffer, **how))
        return kept[-1]
    return new


def host_pitches(kind, region, row, between):
    """Pitches for the call, and the (row, slice) by the coordinates that they stand for."""
    if kind == "IMAGE1D_ARRAY":
        return (row, between), (between or row or region[0] * 4, 0)
    tight = row or region[0] * 4
    return (row, between), (tight, between or tight * region[1])


# ---- read and write

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blocking", [0, 1])
def test_read(api, queue, made, kind, blocking):
    it = made(kind)
    for origin, region in REGIONS[dimensions(kind)]:
        for row, between in ((0, 0), (80, 0), (80, 80 * 9), (0, 80 * 9)):
            if between and not has_slice_pitch(kind):
                continue
            asked, (step, slice_step) = host_pitches(kind, region, row, between)
            out = create_string_buffer(b"." * 8000, 8000)
            api.ok("clEnqueueReadImage", queue, it.mem, blocking, sizes(*origin), sizes(*region), *asked, out, 0, None,
                   None)
            api.ok("clFinish", queue)
            tight = boxed(it.data, it.pitches, 4, origin, region)
            assert out.raw == put(b"." * 8000, (step, slice_step), 4, (0, 0, 0), region, tight), (origin, asked)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blocking", [0, 1])
def test_write(api, queue, made, kind, blocking):
    for origin, region in REGIONS[dimensions(kind)]:
        for row, between in ((0, 0), (80, 0), (80, 80 * 9), (0, 80 * 9)):
            if between and not has_slice_pitch(kind):
                continue
            it, source = made(kind), some_bytes(8000, 2)
            asked, steps = host_pitches(kind, region, row, between)
            api.ok("clEnqueueWriteImage", queue, it.mem, blocking, sizes(*origin), sizes(*region), *asked, source, 0,
                   None, None)
            api.ok("clFinish", queue)
            tight = boxed(source, steps, 4, (0, 0, 0), region)
            assert it.bytes(api, queue) == put(it.data, it.pitches, 4, origin, region, tight), (origin, asked)


def test_large_transfers_are_split(api, queue, image):
    """More than one part, with and without gaps."""
    wide, high = 1500, 1100
    data = some_bytes(wide * high * 4)
    for row in (wide * 4, wide * 4 + 64):
        host = create_string_buffer(row * high)
        mem = image(RGBA8, desc("IMAGE2D", wide, high, row_pitch=row), E.MEM_USE_HOST_PTR, host)
        api.ok("clEnqueueWriteImage", queue, mem, 0, sizes(0, 0, 0), sizes(wide, high, 1), 0, 0, data, 0, None, None)
        out = create_string_buffer(len(data))
        api.ok("clEnqueueReadImage", queue, mem, 1, sizes(0, 0, 0), sizes(wide, high, 1), 0, 0, out, 0, None, None)
        assert out.raw == data
        api.ok("clEnqueueFillImage", queue, mem, numbers("f", 1, 0, 0, 1), sizes(1, 1, 0), sizes(wide - 1, high - 1, 1),
               0, None, None)
        api.ok("clFinish", queue)
        expected = put(put(bytes(row * high), (row, 0), 4, (0, 0, 0), (wide, high, 1), data), (row, 0), 4, (1, 1, 0),
                       (wide - 1, high - 1, 1), b"\xff\0\0\xff" * ((wide - 1) * (high - 1)))
        assert host.raw == expected


def test_events(api, queue, made, user_event):
    it, gate, event, out = made("IMAGE2D"), user_event(), c_void_p(), create_string_buffer(4)
    place = (sizes(1, 1, 0), sizes(1, 1, 1))
    for name, kind, args in (
            ("clEnqueueReadImage", E.COMMAND_READ_IMAGE, (it.mem, 0, *place, 0, 0, out)),
            ("clEnqueueWriteImage", E.COMMAND_WRITE_IMAGE, (it.mem, 0, *place, 0, 0, b"abcd")),
            ("clEnqueueFillImage", E.COMMAND_FILL_IMAGE, (it.mem, bytes(16), *place)),
            ("clEnqueueCopyImage", E.COMMAND_COPY_IMAGE, (it.mem, it.mem, sizes(5, 5, 0), *place))):
        api.ok(name, queue, *args, 1, handles(gate), byref(event))
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == kind
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS) > E.COMPLETE
        api.ok("clReleaseEvent", event)
    assert it.host.raw == it.data, "nothing has run"
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", queue)
    tight = boxed(it.data, it.pitches, 4, (1, 1, 0), (1, 1, 1))
    assert out.raw == tight
    source = boxed(it.data, it.pitches, 4, (5, 5, 0), (1, 1, 1))
    assert it.host.raw == put(it.data, it.pitches, 4, (1, 1, 0), (1, 1, 1), source)


# ---- copy

@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", KINDS)
def test_copy(api, queue, made, source, target):
    """Between all types, of the region that both have."""
    dims = min(dimensions(source), dimensions(target))
    region = (5, 3, 2)[:dims] + (1, 1)[:3 - dims]
    origin = [tuple((2, 1, 1)[i] if i < dimensions(kind) else 0 for i in range(3)) for kind in (source, target)]
    a, b = made(source), made(target, seed=2)
    api.ok("clEnqueueCopyImage", queue, a.mem, b.mem, sizes(*origin[0]), sizes(*origin[1]), sizes(*region), 0, None,
           None)
    api.ok("clFinish", queue)
    tight = boxed(a.data, a.pitches, 4, origin[0], region)
    assert b.bytes(api, queue) == put(b.data, b.pitches, 4, origin[1], region, tight)
    assert a.bytes(api, queue) == a.data


@pytest.mark.parametrize("kind", KINDS)
def test_image_and_buffer(api, queue, made, buffer, contents, kind):
    for origin, region in REGIONS[dimensions(kind)]:
        count = region[0] * region[1] * region[2] * 4
        it, flat = made(kind), buffer(contents=b"." * 2000)
        api.ok("clEnqueueCopyImageToBuffer", queue, it.mem, flat, sizes(*origin), sizes(*region), 5, 0, None, None)
        tight = boxed(it.data, it.pitches, 4, origin, region)
        assert contents(flat, 2000) == b"....." + tight + b"." * (1995 - count)
        source = some_bytes(2000, 3)
        api.ok("clEnqueueCopyBufferToImage", queue, buffer(contents=source), it.mem, 7, sizes(*origin), sizes(*region),
               0, None, None)
        api.ok("clFinish", queue)
        assert it.bytes(api, queue) == put(it.data, it.pitches, 4, origin, region, source[7:7 + count])


# ---- fill

def numbers(code, *values):
    return (getattr(ctypes, {"f": "c_float", "i": "c_int32", "I": "c_uint32"}[code]) * len(values))(*values)


FLOATS = [(0.0, 0.25, 0.5, 1.0), (1.0, 0.75, 0.125, 0.0), (-0.5, -1.0, -0.25, 0.5), (2.0, -3.0, 1.5, -1.25),
          (0.001, 0.002, 0.01, 0.3), (float("nan"), 0.5, float("nan"), 1.0), (1e-40, 65504.0, 1e9, -1e9),
          (float("inf"), float("-inf"), 0.5 / 255, 1.5 / 255)]
INTEGERS = [(0, 1, -1, 2), (127, 128, -128, -129), (32767, 32768, -32768, -32769), (255, 256, 65535, 65536),
            (2**31 - 1, -2**31, 77, -77)]


def every_format(api, context):
    uses = (0, E.MEM_READ_ONLY, E.MEM_WRITE_ONLY)
    found = {bytes(f): f for flags in uses for f in formats(api, context, flags=flags)}
    return found.values()


def test_fill_colors(api, queue, context, image):
    """Each format, against the conversions of the specification in exact arithmetic."""
    for each in every_format(api, context):
        mem = image(each, desc("IMAGE2D", 3, 1), E.MEM_READ_ONLY)
        unsigned = NAMES[each.type].startswith("UNSIGNED")
        for color in INTEGERS if is_integer(each) else FLOATS:
            if unsigned:
                color = tuple(x % 2**32 for x in color)
            code = "I" if unsigned else "i" if is_integer(each) else "f"
            given = numbers(code, *color)
            n = 1 if each.order == E.DEPTH else 4
            api.ok("clEnqueueFillImage", queue, mem, numbers(code, *color[:n]), sizes(1, 0, 0), sizes(1, 1, 1), 0,
                   None, None)
            expected = pixel(each, tuple(given)) if NAMES[each.type] != "HALF_FLOAT" else half_pixel(each, tuple(given))
            out = create_string_buffer(len(expected))
            api.ok("clEnqueueReadImage", queue, mem, 1, sizes(1, 0, 0), sizes(1, 1, 1), 0, 0, out, 0, None, None)
            assert out.raw == expected or same_nan(each, out.raw, expected), (str(each), color)


def half_pixel(each, color):
    """What struct refuses to convert becomes infinity, as the rounding of IEEE 754 has it."""
    return pixel(each, tuple(x if x != x or abs(x) < 65520 else float("inf") * (1 if x > 0 else -1) for x in color))


def same_nan(each, a, b):
    """A NaN has many forms."""
    import struct
    code = {"HALF_FLOAT": "e", "FLOAT": "f"}.get(NAMES[each.type])
    if code is None:
        return False
    shape = f"={len(a) // struct.calcsize(code)}{code}"
    return all(x == y or (x != x and y != y)
               for x, y in zip(struct.unpack(shape, a), struct.unpack(shape, b), strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form_name", ["R-UNORM_INT8", "RG-UNORM_INT8", "RGBA-UNORM_INT8", "RG-FLOAT", "RGBA-FLOAT"])
def test_fill_regions(api, queue, made, kind, form_name):
    """Pixels of 1, 2, 4, 8 and 16 bytes, with gaps and without; the colour is taken at the call."""
    each, color = form(*form_name.split("-")), (1.0, 0.25, 0.5, 0.75)
    one = pixel(each, color)
    for gaps in (True, False):
        for origin, region in REGIONS[dimensions(kind)]:
            it = made(kind, image_format=each, size=len(one), gaps=gaps)
            given = numbers("f", *color)
            api.ok("clEnqueueFillImage", queue, it.mem, given, sizes(*origin), sizes(*region), 0, None, None)
            given[0] = 0.0
            api.ok("clFinish", queue)
            tight = one * (region[0] * region[1] * region[2])
            assert it.bytes(api, queue) == put(it.data, it.pitches, len(one), origin, region, tight), (origin, gaps)


# ---- map

def mapped(api, queue, mem, flags, origin, region):
    row, between = c_size_t(77), c_size_t(77)
    at, error = api.new("clEnqueueMapImage", queue, mem, 1, flags, sizes(*origin), sizes(*region), byref(row),
                        byref(between), 0, None, None)
    return at, (row.value, between.value) if at else error


@pytest.mark.parametrize("kind", KINDS)
def test_map(api, queue, made, kind):
    it = made(kind)
    for origin, region in REGIONS[dimensions(kind)]:
        at, (row, between) = mapped(api, queue, it.mem, E.MAP_READ | E.MAP_WRITE, origin, region)
        assert row == (13 + (3 if kind != "IMAGE1D_BUFFER" else 0)) * 4
        assert (between == 0) == (not has_slice_pitch(kind))
        steps = (between, 0) if kind == "IMAGE1D_ARRAY" else (row, between)
        last = (region[2] - 1) * steps[1] + (region[1] - 1) * steps[0] + region[0] * 4
        tight = boxed(it.data, it.pitches, 4, origin, region)
        assert boxed(ctypes.string_at(at, last), steps, 4, (0, 0, 0), region) == tight
        ctypes.memmove(at, b"!", 1)
        it.data = put(it.data, it.pitches, 4, origin, (1, 1, 1), b"!" + tight[1:4])
        assert api.number("clGetMemObjectInfo", it.mem, E.MEM_MAP_COUNT) == 1
        api.ok("clEnqueueUnmapMemObject", queue, it.mem, at, 0, None, None)
        assert api.number("clGetMemObjectInfo", it.mem, E.MEM_MAP_COUNT) == 0
        api.ok("clFinish", queue)
        assert it.bytes(api, queue) == it.data


def test_map_event(api, queue, made):
    event, row, it = c_void_p(), c_size_t(), made("IMAGE2D")
    at = api.make("clEnqueueMapImage", queue, it.mem, 1, E.MAP_READ, sizes(0, 0, 0), sizes(1, 1, 1), byref(row), None,
                  0, None, byref(event))
    assert at == ctypes.addressof(it.host)
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_MAP_IMAGE
    api.ok("clEnqueueUnmapMemObject", queue, it.mem, at, 0, None, None)
    api.ok("clReleaseEvent", event)


def test_maps_for_writing_do_not_overlap(api, queue, made, image, buffer, pitch_align):
    """Regions beside each other in the same rows may both be mapped; pixels that are mapped to write may not."""
    mem, write, read = made("IMAGE2D").mem, E.MAP_WRITE, E.MAP_READ
    maps = [mapped(api, queue, mem, write, (0, 0, 0), (4, 7, 1))[0],
            mapped(api, queue, mem, write, (4, 0, 0), (4, 7, 1))[0],
            mapped(api, queue, mem, read, (2, 2, 0), (5, 2, 1))[0]]
    assert all(maps)
    for origin, region in (((3, 3, 0), (1, 1, 1)), ((0, 0, 0), (13, 7, 1)), ((7, 6, 0), (2, 1, 1))):
        assert mapped(api, queue, mem, write, origin, region) == (None, "CL_INVALID_OPERATION")
        assert mapped(api, queue, mem, E.MAP_WRITE_INVALIDATE_REGION, origin, region) == (None, "CL_INVALID_OPERATION")
    for at in maps:
        api.ok("clEnqueueUnmapMemObject", queue, mem, at, 0, None, None)
    # through a buffer too, where the bytes decide
    row = max(16, pitch_align)
    below = buffer(4 * row)
    above = image(RGBA8, desc("IMAGE2D", 4, 4, row_pitch=row, mem_object=below))
    at = mapped(api, queue, above, write, (0, 1, 0), (4, 1, 1))[0]
    assert api.new("clEnqueueMapBuffer", queue, below, 1, write, row - 4, 8, 0, None, None) == (
        None, "CL_INVALID_OPERATION")
    other = api.make("clEnqueueMapBuffer", queue, below, 1, write, 0, row, 0, None, None)
    api.ok("clEnqueueUnmapMemObject", queue, below, other, 0, None, None)
    assert api.error("clEnqueueUnmapMemObject", queue, below, at, 0, None, None) == "CL_INVALID_VALUE"
    api.ok("clEnqueueUnmapMemObject", queue, above, at, 0, None, None)


# ---- errors

def calls(api, own_queue, mem, out, **change):
    """The error of each function for one change of its arguments."""
    at = {"queue": own_queue, "image": mem, "origin": (0, 0, 0), "region": (2, 2, 1), "n": 0, "events": None, **change}
    origin = sizes(*at["origin"]) if at["origin"] else None
    region = sizes(*at["region"]) if at["region"] else None
    q, m, wait = at["queue"], at["image"], (at["n"], at["events"], None)
    row, between = c_size_t(), c_size_t()
    pointer, found = api.new("clEnqueueMapImage", q, m, 1, E.MAP_READ, origin, region, byref(row), byref(between),
                             *wait)
    if pointer:
        api.ok("clEnqueueUnmapMemObject", q, m, pointer, 0, None, None)
    return {found, api.error("clEnqueueReadImage", q, m, 1, origin, region, 0, 0, out, *wait),
            api.error("clEnqueueWriteImage", q, m, 1, origin, region, 0, 0, out, *wait),
            api.error("clEnqueueFillImage", q, m, bytes(16), origin, region, *wait)}


def test_errors(api, queue, context, other_context, made, image, buffer, user_event):
    out = create_string_buffer(8000)
    flat, line, layers, solid = (made(kind).mem for kind in ("IMAGE2D", "IMAGE1D", "IMAGE1D_ARRAY", "IMAGE3D"))

    def error(mem=flat, **change):
        found = calls(api, queue, mem, out, **change)
        return found.pop() if len(found) == 1 else found

    assert error() == "CL_SUCCESS"
    assert error(queue=context) == error(queue=None) == "CL_INVALID_COMMAND_QUEUE"
    assert error(image=None) == error(image=queue) == error(image=buffer(16)) == "CL_INVALID_MEM_OBJECT"
    assert error(image=image(RGBA8, desc("IMAGE2D", 4, 4), within=other_context)) == "CL_INVALID_CONTEXT"
    assert error(origin=None) == error(region=None) == "CL_INVALID_VALUE"
    for origin, region in (((12, 0, 0), (2, 1, 1)), ((0, 6, 0), (1, 2, 1)), ((0, 0, 0), (0, 1, 1)),
                           ((0, 0, 0), (1, 0, 1)), ((0, 0, 0), (1, 1, 0)), ((0, 0, 0), (1, 1, 2)),
                           ((0, 0, 1), (1, 1, 1)), ((2**64 - 1, 0, 0), (2, 1, 1)), ((0, 0, 0), (2**63, 2, 1))):
        assert error(origin=origin, region=region) == "CL_INVALID_VALUE", (origin, region)
    assert error(line, region=(1, 2, 1)) == error(line, origin=(0, 1, 0), region=(1, 1, 1)) == "CL_INVALID_VALUE"
    assert error(layers, region=(1, 1, 2)) == error(layers, origin=(0, 6, 0), region=(1, 1, 1)) == "CL_INVALID_VALUE"
    assert error(solid, origin=(0, 0, 5), region=(1, 1, 1)) == "CL_INVALID_VALUE"
    assert error(n=1) == error(events=handles(user_event())) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(n=1, events=handles(user_event(other_context))) == "CL_INVALID_CONTEXT"


def test_pitch_errors(api, queue, made):
    out = create_string_buffer(8000)

    def error(kind, region, row, between, pointer=out):
        args = (made(kind).mem, 1, sizes(0, 0, 0), sizes(*region), row, between, pointer, 0, None, None)
        found = {api.error("clEnqueueReadImage", queue, *args), api.error("clEnqueueWriteImage", queue, *args)}
        return found.pop() if len(found) == 1 else found

    assert error("IMAGE2D", (2, 2, 1), 8, 0) == error("IMAGE3D", (2, 2, 2), 8, 16) == "CL_SUCCESS"
    assert error("IMAGE1D_ARRAY", (2, 3, 1), 8, 8) == "CL_SUCCESS", "a layer is one row"
    assert error("IMAGE2D", (2, 2, 1), 7, 0) == error("IMAGE2D", (2, 2, 1), 0, 0, None) == "CL_INVALID_VALUE"
    assert error("IMAGE2D", (2, 2, 1), 0, 16) == error("IMAGE1D", (2, 1, 1), 0, 8) == "CL_INVALID_VALUE"
    assert error("IMAGE3D", (2, 2, 2), 8, 15) == error("IMAGE2D_ARRAY", (2, 2, 2), 0, 12) == "CL_INVALID_VALUE"
    assert error("IMAGE1D_ARRAY", (2, 3, 1), 8, 7) == "CL_INVALID_VALUE"
    assert error("IMAGE3D", (2, 2, 2), 2**63, 0) == "CL_INVALID_VALUE"


def test_host_access(api, queue, image):
    """CL_MEM_HOST_*: what the host may do; fills and copies are no access by the host."""
    out, region = create_string_buffer(64), (sizes(0, 0, 0), sizes(4, 4, 1))
    for flags, may_read, may_write in ((E.MEM_HOST_READ_ONLY, True, False), (E.MEM_HOST_WRITE_ONLY, False, True),
                                       (E.MEM_HOST_NO_ACCESS, False, False)):
        mem = image(RGBA8, desc("IMAGE2D", 4, 4), flags)
        read, write = ("CL_SUCCESS" if yes else "CL_INVALID_OPERATION" for yes in (may_read, may_write))
        assert api.error("clEnqueueReadImage", queue, mem, 1, *region, 0, 0, out, 0, None, None) == read
        assert api.error("clEnqueueWriteImage", queue, mem, 1, *region, 0, 0, out, 0, None, None) == write
        for map_flags, expected in ((E.MAP_READ, read), (E.MAP_WRITE, write), (E.MAP_WRITE_INVALIDATE_REGION, write),
                                    (E.MAP_READ | E.MAP_WRITE, read if read != "CL_SUCCESS" else write)):
            at, result = mapped(api, queue, mem, map_flags, (0, 0, 0), (4, 4, 1))
            assert (at is not None) == (expected == "CL_SUCCESS") and (at or result == expected)
            if at:
                api.ok("clEnqueueUnmapMemObject", queue, mem, at, 0, None, None)
        api.ok("clEnqueueFillImage", queue, mem, bytes(16), *region, 0, None, None)


def test_map_errors(api, queue, made):
    flat, solid, row = made("IMAGE2D").mem, made("IMAGE3D").mem, byref(c_size_t())

    def error(mem=flat, flags=E.MAP_READ, pitch=row, between=None):
        at, found = api.new("clEnqueueMapImage", queue, mem, 1, flags, sizes(0, 0, 0), sizes(1, 1, 1), pitch, between,
                            0, None, None)
        if at:
            api.ok("clEnqueueUnmapMemObject", queue, mem, at, 0, None, None)
        return found

    assert error() == error(solid, between=byref(c_size_t())) == "CL_SUCCESS"
    assert error(flags=8) == error(flags=E.MAP_READ | E.MAP_WRITE_INVALIDATE_REGION) == "CL_INVALID_VALUE"
    assert error(pitch=None) == error(solid) == "CL_INVALID_VALUE"


def test_copy_errors(api, queue, context, other_context, made, image, buffer, user_event):
    a, b, solid = made("IMAGE2D").mem, made("IMAGE2D", seed=2).mem, made("IMAGE3D").mem
    other = image(form("BGRA", "UNORM_INT8"), desc("IMAGE2D", 13, 7))

    def error(q=queue, src=a, dst=b, at=(0, 0, 0), to=(0, 0, 0), region=(2, 2, 1), n=0, events=None):
        return api.error("clEnqueueCopyImage", q, src, dst, sizes(*at) if at else None, sizes(*to) if to else None,
                         sizes(*region) if region else None, n, events, None)

    assert error() == error(dst=solid, to=(0, 0, 4)) == error(src=solid, at=(1, 1, 1)) == "CL_SUCCESS"
    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    assert error(src=None) == error(dst=buffer(16)) == "CL_INVALID_MEM_OBJECT"
    assert error(dst=image(RGBA8, desc("IMAGE2D", 4, 4), within=other_context)) == "CL_INVALID_CONTEXT"
    assert error(dst=other) == error(src=other) == "CL_IMAGE_FORMAT_MISMATCH"
    assert error(at=None) == error(to=None) == error(region=None) == "CL_INVALID_VALUE"
    assert error(at=(12, 0, 0)) == error(to=(0, 6, 0)) == error(src=solid, region=(1, 1, 2)) == "CL_INVALID_VALUE"
    assert error(n=1) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(n=1, events=handles(user_event(other_context))) == "CL_INVALID_CONTEXT"
    assert error(dst=a, to=(1, 1, 0)) == error(dst=a) == "CL_MEM_COPY_OVERLAP"
    assert error(dst=a, to=(2, 0, 0)) == error(dst=a, to=(0, 2, 0)) == "CL_SUCCESS"


def test_image_and_buffer_errors(api, queue, context, other_context, made, image, buffer):
    mem, flat = made("IMAGE2D").mem, buffer(64)
    line = buffer(64)
    over = image(RGBA8, desc("IMAGE1D_BUFFER", 16, mem_object=line))

    def error(q=queue, i=mem, b=flat, origin=(0, 0, 0), region=(4, 4, 1), offset=0, n=0):
        origin, region = sizes(*origin) if origin else None, sizes(*region) if region else None
        found = {api.error("clEnqueueCopyImageToBuffer", q, i, b, origin, region, offset, n, None, None),
                 api.error("clEnqueueCopyBufferToImage", q, b, i, offset, origin, region, n, None, None)}
        return found.pop() if len(found) == 1 else found

    assert error() == error(region=(3, 4, 1), offset=16) == "CL_SUCCESS"
    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    assert error(i=flat) == error(b=mem) == error(b=None) == "CL_INVALID_MEM_OBJECT"
    assert error(i=over, b=line, region=(4, 1, 1)) == "CL_INVALID_MEM_OBJECT", "the image is made from the buffer"
    assert error(b=buffer(64, within=other_context)) == "CL_INVALID_CONTEXT"
    assert error(origin=None) == error(region=None) == error(region=(14, 1, 1)) == "CL_INVALID_VALUE"
    assert error(offset=1) == error(offset=2**64 - 8) == error(region=(4, 5, 1)) == "CL_INVALID_VALUE"
    assert error(n=1) == "CL_INVALID_EVENT_WAIT_LIST"
