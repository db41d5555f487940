# SPDX-License-Identifier: Apache-2.0
"""Images for kernels that are started without the API, and what reading and writing them must give, by numpy."""
from dataclasses import dataclass

import numpy as np

from clpy.abi_layout import IMAGE, IMAGE_BYTES

ORDERS = {"R": 0x10B0, "A": 0x10B1, "RG": 0x10B2, "RA": 0x10B3, "RGB": 0x10B4, "RGBA": 0x10B5, "BGRA": 0x10B6,
          "ARGB": 0x10B7, "INTENSITY": 0x10B8, "LUMINANCE": 0x10B9, "Rx": 0x10BA, "RGx": 0x10BB, "RGBx": 0x10BC,
          "DEPTH": 0x10BD, "sRGB": 0x10BF, "sRGBx": 0x10C0, "sRGBA": 0x10C1, "sBGRA": 0x10C2, "ABGR": 0x10C3}
TYPES = {"SNORM_INT8": 0x10D0, "SNORM_INT16": 0x10D1, "UNORM_INT8": 0x10D2, "UNORM_INT16": 0x10D3,
         "UNORM_SHORT_565": 0x10D4, "UNORM_SHORT_555": 0x10D5, "UNORM_INT_101010": 0x10D6, "SIGNED_INT8": 0x10D7,
         "SIGNED_INT16": 0x10D8, "SIGNED_INT32": 0x10D9, "UNSIGNED_INT8": 0x10DA, "UNSIGNED_INT16": 0x10DB,
         "UNSIGNED_INT32": 0x10DC, "HALF_FLOAT": 0x10DD, "FLOAT": 0x10DE, "UNORM_INT_101010_2": 0x10E0,
         "UNORM_INT10X6": 0x10E1, "UNORM_INT_2_101010": 0x10E5, "UNSIGNED_INT10X6": 0x10E6, "UNSIGNED_INT12X4": 0x10E7,
         "UNSIGNED_INT14X2": 0x10E8, "UNORM_INT12X4": 0x10E9, "UNORM_INT14X2": 0x10EA}
DTYPES = {"SNORM_INT8": np.int8, "SNORM_INT16": np.int16, "UNORM_INT8": np.uint8, "UNORM_INT16": np.uint16,
          "SIGNED_INT8": np.int8, "SIGNED_INT16": np.int16, "SIGNED_INT32": np.int32, "UNSIGNED_INT8": np.uint8,
          "UNSIGNED_INT16": np.uint16, "UNSIGNED_INT32": np.uint32, "HALF_FLOAT": np.float16, "FLOAT": np.float32}
# (bits from, width) of red, green, blue and alpha
PACKED = {"UNORM_SHORT_565": (np.uint16, [(11, 5), (5, 6), (0, 5)]),
          "UNORM_SHORT_555": (np.uint16, [(10, 5), (5, 5), (0, 5)]),
          "UNORM_INT_101010": (np.uint32, [(20, 10), (10, 10), (0, 10)]),
          "UNORM_INT_101010_2": (np.uint32, [(22, 10), (12, 10), (2, 10), (0, 2)]),
          "UNORM_INT_2_101010": (np.uint32, [(0, 10), (10, 10), (20, 10), (30, 2)])}
# Bits of a channel of 16 that are below its number.
UNUSED = {f"{kind}_INT{n}X{16 - n}": 16 - n for kind in ("UNORM", "UNSIGNED") for n in (10, 12, 14)}
# What each channel in memory is.
CHANNELS = {"A": "a", "RG": "rg", "RGx": "rg", "RA": "ra", "RGB": "rgb", "RGBx": "rgb", "sRGB": "rgb",
            "sRGBx": "rgb", "RGBA": "rgba", "sRGBA": "rgba", "BGRA": "bgra", "sBGRA": "bgra", "ARGB": "argb",
            "ABGR": "abgr"}
OPAQUE_BORDER = ("R", "RG", "RGB", "LUMINANCE", "Rx", "RGx", "RGBx", "sRGB", "sRGBx")
NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT = range(0, 10, 2)
NORMALIZED, NEAREST, LINEAR = 1, 0x10, 0x20


def formats(kind):
    """(order, type) pairs of the formats that read_imagef ("f"), read_imagei ("i") or read_imageui ("ui") can read."""
    plain = [t for t in DTYPES if t.startswith({"i": "SIGNED", "ui": "UNSIGNED", "f": ("SNORM", "UNORM", "HALF",
                                                                                     "FLOAT")}[kind])]
    out = [(order, t) for t in plain for order in ("R", "Rx", "A", "RG", "RA", "RGBA")]
    out += [(order, t) for t in plain if t.endswith("INT8") for order in ("BGRA", "ARGB", "ABGR")]
    if kind == "f":
        out += [(o, t) for t in plain for o in ("INTENSITY", "LUMINANCE")]
        out += [(o, "UNORM_INT8") for o in ("sRGB", "sRGBx", "sRGBA", "sBGRA")]
        out += [(o, t) for t in list(PACKED)[:3] for o in ("RGB", "RGBx")]
        out += [("RGBx", "UNORM_INT8"), ("RGBA", "UNORM_INT_101010_2"), ("ABGR", "UNORM_INT_2_101010")]
    start = {"i": "-", "ui": "UNSIGNED", "f": "UNORM"}[kind]
    return out + [(order, t) for t in UNUSED if t.startswith(start) for order in ("R", "RG", "RGBA")]


def to_linear(c):
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def to_srgb(c):
    c = np.clip(c, 0, 1)
    return np.where(c < 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)


@dataclass
class Image:
    """`size`: (width, height, depth) or fewer; `layers`: of an array, else 0. The pixels are in `memory`, with a gap
    behind each row and each slice."""
    order: str
    type: str
    size: tuple
    layers: int = 0
    levels: int = 1

    def __post_init__(self):
        self.packed = self.type in PACKED
        self.channels = CHANNELS.get(self.order, "r")
        self.unused = UNUSED.get(self.type, 0)
        self.dtype = np.dtype(PACKED[self.type][0] if self.packed else np.uint16 if self.unused else DTYPES[self.type])
        self.count = 1 if self.packed else 4 if self.order in ("RGBx", "sRGBx") else len(self.channels)
        self.pixel = self.count * self.dtype.itemsize
        self.width, self.height, self.depth = (*self.size, 1, 1)[:3]
        self.slices = self.layers or self.depth
        self.row = (self.width + (3 if self.levels == 1 else 0)) * self.pixel
        self.slice = self.row * (self.height + (2 if self.levels == 1 else 0))
        self.memory = np.full(self.slice * self.slices * self.levels, 0xA5, np.uint8)
        self.raw = np.ndarray((self.slices, self.height, self.width, self.count), self.dtype, self.memory,
                              strides=(self.slice, self.row, self.pixel, self.dtype.itemsize))
        values = {"data": self.memory.ctypes.data, "row_pitch": self.row, "slice_pitch": self.slice,
                  "width": self.width, "height": self.height, "depth": self.depth, "array_size": self.layers or 1,
                  "channel_order": ORDERS[self.order], "channel_type": TYPES[self.type], "pixel_bytes": self.pixel,
                  "num_mip_levels": self.levels, "num_samples": 1}
        self.view = np.zeros(IMAGE_BYTES, np.uint8)
        for name, value in values.items():
            bytes_ = 8 if name in ("data", "row_pitch", "slice_pitch") else 4
            self.view[IMAGE[name]:IMAGE[name] + bytes_] = np.frombuffer(int(value).to_bytes(bytes_, "little"), np.uint8)

    def fill(self, random):
        """Any pixels; no infinite ones."""
        if self.dtype.kind == "f":
            self.raw[...] = random.normal(size=self.raw.shape).astype(self.dtype)
        else:
            info = np.iinfo(self.dtype)
            self.raw[...] = random.integers(info.min, info.max, self.raw.shape, self.dtype, endpoint=True)
        return self

    def with_levels(self, others):
        """Put the pixels of smaller images behind this one's, as its mip levels."""
        end = self.slice * self.slices
        for other in others:
            pixels = np.ascontiguousarray(other.raw).view(np.uint8).reshape(-1)
            self.memory[end:end + len(pixels)] = pixels
            end += len(pixels)
        return self

    def take_levels(self, others):
        """The opposite."""
        end = self.slice * self.slices
        for other in others:
            size = other.raw.size * other.dtype.itemsize
            other.raw[...] = self.memory[end:end + size].view(other.dtype).reshape(other.raw.shape)
            end += size

    # --- what is in it

    def values(self):
        """The channels of all pixels as numbers, [slice, y, x, channel]."""
        if self.packed:
            return np.stack([(self.raw[..., 0] >> at & (1 << n) - 1) / ((1 << n) - 1)
                             for at, n in PACKED[self.type][1]], -1)
        raw = self.raw.astype(np.float64) if "NORM" in self.type or self.dtype.kind == "f" else \
            self.raw.astype(np.int64)
        raw = raw // (1 << self.unused) if self.unused else raw
        return np.maximum(raw / (np.iinfo(self.dtype).max >> self.unused), -1) if "NORM" in self.type else raw

    def colors(self):
        """What reading each pixel gives, [slice, y, x, (r, g, b, a)]."""
        values = self.values()
        out = np.zeros((*values.shape[:3], 4), values.dtype)
        out[..., 3] = 1
        if self.order == "INTENSITY":
            out[...] = values
        elif self.order == "LUMINANCE":
            out[..., :3] = values
        else:
            if self.channels in ("a", "ra"):
                out[..., 3] = 0
            names = "rgba"[:values.shape[-1]] if self.packed else self.channels
            for n, name in enumerate(names):
                out[..., "rgba".index(name)] = values[..., n]
        if self.order.startswith("s"):
            out[..., :3] = to_linear(out[..., :3])
        return out

    def border(self):
        return np.array([0, 0, 0, self.order in OPAQUE_BORDER])

    def tolerance(self):
        """Of a channel that was written as a number from 0 to 1, in units of memory."""
        return 0.6

    def expected_memory(self, color):
        """Memory's numbers, before rounding, after writing colors [..., 4]; channels last."""
        color = np.array(color, np.float64 if "NORM" in self.type or self.dtype.kind == "f" else np.int64)
        if self.order.startswith("s"):
            color[..., :3] = to_srgb(color[..., :3])
        if self.packed:
            return np.stack([np.clip(color[..., i], 0, 1) * ((1 << n) - 1)
                             for i, (_, n) in enumerate(PACKED[self.type][1])], -1)
        memory = np.stack([color[..., "rgba".index(c)] for c in self.channels], -1)
        if self.dtype.kind == "f":
            return memory
        info = np.iinfo(self.dtype)
        most = info.max >> self.unused
        if "NORM" in self.type:
            memory = memory * most
        return np.clip(memory, info.min, most)

    def fields(self):
        """Memory's numbers as they are, like expected_memory."""
        if self.packed:
            return np.stack([(self.raw[..., 0] >> at & (1 << n) - 1) for at, n in PACKED[self.type][1]], -1)
        return self.raw[..., :len(self.channels)] >> self.unused if self.unused else self.raw[..., :len(self.channels)]

    # --- sampling

    def pick(self, index):
        """Colors at integer places [..., 3] (z is the slice); outside of the image the border."""
        limits = np.array([self.width, self.height, self.slices])
        inside = ((index >= 0) & (index < limits)).all(-1)
        at = np.clip(index, 0, limits - 1)
        found = self.colors()[at[..., 2], at[..., 1], at[..., 0]]
        return np.where(inside[..., None], found, self.border())

    def sample(self, sampler, coords):
        """Colors at float coordinates [..., dims (+ layer)]."""
        dims = len(self.size)
        layer = np.clip(np.rint(coords[..., dims]), 0, self.layers - 1).astype(int) if self.layers else \
            np.zeros(coords.shape[:-1], int)
        axes = [wrap(coords[..., d].astype(np.float32), self.size[d], sampler) for d in range(dims)]
        total = 0
        for corner in np.ndindex(*[len(a) for a in axes]):
            index = np.zeros((*coords.shape[:-1], 3), int)
            index[..., 2] = layer
            weight = 1.0
            for d, n in enumerate(corner):
                index[..., d] = axes[d][n][0]
                weight = weight * axes[d][n][1]
            total = total + np.asarray(weight)[..., None] * self.pick(index)
        return total


def wrap(c, size, sampler):
    """[(index, weight)] of the pixels around coordinates, along one dimension."""
    mode, n = sampler & 0xE, np.float32(size)
    if mode == REPEAT:
        u = (c - np.floor(c)) * n
    elif mode == MIRRORED_REPEAT:
        u = np.abs(c - 2 * np.rint(np.float32(0.5) * c)) * n
    else:
        u = c * n if sampler & NORMALIZED else c
    if sampler & LINEAR:
        u = u - np.float32(0.5)
    low = np.floor(u)
    found = [(low.astype(int), 1.0)]
    if sampler & LINEAR:
        part = (u - low).astype(np.float64)
        found = [(low.astype(int), 1 - part), (low.astype(int) + 1, part)]
    if mode == REPEAT:
        return [(i % size, w) for i, w in found]
    if mode == MIRRORED_REPEAT or mode in (CLAMP_TO_EDGE, NONE):
        return [(np.clip(i, 0, size - 1), w) for i, w in found]
    return [(np.clip(i, -1, size), w) for i, w in found]
