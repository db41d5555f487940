# SPDX-License-Identifier: Apache-2.0
"""Modules of SPIR-V with pipes for the host, whose decoration the assembler may not know: it is put in as words."""
from array import array

import spirv_source

CAPABILITY, EXTENSION, DECORATE, HOST_ACCESS = 17, 10, 71, 6188
TYPE_VOID, HOST_CAPABILITY, NAME = 19, 6187, b"SPV_INTEL_global_variable_host_access"
NONE, READ, WRITE, READ_WRITE = range(4)        # what the host may do
HEAD = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Pipes
OpCapability PipeStorage
OpCapability GenericPointer
OpMemoryModel Physical64 OpenCL
"""


def instruction(opcode, *operands):
    return [len(operands) + 1 << 16 | opcode, *operands]


def text(name):
    return array("I", name + bytes(4 - len(name) % 4))


def module(body, hosts, version="1.1"):
    """`hosts`: (numeric id of a variable, access, name)."""
    words = array("I", spirv_source.assemble(HEAD + body, version))
    at, out, is_first_type = 5, list(words[:5]), True
    out += instruction(CAPABILITY, HOST_CAPABILITY)
    has_extension = False
    while at < len(words):
        opcode, count = words[at] & 0xFFFF, words[at] >> 16
        if not has_extension and opcode != CAPABILITY:
            has_extension = True
            out += instruction(EXTENSION, *text(NAME))
        if is_first_type and opcode == TYPE_VOID:
            is_first_type = False
            for variable, access, name in hosts:
                out += instruction(DECORATE, variable, HOST_ACCESS, access, *text(name))
        out += words[at:at + count]
        at += count
    return array("I", out).tobytes()


# echo(n): n words from pipe %1, each plus one to pipe %2. Pipes of four words; the first and the last of the types that
# the pipes' memory needs stand behind the variables.
ECHO = """
OpEntryPoint Kernel %k "echo"
%void = OpTypeVoid
%tps = OpTypePipeStorage
%pps = OpTypePointer CrossWorkgroup %tps
%cps = OpConstantPipeStorage %tps 4 4 4
%1 = OpVariable %pps CrossWorkgroup %cps
%2 = OpVariable %pps CrossWorkgroup %cps
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%reader = OpTypePipe ReadOnly
%writer = OpTypePipe WriteOnly
%pint = OpTypePointer Function %uint
%pgen = OpTypePointer Generic %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%four = OpConstant %uint 4
%sig = OpTypeFunction %void %uint
%k = OpFunction %void None %sig
%n = OpFunctionParameter %uint
%entry = OpLabel
%v = OpVariable %pint Function
%sin = OpLoad %tps %1
%pin = OpCreatePipeFromPipeStorage %reader %sin
%sout = OpLoad %tps %2
%pout = OpCreatePipeFromPipeStorage %writer %sout
%g = OpPtrCastToGeneric %pgen %v
OpBranch %loop
%loop = OpLabel
%i = OpPhi %uint %zero %entry %next %done
%more = OpULessThan %bool %i %n
OpLoopMerge %end %done None
OpBranchConditional %more %read %end
%read = OpLabel
%r = OpReadPipe %uint %pin %g %four %four
%got = OpIEqual %bool %r %zero
OpBranchConditional %got %change %read
%change = OpLabel
%value = OpLoad %uint %v
%plus = OpIAdd %uint %value %one
OpStore %v %plus
OpBranch %write
%write = OpLabel
%w = OpWritePipe %uint %pout %g %four %four
%put = OpIEqual %bool %w %zero
OpBranchConditional %put %done %write
%done = OpLabel
%next = OpIAdd %uint %i %one
OpBranch %loop
%end = OpLabel
OpReturn
OpFunctionEnd
"""

# fill(): each work-item writes its number into %1. move(to): the only one takes as many as to[0] says out of it.
IDS = """
OpEntryPoint Kernel %fill "fill" %id
OpEntryPoint Kernel %move "move"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %id Constant
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%bool = OpTypeBool
%vector = OpTypeVector %ulong 3
%of_vector = OpTypePointer Input %vector
%id = OpVariable %of_vector Input
%storage = OpTypePipeStorage
%of_storage = OpTypePointer CrossWorkgroup %storage
%constant = OpConstantPipeStorage %storage 4 4 256
%1 = OpVariable %of_storage CrossWorkgroup %constant
%reader = OpTypePipe ReadOnly
%writer = OpTypePipe WriteOnly
%private = OpTypePointer Function %uint
%generic = OpTypePointer Generic %uint
%global = OpTypePointer CrossWorkgroup %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%four = OpConstant %uint 4
%nothing = OpTypeFunction %void
%signature = OpTypeFunction %void %global
%fill = OpFunction %void None %nothing
%a = OpLabel
%v = OpVariable %private Function
%ids = OpLoad %vector %id
%x = OpCompositeExtract %ulong %ids 0
%number = OpUConvert %uint %x
OpStore %v %number
%s = OpLoad %storage %1
%p = OpCreatePipeFromPipeStorage %writer %s
%g = OpPtrCastToGeneric %generic %v
%w = OpWritePipe %uint %p %g %four %four
OpReturn
OpFunctionEnd
%move = OpFunction %void None %signature
%to = OpFunctionParameter %global
%b = OpLabel
%t = OpVariable %private Function
%n = OpLoad %uint %to Aligned 4
%s2 = OpLoad %storage %1
%p2 = OpCreatePipeFromPipeStorage %reader %s2
%g2 = OpPtrCastToGeneric %generic %t
OpBranch %loop
%loop = OpLabel
%i = OpPhi %uint %zero %b %next %again
%more = OpULessThan %bool %i %n
OpLoopMerge %end %again None
OpBranchConditional %more %read %end
%read = OpLabel
%r = OpReadPipe %uint %p2 %g2 %four %four
%value = OpLoad %uint %t
%place = OpInBoundsPtrAccessChain %global %to %i
OpStore %place %value Aligned 4
OpBranch %again
%again = OpLabel
%next = OpIAdd %uint %i %one
OpBranch %loop
%end = OpLabel
OpReturn
OpFunctionEnd
"""

# Pipes of structures of 12 bytes that no kernel uses, one of which the host may not, either; a variable that is none.
OTHERS = """
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%word = OpTypeInt 32 0
%of_word = OpTypePointer CrossWorkgroup %word
%five = OpConstant %word 5
%3 = OpVariable %of_word CrossWorkgroup %five
%storage = OpTypePipeStorage
%of_storage = OpTypePointer CrossWorkgroup %storage
%structures = OpConstantPipeStorage %storage 12 4 {capacity}
%1 = OpVariable %of_storage CrossWorkgroup %structures
%2 = OpVariable %of_storage CrossWorkgroup %structures
%nothing = OpTypeFunction %void
%k = OpFunction %void None %nothing
%a = OpLabel
OpReturn
OpFunctionEnd
"""


def echo():
    return module(ECHO, [(1, WRITE, b"in"), (2, READ, b"out")])


def ids():
    return module(IDS, [(1, READ_WRITE, "z\u00e4hler".encode())])


def others(capacity=0):
    return module(OTHERS.format(capacity=capacity), [(1, READ_WRITE, b"triples"), (2, NONE, b"hidden"),
                                                     (3, READ_WRITE, b"word")])
