# SPDX-License-Identifier: Apache-2.0
"""cl_intel_accelerator: objects, queries and errors; and the built-in kernels that take them, as programs have them."""
import struct
from ctypes import byref, c_size_t, c_uint32, create_string_buffer

import pytest
from clapi import E, handles, sizes
from motion_model import moving

pytestmark = pytest.mark.usefixtures("no_leak")
CREATE, GET = "clCreateAcceleratorINTEL", "clGetAcceleratorInfoINTEL"
KERNEL = "block_motion_estimate_intel"


def words(*values):
    return (c_uint32 * len(values))(*values)


def test_is_listed(api, device):
    listed = api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    assert {"cl_intel_accelerator", "cl_intel_motion_estimation"} <= set(listed)


def test_queries(api, context, accelerator):
    made = accelerator(2, 1, 1, 5)
    assert api.info(GET, made, E.ACCELERATOR_DESCRIPTOR_INTEL) == bytes(words(2, 1, 1, 5))
    assert api.info(GET, made, E.ACCELERATOR_TYPE_INTEL) == bytes(4)
    assert api.number(GET, made, E.ACCELERATOR_CONTEXT_INTEL) == context
    assert api.info(GET, made, E.ACCELERATOR_REFERENCE_COUNT_INTEL) == bytes(words(1))
    api.ok("clRetainAcceleratorINTEL", made)
    assert api.number(GET, made, E.ACCELERATOR_REFERENCE_COUNT_INTEL) == 2
    api.ok("clReleaseAcceleratorINTEL", made)
    size = c_size_t()
    api.ok(GET, made, E.ACCELERATOR_DESCRIPTOR_INTEL, 0, None, byref(size))
    assert size.value == 16
    assert api.error(GET, made, E.ACCELERATOR_DESCRIPTOR_INTEL, 15, create_string_buffer(16), None) == \
        "CL_INVALID_VALUE"
    assert api.error(GET, made, E.CONTEXT_REFERENCE_COUNT, 4, create_string_buffer(4), None) == "CL_INVALID_VALUE"


def test_what_is_no_accelerator(api, context, queue, accelerator):
    inside = accelerator(0, 0, 0, 0) + 8
    released = api.make(CREATE, context, 0, 16, words(0, 0, 0, 0))
    api.ok("clReleaseAcceleratorINTEL", released)
    for wrong in (None, 1, context, queue, released, inside):
        assert api.error("clRetainAcceleratorINTEL", wrong) == "CL_INVALID_ACCELERATOR_INTEL"
        assert api.error("clReleaseAcceleratorINTEL", wrong) == "CL_INVALID_ACCELERATOR_INTEL"
        assert api.error(GET, wrong, E.ACCELERATOR_TYPE_INTEL, 0, None, None) == "CL_INVALID_ACCELERATOR_INTEL"
    assert api.error("clRetainMemObject", accelerator(0, 0, 0, 0)) == "CL_INVALID_MEM_OBJECT"


def test_what_cannot_be_made(api, context):
    valid = words(0, 0, 0, 0)
    assert api.new(CREATE, None, 0, 16, valid)[1] == "CL_INVALID_CONTEXT"
    for type_ in (1, 0xffffffff):
        assert api.new(CREATE, context, type_, 16, valid)[1] == "CL_INVALID_ACCELERATOR_TYPE_INTEL"
    assert api.new(CREATE, context, 0, 16, None)[1] == "CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL"
    for size in (0, 4, 15, 17, 2**64 - 1):
        assert api.new(CREATE, context, 0, size, valid)[1] == "CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL"
    for wrong in ((3, 0, 0, 0), (0, 3, 0, 0), (0, 0, 2, 0), (0, 0, 0, 2), (0, 0, 0, 4), (0, 0, 0, 6), (2**32 - 1,) * 4):
        assert api.new(CREATE, context, 0, 16, words(*wrong))[1] == "CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL"
    made = api.clCreateAcceleratorINTEL(context, 0, 16, valid, None)
    api.ok("clReleaseAcceleratorINTEL", made)
    assert api.clCreateAcceleratorINTEL(None, 0, 16, valid, None) is None


def test_a_device_without_them(api):
    """(The one for tests is no processor.)"""
    context = api.make("clCreateContext", None, 1, handles(*api.devices(E.DEVICE_TYPE_CUSTOM)[:1]), None, None)
    assert api.new(CREATE, context, 0, 16, words(0, 0, 0, 0))[1] == "CL_INVALID_OPERATION"
    api.ok("clReleaseContext", context)


def test_the_context_lives_as_long(api, device):
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    made = api.make(CREATE, context, 0, 16, words(0, 0, 0, 0))
    api.ok("clReleaseContext", context)
    assert api.number("clGetContextInfo", context, E.CONTEXT_NUM_DEVICES) == 1
    api.ok("clReleaseAcceleratorINTEL", made)
    assert api.error("clGetContextInfo", context, E.CONTEXT_NUM_DEVICES, 0, None, None) == "CL_INVALID_CONTEXT"


def test_an_accelerator_may_go_before_the_command(api, context, queue, built_in, gray, buffer, set_handles, contents,
                                                  user_event):
    kernel, residuals, gate = built_in(KERNEL), buffer(2), user_event()
    source, reference = moving(16, 16)
    made = api.make(CREATE, context, 0, 16, words(0, 0, 0, 0))
    set_handles(kernel, {0: made, 1: gray(source), 2: gray(reference), 3: None, 4: buffer(4), 5: residuals})
    api.ok("clEnqueueNDRangeKernel", queue, kernel, 2, None, sizes(16, 16), None, 1, handles(gate), None)
    api.ok("clReleaseAcceleratorINTEL", made)
    api.ok("clSetUserEventStatus", gate, 0)
    assert int.from_bytes(contents(residuals, 2), "little") > 0


class TestBuiltInKernels:
    def test_the_device_names_them(self, api, device):
        names = api.text("clGetDeviceInfo", device, E.DEVICE_BUILT_IN_KERNELS).split(";")
        assert KERNEL in names
        versions = api.info("clGetDeviceInfo", device, E.DEVICE_BUILT_IN_KERNELS_WITH_VERSION)
        assert len(versions) == 68 * len(names)
        assert [versions[at + 4:at + 68].rstrip(b"\0").decode() for at in range(0, len(versions), 68)] == names

    def test_the_program(self, api, context, device):
        made = api.make("clCreateProgramWithBuiltInKernels", context, 1, handles(device), KERNEL.encode())
        assert api.text("clGetProgramInfo", made, E.PROGRAM_KERNEL_NAMES) == KERNEL
        assert api.number("clGetProgramInfo", made, E.PROGRAM_NUM_KERNELS) == 1
        assert api.text("clGetProgramInfo", made, E.PROGRAM_SOURCE) == ""
        assert api.info("clGetProgramInfo", made, E.PROGRAM_BINARY_SIZES) == bytes(8)      # there is none to keep
        assert api.number("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_STATUS) == 0
        for call in (("clBuildProgram", made, 0, None, b"", None, None),
                     ("clCompileProgram", made, 0, None, b"", 0, None, None, None, None)):
            assert api.error(*call) == "CL_INVALID_OPERATION"
        api.ok("clReleaseProgram", made)

    def test_its_arguments(self, api, built_in):
        kernel = built_in(KERNEL)
        assert api.number("clGetKernelInfo", kernel, E.KERNEL_NUM_ARGS) == 6
        told = [[api.text("clGetKernelArgInfo", kernel, i, what) for what in (E.KERNEL_ARG_TYPE_NAME,
                                                                             E.KERNEL_ARG_NAME)] for i in range(6)]
        assert told == [["accelerator_intel_t", "accelerator"], ["image2d_t", "src_image"], ["image2d_t", "ref_image"],
                        ["short2*", "prediction_motion_vector_buffer"], ["short2*", "motion_vector_buffer"],
                        ["ushort*", "residuals"]]

    def test_the_largest_range(self, api, device, built_in):
        """Of a built-in kernel it is told: that of an image, here."""
        most = api.info("clGetKernelWorkGroupInfo", built_in(KERNEL), device, E.KERNEL_GLOBAL_WORK_SIZE)
        limits = [api.number("clGetDeviceInfo", device, what) for what in (E.DEVICE_IMAGE2D_MAX_WIDTH,
                                                                           E.DEVICE_IMAGE2D_MAX_HEIGHT)]
        assert struct.unpack("3N", most) == (*limits, 1)

    def test_names_and_lists_that_are_none(self, api, context, device):
        create, name = "clCreateProgramWithBuiltInKernels", KERNEL.encode()
        assert api.new(create, None, 1, handles(device), name)[1] == "CL_INVALID_CONTEXT"
        assert api.new(create, context, 0, handles(device), name)[1] == "CL_INVALID_VALUE"
        assert api.new(create, context, 1, None, name)[1] == "CL_INVALID_VALUE"
        assert api.new(create, context, 1, handles(device), None)[1] == "CL_INVALID_VALUE"
        assert api.new(create, context, 1, handles(None), name)[1] == "CL_INVALID_DEVICE"
        for wrong in (b"", b";", b"none", name + b";", name + b";none", b"\xff", name + b" "):
            assert api.new(create, context, 1, handles(device), wrong)[1] == "CL_INVALID_VALUE"

    def test_a_kernel_of_a_program_with_that_name_is_none(self, api, program, accelerator):
        """What a program calls so has plain arguments."""
        source = ("typedef struct { uint a[4]; } accelerator_intel_t;"
                  f"kernel void {KERNEL}(accelerator_intel_t accelerator, global uint *out) {{ *out = accelerator.a[3];"
                  "}")
        kernel = api.make("clCreateKernel", program(source), KERNEL.encode())
        api.ok("clSetKernelArg", kernel, 0, 16, words(1, 2, 3, 4))
        assert api.error("clSetKernelArg", kernel, 0, 8, handles(accelerator(0, 0, 0, 0))) == "CL_INVALID_ARG_SIZE"
        api.ok("clReleaseKernel", kernel)
