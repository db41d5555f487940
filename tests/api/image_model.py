# SPDX-License-Identifier: Apache-2.0
"""Images in plain Python, for tests: descriptors for the API, and pixels written by the words of the specification."""
import ctypes
import math
import random
import struct
from fractions import Fraction

from clapi import E

# order -> what its channels are, in the order of memory
CHANNELS = {"R": "R", "A": "A", "RG": "RG", "RA": "RA", "RGB": "RGB", "RGBx": "RGBA", "RGBA": "RGBA", "BGRA": "BGRA",
            "ARGB": "ARGB", "ABGR": "ABGR", "INTENSITY": "R", "LUMINANCE": "R", "DEPTH": "R", "sRGBA": "RGBA",
            "sBGRA": "BGRA", "sRGBx": "RGBA"}
# type -> (struct code, largest value of a normalized type)
TYPES = {"UNORM_INT8": ("B", 255), "UNORM_INT16": ("H", 65535), "SNORM_INT8": ("b", 127), "SNORM_INT16": ("h", 32767),
         "SIGNED_INT8": ("b", None), "SIGNED_INT16": ("h", None), "SIGNED_INT32": ("i", None),
         "UNSIGNED_INT8": ("B", None), "UNSIGNED_INT16": ("H", None), "UNSIGNED_INT32": ("I", None),
         "HALF_FLOAT": ("e", None), "FLOAT": ("f", None)}
# packed type -> (struct code, bits of each channel from the most significant down)
PACKED = {"UNORM_SHORT_565": ("H", (5, 6, 5)), "UNORM_SHORT_555": ("H", (5, 5, 5)),
          "UNORM_INT_101010": ("I", (10, 10, 10)), "UNORM_INT_101010_2": ("I", (10, 10, 10, 2)),
          "UNORM_INT_2_101010_EXT": ("I", (2, 10, 10, 10))}
# type of 16 bits -> how many of them are below the number
UNUSED = {f"{kind}_INT{n}X{16 - n}_EXT": 16 - n for kind in ("UNORM", "UNSIGNED") for n in (10, 12, 14)}
TYPES |= {name: ("H", 65535 >> unused if name.startswith("UNORM") else None) for name, unused in UNUSED.items()}
NAMES = {getattr(E, name): name for name in (*TYPES, *PACKED, *CHANNELS)}
KINDS = ("IMAGE1D", "IMAGE1D_ARRAY", "IMAGE1D_BUFFER", "IMAGE2D", "IMAGE2D_ARRAY", "IMAGE3D")


class Format(ctypes.Structure):
    _fields_ = [("order", ctypes.c_uint32), ("type", ctypes.c_uint32)]

    def __str__(self):
        return f"{NAMES[self.order]}-{NAMES[self.type]}"


class Desc(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint32), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t),
                ("depth", ctypes.c_size_t), ("array_size", ctypes.c_size_t), ("row_pitch", ctypes.c_size_t),
                ("slice_pitch", ctypes.c_size_t), ("levels", ctypes.c_uint32), ("samples", ctypes.c_uint32),
                ("mem_object", ctypes.c_void_p)]


def form(order, type_):
    return Format(getattr(E, order), getattr(E, type_))


RGBA8 = form("RGBA", "UNORM_INT8")


def desc(kind, *extent, **rest):
    """`extent` in the order of the coordinates: the layers of an array are the last one."""
    names = {"IMAGE1D_ARRAY": ("width", "array_size"), "IMAGE2D_ARRAY": ("width", "height", "array_size")}
    fields = dict(zip(names.get(kind, ("width", "height", "depth")), extent, strict=False))
    return Desc(type=getattr(E, "MEM_OBJECT_" + kind), **fields, **rest)


def dimensions(kind):
    return {"IMAGE1D": 1, "IMAGE1D_BUFFER": 1, "IMAGE1D_ARRAY": 2, "IMAGE2D": 2}.get(kind, 3)


def has_slice_pitch(kind):
    return kind in ("IMAGE1D_ARRAY", "IMAGE2D_ARRAY", "IMAGE3D")


def pixel_bytes(image_format):
    type_ = NAMES[image_format.type]
    if type_ in PACKED:
        return struct.calcsize(PACKED[type_][0])
    return struct.calcsize(TYPES[type_][0]) * len(CHANNELS[NAMES[image_format.order]])


def formats(api, context, kind="IMAGE2D", flags=0):
    """Those of the core: formats of vendors' extensions have tests of their own."""
    count = ctypes.c_uint32()
    image_type = getattr(E, "MEM_OBJECT_" + kind)
    api.ok("clGetSupportedImageFormats", context, flags, image_type, 0, None, ctypes.byref(count))
    found = (Format * count.value)()
    api.ok("clGetSupportedImageFormats", context, flags, image_type, count, found, None)
    return [each for each in found if each.order in NAMES and each.type in NAMES]


def is_integer(image_format):
    return NAMES[image_format.type].startswith(("SIGNED", "UNSIGNED"))


def rounded(x):
    """To the nearest integer, ties to even, without the rounding of floating point."""
    return round(Fraction(x))


def saturated(x, code):
    bits = 8 * struct.calcsize(code)
    least, most = (-1 << bits - 1, (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)
    return min(max(x, least), most)


def srgb(x):
    x = min(max(x, 0.0), 1.0)
    return 12.92 * x if x < 0.0031308 else 1.055 * x ** (5 / 12) - 0.055


def single(x):
    """As a float of 32 bits."""
    return struct.unpack("=f", struct.pack("=f", x))[0]


def normalized(x, top, code):
    """convert_<type>_sat_rte(x * top)."""
    return 0 if math.isnan(x) else saturated(rounded(single(min(max(x, -2.0), 2.0) * top)), code)


def pixel(image_format, color):
    """The bytes of a colour (red, green, blue, alpha)."""
    order, type_ = NAMES[image_format.order], NAMES[image_format.type]
    if type_ in PACKED:
        code, widths = PACKED[type_]
        number = 0
        for bits, channel in zip(widths, CHANNELS[order], strict=False):
            x = color["RGBA".index(channel)]
            top = (1 << bits) - 1
            number = number << bits | min(normalized(x, top, "H"), top)
        return struct.pack("=" + code, number)
    code, top = TYPES[type_]
    values = []
    for channel in CHANNELS[order]:
        x = color["RGBA".index(channel)]
        if order.startswith("s") and channel != "A":
            x = srgb(x)
        if top:
            x = normalized(x, top, code)
        if type_ in UNUSED:
            x = min(x, 65535 >> UNUSED[type_]) << UNUSED[type_]
        values.append(saturated(x, code) if code not in "ef" else x)
    return struct.pack(f"={len(values)}{code}", *values)


def boxed(data, pitches, size, origin, region):
    """The bytes of a region: rows of pixels of `size` bytes at the pitches (row, slice) of `data`."""
    rows = []
    for z in range(region[2]):
        for y in range(region[1]):
            at = (origin[2] + z) * pitches[1] + (origin[1] + y) * pitches[0] + origin[0] * size
            rows.append(data[at:at + region[0] * size])
    return b"".join(rows)


def put(data, pitches, size, origin, region, tight):
    """`data` with the tightly packed bytes of a region in their places."""
    data = bytearray(data)
    row = region[0] * size
    for z in range(region[2]):
        for y in range(region[1]):
            at = (origin[2] + z) * pitches[1] + (origin[1] + y) * pitches[0] + origin[0] * size
            n = (z * region[1] + y) * row
            data[at:at + row] = tight[n:n + row]
    return bytes(data)


def some_bytes(n, seed=1):
    return random.Random(seed).randbytes(n)
