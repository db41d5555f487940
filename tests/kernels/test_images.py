# SPDX-License-Identifier: Apache-2.0
"""Images and samplers in kernels, at each vector width and instruction set, against plain arithmetic."""
from functools import cache

import numpy as np
import pytest

from clpy import config
from clpy.compiler import cpu, program
from clpy.compiler.gen import installed

from . import differential, image_cases, images, models
from .images import CLAMP, CLAMP_TO_EDGE, LINEAR, MIRRORED_REPEAT, NEAREST, NONE, NORMALIZED, REPEAT, Image

MODELS = ("gpu:tahiti", "gpu:vega10")
# for two-dimensional images
WAYS = differential.distinct(("auto", "scalar", "O0", "avx2-8", "sse4.2-4", *MODELS))
OTHERS = ("auto", "scalar", MODELS[0])                                 # for the other kinds
READERS = ("gpu:skylake-gt2", "gpu:broadwell-gt2")                     # which read levels and write none
POINTS = 100        # not a multiple of a vector
SIZES = {1: (19,), 2: (19, 7), 3: (9, 7, 5)}
EPSILON = 2.0**-23


def device(isa="native"):
    return cpu.CpuTarget(isa=isa)


@cache
def built(way, *kinds):
    how = differential.WAYS[way]
    if how.chip:
        return models.build(how.chip, image_cases.source(kinds, more=kinds == ("2d",)), "-cl-std=CL3.0")
    machine, options = device(how.isa), program.parse_options("-cl-std=CL3.0 " + how.options)
    source = image_cases.source(kinds, more=kinds == ("2d",))
    with config.override(CPU_VECTORIZER_MODE=str(how.width), CACHE=False, SPECIALIZE_MS=0):
        executable = program.link([program.compile_source(source.encode(), {}, options, machine)], options, machine)
    return executable, program.load(executable, machine)


@cache
def built_mip(way):
    chip = differential.way_of(way).chip
    if chip:
        return models.build(chip, "".join(image_cases.mip_source(writes=way not in READERS)), "-cl-std=CL3.0")
    machine = cpu.CpuTarget(extensions=(*device().extensions, "cl_khr_mipmap_image"), c_features=device().c_features)
    options, source = program.parse_options("-cl-std=CL3.0"), "".join(image_cases.mip_source())
    with config.override(CPU_VECTORIZER_MODE=str(differential.WAYS[way].width), CACHE=False, SPECIALIZE_MS=0):
        executable = program.link([program.compile_source(source.encode(), {}, options, machine)], options, machine)
    return executable, program.load(executable, machine)


def run(way, kind, name, arguments, size, group=None):
    plain = [a.view if isinstance(a, Image) else a for a in arguments]
    kinds = ("2d",) if kind == "2d" else tuple(k for k in image_cases.KINDS if k != "2d")
    differential.launch(*built(way, *kinds), name, plain, size, group or size)


def cases():
    """(way, kind)."""
    return [(way, kind) for kind in image_cases.KINDS for way in (WAYS if kind == "2d" else OTHERS)]


def make(kind, order, type_):
    _, _, _, dims, layered = image_cases.KINDS[kind]
    return Image(order, type_, SIZES[dims], 4 if layered else 0)


def places(image, random, beyond):
    """Integer places [POINTS, 4], `beyond` pixels outside too; x counts up in a part of them."""
    limits = [*image.size, *([image.layers] if image.layers else [])]
    at = np.zeros((POINTS, 4), np.int32)
    for d, n in enumerate(limits):
        is_layer = d == len(image.size)
        at[:, d] = random.integers(0 if is_layer else -beyond, n + (0 if is_layer else beyond), POINTS)
    at[:48, 0] = np.arange(48) % image.width
    return at


def indices(image, at):
    """(x, y, slice)."""
    index = np.zeros((len(at), 3), int)
    index[:, :len(image.size)] = at[:, :len(image.size)]
    if image.layers:
        index[:, 2] = at[:, len(image.size)]
    return index


def read(way, kind, suffix, image, sampler, at, to, how):
    n = len(at)
    shape = (n,) if "depth" in image_cases.KINDS[kind][0] else (n, 4)
    out = np.full(shape, 77, {"f": np.float32, "i": np.int32, "ui": np.uint32}[suffix])
    run(way, kind, f"read_{suffix}_{kind}",
        [image, np.uint64(sampler), at, to, np.int32(how), out], (n,), (37,))
    return out


def check(kind, suffix, got, expected, ulps=1.5, absolute=0.0):
    expected = expected[:, 0] if "depth" in image_cases.KINDS[kind][0] else expected
    if suffix == "f":
        wrong = np.abs(got - expected) > ulps * EPSILON * np.abs(expected) + absolute
        assert not wrong.any(), (got[wrong], expected[wrong])
    else:
        np.testing.assert_array_equal(got, expected)


def formats_of(kind, suffix):
    if "depth" in image_cases.KINDS[kind][0]:
        return [("DEPTH", "FLOAT"), ("DEPTH", "UNORM_INT16")] if suffix == "f" else []
    return images.formats(suffix)


@pytest.mark.parametrize("suffix", ["f", "i", "ui"])
@pytest.mark.parametrize("way, kind", cases())
def test_read_integer_places(way, kind, suffix):
    """Every format, with and without a sampler; the border outside of the image."""
    random = np.random.default_rng(3)
    for order, type_ in formats_of(kind, suffix):
        image = make(kind, order, type_).fill(random)
        inside, around = places(image, random, 0), places(image, random, 3)
        nowhere = np.zeros((POINTS, 4), np.float32)
        expected = image.pick(indices(image, inside))
        tolerance = 2.5 * EPSILON if order.startswith("s") else 0
        check(kind, suffix, read(way, kind, suffix, image, 0, inside, nowhere, 0), expected, absolute=tolerance)
        if kind == "1db":
            continue
        for mode in (NONE, CLAMP_TO_EDGE):
            got = read(way, kind, suffix, image, mode | NEAREST, inside, nowhere, 1)
            check(kind, suffix, got, expected, absolute=tolerance)
        got = read(way, kind, suffix, image, CLAMP | NEAREST, around, nowhere, 1)
        check(kind, suffix, got, image.pick(indices(image, around)), absolute=tolerance)


def coordinates(image, sampler, random):
    """Float coordinates [POINTS, 4] in and around an image, not too near to where the nearest pixel changes."""
    limits = np.array(image.size)
    pixels = random.uniform(-1.5, 2.5, (POINTS, len(limits))) * limits
    if sampler & LINEAR:
        pixels = np.floor(pixels * 8) / 8 + 1 / 16
    else:
        pixels = np.floor(pixels) + random.uniform(0.1, 0.9, pixels.shape)
    to = np.zeros((POINTS, 4), np.float32)
    to[:, :len(limits)] = pixels / limits if sampler & NORMALIZED else pixels
    if image.layers:
        to[:, len(limits)] = random.uniform(-1, image.layers + 1, POINTS)
    return to


SAMPLERS = [mode | filter_ for mode in (CLAMP_TO_EDGE, CLAMP) for filter_ in (NEAREST, LINEAR)]
SAMPLERS += [NORMALIZED | mode | filter_ for mode in (CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT)
             for filter_ in (NEAREST, LINEAR)]
SAMPLED = (("RGBA", "UNORM_INT8"), ("BGRA", "UNORM_INT8"), ("RGBA", "FLOAT"), ("R", "FLOAT"), ("R", "UNORM_INT8"),
           ("RG", "SNORM_INT16"), ("RGBA", "HALF_FLOAT"), ("sRGBA", "UNORM_INT8"), ("LUMINANCE", "UNORM_INT16"),
           ("RGB", "UNORM_SHORT_565"))


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("way, kind", [c for c in cases() if c[1] != "1db"])
def test_read_float_places(way, kind, sampler):
    random = np.random.default_rng(sampler)
    for order, type_ in formats_of(kind, "f") if "depth" in image_cases.KINDS[kind][0] else SAMPLED:
        image = make(kind, order, type_).fill(random)
        to = coordinates(image, sampler, random)
        expected = image.sample(sampler, to)
        largest = np.abs(image.colors()).max()
        got = read(way, kind, "f", image, sampler, np.zeros((POINTS, 4), np.int32), to, 2)
        check(kind, "f", got, expected, absolute=largest * (2e-5 if sampler & LINEAR else 2.5 * EPSILON))


@pytest.mark.parametrize("way, kind", [c for c in cases() if c[1] not in ("1db", "2dd", "2dad")])
def test_read_integers_at_float_places(way, kind):
    random = np.random.default_rng(5)
    for suffix, type_ in (("i", "SIGNED_INT16"), ("ui", "UNSIGNED_INT8")):
        for sampler in (s for s in SAMPLERS if s & NEAREST):
            image = make(kind, "RGBA", type_).fill(random)
            to = coordinates(image, sampler, random)
            got = read(way, kind, suffix, image, sampler, np.zeros((POINTS, 4), np.int32), to, 2)
            check(kind, suffix, got, image.sample(sampler, to))


def colors(image, suffix, random):
    """Colors [POINTS, 4] to write, beyond what can be stored too."""
    if suffix == "f":
        color = random.uniform(-1.5, 1.5, (POINTS, 4)).astype(np.float32)
        color[0] = [0, 1, -1, 0.5]
        return color
    low, high = (-2**31, 2**31) if suffix == "i" else (0, 2**32)
    color = random.integers(low, high, (POINTS, 4))
    color[::2] = random.integers(-200 if low else 0, 300, color[::2].shape)
    return color.astype(np.int32 if suffix == "i" else np.uint32)


@pytest.mark.parametrize("suffix", ["f", "i", "ui"])
@pytest.mark.parametrize("way, kind", cases())
def test_write(way, kind, suffix):
    """Every format; what is outside is not written, nor what lies between rows."""
    random = np.random.default_rng(9)
    for order, type_ in formats_of(kind, suffix):
        image = make(kind, order, type_)
        every = np.stack(np.meshgrid(np.arange(-2, image.width + 2), np.arange(image.height), np.arange(image.slices),
                                     indexing="ij"), -1).reshape(-1, 3)
        at = np.zeros((POINTS, 4), np.int32)
        index = every[random.permutation(len(every))[:POINTS]]
        index = np.concatenate([index, np.full((POINTS - len(index), 3), -1)])
        at[:, :len(image.size)] = index[:, :len(image.size)]
        if image.layers:
            at[:, len(image.size)] = index[:, 2]
        color = colors(image, suffix, random)
        before = image.memory.copy()
        given = color[:, 0].copy() if order == "DEPTH" else color
        run(way, kind, f"write_{suffix}_{kind}", [image, at, given], (POINTS,), (37,))
        check_written(image, index, color, before)


def check_written(image, index, color, before):
    inside = (index >= 0).all(-1) & (index[:, 0] < image.width)
    x, y, z = index[inside].T
    expected, got = image.expected_memory(color[inside]), image.fields()[z, y, x]
    if image.type == "FLOAT" or not ("NORM" in image.type or image.dtype.kind == "f"):
        np.testing.assert_array_equal(got, expected)
    elif image.dtype.kind == "f":
        np.testing.assert_array_equal(got, expected.astype(np.float16))
    else:
        assert (np.abs(got - expected) <= image.tolerance()).all()
    after = image.memory.copy()
    Image.__post_init__(image)
    marks = np.zeros_like(image.raw, bool)
    marks[z, y, x] = True
    written = np.zeros(len(after), bool)
    for offset in np.argwhere(marks[..., 0]) @ np.array([image.slice, image.row, image.pixel]):
        written[offset:offset + image.pixel] = True
    np.testing.assert_array_equal(after[~written], before[~written])


@pytest.mark.parametrize("way", WAYS)
def test_what_is_not_a_number(way):
    """Is written as 0, and reading at such a place gives some color."""
    image = make("2d", "RGBA", "UNORM_INT8")
    color = np.full((1, 4), np.nan, np.float32)
    run(way, "2d", "write_f_2d", [image, np.zeros((1, 4), np.int32), color], (1,))
    assert (image.raw[0, 0, 0] == 0).all()
    to = np.array([[np.nan, 0, 0, 0], [np.inf, np.inf, 0, 0], [-np.inf, 0, 0, 0], [1e30, -1e30, 0, 0]], np.float32)
    for sampler in SAMPLERS:
        read(way, "2d", "f", image, sampler, np.zeros((4, 4), np.int32), to, 2)


@pytest.mark.parametrize("order, type_", [("RGBA", "FLOAT"), ("RGBA", "UNORM_INT8"), ("R", "FLOAT"),
                                          ("RGBA", "HALF_FLOAT")])
@pytest.mark.parametrize("way", WAYS)
def test_read_write(way, order, type_):
    random = np.random.default_rng(4)
    image = Image(order, type_, (33, 6)).fill(random)
    before = image.colors()[0]
    run(way, "2d", "update", [image, np.int32(1)], (33, 6), (33, 2))
    y, x = np.mgrid[:6, :33]
    expected = np.where(((x + y) % 3 != 1)[..., None], before * 0.5, before)
    got = image.colors()[0]
    changed = slice(None) if order == "RGBA" else slice(0, 1)
    step = 0.6 / 255 if type_ == "UNORM_INT8" else 1e-3 if type_ == "HALF_FLOAT" else 1e-7
    np.testing.assert_allclose(got[..., changed], expected[..., changed], atol=step)


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_samplers_through_functions(way, which):
    """From the source at both scopes and from the host, through a function of the program."""
    random = np.random.default_rng(6)
    image, out = Image("RGBA", "FLOAT", (40, 9)).fill(random), Image("RGBA", "FLOAT", (40, 9))
    run(way, "2d", "blur", [image, out, np.uint64(CLAMP_TO_EDGE | NEAREST), np.int32(which)], (40, 9), (20, 3))
    mode = "edge" if which else "constant"
    padded = np.pad(image.colors()[0], ((1, 1), (1, 1), (0, 0)), mode)
    expected = sum(padded[y:y + 9, x:x + 40] for y in range(3) for x in range(3))
    np.testing.assert_allclose(out.colors()[0], expected, atol=1e-5)


@pytest.mark.parametrize("n", range(4))
@pytest.mark.parametrize("way", WAYS)
def test_chosen_at_run_time(way, n):
    random = np.random.default_rng(n)
    a, b = (Image("RGBA", "FLOAT", (5, 3)).fill(random) for _ in range(2))
    out = np.zeros((8, 4), np.float32)
    run(way, "2d", "choose", [a, b, np.uint64(CLAMP | NEAREST), np.uint64(CLAMP_TO_EDGE | NEAREST), np.int32(n), out],
        (8,))
    chosen = (a if n & 1 else b).colors()[0, 1]
    beyond = np.zeros(4) if n & 2 else chosen[-1]
    np.testing.assert_array_equal(out, np.concatenate([chosen, np.tile(beyond, (3, 1))]).astype(np.float32))


@pytest.mark.parametrize("type_", ["FLOAT", "UNORM_INT16"])
@pytest.mark.parametrize("way", WAYS)
def test_in_a_loop_left_one_by_one(way, type_):
    """Of a format with vector code and of another: what kind it is has no mask, what is read has one."""
    random = np.random.default_rng(3)
    image = Image("RGBA", type_, (40, 4)).fill(random)
    ends, out = random.integers(0, 160, 100).astype(np.int32), np.full((107, 4), -1, np.float32)
    run(way, "2d", "add", [image, np.int32(100), ends, out], (107,))
    pixels = image.colors()[0].reshape(-1, 4)
    expected = np.array([pixels[i:end].sum(0) if end > i else np.zeros(4) for i, end in enumerate(ends)])
    np.testing.assert_allclose(out[:100], expected, rtol=1e-4, atol=1e-5)
    assert (out[100:] == -1).all()


@pytest.mark.parametrize("way", WAYS)
def test_queries(way):
    shapes = [("R", "FLOAT", (19,), 0), ("RGBA", "SIGNED_INT8", (18,), 4), ("RGBA", "FLOAT", (17, 6), 0),
              ("RGBA", "FLOAT", (16, 5), 3), ("RGBA", "FLOAT", (15, 4, 2), 0), ("R", "FLOAT", (14,), 0),
              ("DEPTH", "FLOAT", (13, 3), 0), ("DEPTH", "UNORM_INT16", (12, 2), 7)]
    out = np.zeros(18, np.int32)
    run(way, "2d", "ask", [*[Image(*s) for s in shapes], out], (1,))
    assert out.tolist() == [19, images.ORDERS["R"], images.TYPES["FLOAT"], 18, 4, images.TYPES["SIGNED_INT8"], 17, 6,
                            5, 3, 2, 4, 2, 0, 14, 3, images.ORDERS["DEPTH"], 7]


def mipmapped(kind, order, type_, random):
    """An image of four levels, and each of them as an image."""
    _, _, _, dims, layered = image_cases.KINDS[kind]
    layers = 3 if layered else 0
    sizes = [tuple(max(1, n >> level) for n in (13, 9, 6)[:dims]) for level in range(4)]
    levels = [Image(order, type_, size, layers).fill(random) for size in sizes]
    image = Image(order, type_, sizes[0], layers, 4)
    image.raw[...] = levels[0].raw
    return image.with_levels(levels[1:]), levels


def mip_bits(linear, low, high):
    """What clCreateSamplerWithProperties adds to a sampler's bits."""
    return (0x40 if linear else 0) | int(low * 128) << 8 | int(4095 - high * 128) << 20


MIPMAPPED = [("f", "RGBA", "FLOAT"), ("f", "R", "UNORM_INT8"), ("i", "RGBA", "SIGNED_INT16"),
             ("ui", "R", "UNSIGNED_INT8")]


@pytest.mark.parametrize("how", ["level", "between", "limits", "steps"])
@pytest.mark.parametrize("kind", image_cases.GRADIENTS)
@pytest.mark.parametrize("way", (*OTHERS, *(pytest.param(way, marks=pytest.mark.skipif(
    bool(installed.missing()), reason="Intel's compiler is not installed")) for way in READERS)))
def test_mip_levels(way, kind, how):
    random = np.random.default_rng(11)
    depth = "depth" in image_cases.KINDS[kind][0]
    for suffix, order, type_ in [("f", "DEPTH", "FLOAT")] if depth else MIPMAPPED:
        image, levels = mipmapped(kind, order, type_, random)
        filter_ = LINEAR if suffix == "f" else NEAREST
        sampler = NORMALIZED | REPEAT | filter_
        to = coordinates(levels[0], sampler, random)
        lods = random.uniform(-1, 5, POINTS).astype(np.float32)
        low, high = (0.75, 1.75) if how == "limits" else (0, 4095 / 128)
        between = how == "between" and suffix == "f"
        steps = random.uniform(-0.4, 0.4, (2 * POINTS, 4)).astype(np.float32)
        if how == "steps":
            dims = len(image.size)
            pixels = (steps[:, :dims] * image.size).reshape(POINTS, 2, dims)
            lods = np.log2(np.sqrt((pixels**2).sum(-1)).max(-1))
        lod = np.clip(np.clip(lods, low, high), 0, 3)
        if not between:
            lod = np.rint(lod)
        sampled = np.stack([level.sample(sampler, to) for level in levels])
        first, rows = np.floor(lod).astype(int), np.arange(POINTS)
        part = (lod - first)[:, None]
        expected = (1 - part) * sampled[first, rows] + part * sampled[np.minimum(first + 1, 3), rows]
        out = np.zeros((POINTS,) if depth else (POINTS, 4), {"f": np.float32, "i": np.int32, "ui": np.uint32}[suffix])
        differential.launch(*built_mip(way), f"mip_{suffix}_{kind}",
                            [image.view, np.uint64(sampler | mip_bits(between, low, high)), to, lods.astype(np.float32),
                             steps, np.int32(how == "steps"), out], (POINTS,), (37,))
        check(kind, suffix, out, expected, absolute=2e-4)


def places_in_levels(levels, random):
    """Different places [(level, x, y, slice)] in and around images; there are levels too many too."""
    found = []
    for n, level in enumerate([levels[0], *levels, levels[0]], -1):
        high, deep = int(len(level.size) > 1), int(level.slices > 1)
        every = np.stack(np.meshgrid([n], np.arange(-1, level.width + 1), np.arange(-high, level.height + high),
                                     np.arange(-deep, level.slices + deep), indexing="ij"), -1).reshape(-1, 4)
        found.append(every[random.permutation(len(every))[:45]])
    return np.concatenate(found)


@pytest.mark.parametrize("suffix", ["f", "i", "ui"])
@pytest.mark.parametrize("kind", image_cases.GRADIENTS)
@pytest.mark.parametrize("way", OTHERS)
def test_write_mip_levels(way, kind, suffix):
    """Every format; what is outside of its level is not written."""
    random = np.random.default_rng(13)
    for order, type_ in formats_of(kind, suffix):
        image, levels = mipmapped(kind, order, type_, random)
        to = places_in_levels(levels, random)
        color = np.concatenate([colors(image, suffix, random) for _ in range(3)])[:len(to)]
        at = np.zeros((len(to), 4), np.int32)
        at[:, :len(image.size)] = to[:, 1:1 + len(image.size)]
        if image.layers:
            at[:, len(image.size)] = to[:, 3]
        given = color[:, 0].copy() if order == "DEPTH" else color
        differential.launch(*built_mip(way), f"put_{suffix}_{kind}",
                            [image.view, at, to[:, 0].astype(np.int32), given], (len(to),), (37,))
        before = [level.memory.copy() for level in levels]
        levels[0].raw[...] = image.raw
        image.take_levels(levels[1:])
        for n, level in enumerate(levels):
            limits = (level.width, level.height, level.slices)
            here = (to[:, 0] == n) & (to[:, 1:] >= 0).all(-1) & (to[:, 1:] < limits).all(-1)
            assert here.any()
            check_written(level, to[here, 1:], color[here], before[n])


SHORT = """
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
constant sampler_t normalized = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t a, read_only image3d_t b, read_only image2d_array_t c, write_only image2d_t d,
              read_only image1d_t e, read_only image2d_t levels, global const ushort2 *at, global float4 *out) {
    out[0] = read_imagef(a, nearest, (float2)(200.5f, 2.5f));
    out[1] = read_imagef(a, (int2)(299, 3));
    out[2] = read_imagef(b, nearest, (float4)(3.5f, 1.5f, 2.5f, 0));
    out[3] = read_imagef(b, (int4)(6, 0, 1, 0));
    out[4] = read_imagef(c, nearest, (float4)(1.5f, 4.5f, 2, 0));
    out[5] = read_imagef(e, nearest, 7.5f);
    out[6] = read_imagef(a, convert_int2(at[0]));
    out[7] = read_imagef(levels, normalized, (float2)(0.25f, 0.5f), 1.0f);
    write_imagef(d, convert_int2(at[1]), out[6]);
}"""


@pytest.mark.parametrize("chip", ["tahiti", "vega10"])
def test_coordinates_that_fit_16_bits(chip):
    """gfx9 has two of them in a register, where the compiler sees that: of constants, and of short integers."""
    random = np.random.default_rng(5)
    a, b, c, d, e = (Image("RGBA", "FLOAT", size, layers).fill(random) for size, layers in [
        ((300, 4), 0), ((9, 7, 5), 0), ((5, 6), 4), ((300, 4), 0), ((19,), 0)])
    at, out = np.array([[258, 1], [257, 2]], np.uint16), np.zeros((8, 4), np.float32)
    m, levels = mipmapped("2d", "RGBA", "FLOAT", random)
    made = models.build(chip, SHORT, "-cl-std=CL3.0")
    differential.launch(*made, "k", [*(image.view for image in (a, b, c, d, e, m)), at, out], (1,), (1,))
    np.testing.assert_array_equal(out, [a.raw[0, 2, 200], a.raw[0, 3, 299], b.raw[2, 1, 3], b.raw[1, 0, 6],
                                        c.raw[2, 4, 1], e.raw[0, 0, 7], a.raw[0, 1, 258], levels[1].raw[0, 2, 1]])
    np.testing.assert_array_equal(d.raw[0, 2, 257], out[6])


def test_errors_name_what_is_missing():
    source = b"float4 f(read_only image2d_t, sampler_t);\n" \
             b"kernel void k(read_only image2d_t i, sampler_t s, global float4 *o) { *o = f(i, s); }"
    with pytest.raises(program.CompileError, match="undefined reference to 'f'"):
        program.build(source, program.parse_options("-cl-std=CL3.0"), device())
