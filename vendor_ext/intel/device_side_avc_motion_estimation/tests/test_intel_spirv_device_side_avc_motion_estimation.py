# SPDX-License-Identifier: Apache-2.0
"""cl_intel_spirv_device_side_avc_motion_estimation: modules of SPIR-V find what the same kernels in OpenCL C find."""
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
import spirv_source
from avc_kernels import CHECK, REFINE, SEARCH, Motion
from motion_model import moving

FOLDER = Path(__file__).parent
NAME = "cl_intel_spirv_device_side_avc_motion_estimation"
ALIKE = {"search": SEARCH, "refine": REFINE, "check": CHECK}
FIRST, LAST = 5699, 5816        # the extension's instructions


def assembly(name):
    return (FOLDER / f"{name}.spvasm").read_text()


class OfModule(Motion):
    """Its programs are modules by the name of a file."""

    def build(self, source, options=""):
        program = cl._cl._create_program_with_il(self.context, spirv_source.assemble(assembly(source)))
        program._build(options.encode(), None)
        return Kernel(cl._cl.Kernel(program, "k"))


class Kernel:
    def __init__(self, kernel):
        self.k = self
        self.kernel = kernel

    def __call__(self, queue, size, group, *args):
        for index, each in enumerate(args):
            self.kernel.set_arg(index, each)
        cl.enqueue_nd_range_kernel(queue, self.kernel, size, group)


@pytest.fixture(scope="module")
def both():
    return Motion(), OfModule()


@pytest.fixture(scope="module")
def images(both):
    source, first = moving(56, 40)
    others = [np.roll(source + i, (i - 2, 2 * i), (0, 1)).astype(np.uint8) for i in range(5)]
    return [[motion.image(each) for each in (source, first, *others)] for motion in both]


def outputs(name):
    if name == "check":
        return [np.arange(41, dtype=np.uint8), np.arange(33, dtype=np.uint16), np.zeros(2, np.uint64)]
    return [np.zeros((8, 3, 16), np.uint32)] if name == "search" else []


def test_is_listed(both):
    assert NAME in both[0].device.extensions.split()


def test_the_modules_have_all_instructions():
    opcodes = set()
    for name in (*ALIKE, "others"):
        words = np.frombuffer(spirv_source.assemble(assembly(name)), np.uint32)
        at = 5
        while at < len(words):
            opcodes.add(int(words[at] & 0xFFFF))
            at += int(words[at] >> 16)
    assert set(range(FIRST, LAST + 1)) <= opcodes


@pytest.mark.parametrize("name", ALIKE)
def test_settings_at_random_find_the_same(both, images, name):
    rng = np.random.default_rng(len(name))
    for n in range(40):
        words = rng.integers(0, 1 << 32, 36, np.uint64)
        words[rng.random(36) < 0.6] %= 4 if n % 2 else 70
        words[:2] %= 64
        lanes = [[tuple(rng.integers(-40, 40, 2)) for _ in range(2)] for _ in range(16)]
        found = []
        for motion, source, pictures in zip(both, (ALIKE[name], name), images, strict=True):
            more = outputs(name)
            found.append([*motion.operate(source, words.tolist(), pictures, lanes, lanes, more), *more])
        for of_source, of_module in zip(*found, strict=True):
            assert np.array_equal(of_source, of_module), words


def test_other_instructions(both, images):
    found = []
    for motion, source, pictures in zip(both, ((FOLDER / "others.cl").read_text(), "others"), images, strict=True):
        found.append([np.zeros(80, np.uint64), np.zeros(96, np.uint32), np.zeros(14, np.uint32)])
        motion.run(source, pictures[:5], found[-1])
    for of_source, of_module in zip(*found, strict=True):
        assert of_source.any() and np.array_equal(of_source, of_module)


def test_a_function_with_other_parameters_does_not_build(both):
    """An import by the name of one of the library's: the build fails, and says why."""
    body = "%ignored = OpFunctionCall %uint %wrong %one\n%value = OpIAdd %uint %ignored %one"
    name = 'OpDecorate %wrong LinkageAttributes "_Z34intel_sub_group_avc_ime_initializej" Import'
    types = "%of_one = OpTypeFunction %uint %uint\n%wrong = OpFunction %uint None %of_one\n" \
            "%given = OpFunctionParameter %uint\nOpFunctionEnd"
    program = cl._cl._create_program_with_il(both[0].context, spirv_source.kernel(body, types, name))
    with pytest.raises(cl.RuntimeError):
        program._build(b"", None)
    log = program.get_build_info(both[0].device, cl.program_build_info.LOG)
    assert "'intel_sub_group_avc_ime_initialize' has other parameters" in log
