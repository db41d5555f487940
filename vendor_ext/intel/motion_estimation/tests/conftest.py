# SPDX-License-Identifier: Apache-2.0
"""Accelerators and images for the tests of motion estimation."""
import struct
from ctypes import byref, c_void_p

import numpy as np
import pytest
from clapi import E, handles
from image_model import Format, desc

GRAY = Format(E.R, E.UNORM_INT8)


def search_desc(*fields):
    return struct.pack("4I", *fields)


@pytest.fixture
def accelerator(api, context):
    """new(mb_block_type, subpixel_mode, sad_adjust_mode, search_path_type)"""
    made = []

    def new(*fields, within=None):
        made.append(api.make("clCreateAcceleratorINTEL", within or context, 0, 16, search_desc(*fields)))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseAcceleratorINTEL", each)


@pytest.fixture
def built_in(api, context, device):
    """new(name) -> the built-in kernel"""
    made = []

    def new(name):
        program = api.make("clCreateProgramWithBuiltInKernels", context, 1, handles(device), name.encode())
        made.append(api.make("clCreateKernel", program, name.encode()))
        api.ok("clReleaseProgram", program)
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseKernel", each)


@pytest.fixture
def gray(image):
    def new(pixels, image_format=GRAY):
        return image(image_format, desc("IMAGE2D", pixels.shape[1], pixels.shape[0]), E.MEM_COPY_HOST_PTR,
                     np.ascontiguousarray(pixels).tobytes())
    return new


@pytest.fixture
def set_handles(api):
    """set_handles(kernel, {index: handle or None})"""
    def set_them(kernel, args):
        for i, arg in args.items():
            api.ok("clSetKernelArg", kernel, i, 8, None if arg is None else byref(c_void_p(arg)))
    return set_them
