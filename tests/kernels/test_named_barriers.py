# SPDX-License-Identifier: Apache-2.0
"""Named barriers of SPIR-V (cl_khr_subgroup_named_barrier): some sub-groups of a work-group wait for each other."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

ROUNDS = 5
# All sub-groups but the first meet ROUNDS times; the first waits, through memory, until they are through. out[i] of
# the others: what they saw in the counter after each meeting, added up.
MEET = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability NamedBarrier
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k" %own %number %item %global
OpDecorate %own BuiltIn SubgroupId
OpDecorate %own Constant
OpDecorate %number BuiltIn NumSubgroups
OpDecorate %number Constant
OpDecorate %item BuiltIn LocalInvocationIndex
OpDecorate %item Constant
OpDecorate %global BuiltIn GlobalLinearId
OpDecorate %global Constant
%void = OpTypeVoid
{early}
%barrier = OpTypeNamedBarrier
{late}
%ulong = OpTypeInt 64 0
%bool = OpTypeBool
%pointer = OpTypePointer CrossWorkgroup %uint
%of_group = OpTypePointer Workgroup %uint
%in_uint = OpTypePointer Input %uint
%in_ulong = OpTypePointer Input %ulong
%signature = OpTypeFunction %void %pointer %uint
%takes_barrier = OpTypeFunction %uint %barrier
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%rounds = OpConstant %uint {rounds}
%work_group = OpConstant %uint 2
%all_memory = OpConstant %uint 0x308
%acq_rel = OpConstant %uint 0x108
%own = OpVariable %in_uint Input
%number = OpVariable %in_uint Input
%item = OpVariable %in_ulong Input
%global = OpVariable %in_ulong Input
%counter = OpVariable %of_group Workgroup
%meet = OpFunction %uint None %takes_barrier
%here = OpFunctionParameter %barrier
%meet_entry = OpLabel
%before = OpAtomicIAdd %uint %counter %work_group %acq_rel %one
OpMemoryNamedBarrier %here %work_group %all_memory
%seen = OpAtomicLoad %uint %counter %work_group %acq_rel
OpMemoryNamedBarrier %here %work_group %all_memory
OpReturnValue %seen
OpFunctionEnd
%k = OpFunction %void None %signature
%out = OpFunctionParameter %pointer
%last = OpFunctionParameter %uint
%entry = OpLabel
%index = OpLoad %ulong %item
%index32 = OpUConvert %uint %index
%is_first_item = OpIEqual %bool %index32 %zero
OpBranchConditional %is_first_item %clear %cleared
%clear = OpLabel
OpStore %counter %zero
OpBranch %cleared
%cleared = OpLabel
OpControlBarrier %work_group %work_group %all_memory
%many = OpLoad %uint %number
%others = OpISub %uint %many %one
%all = OpNamedBarrierInitialize %barrier %others
%unused = OpNamedBarrierInitialize %barrier %many
%sub_group = OpLoad %uint %own
%is_first = OpIEqual %bool %sub_group %zero
OpBranchConditional %is_first %waiting %going
%waiting = OpLabel
%now = OpAtomicLoad %uint %counter %work_group %acq_rel
%is_over = OpIEqual %bool %now %last
OpBranchConditional %is_over %end %waiting
%going = OpLabel
%round = OpPhi %uint %zero %cleared %next %going
%sum = OpPhi %uint %zero %cleared %more %going
%value = OpFunctionCall %uint %meet %all
%more = OpIAdd %uint %sum %value
%next = OpIAdd %uint %round %one
%go_on = OpULessThan %bool %next %rounds
OpBranchConditional %go_on %going %end
%end = OpLabel
%result = OpPhi %uint %now %waiting %more %going
%place = OpLoad %ulong %global
%address = OpInBoundsPtrAccessChain %pointer %out %place
OpStore %address %result Aligned 4
OpMemoryNamedBarrier %unused %work_group %all_memory
OpReturn
OpFunctionEnd
"""
UINT = "%uint = OpTypeInt 32 0"


@pytest.fixture
def with_barriers(machine):
    machine.needs_il()
    machine.needs("cl_khr_subgroup_named_barrier")
    return machine


def build(machine, module):
    program = cl._cl._create_program_with_il(machine.context, module)
    program._build(b"", None)
    return cl._cl.Kernel(program, "k")


@pytest.mark.parametrize("order", ["the number's type before", "and after"])
def meet_in_groups(machine, text, size):
    items = 4 * size
    others = items - size
    out = np.zeros(3 * items, np.uint32)
    machine.launch(build(machine, spirv_source.assemble(text, "1.1")), (3 * items,), (items,),
                   [out, np.uint32(ROUNDS * others)])
    sums = sum(others * (n + 1) for n in range(ROUNDS))
    assert out.reshape(3, -1).tolist() == [[ROUNDS * others] * size + [sums] * others] * 3


@pytest.mark.parametrize("order", ["the number's type before", "and after"])
def test_some_sub_groups_wait_for_each_other(with_barriers, size, order):
    early, late = (UINT, "") if "before" in order else ("", UINT)
    meet_in_groups(with_barriers, MEET.format(rounds=ROUNDS, early=early, late=late), size)


@pytest.mark.parametrize("right, wrong", [
    ("OpNamedBarrierInitialize %barrier %others", "OpNamedBarrierInitialize %uint %others"),
    ("OpNamedBarrierInitialize %barrier %others", "OpNamedBarrierInitialize %barrier %index"),
    ("OpMemoryNamedBarrier %here", "OpMemoryNamedBarrier %counter"),
    ("%barrier = OpTypeNamedBarrier", "%barrier = OpTypePointer Workgroup %uint")])
def test_what_is_no_named_barrier(with_barriers, right, wrong):
    text = MEET.format(rounds=ROUNDS, early=UINT, late="").replace(right, wrong, 1)
    with pytest.raises(cl.RuntimeError, match="BUILD_PROGRAM_FAILURE"):
        build(with_barriers, spirv_source.assemble(text, "1.1"))


LARGE_ARRAYS = """%many_words = OpConstant %uint 4096
%array = OpTypeArray %uint %many_words
%of_item = OpTypePointer Function %array
%in_item = OpTypePointer Function %uint"""
USED = """%own_word = OpInBoundsAccessChain %in_item %words %index
%met = OpFunctionCall %uint %meet %all
OpStore %own_word %met Volatile
%value = OpLoad %uint %own_word Volatile"""


def test_without_vectors_nobody_waits_for_ever(with_barriers, size, capfd):
    """Private arrays of a sub-group that no stack takes: its work-items run one after the other. Those of a small one
    are taken."""
    machine = with_barriers
    if machine.is_model:
        pytest.skip("a chip's wavefronts have no other way to run")
    text = MEET.replace("%index = ", "%words = OpVariable %of_item Function\n%index = ")
    text = text.replace("%value = OpFunctionCall %uint %meet %all", USED)
    if 4 * 4096 * size <= 128 << 10:
        return meet_in_groups(machine, text.format(rounds=ROUNDS, early=UINT, late=LARGE_ARRAYS), size)
    text = text.format(rounds=0, early=UINT, late=LARGE_ARRAYS)
    kernel = build(machine, spirv_source.assemble(text, "1.1"))
    out = cl.Buffer(machine.context, cl.mem_flags.READ_WRITE, 256)
    kernel.set_args(out, np.uint32(0))
    event = cl.enqueue_nd_range_kernel(machine.queue, kernel, (64,), (64,))
    with pytest.raises(cl.RuntimeError, match="EXEC_STATUS_ERROR"):
        event.wait()
    assert "from a null pointer" in capfd.readouterr().err


def test_query(with_barriers):
    from clapi import API, E
    api = API()
    device = api.devices()[0]
    assert api.number("clGetDeviceInfo", device, E.DEVICE_MAX_NAMED_BARRIER_COUNT_KHR) >= 8
