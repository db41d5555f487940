# SPDX-License-Identifier: Apache-2.0
"""OpEnqueueKernel and its like. What a block has captured is any memory, without the header that Clang gives it."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

from .device_queues import handle

# A kernel k(global uint *out, queue_t q); `block` stores its global id, and has captured out.
SOURCE = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int8
OpCapability DeviceEnqueue
OpCapability SubgroupDispatch
OpCapability GenericPointer
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k" %ids
OpDecorate %ids BuiltIn GlobalInvocationId
OpDecorate %ids Constant
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%uchar = OpTypeInt 8 0
%queue = OpTypeQueue
%event = OpTypeDeviceEvent
%three = OpConstant %ulong 3
%sizes = OpTypeArray %ulong %three
%v3 = OpTypeVector %ulong 3
%inputs = OpTypePointer Input %v3
%range_t = OpTypeStruct %uint %sizes %sizes %sizes
%global = OpTypePointer CrossWorkgroup %uint
%global_bytes = OpTypePointer CrossWorkgroup %uchar
%local_bytes = OpTypePointer Workgroup %uchar
%bytes = OpTypePointer Generic %uchar
%variable = OpTypePointer Function %global
%variable_bytes = OpTypePointer Function %uchar
%captures = OpTypePointer Generic %global
%range_p = OpTypePointer Function %range_t
%event_v = OpTypePointer Function %event
%events = OpTypePointer Generic %event
%event_array = OpTypeArray %event %three
%event_arrays = OpTypePointer Function %event_array
%of_kernel = OpTypeFunction %void %global %queue
%of_block = OpTypeFunction %void %bytes
%of_local = OpTypeFunction %void %bytes %local_bytes %local_bytes
%local_uints = OpTypePointer Workgroup %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%eight = OpConstant %uint 8
%first_size = OpConstant %uint 256
%many = OpConstant %uint 0xFFFFFFFF
%none = OpConstant %ulong 0
%hundred = OpConstant %ulong 100
%no_events = OpConstantNull %events
%ids = OpVariable %inputs Input
%block = OpFunction %void None %of_block
%given = OpFunctionParameter %bytes
%b1 = OpLabel
%captured = OpBitcast %captures %given
%to = OpLoad %global %captured Aligned 8
%all = OpLoad %v3 %ids Aligned 32
%id = OpCompositeExtract %ulong %all 0
%place = OpInBoundsPtrAccessChain %global %to %id
%before = OpLoad %uint %place Aligned 4
%id32 = OpUConvert %uint %id
%sum = OpIAdd %uint %before %id32
OpStore %place %sum Aligned 4
OpReturn
OpFunctionEnd
%with_local = OpFunction %void None %of_local
%given_too = OpFunctionParameter %bytes
%memory = OpFunctionParameter %local_bytes
%more = OpFunctionParameter %local_bytes
%b2 = OpLabel
%captured2 = OpBitcast %captures %given_too
%to2 = OpLoad %global %captured2 Aligned 8
%distance1 = OpConvertPtrToU %ulong %memory
%distance2 = OpConvertPtrToU %ulong %more
%apart = OpISub %ulong %distance2 %distance1
%apart32 = OpUConvert %uint %apart
%local_words = OpBitcast %local_uints %memory
OpStore %local_words %apart32 Aligned 4
%back = OpLoad %uint %local_words Aligned 4
OpStore %to2 %back Aligned 4
OpReturn
OpFunctionEnd
%k = OpFunction %void None %of_kernel
%out = OpFunctionParameter %global
%q = OpFunctionParameter %queue
%b3 = OpLabel
%held = OpVariable %variable Function
%range = OpVariable %range_p Function
%first_v = OpVariable %event_v Function
%second_v = OpVariable %event_v Function
%array_v = OpVariable %event_arrays Function
OpStore %held %out Aligned 8
%shape = OpBuildNDRange %range_t %hundred %none %none
OpStore %range %shape Aligned 8
%held_bytes = OpBitcast %variable_bytes %held
%block_p = OpPtrCastToGeneric %bytes %held_bytes
%first = OpPtrCastToGeneric %events %first_v
%second = OpPtrCastToGeneric %events %second_v
{body}
%last = OpInBoundsPtrAccessChain %global %out %hundred
OpStore %last %value Aligned 4
OpReturn
OpFunctionEnd
"""
BASIC = "%value = OpEnqueueKernel %uint %q %zero %range %zero %no_events %no_events %block %block_p %eight %eight"
EVENTS = """
%mine = OpCreateUserEvent %event
OpRetainEvent %mine
OpReleaseEvent %mine
OpStore %first_v %mine Aligned 8
%default = OpGetDefaultQueue %queue
%r1 = OpEnqueueKernel %uint %default %zero %range %one %first %second %block %block_p %eight %eight
%made = OpLoad %event %second_v Aligned 8
%r2 = OpEnqueueMarker %uint %q %one %second %first
%marked = OpLoad %event %first_v Aligned 8
%r3 = OpEnqueueKernel %uint %q %zero %range %one %first %no_events %block %block_p %eight %eight
OpSetUserEventStatus %mine %zero
%is = OpIsValidEvent %bool %made
%valid = OpSelect %uint %is %zero %one
OpReleaseEvent %mine
OpReleaseEvent %made
OpReleaseEvent %marked
%size = OpGetKernelWorkGroupSize %uint %block %block_p %eight %eight
%multiple = OpGetKernelPreferredWorkGroupSizeMultiple %uint %block %block_p %eight %eight
%rest = OpUMod %uint %size %multiple
%e1 = OpBitwiseOr %uint %r1 %r2
%e2 = OpBitwiseOr %uint %r3 %valid
%e3 = OpBitwiseOr %uint %e1 %e2
%value = OpBitwiseOr %uint %e3 %rest
"""
# Which element of the array is which is not known before the kernel runs: out begins with a zero.
IN_AN_ARRAY = """
%n = OpLoad %uint %out Volatile|Aligned 4
%n1 = OpIAdd %uint %n %one
%element0 = OpInBoundsAccessChain %event_v %array_v %n
%element1 = OpInBoundsAccessChain %event_v %array_v %n1
%mine = OpCreateUserEvent %event
OpStore %element1 %mine Aligned 8
%waits = OpPtrCastToGeneric %events %element1
%gives = OpPtrCastToGeneric %events %element0
%r1 = OpEnqueueKernel %uint %q %zero %range %one %waits %gives %block %block_p %eight %eight
%made = OpLoad %event %element0 Aligned 8
OpStore %element1 %made Aligned 8
%r2 = OpEnqueueKernel %uint %q %zero %range %one %waits %no_events %block %block_p %eight %eight
%again = OpLoad %event %element1 Aligned 8
OpSetUserEventStatus %mine %zero
%is = OpIsValidEvent %bool %again
%valid = OpSelect %uint %is %zero %one
OpReleaseEvent %mine
OpReleaseEvent %again
%e1 = OpBitwiseOr %uint %r1 %r2
%value = OpBitwiseOr %uint %e1 %valid
"""
SUB_GROUPS = """
%value = OpGetKernelLocalSizeForSubgroupCount %uint %eight %block %block_p %eight %eight
%none_has = OpGetKernelLocalSizeForSubgroupCount %uint %many %block %block_p %eight %eight
%most = OpGetKernelMaxNumSubgroups %uint %block %block_p %eight %eight
%place1 = OpInBoundsPtrAccessChain %global %out %none
OpStore %place1 %most Aligned 4
%place2 = OpInBoundsPtrAccessChain %global %out %three
OpStore %place2 %none_has Aligned 4
"""
LOCAL = BASIC.replace("%block %block_p", "%with_local %block_p") + " %first_size %eight"


def build(machine, body):
    il = spirv_source.assemble(SOURCE.format(body=body))
    return cl.Program(machine.context, il).build(cache_dir=False)


@pytest.mark.parametrize(("body", "times"), [(BASIC, 1), (EVENTS, 2), (IN_AN_ARRAY, 2)],
                         ids=["basic", "events", "array"])
def test_enqueue(machine, device_queue, body, times):
    machine.needs_il()
    program, out = build(machine, body), np.zeros(101, np.uint32)
    assert program.num_kernels == 1
    machine.launch(program.k, (1,), None, [out, handle(device_queue)])
    np.testing.assert_array_equal(out, [*(times * i for i in range(100)), 0])


def test_local_memory(machine, device_queue):
    """The block stores how far its two pieces lie apart: the first has 256 bytes."""
    machine.needs_il()
    out = np.zeros(101, np.uint32)
    machine.launch(build(machine, LOCAL).k, (1,), None, [out, handle(device_queue)])
    assert out[[0, 100]].tolist() == [256, 0] and not out[1:100].any()


def test_sub_groups_of_a_block(machine, device_queue):
    """As the host is told of a kernel that asks for nothing; no group has 2^32 - 1 sub-groups."""
    machine.needs_il()
    kernel, out = build(machine, SUB_GROUPS).k, np.full(101, 77, np.uint32)
    machine.launch(kernel, (1,), None, [out, handle(device_queue)])
    about, asked = cl.kernel_sub_group_info, [64, 1, 1]
    size = kernel.get_sub_group_info(machine.device, about.MAX_SUB_GROUP_SIZE_FOR_NDRANGE, asked)
    most = kernel.get_sub_group_info(machine.device, about.MAX_NUM_SUB_GROUPS)
    assert out[[0, 3, 100]].tolist() == [most, 0, 8 * size if most >= 8 else 0]
