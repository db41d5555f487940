# SPDX-License-Identifier: Apache-2.0
"""cl_intel_spirv_media_block_io: a sub-group copies a region of an image by the instructions of SPIR-V."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source
from sub_group_blocks import Device

SIZE, ROWS, PITCH, AT = 16, 40, 64, (8, 3)      # work-items; of the images, in bytes; a byte and a row
WIDTH = 8                                       # elements of the region
TYPES = [(bits, n) for bits in (8, 16, 32) for n in (1, 2, 4, 8, 16)]

MODULE = """
OpCapability Kernel
OpCapability Addresses
OpCapability Int8
OpCapability Int16
OpCapability Vector16
OpCapability ImageBasic
OpCapability SubgroupDispatch
OpCapability SubgroupImageMediaBlockIOINTEL
OpExtension "SPV_INTEL_media_block_io"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpExecutionMode %k SubgroupSize 16
%void = OpTypeVoid
%uint = OpTypeInt 32 0
{element}
{vector}
%place = OpTypeVector %uint 2
%from = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%into = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
%signature = OpTypeFunction %void %from %into %uint %uint
%width = OpConstant %uint {width}
%height = OpConstant %uint {height}
%k = OpFunction %void None %signature
%a = OpFunctionParameter %from
%b = OpFunctionParameter %into
%x = OpFunctionParameter %uint
%y = OpFunctionParameter %uint
%entry = OpLabel
%at = OpCompositeConstruct %place %x %y
%block = OpSubgroupImageMediaBlockReadINTEL %{type} %a %at %width %height
OpSubgroupImageMediaBlockWriteINTEL %b %at %width %height %block
OpReturn
OpFunctionEnd
"""


@pytest.fixture(scope="module")
def device():
    return Device()


def module(bits, n):
    element = "" if bits == 32 else f"%part = OpTypeInt {bits} 0"
    part = "uint" if bits == 32 else "part"
    return spirv_source.assemble(MODULE.format(
        element=element, vector="" if n == 1 else f"%vector = OpTypeVector %{part} {n}", width=WIDTH, height=2 * n,
        type=part if n == 1 else "vector"), "1.2")


def test_is_listed(device):
    assert "cl_intel_spirv_media_block_io" in device.device.extensions.split()


@pytest.mark.parametrize("bits, n", TYPES)
def test_a_region_is_copied(device, bits, n):
    program = cl._cl._create_program_with_il(device.context, module(bits, n))
    program._build(b"", None)
    k = cl._cl.Kernel(program, "k")
    data = np.random.default_rng(n).integers(0, 256, (ROWS, PITCH), np.uint8)
    images = [device.image(each.view(np.uint32), cl.channel_type.UNSIGNED_INT32)
              for each in (data, np.zeros_like(data))]
    for index, each in enumerate((*images, np.uint32(AT[0]), np.uint32(AT[1]))):
        k.set_arg(index, each)
    cl.enqueue_nd_range_kernel(device.queue, k, (SIZE,), (SIZE,))
    expected, columns = np.zeros_like(data), slice(AT[0], AT[0] + WIDTH * bits // 8)
    expected[AT[1]:AT[1] + 2 * n, columns] = data[AT[1]:AT[1] + 2 * n, columns]
    assert np.array_equal(device.contents(images[1], data.view(np.uint32)).view(np.uint8), expected)
