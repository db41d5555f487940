# SPDX-License-Identifier: Apache-2.0
"""cl_intel_motion_estimation: block_motion_estimate_intel beside the search in numpy, and launches that are none."""
from ctypes import byref, c_int16, c_void_p

import numpy as np
import pytest
from clapi import E, numbers, sizes
from image_model import RGBA8, Format, desc
from motion_model import field, moving
from recording import MUTABLE, config, update

pytestmark = pytest.mark.usefixtures("no_leak")
KERNEL = "block_motion_estimate_intel"
ACCELERATOR, SOURCE, REFERENCE, PREDICTIONS, VECTORS, RESIDUALS = range(6)


@pytest.fixture
def estimate(api, queue, built_in, accelerator, gray, buffer, set_handles, contents):
    """The field that the kernel writes: vectors, residuals."""
    def run(source, reference, fields, region=None, predictions=None):
        x, y, width, height = region or (0, 0, source.shape[1], source.shape[0])
        n = 1 << fields[0]
        shape = -(-height // 16) * n, -(-width // 16) * n
        count = shape[0] * shape[1]
        kernel, vectors, residuals = built_in(KERNEL), buffer(count * 4), buffer(count * 2)
        near = None if predictions is None else buffer(contents=np.asarray(predictions, np.int16).tobytes())
        set_handles(kernel, {ACCELERATOR: accelerator(*fields), SOURCE: gray(source), REFERENCE: gray(reference),
                             PREDICTIONS: near, VECTORS: vectors, RESIDUALS: residuals})
        api.ok("clEnqueueNDRangeKernel", queue, kernel, 2, sizes(x, y), sizes(width, height), None, 0, None, None)
        return (np.frombuffer(contents(vectors, count * 4), np.int16).reshape(*shape, 2),
                np.frombuffer(contents(residuals, count * 2), np.uint16).reshape(shape))
    return run


def same(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("fields", [
    (0, 0, 0, 5), (1, 0, 0, 1), (2, 0, 0, 0), (0, 1, 0, 0), (1, 2, 0, 1), (2, 2, 0, 0), (0, 0, 1, 1), (1, 2, 1, 0),
    (2, 1, 1, 0)])
def test_the_field_is_that_of_the_search_in_numpy(estimate, fields):
    source, reference = moving(40, 24)
    same(estimate(source, reference, fields), field(source, reference, fields))


def test_a_moved_image_is_found(estimate):
    """What the search is for: every macroblock whose content is in the window has the movement as its vector."""
    rng = np.random.default_rng(3)
    reference = rng.integers(0, 256, (96, 128), np.uint8)
    source = np.roll(reference, (-11, 13), (0, 1))      # each pixel comes from 11 below and 13 to the left
    vectors, residuals = estimate(source, reference, (0, 0, 0, 5))
    assert (vectors[:5, 1:] == (-13 * 4, 11 * 4)).all() and (residuals[:5, 1:] == 0).all()


def test_a_region_and_its_predictions(estimate):
    """One for each macroblock of the region; those that lead far away, too."""
    source, reference = moving(64, 40)
    predictions = np.array([[[9, -7], [-23, 18]], [[32767, -32768], [-400, 400]]])
    region = (5, 3, 27, 20)
    for fields in ((0, 2, 0, 0), (1, 0, 1, 1)):
        same(estimate(source, reference, fields, region, predictions),
             field(source, reference, fields, region, predictions))


def test_images_without_any_difference(estimate):
    """Of equal places the nearest to the center is taken."""
    plain = np.full((16, 48), 200, np.uint8)
    vectors, residuals = estimate(plain, plain, (2, 2, 0, 5))
    assert not vectors.any() and not residuals.any()
    vectors, residuals = estimate(plain, np.zeros_like(plain), (0, 0, 0, 5))
    assert not vectors.any() and (residuals == 200 * 256).all()


@pytest.mark.parametrize("size", [(1, 1), (3, 30), (17, 2)])
def test_images_smaller_than_a_block(estimate, size):
    source, reference = moving(*size)
    same(estimate(source, reference, (1, 2, 0, 0)), field(source, reference, (1, 2, 0, 0)))


@pytest.fixture
def ready(built_in, accelerator, gray, buffer, set_handles):
    """The kernel with all arguments set for two images of 40 x 24 pixels: 3 x 2 macroblocks of 4 vectors."""
    kernel = built_in(KERNEL)
    source, reference = moving(40, 24)
    set_handles(kernel, {ACCELERATOR: accelerator(1, 0, 0, 0), SOURCE: gray(source), REFERENCE: gray(reference),
                         PREDICTIONS: None, VECTORS: buffer(96), RESIDUALS: None})
    return kernel


@pytest.fixture
def launch(api, queue, ready):
    """The error of a launch."""
    def error(dim=2, offset=None, size=(40, 24), local=None):
        size = None if size is None else sizes(*size)
        return api.error("clEnqueueNDRangeKernel", queue, ready, dim, offset, size, local, 0, None, None)
    yield error
    assert error() == "CL_SUCCESS"


def test_in_a_command_buffer(api, queue, ready, accelerator, record, buffer, set_handles, contents):
    """Recorded for a region, then changed: the region is in pixels there, too."""
    recorder, handle, vectors = record(properties=MUTABLE), c_void_p(), buffer(96)
    set_handles(ready, {VECTORS: vectors})
    assert recorder.error("NDRangeKernel", ready, 1, None, sizes(40), None) == "CL_INVALID_WORK_DIMENSION"
    assert recorder.error("NDRangeKernel", ready, 2, sizes(3, 2), sizes(33, 17), None, handle=byref(handle)) == \
        "CL_SUCCESS"
    recorder.run()

    def same_as(fields, x, y, width, height):
        expected = field(*moving(40, 24), fields, (x, y, width, height))[0]
        found = np.frombuffer(contents(vectors, expected.size * 2), np.int16)
        assert found.tolist() == expected.ravel().tolist()

    same_as((1, 0, 0, 0), 3, 2, 33, 17)
    other = accelerator(0, 2, 0, 0).to_bytes(8, "little")
    assert update(api, recorder.target, config(handle.value, [(ACCELERATOR, other)], size=(30, 20))) == "CL_SUCCESS"
    recorder.again()
    same_as((0, 2, 0, 0), 3, 2, 30, 20)
    for wrong, error in ((config(handle.value, size=(38, 20)), "CL_INVALID_IMAGE_SIZE"),
                         (config(handle.value, [(ACCELERATOR, bytes(8))]), "CL_INVALID_ACCELERATOR_INTEL"),
                         (config(handle.value, local=(16, 1)), "CL_INVALID_WORK_GROUP_SIZE")):
        assert update(api, recorder.target, wrong) == error


def test_ranges_that_are_none(api, queue, ready, launch):
    assert launch(dim=1) == launch(dim=3, size=(40, 24, 1)) == "CL_INVALID_WORK_DIMENSION"
    assert api.error("clEnqueueTask", queue, ready, 0, None, None) == "CL_INVALID_WORK_DIMENSION"
    assert launch(local=sizes(16, 1)) == launch(local=sizes(1, 1)) == "CL_INVALID_WORK_GROUP_SIZE"
    assert launch(size=(41, 24)) == launch(size=(40, 25)) == "CL_INVALID_IMAGE_SIZE"
    assert launch(offset=sizes(1, 0)) == launch(offset=sizes(0, 1)) == "CL_INVALID_IMAGE_SIZE"
    assert launch(size=(1 << 60, 1)) == launch(offset=sizes(1 << 61, 0)) == "CL_INVALID_IMAGE_SIZE"
    assert launch(offset=sizes(2**64 - 1, 0)) == "CL_INVALID_GLOBAL_OFFSET"
    assert launch(size=(0, 24)) == launch(size=None) == "CL_SUCCESS"       # nothing is to be done


def test_images_that_are_none(launch, ready, image, gray, set_handles):
    source, _ = moving(40, 24)
    right = gray(source)
    others = [(Format(E.R, E.UNSIGNED_INT8), desc("IMAGE2D", 40, 24)), (RGBA8, desc("IMAGE2D", 40, 24)),
              (Format(E.R, E.UNORM_INT8), desc("IMAGE2D_ARRAY", 40, 24, array_size=2))]
    for index in (SOURCE, REFERENCE):
        for other in others:
            set_handles(ready, {index: image(*other)})
            assert launch() == "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"
        set_handles(ready, {index: gray(source[:, :39])})
        assert launch() == "CL_INVALID_IMAGE_SIZE"
        set_handles(ready, {index: right})


def test_buffers_that_are_too_small(launch, ready, buffer, set_handles):
    vectors = buffer(96)
    for index, least, size in ((VECTORS, vectors, 95), (RESIDUALS, None, 47), (PREDICTIONS, None, 23)):
        set_handles(ready, {index: buffer(size)})
        assert launch() == "CL_INVALID_BUFFER_SIZE"
        set_handles(ready, {index: least})
    set_handles(ready, {VECTORS: None})
    assert launch() == "CL_INVALID_KERNEL_ARGS"
    set_handles(ready, {VECTORS: vectors})


def test_arguments_that_are_none(api, queue, built_in, ready, launch, accelerator, other_context, buffer):
    def error(index, value, size=8):
        return api.error("clSetKernelArg", ready, index, size, value)
    own, strange = accelerator(0, 0, 0, 0), accelerator(0, 0, 0, 0, within=other_context)
    assert error(ACCELERATOR, None) == error(ACCELERATOR, byref(c_void_p(None))) == "CL_INVALID_ACCELERATOR_INTEL"
    for wrong in (buffer(16), 1, 0xdeadbeef, strange, own + 8):
        assert error(ACCELERATOR, byref(c_void_p(wrong))) == "CL_INVALID_ACCELERATOR_INTEL"
    for size in (0, 4, 16):
        assert error(ACCELERATOR, numbers(c_int16, *[0] * 8), size) == "CL_INVALID_ARG_SIZE"
    assert error(SOURCE, None) == error(SOURCE, byref(c_void_p(own))) == "CL_INVALID_MEM_OBJECT"
    assert error(6, byref(c_void_p(own))) == "CL_INVALID_ARG_INDEX"
    assert api.error("clSetKernelArgSVMPointer", ready, ACCELERATOR, own) == "CL_INVALID_ARG_VALUE"
    none_set = built_in(KERNEL)
    assert api.error("clEnqueueNDRangeKernel", queue, none_set, 2, None, sizes(16, 16), None, 0, None, None) == \
        "CL_INVALID_KERNEL_ARGS"
