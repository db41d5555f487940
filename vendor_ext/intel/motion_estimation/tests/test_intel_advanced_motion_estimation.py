# SPDX-License-Identifier: Apache-2.0
"""cl_intel_advanced_motion_estimation: both kernels beside numpy, macroblock by macroblock, and launches that are
none."""
import struct
from ctypes import byref, c_int16, c_size_t, c_uint8, c_uint32

import numpy as np
import pytest
from advanced_model import checked, intra, searched
from clapi import E, numbers, sizes
from image_model import Format, desc
from motion_model import moving

pytestmark = pytest.mark.usefixtures("no_leak")
CHECK = "block_advanced_motion_estimate_check_intel"
PAIRS = "block_advanced_motion_estimate_bidirectional_check_intel"
CHECK_ARGS = ("accelerator", "src_image", "ref_image", "flags", "skip_block_type", "search_cost_penalty",
              "search_cost_precision", "count_motion_vector_buffer", "predictor_motion_vector_buffer",
              "skip_motion_vector_buffer", "search_motion_vector_buffer", "intra_search_predictor_modes",
              "search_residuals", "skip_residuals", "intra_residuals")
PAIRS_ARGS = ("accelerator", "src_search_image", "ref_search_image", "src_check_image", "ref0_check_image",
              "ref1_check_image", "flags", "search_cost_penalty", "search_cost_precision", "count_global",
              "bidir_weight", "count_motion_vector_buffer", "prediction_motion_vector_buffer",
              "skip_input_mode_buffer", "skip_motion_vector_buffer", "search_motion_vector_buffer",
              "intra_search_predictor_modes", "search_residuals", "skip_residuals", "intra_residuals")
WIDTH, HEIGHT = 40, 24
COUNT = 6                       # macroblocks of such an image
PLACES = [(x, y) for y in (0, 16) for x in (0, 16, 32)]
LUMA = E.ME_LUMA_INTRA_PREDICT_ENABLED_INTEL


class Launch:
    """A kernel whose arguments are set by name: handles, numbers of a type, arrays for input, sizes of output."""

    def __init__(self, api, queue, kernel, names, buffer, contents):
        self.api, self.queue, self.kernel, self.names = api, queue, kernel, names
        self.buffer, self.contents, self.outputs = buffer, contents, {}

    def set(self, **args):
        for name, value in args.items():
            if isinstance(value, np.ndarray):
                value = self.buffer(contents=value.tobytes())
            elif isinstance(value, np.dtype):
                value = self.outputs[name] = self.buffer(contents=bytes([0xa5]) * value.itemsize)
            data = value if isinstance(value, (c_uint8, c_uint32, bytes)) else c_size_t(value or 0)
            size = len(data) if isinstance(data, bytes) else struct.calcsize(data._type_)
            self.api.ok("clSetKernelArg", self.kernel, self.names.index(name), size,
                        data if isinstance(data, bytes) else byref(data))
        return self

    def error(self, dim=2, offset=None, size=(WIDTH, HEIGHT), local=None):
        return self.api.error("clEnqueueNDRangeKernel", self.queue, self.kernel, dim, offset, sizes(*size), local, 0,
                              None, None)

    def run(self, **how):
        assert self.error(**how) == "CL_SUCCESS"
        return self

    def read(self, name, dtype, *shape):
        data = self.contents(self.outputs[name], int(np.prod(shape)) * np.dtype(dtype).itemsize)
        return np.frombuffer(data, dtype).reshape(shape)


@pytest.fixture
def images():
    source, reference = moving(WIDTH, HEIGHT)
    return source, reference, moving(WIDTH, HEIGHT, 7)[1]


@pytest.fixture
def check(api, queue, built_in, buffer, contents, accelerator, gray, images):
    """new(accelerator's fields) -> a Launch of the first kernel that does nothing yet"""
    def new(*fields):
        launch = Launch(api, queue, built_in(CHECK), CHECK_ARGS, buffer, contents)
        launch.set(**dict.fromkeys(CHECK_ARGS[8:]), accelerator=accelerator(*fields), src_image=gray(images[0]),
                   ref_image=gray(images[1]), flags=c_uint32(0), skip_block_type=c_uint32(0),
                   search_cost_penalty=c_uint32(0), search_cost_precision=c_uint8(0),
                   count_motion_vector_buffer=np.zeros((COUNT, 2), np.int16))
        return launch
    return new


@pytest.fixture
def pairs(api, queue, built_in, buffer, contents, accelerator, gray, images):
    """The same of the second kernel."""
    def new(*fields):
        source, forward, backward = map(gray, images)
        launch = Launch(api, queue, built_in(PAIRS), PAIRS_ARGS, buffer, contents)
        launch.set(**dict.fromkeys(PAIRS_ARGS[11:]), accelerator=accelerator(*fields), src_search_image=source,
                   ref_search_image=forward, src_check_image=source, ref0_check_image=forward,
                   ref1_check_image=backward, flags=c_uint32(0), search_cost_penalty=c_uint32(0),
                   search_cost_precision=c_uint32(0), count_global=bytes(4), bidir_weight=c_uint8(32))
        return launch
    return new


def vectors(*shape, most=40, seed=2):
    return np.random.default_rng(seed).integers(-most, most, (*shape, 2)).astype(np.int16)


def output(size):
    return np.dtype((np.void, size))


def test_is_listed(api, device):
    assert "cl_intel_advanced_motion_estimation" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    assert api.info("clGetDeviceInfo", device, E.DEVICE_ME_VERSION_INTEL) == bytes(c_uint32(2))
    assert {CHECK, PAIRS} <= set(api.text("clGetDeviceInfo", device, E.DEVICE_BUILT_IN_KERNELS).split(";"))


@pytest.mark.parametrize(("name", "args"), [(CHECK, CHECK_ARGS), (PAIRS, PAIRS_ARGS)])
def test_the_arguments_have_the_names_of_the_text(api, built_in, name, args):
    kernel = built_in(name)
    assert api.number("clGetKernelInfo", kernel, E.KERNEL_NUM_ARGS) == len(args)
    assert [api.text("clGetKernelArgInfo", kernel, i, E.KERNEL_ARG_NAME) for i in range(len(args))] == list(args)


@pytest.mark.parametrize(("fields", "cost"), [
    ((0, 0, 0, 0), (0, 0)), ((1, 2, 0, 0), (1, 0)), ((2, 0, 0, 0), (2, 1)), ((0, 2, 1, 0), (2, 2)),
    ((1, 0, 0, 1), (3, 3))])
def test_searches_from_several_predictions(check, images, fields, cost):
    """With none, some and as many as there may be; more than that are as many. They cost by their distance from the
    first."""
    counts, predictions = np.array([0, 1, 2, 8, 30, 3]), vectors(COUNT, 8)
    blocks = 1 << 2 * fields[0]
    launch = check(*fields).set(
        search_cost_penalty=c_uint32(cost[0]), search_cost_precision=c_uint8(cost[1]),
        count_motion_vector_buffer=np.stack([counts, counts * 0], 1).astype(np.int16),
        predictor_motion_vector_buffer=predictions, search_motion_vector_buffer=output(COUNT * blocks * 4),
        search_residuals=output(COUNT * blocks * 2)).run()
    expected = [searched(*images[:2], x, y, fields, predictions[i][:counts[i]].tolist(), *cost)
                for i, (x, y) in enumerate(PLACES)]
    found = launch.read("search_motion_vector_buffer", np.int16, COUNT, blocks, 2)
    np.testing.assert_array_equal(found, [[vector for vector, _ in each] for each in expected])
    np.testing.assert_array_equal(launch.read("search_residuals", np.uint16, COUNT, blocks),
                                  [[least for _, least in each] for each in expected])


@pytest.mark.parametrize("adjust", [0, 1])
@pytest.mark.parametrize("skip_type", [0, 1])
def test_skip_checks(check, images, skip_type, adjust):
    """Residuals of sets that a macroblock does not have are left as they are."""
    counts, blocks, side = [0, 1, 8, 3, 9, 2], 4 if skip_type else 1, 8 if skip_type else 16
    skips = vectors(COUNT, 8, blocks)
    skips[4, 5] = (32767, -32768)
    launch = check(0, 0, adjust, 0).set(
        skip_block_type=c_uint32(skip_type), count_motion_vector_buffer=np.array([(0, n) for n in counts], np.int16),
        skip_motion_vector_buffer=skips, skip_residuals=output(COUNT * 8 * blocks * 2)).run()
    found = launch.read("skip_residuals", np.uint16, COUNT, 8, blocks)
    for i, (x, y) in enumerate(PLACES):
        n = min(counts[i], 8)
        for each in range(n):
            twice = [(v, v) for v in skips[i, each]]
            expected = checked(images[0], images[1:], x, y, side, twice, [1] * blocks, 0, adjust)
            np.testing.assert_array_equal(found[i, each], expected)
        assert (found[i, n:] == 0xa5a5).all()


@pytest.mark.parametrize("adjust", [0, 1])
def test_prediction_inside_the_image(check, images, adjust):
    launch = check(0, 0, adjust, 0).set(flags=c_uint32(LUMA), intra_residuals=output(COUNT * 8),
                                        intra_search_predictor_modes=output(COUNT * 22)).run()
    modes = launch.read("intra_search_predictor_modes", np.int8, COUNT, 22)
    residuals = launch.read("intra_residuals", np.uint16, COUNT, 4)
    for i, (x, y) in enumerate(PLACES):
        expected = intra(images[0], x, y, adjust)
        assert (modes[i, :21].tolist(), residuals[i, :3].tolist()) == expected
    assert (modes[:, 21] == -91).all() and (residuals[:, 3] == 0xa5a5).all()      # of chroma: left as they are


def test_every_mode_is_found(check, gray):
    """In images that each of them predicts well, or some would never be compared."""
    slopes = [(0, 1), (1, 0), (1, 1), (1, -1), (1, -2), (2, -1), (1, 2), (2, 1)]
    found = set()
    for a, b in slopes:
        y, x = np.mgrid[:HEIGHT, :WIDTH]
        noise = np.random.default_rng(5).integers(0, 256, 400)
        image = noise[(a * x + b * y) % 400].astype(np.uint8)
        launch = check(0, 0, 0, 0).set(flags=c_uint32(LUMA), src_image=gray(image), ref_image=gray(image),
                                       intra_search_predictor_modes=output(COUNT * 22)).run()
        modes = launch.read("intra_search_predictor_modes", np.int8, COUNT, 22)
        found |= set(modes[4, 5:21].tolist())
        assert modes[4, :21].tolist() == intra(image, 16, 16, 0)[0]
    assert found == set(range(9))


@pytest.mark.parametrize("weight", ["QUARTER", "THIRD", "HALF", "TWO_THIRD", "THREE_QUARTER"])
@pytest.mark.parametrize("is_8x8", [False, True])
def test_checks_of_pairs(pairs, images, is_8x8, weight):
    weight, blocks, side = getattr(E, f"ME_BIDIR_WEIGHT_{weight}_INTEL"), 4 if is_8x8 else 1, 8 if is_8x8 else 16
    skips = vectors(COUNT, 4, blocks, 2)
    modes = np.array([1, 2, 3, 0b11_10_01_11, 0b01_11_11_10, 0], np.uint8)
    launch = pairs(0, 0, 0, 0).set(
        flags=c_uint32(E.ME_SKIP_BLOCK_TYPE_8x8_INTEL if is_8x8 else 0), bidir_weight=c_uint8(weight),
        count_global=struct.pack("2h", 0, 3), skip_input_mode_buffer=modes, skip_motion_vector_buffer=skips,
        skip_residuals=output(COUNT * 4 * blocks * 2)).run()
    found = launch.read("skip_residuals", np.uint16, COUNT, 4, blocks)
    for i, (x, y) in enumerate(PLACES):
        of_blocks = [int(modes[i]) >> 2 * block & 3 for block in range(blocks)]
        expected = [checked(images[0], images[1:], x, y, side, skips[i, each], of_blocks, weight, 0)
                    for each in range(3)]
        np.testing.assert_array_equal(found[i, :3], expected)
    assert (found[:, 3] == 0xa5a5).all()


def test_counts_for_all_or_for_each(pairs, images):
    """-1 for one of them: those of the buffer."""
    counts = np.array([(1, 7), (0, 7), (2, 7), (4, 7), (9, 7), (3, 7)], np.int16)
    predictions, fields = vectors(COUNT, 4), (0, 2, 0, 0)
    launch = pairs(*fields).set(
        count_global=struct.pack("2h", -1, 0), count_motion_vector_buffer=counts,
        prediction_motion_vector_buffer=predictions, search_cost_penalty=c_uint32(1),
        search_motion_vector_buffer=output(COUNT * 4), search_residuals=output(COUNT * 2)).run()
    expected = [searched(*images[:2], x, y, fields, predictions[i][:counts[i, 0]].tolist(), 1, 0)[0]
                for i, (x, y) in enumerate(PLACES)]
    np.testing.assert_array_equal(launch.read("search_motion_vector_buffer", np.int16, COUNT, 2),
                                  [vector for vector, _ in expected])
    np.testing.assert_array_equal(launch.read("search_residuals", np.uint16, COUNT), [least for _, least in expected])


def test_all_at_once_in_a_region(check, images):
    """Macroblocks are counted in the region; what is beside it in the image is there."""
    x, y, fields = 9, 6, (0, 0, 0, 0)
    launch = check(*fields).set(
        flags=c_uint32(LUMA), count_motion_vector_buffer=np.full((2, 2), 1, np.int16),
        predictor_motion_vector_buffer=vectors(2, 8), skip_motion_vector_buffer=vectors(2, 8),
        search_motion_vector_buffer=output(8), skip_residuals=output(32), intra_residuals=output(16),
        intra_search_predictor_modes=output(44)).run(offset=sizes(x, y), size=(31, 14))
    for i in range(2):
        at = x + 16 * i, y
        predictions = vectors(2, 8)[i, :1].tolist()
        assert launch.read("search_motion_vector_buffer", np.int16, 2, 2)[i].tolist() == \
            searched(*images[:2], *at, fields, predictions, 0, 0)[0][0]
        assert launch.read("skip_residuals", np.uint16, 2, 8)[i, 0] == \
            checked(images[0], images[1:], *at, 16, [predictions * 2], [1], 0, 0)[0]
        assert launch.read("intra_search_predictor_modes", np.int8, 2, 22)[i, :21].tolist() == \
            intra(images[0], *at, 0)[0]


def test_ranges_that_are_none(check, pairs):
    for launch in (check(0, 0, 0, 0), pairs(0, 0, 0, 0)):
        assert launch.error(dim=1) == launch.error(dim=3, size=(40, 24, 1)) == "CL_INVALID_WORK_DIMENSION"
        assert launch.error(local=sizes(16, 1)) == "CL_INVALID_WORK_GROUP_SIZE"
        assert launch.error(size=(41, 24)) == launch.error(size=(40, 25)) == "CL_INVALID_WORK_GROUP_SIZE"
        assert launch.error(offset=sizes(1, 0)) == launch.error(offset=sizes(0, 1)) == "CL_INVALID_GLOBAL_OFFSET"
        assert launch.error(offset=sizes(1 << 40, 0), size=(1, 1)) == "CL_INVALID_GLOBAL_OFFSET"
        assert launch.error() == "CL_SUCCESS"


def test_images_that_are_none(check, pairs, image, gray, images):
    for launch, names in ((check(0, 0, 0, 0), CHECK_ARGS[1:3]), (pairs(0, 0, 0, 0), PAIRS_ARGS[1:6])):
        for name in names:
            for wrong in (gray(images[0][:, :39]), image(Format(E.R, E.UNSIGNED_INT8), desc("IMAGE2D", 40, 24))):
                assert launch.set(**{name: wrong}).error() == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
            launch.set(**{name: gray(images[0])})
        assert launch.error() == "CL_SUCCESS"


@pytest.mark.parametrize(("name", "least"), [
    ("count_motion_vector_buffer", 4), ("predictor_motion_vector_buffer", 32), ("skip_motion_vector_buffer", 128),
    ("search_motion_vector_buffer", 64), ("intra_search_predictor_modes", 22), ("search_residuals", 32),
    ("skip_residuals", 64), ("intra_residuals", 8)])
def test_buffers_that_are_too_small(check, buffer, name, least):
    launch = check(2, 0, 0, 0).set(skip_block_type=c_uint32(1))
    assert launch.set(**{name: buffer(least * COUNT - 1)}).error() == "CL_INVALID_BUFFER_SIZE"
    assert launch.set(**{name: buffer(contents=bytes(least * COUNT))}).error() == "CL_SUCCESS"


@pytest.mark.parametrize(("name", "least"), [
    ("count_motion_vector_buffer", 4), ("prediction_motion_vector_buffer", 16), ("skip_input_mode_buffer", 1),
    ("skip_motion_vector_buffer", 128), ("search_motion_vector_buffer", 16), ("intra_search_predictor_modes", 22),
    ("search_residuals", 8), ("skip_residuals", 32), ("intra_residuals", 8)])
def test_buffers_of_pairs_that_are_too_small(pairs, buffer, name, least):
    launch = pairs(1, 0, 0, 0).set(
        flags=c_uint32(E.ME_SKIP_BLOCK_TYPE_8x8_INTEL), count_global=struct.pack("2h", -1, 0),
        count_motion_vector_buffer=np.zeros((COUNT, 2), np.int16))
    assert launch.set(**{name: buffer(least * COUNT - 1)}).error() == "CL_INVALID_BUFFER_SIZE"
    assert launch.set(**{name: buffer(contents=bytes(least * COUNT))}).error() == "CL_SUCCESS"


def test_vectors_that_are_counted_and_not_there(check, pairs):
    assert check(0, 0, 0, 0).set(count_motion_vector_buffer=None).error() == "CL_INVALID_KERNEL_ARGS"
    launch = pairs(0, 0, 0, 0)
    for wrong in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        assert launch.set(count_global=struct.pack("2h", *wrong)).error() == "CL_INVALID_KERNEL_ARGS"
    assert launch.set(count_global=struct.pack("2h", -2, -2)).error() == "CL_SUCCESS"
    # what a buffer counts is known when the kernel runs: vectors that are not there are none
    counts = np.full((COUNT, 2), 3, np.int16)
    launch.set(count_global=struct.pack("2h", -1, -1), count_motion_vector_buffer=counts,
               search_residuals=output(COUNT * 2), skip_residuals=output(COUNT * 8)).run()
    assert (launch.read("skip_residuals", np.uint16, COUNT, 4) == 0xa5a5).all()


def test_the_precision_in_8_bits_or_32(api, built_in):
    kernel, index = built_in(CHECK), CHECK_ARGS.index("search_cost_precision")
    for size in (1, 4):
        api.ok("clSetKernelArg", kernel, index, size, numbers(c_int16, 2, 0))
    for size in (0, 2, 8):
        assert api.error("clSetKernelArg", kernel, index, size, numbers(c_int16, 2, 0, 0, 0)) == "CL_INVALID_ARG_SIZE"
    assert api.error("clSetKernelArg", kernel, index, 1, None) == "CL_INVALID_ARG_VALUE"
