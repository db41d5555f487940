# SPDX-License-Identifier: Apache-2.0
"""What cl_khr_mipmap_image and cl_khr_mipmap_image_writes ask of SPIR-V: Lod of OpImageSampleExplicitLod, OpImageRead,
OpImageWrite and OpImageQuerySizeLod, each with a level that is an argument."""
import ctypes
from ctypes import byref, c_void_p, create_string_buffer

import numpy as np
import pytest
import spirv_source
from clapi import E, sizes
from image_model import desc, form

pytestmark = [pytest.mark.needs("IL", "cl_khr_mipmap_image"), pytest.mark.usefixtures("no_leak")]

LEVELS = 3
# type -> (Dim, Arrayed, coordinates of OpImageRead, of a size, extent)
KINDS = {"IMAGE1D": ("1D", 0, 1, 1, (9,)), "IMAGE1D_ARRAY": ("1D", 1, 2, 2, (9, 5)), "IMAGE2D": ("2D", 0, 2, 2, (9, 6)),
         "IMAGE2D_ARRAY": ("2D", 1, 4, 3, (9, 6, 5)), "IMAGE3D": ("3D", 0, 4, 3, (9, 6, 5))}

MODULE = """
OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability ImageBasic
OpCapability ImageMipmap
OpCapability Sampled1D
OpCapability Image1D
OpCapability Int64
OpCapability LiteralSampler
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %put "put"
OpEntryPoint Kernel %look "look"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%v2 = OpTypeVector %uint 2
%v3 = OpTypeVector %uint 3
%v4 = OpTypeVector %uint 4
%v2f = OpTypeVector %float 2
%v4f = OpTypeVector %float 4
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %ulong 2
%four = OpConstant %ulong 4
%zerof = OpConstant %float 0
%at_2 = OpConstantComposite %v2 %zero %zero
%at_4 = OpConstantComposite %v4 %zero %zero %zero %zero
%to_2 = OpConstantComposite %v2f %zerof %zerof
%to_4 = OpConstantComposite %v4f %zerof %zerof %zerof %zerof
%written = OpTypeImage %void {dim} 0 {arrayed} 0 0 Unknown WriteOnly
%seen = OpTypeImage %void {dim} 0 {arrayed} 0 0 Unknown ReadOnly
%sampled = OpTypeSampledImage %seen
%sampler = OpTypeSampler
%plain = OpConstantSampler %sampler ClampToEdge 1 Nearest
%colors = OpTypePointer CrossWorkgroup %v4f
%numbers = OpTypePointer CrossWorkgroup %uint
%puts = OpTypeFunction %void %written %uint %float
%looks = OpTypeFunction %void %seen %uint %float %colors %numbers
%put = OpFunction %void None %puts
%w = OpFunctionParameter %written
%put_level = OpFunctionParameter %uint
%value = OpFunctionParameter %float
%put_entry = OpLabel
%color = OpCompositeConstruct %v4f %value %zerof %value %zerof
OpImageWrite %w {at} %color Lod %put_level
OpReturn
OpFunctionEnd
%look = OpFunction %void None %looks
%r = OpFunctionParameter %seen
%level = OpFunctionParameter %uint
%detail = OpFunctionParameter %float
%out = OpFunctionParameter %colors
%sizes = OpFunctionParameter %numbers
%entry = OpLabel
%read = OpImageRead %v4f %r {at} Lod %level
OpStore %out %read Aligned 16
%both = OpSampledImage %sampled %r %plain
%sample = OpImageSampleExplicitLod %v4f %both {to} Lod %detail
%second = OpInBoundsPtrAccessChain %colors %out %two
OpStore %second %sample Aligned 16
%whole = OpImageQuerySizeLod {size} %r %zero
%smaller = OpImageQuerySizeLod {size} %r %level
{stores}
OpReturn
OpFunctionEnd
"""


def module(kind):
    dim, arrayed, coordinates, count, _ = KINDS[kind]
    at, to = {1: ("%zero", "%zerof"), 2: ("%at_2", "%to_2"), 4: ("%at_4", "%to_4")}[coordinates]
    if kind == "IMAGE1D":
        stores = "OpStore %sizes %smaller Aligned 4\n%next = OpInBoundsPtrAccessChain %numbers %sizes %four\n" \
            "OpStore %next %whole Aligned 4"
    else:
        stores = f"""%as_vector = OpBitcast %p_v{count} %sizes
OpStore %as_vector %smaller Aligned 4
%next = OpInBoundsPtrAccessChain %numbers %sizes %four
%next_vector = OpBitcast %p_v{count} %next
OpStore %next_vector %whole Aligned 4"""
    text = MODULE.format(dim=dim, arrayed=arrayed, at=at, to=to, size="%uint" if count == 1 else f"%v{count}",
                         stores=stores)
    if count > 1:
        text = text.replace("%puts = ", f"%p_v{count} = OpTypePointer CrossWorkgroup %v{count}\n%puts = ", 1)
    return spirv_source.assemble(text, "1.2")


def set_args(api, kernel, *args):
    for n, arg in enumerate(args):
        api.ok("clSetKernelArg", kernel, n, ctypes.sizeof(arg), byref(arg))


@pytest.mark.needs("host code")      # models of GPUs read no levels for SPIR-V yet
@pytest.mark.parametrize("kind", KINDS)
def test_levels(api, context, device, queue, image, buffer, contents, kind):
    code = module(kind)
    program = api.make("clCreateProgramWithIL", context, code, len(code))
    assert api.error("clBuildProgram", program, 0, None, None, None, None) == "CL_SUCCESS", api.text(
        "clGetProgramBuildInfo", program, device, E.PROGRAM_BUILD_LOG)
    put, look = (api.make("clCreateKernel", program, name) for name in (b"put", b"look"))
    extent, layers = KINDS[kind][4], KINDS[kind][1]
    mem = image(form("RGBA", "FLOAT"), desc(kind, *extent, levels=LEVELS))
    for level in range(LEVELS):
        set_args(api, put, c_void_p(mem), ctypes.c_uint(level), ctypes.c_float(level + 1))
        api.ok("clEnqueueNDRangeKernel", queue, put, 1, None, sizes(1), None, 0, None, None)
    out, numbers = buffer(contents=bytes(48)), buffer(contents=bytes(32))
    for level in range(LEVELS):
        other = LEVELS - 1 - level
        set_args(api, look, c_void_p(mem), ctypes.c_uint(level), ctypes.c_float(other), c_void_p(out),
                 c_void_p(numbers))
        api.ok("clEnqueueNDRangeKernel", queue, look, 1, None, sizes(1), None, 0, None, None)
        read, _, sample = np.frombuffer(contents(out, 48), np.float32).reshape(3, 4).tolist()
        assert (read, sample) == ([level + 1, 0, level + 1, 0], [other + 1, 0, other + 1, 0])
        smaller, whole = np.frombuffer(contents(numbers, 32), np.uint32).reshape(2, 4)[:, :len(extent)].tolist()
        assert tuple(whole) == extent
        flat = len(extent) - layers
        assert smaller == [max(1, n >> level) for n in extent[:flat]] + list(extent[flat:])
    for kernel in (put, look):
        api.ok("clReleaseKernel", kernel)
    api.ok("clReleaseProgram", program)


def test_capability_is_listed(api, device):
    """"support for both extensions does guarantee support for the ImageMipmap capability"."""
    size = ctypes.c_size_t()
    api.ok("clGetDeviceInfo", device, E.DEVICE_SPIRV_CAPABILITIES_KHR, 0, None, byref(size))
    data = create_string_buffer(size.value)
    api.ok("clGetDeviceInfo", device, E.DEVICE_SPIRV_CAPABILITIES_KHR, size.value, data, None)
    assert 15 in np.frombuffer(data.raw, np.uint32)
