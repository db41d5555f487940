# SPDX-License-Identifier: Apache-2.0
"""clGetImageRequirementsInfoEXT, and images that are made as it says."""
import ctypes
from ctypes import byref, c_size_t, create_string_buffer

import pytest
from clapi import E
from image_model import KINDS, RGBA8, Desc, Format, desc, form, formats, has_slice_pitch, pixel_bytes

pytestmark = pytest.mark.usefixtures("no_leak")

EXTENT = {"IMAGE1D": (13,), "IMAGE1D_ARRAY": (13, 3), "IMAGE1D_BUFFER": (13,), "IMAGE2D": (13, 5),
          "IMAGE2D_ARRAY": (13, 5, 3), "IMAGE3D": (13, 5, 4)}
ALIGNMENTS = ("BASE_ADDRESS_ALIGNMENT", "ROW_PITCH_ALIGNMENT", "SLICE_PITCH_ALIGNMENT")
MAXIMA = ("MAX_WIDTH", "MAX_HEIGHT", "MAX_DEPTH", "MAX_ARRAY_SIZE")


@pytest.fixture
def ask(api, context):
    """(name, format, descriptor, flags) -> the number, or the name of the error"""
    def query(name, image_format=RGBA8, descriptor=None, flags=0, within=context, properties=None):
        size, room = c_size_t(), create_string_buffer(8)
        number = getattr(E, "IMAGE_REQUIREMENTS_" + name + "_EXT") if isinstance(name, str) else name
        error = api.error("clGetImageRequirementsInfoEXT", within, properties, flags,
                          byref(image_format) if image_format else None, byref(descriptor) if descriptor else None,
                          number, 8, room, byref(size))
        if error != "CL_SUCCESS":
            return error
        assert size.value == (4 if name in MAXIMA else 8)
        return int.from_bytes(room.raw[:size.value], "little")
    return query


@pytest.mark.parametrize("kind", KINDS)
def test_made_as_it_says(api, context, ask, image, buffer, kind, pitch_align):
    """A buffer of the size is enough and one byte less is not; aligned pitches are taken."""
    for each in formats(api, context, kind):
        wanted = desc(kind, *EXTENT[kind])
        align = ask("ROW_PITCH_ALIGNMENT", each, wanted)
        assert align == ask("BASE_ADDRESS_ALIGNMENT", each, wanted)
        assert align == max(pixel_bytes(each), pitch_align if kind == "IMAGE2D" else 1)
        if align > pixel_bytes(each):
            wanted.row_pitch = align
        size = ask("SIZE", each, wanted)
        wanted.mem_object = buffer(size)
        mem = image(each, wanted)
        assert api.number("clGetMemObjectInfo", mem, E.MEM_SIZE) == size
        wanted.mem_object = buffer(size - 1)
        assert api.new("clCreateImage", context, 0, byref(each), byref(wanted), None) == (None, "CL_INVALID_IMAGE_SIZE")
    if has_slice_pitch(kind):
        row = 13 * 4 + ask("ROW_PITCH_ALIGNMENT", RGBA8, desc(kind, *EXTENT[kind]))
        wanted = desc(kind, *EXTENT[kind], row_pitch=row, slice_pitch=row * 6)
        assert ask("SIZE", RGBA8, wanted) == row * 6 * EXTENT[kind][-1]


@pytest.mark.needs("host code")
def test_maxima(api, device, ask):
    """No more than the device says of itself, and what is said can be made."""
    limit = {name: api.number("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name))
             for name in ("IMAGE2D_MAX_WIDTH", "IMAGE2D_MAX_HEIGHT", "IMAGE3D_MAX_WIDTH", "IMAGE3D_MAX_HEIGHT",
                          "IMAGE3D_MAX_DEPTH", "IMAGE_MAX_ARRAY_SIZE", "IMAGE_MAX_BUFFER_SIZE")}
    for kind, name, most in (
            ("IMAGE1D", "MAX_WIDTH", "IMAGE2D_MAX_WIDTH"), ("IMAGE1D_BUFFER", "MAX_WIDTH", "IMAGE_MAX_BUFFER_SIZE"),
            ("IMAGE2D", "MAX_WIDTH", "IMAGE2D_MAX_WIDTH"), ("IMAGE2D", "MAX_HEIGHT", "IMAGE2D_MAX_HEIGHT"),
            ("IMAGE3D", "MAX_WIDTH", "IMAGE3D_MAX_WIDTH"), ("IMAGE3D", "MAX_HEIGHT", "IMAGE3D_MAX_HEIGHT"),
            ("IMAGE3D", "MAX_DEPTH", "IMAGE3D_MAX_DEPTH"),
            ("IMAGE1D_ARRAY", "MAX_ARRAY_SIZE", "IMAGE_MAX_ARRAY_SIZE"),
            ("IMAGE2D_ARRAY", "MAX_ARRAY_SIZE", "IMAGE_MAX_ARRAY_SIZE")):
        assert ask(name, None, desc(kind)) == ask(name, form("RGBA", "FLOAT"), desc(kind)) == limit[most], (kind, name)
        assert ask(name, RGBA8, desc(kind, 1, 1, 1)) == limit[most]
    assert ask("MAX_WIDTH", None, None) == min(limit[n] for n in (
        "IMAGE2D_MAX_WIDTH", "IMAGE3D_MAX_WIDTH", "IMAGE_MAX_BUFFER_SIZE"))
    assert ask("MAX_HEIGHT", None, Desc()) == min(limit["IMAGE2D_MAX_HEIGHT"], limit["IMAGE3D_MAX_HEIGHT"])
    most = api.number("clGetDeviceInfo", device, E.DEVICE_MAX_MEM_ALLOC_SIZE)
    wide, high = limit["IMAGE3D_MAX_WIDTH"], limit["IMAGE3D_MAX_HEIGHT"]
    deep = ask("MAX_DEPTH", form("RGBA", "FLOAT"), desc("IMAGE3D", wide, high))
    assert deep == min(limit["IMAGE3D_MAX_DEPTH"], most // 16 // wide // high), "memory is a limit too"


def test_without_a_format(ask, pitch_align):
    for name in ALIGNMENTS:
        wanted = 16 if name == "SLICE_PITCH_ALIGNMENT" else max(16, pitch_align)
        assert ask(name, None, desc("IMAGE2D", 4, 4)) == ask(name, None, None) == wanted
        assert ask(name, RGBA8, None, E.MEM_KERNEL_READ_AND_WRITE) == (wanted if wanted > 16 else 4)
    assert ask("SIZE", None, desc("IMAGE2D", 4, 4)) == ask("SIZE", RGBA8, None) == "CL_INVALID_VALUE"


def test_errors(api, context, device, ask):
    good = desc("IMAGE3D", 4, 4, 4)
    assert ask("SIZE", RGBA8, good, within=device) == ask("SIZE", RGBA8, good, within=None) == "CL_INVALID_CONTEXT"
    assert ask("SIZE", RGBA8, good, properties=(ctypes.c_uint64 * 3)(1, 2, 0)) == "CL_INVALID_PROPERTY"
    assert ask("SIZE", RGBA8, good, properties=(ctypes.c_uint64 * 1)(0)) == 256
    for flags in (2**64 - 1, E.MEM_READ_ONLY | E.MEM_WRITE_ONLY):
        assert ask("SIZE", RGBA8, good, flags) == "CL_INVALID_VALUE"
    assert ask("SIZE", Format(E.INTENSITY, E.UNORM_SHORT_555), good) == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
    for name in ("SIZE", *ALIGNMENTS):
        for bad in (Desc(type=E.MEM_OBJECT_BUFFER, width=4), desc("IMAGE1D", 0), desc("IMAGE2D", 4, 0),
                    desc("IMAGE3D", 4, 4, 0), desc("IMAGE1D_ARRAY", 4, 0), desc("IMAGE2D", 4, 4, samples=2)):
            assert ask(name, RGBA8, bad) == "CL_INVALID_IMAGE_DESCRIPTOR", name
    for name, kinds in (("MAX_HEIGHT", ("IMAGE1D", "IMAGE1D_ARRAY", "IMAGE1D_BUFFER")),
                        ("MAX_DEPTH", set(KINDS) - {"IMAGE3D"}),
                        ("MAX_ARRAY_SIZE", set(KINDS) - {"IMAGE1D_ARRAY", "IMAGE2D_ARRAY"})):
        for kind in kinds:
            assert ask(name, RGBA8, desc(kind, 4, 4, 4)) == "CL_INVALID_IMAGE_DESCRIPTOR", (name, kind)
    assert ask(E.IMAGE_FORMAT, RGBA8, good) == "CL_INVALID_VALUE"
    for name, size in (("MAX_HEIGHT", 4), ("SIZE", 8)):
        room = create_string_buffer(8)
        query = getattr(E, f"IMAGE_REQUIREMENTS_{name}_EXT")
        assert api.error("clGetImageRequirementsInfoEXT", context, None, 0, byref(RGBA8), byref(good), query, size - 1,
                         room, None) == "CL_INVALID_VALUE"


@pytest.mark.needs("cl_khr_mipmap_image")
def test_levels(api, ask, image):
    """Of cl_khr_mipmap_image: a size is that of all levels, and what is said to be the most can be made."""
    for kind in (kind for kind in KINDS if kind != "IMAGE1D_BUFFER"):
        wanted = desc(kind, *EXTENT[kind], levels=3)
        assert ask("SIZE", RGBA8, wanted) == api.number("clGetMemObjectInfo", image(RGBA8, wanted), E.MEM_SIZE)
        assert ask("SIZE", RGBA8, wanted) > ask("SIZE", RGBA8, desc(kind, *EXTENT[kind]))
    deep = desc("IMAGE3D", 2048, 2048, 1, levels=12)
    deep.depth = ask("MAX_DEPTH", form("RGBA", "FLOAT"), deep)
    assert deep.depth > 0
    image(form("RGBA", "FLOAT"), deep)
    for wrong in (desc("IMAGE2D", 4, 4, levels=33), desc("IMAGE1D_BUFFER", 4, levels=2)):
        assert ask("SIZE", RGBA8, wrong) == "CL_INVALID_IMAGE_DESCRIPTOR"
    for flag in (E.MEM_USE_HOST_PTR, E.MEM_COPY_HOST_PTR):
        assert ask("SIZE", RGBA8, desc("IMAGE2D", 4, 4, levels=2), flag) == "CL_INVALID_IMAGE_DESCRIPTOR"
