# SPDX-License-Identifier: Apache-2.0
"""Instructions of SPIR-V that are rewritten before the translator sees them: results; what it sees is valid."""
import subprocess

import numpy as np
import pyopencl as cl
import pytest
import spirv_source

from clpy.compiler import spirv, spirv_legalize

TYPES = """
%v2 = OpTypeVector %uint 2
%v3 = OpTypeVector %uint 3
%v4 = OpTypeVector %uint 4
%two = OpConstant %uint 2
%three = OpConstant %uint 3
%long_1 = OpConstant %ulong 1
%long_3 = OpConstant %ulong 3
%null_int = OpConstantNull %uint
%null_long = OpConstantNull %ulong
%null_bool = OpConstantNull %bool
%null_2 = OpConstantNull %v2
%private = OpTypePointer Function %uint
%private_2 = OpTypePointer Function %v2
%inner_a = OpTypeStruct %uint %v2
%inner_b = OpTypeStruct %uint %v2
%inner_words = OpTypeStruct %uint %uint
%two_v2 = OpTypeStruct %v2 %v2
%array_a = OpTypeArray %inner_a %two
%array_b = OpTypeArray %inner_b %two
%outer_a = OpTypeStruct %array_a %ulong
%outer_b = OpTypeStruct %array_b %ulong
%private_outer = OpTypePointer Function %outer_a
%bytes = OpTypeInt 8 0
%packed = OpTypeStruct %bytes %ulong
%loose = OpTypeStruct %bytes %ulong %bytes %v3
%p_packed = OpTypePointer CrossWorkgroup %packed
%p_loose = OpTypePointer CrossWorkgroup %loose
%long_4 = OpConstant %ulong 4
"""
# What is computed from *out == 5 -> the result.
CASES = {
    "equal": ("""%p = OpInBoundsPtrAccessChain %pointer %out %long_1
%q = OpInBoundsPtrAccessChain %pointer %out %long_1
%e = OpPtrEqual %bool %p %q
%value = OpSelect %uint %e %two %three""", 2, "1.4"),
    "not equal": ("""%p = OpInBoundsPtrAccessChain %pointer %out %long_1
%e = OpPtrNotEqual %bool %p %out
%value = OpSelect %uint %e %two %three""", 2, "1.4"),
    "difference": ("""%p = OpInBoundsPtrAccessChain %pointer %out %long_3
%d = OpPtrDiff %ulong %out %p
%value = OpUConvert %uint %d""", 2**32 - 3, "1.4"),
    "difference of padded structures": ("""%p = OpConvertPtrToU %ulong %out
%a = OpConvertUToPtr %p_loose %p
%b = OpInBoundsPtrAccessChain %p_loose %a %long_3
%c = OpConvertPtrToU %ulong %b
%bytes_between = OpISub %ulong %c %p
%d = OpPtrDiff %ulong %b %a
%n = OpIMul %ulong %d %bytes_between
%value = OpUConvert %uint %n""", 3 * 3 * 48, "1.4"),
    "difference of packed structures": ("""%p = OpConvertPtrToU %ulong %out
%a = OpConvertUToPtr %p_packed %p
%b = OpInBoundsPtrAccessChain %p_packed %a %long_3
%c = OpConvertPtrToU %ulong %b
%bytes_between = OpISub %ulong %c %p
%d = OpPtrDiff %ulong %b %a
%n = OpIMul %ulong %d %bytes_between
%value = OpUConvert %uint %n""", 3 * 3 * 9, "1.4"),
    "copy of a structure": ("""%x = OpLoad %uint %out Aligned 4
%pair = OpCompositeConstruct %v2 %x %three
%i1 = OpCompositeConstruct %inner_a %x %pair
%i2 = OpCompositeConstruct %inner_a %two %null_2
%arr = OpCompositeConstruct %array_a %i1 %i2
%o = OpCompositeConstruct %outer_a %arr %long_3
%copied = OpCopyLogical %outer_b %o
%f1 = OpCompositeExtract %uint %copied 0 0 1 0
%f2 = OpCompositeExtract %uint %copied 0 0 1 1
%f3 = OpCompositeExtract %uint %copied 0 1 0
%s1 = OpIMul %uint %f1 %f2
%value = OpIAdd %uint %s1 %f3""", 5 * 3 + 2, "1.4"),
    "structures in memory": ("""%place = OpVariable %private_outer Function
%x = OpLoad %uint %out Aligned 4
%pair = OpCompositeConstruct %v2 %x %three
%i1 = OpCompositeConstruct %inner_a %x %pair
%i2 = OpCompositeConstruct %inner_a %two %pair
%arr = OpCompositeConstruct %array_a %i1 %i2
%o = OpCompositeConstruct %outer_a %arr %long_3
OpStore %place %o
%back = OpLoad %outer_a %place
%f1 = OpCompositeExtract %uint %back 0 1 1 0
%f2 = OpCompositeExtract %uint %back 0 1 1 1
%value = OpIMul %uint %f1 %f2""", 15, "1.0"),
    "copy of memory": ("""%place = OpVariable %private Function
%other = OpVariable %private Function %three
OpCopyMemory %place %out Aligned 4
OpCopyMemory %other %place Volatile|Aligned 4 Aligned 4
OpCopyMemorySized %place %other %long_4 Aligned 4 Volatile|Aligned 2
%value = OpLoad %uint %place""", 5, "1.4"),
    "vector from parts": ("""%x = OpLoad %uint %out Aligned 4
%pair = OpCompositeConstruct %v2 %x %three
%v = OpCompositeConstruct %v4 %two %pair %x
%a = OpCompositeExtract %uint %v 1
%b = OpCompositeExtract %uint %v 2
%c = OpCompositeExtract %uint %v 3
%m = OpIMul %uint %a %b
%value = OpIAdd %uint %m %c""", 20, "1.0"),
    "shuffle of two sizes": ("""%x = OpLoad %uint %out Aligned 4
%pair = OpCompositeConstruct %v2 %x %three
%three_of = OpCompositeConstruct %v3 %two %x %one
%s = OpVectorShuffle %v4 %pair %three_of 4 0xFFFFFFFF 1 2
%a = OpCompositeExtract %uint %s 0
%b = OpCompositeExtract %uint %s 2
%c = OpCompositeExtract %uint %s 3
%m = OpIMul %uint %b %c
%value = OpIAdd %uint %m %a""", 7, "1.0"),
    "address as a vector": ("""%place = OpVariable %private Function
OpStore %place %three
%words = OpBitcast %v2 %place
%again = OpBitcast %private %words
%value = OpLoad %uint %again""", 3, "1.5"),
    "insert into a vector within": ("""%x = OpLoad %uint %out Aligned 4
%i1 = OpCompositeConstruct %inner_a %x %null_2
%i2 = OpCompositeInsert %inner_a %x %i1 1 1
%f = OpCompositeExtract %uint %i2 1 1
%g = OpCompositeExtract %uint %i2 1 0
%value = OpIAdd %uint %f %g""", 5, "1.0"),
    "carry": ("""%x = OpLoad %uint %out Aligned 4
%most = OpNot %uint %zero
%pair = OpCompositeConstruct %v2 %most %three
%other = OpCompositeConstruct %v2 %x %x
%c = OpIAddCarry %two_v2 %pair %other
%sum = OpCompositeExtract %uint %c 0 0
%first = OpCompositeExtract %uint %c 1 0
%second = OpCompositeExtract %uint %c 1 1
%d = OpIAddCarry %inner_words %most %zero
%third = OpCompositeExtract %uint %d 1
%m = OpIMul %uint %sum %first
%n = OpIAdd %uint %second %third
%value = OpIAdd %uint %m %n""", 4, "1.0"),
    "borrow": ("""%x = OpLoad %uint %out Aligned 4
%c = OpISubBorrow %inner_words %three %x
%difference = OpCompositeExtract %uint %c 0
%first = OpCompositeExtract %uint %c 1
%d = OpISubBorrow %inner_words %x %x
%second = OpCompositeExtract %uint %d 1
%m = OpIAdd %uint %difference %three
%n = OpIMul %uint %first %m
%value = OpIAdd %uint %n %second""", 1, "1.0"),
    "products of two words": ("""%x = OpLoad %uint %out Aligned 4
%most = OpNot %uint %one
%c = OpUMulExtended %inner_words %most %x
%low = OpCompositeExtract %uint %c 0
%high = OpCompositeExtract %uint %c 1
%d = OpSMulExtended %inner_words %most %x
%signed = OpCompositeExtract %uint %d 1
%m = OpIMul %uint %high %low
%value = OpIAdd %uint %m %signed""", 2**32 - 41, "1.0"),
    "sizes": ("""%place = OpVariable %private_outer Function
%address = OpConvertPtrToU %ulong %out
%loose_place = OpConvertUToPtr %p_loose %address
%a = OpSizeOf %uint %place
%b = OpSizeOf %uint %loose_place
%m = OpIMul %uint %a %three
%value = OpIAdd %uint %m %b""", 3 * 40 + 48, "1.1"),
    "conversions to the same width": ("""%x = OpLoad %uint %out Aligned 4
%u = OpUConvert %uint %x
%pair = OpCompositeConstruct %v2 %u %three
%s = OpSConvert %v2 %pair
%a = OpCompositeExtract %uint %s 0
%b = OpCompositeExtract %uint %s 1
%wide = OpUConvert %ulong %a
%again = OpSConvert %ulong %wide
%narrow = OpUConvert %uint %again
%value = OpIMul %uint %narrow %b""", 15, "1.0"),
    "nulls": ("""%x = OpLoad %uint %out Aligned 4
%n = OpUConvert %uint %null_long
%s = OpSelect %uint %null_bool %three %x
%t = OpIAdd %uint %s %n
%value = OpIAdd %uint %t %null_int""", 5, "1.0"),
}


@pytest.fixture(scope="module")
def run(machine):
    machine.needs_il()
    context, queue = machine.context, machine.queue

    def made(module, launches=1):
        out = np.full(64, 5, np.uint32)
        buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
        program = cl._cl._create_program_with_il(context, module)
        program._build(b"", None)
        kernel = cl._cl.Kernel(program, "k")
        kernel.set_arg(0, buffer)
        for _ in range(launches):
            cl.enqueue_nd_range_kernel(queue, kernel, (1,), None)
        cl.enqueue_copy(queue, out, buffer)
        return int(out[0])

    return made


@pytest.mark.parametrize("name", CASES)
def test_rewritten(run, name, tmp_path):
    body, expected, version = CASES[name]
    module = spirv_source.kernel(body, TYPES, "OpDecorate %packed CPacked", version)
    rewritten = spirv_legalize.legalize(spirv.parse(module))
    (tmp_path / "module.spv").write_bytes(rewritten.to_bytes())
    subprocess.run(["spirv-val", "--target-env", "spv1.4", tmp_path / "module.spv"], check=True)
    assert run(module) == expected


@pytest.mark.parametrize(("said", "kept"), [(4294967168, [128]), (64, [64]), (0, []), (24, [])])
def test_alignments_that_are_none(run, said, kept):
    """Of 128 a version of Clang writes the sign of a byte; what is no power of two tells nothing."""
    body = """%place = OpVariable %private Function
OpStore %place %three Aligned 4
%value = OpLoad %uint %place Aligned 4"""
    module = spirv_source.kernel(body, TYPES, f"OpDecorate %place Alignment {said}")
    made = spirv_legalize.legalize(spirv.parse(module))
    decorations = [made.words[i + 2:i + count].tolist() for i, opcode, count in made.instructions()
                   if opcode == spirv_legalize.OP_DECORATE]
    assert [number for what, number in decorations if what == 44] == kept
    assert run(module) == 3


def test_variables_begin_with_their_values_each_time(run):
    body = """%place = OpVariable %private Function %three
%other = OpVariable %private Function %two
%before = OpLoad %uint %place
%more = OpIAdd %uint %before %one
OpStore %place %more
%last = OpLoad %uint %other
%value = OpIMul %uint %more %last"""
    assert run(spirv_source.kernel(body, TYPES), launches=3) == 8


@pytest.mark.parametrize("control", ["None", "Inline", "DontInline"])
def test_functions_may_use_local_memory(run, control):
    """Whatever the module says of inlining: there are no functions in OpenCL C that own some."""
    body = "%value = OpFunctionCall %uint %twice %out"
    module = spirv_source.kernel(body, f"""%of_group = OpTypePointer Workgroup %uint
%takes_pointer = OpTypeFunction %uint %pointer
%mine = OpVariable %of_group Workgroup
%twice = OpFunction %uint {control} %takes_pointer
%from = OpFunctionParameter %pointer
%start = OpLabel
%given = OpLoad %uint %from Aligned 4
OpStore %mine %given Aligned 4
%again = OpLoad %uint %mine Volatile|Aligned 4
%sum = OpIAdd %uint %given %again
OpReturnValue %sum
OpFunctionEnd""")
    assert run(module) == 10


def test_specialization_constants(machine):
    machine.needs_il()
    module = spirv_source.kernel("%value = OpIMul %uint %twice %one", """%two = OpConstant %uint 2
%c = OpSpecConstant %uint 5
%twice = OpSpecConstantOp %uint IMul %c %two""", "OpDecorate %c SpecId 7")
    program, results = cl._cl._create_program_with_il(machine.context, module), []
    for number in (5, 100):
        program.set_specialization_constant(7, np.array([number], np.uint32))
        program._build(b"", None)
        out = np.zeros(1, np.uint32)
        machine.launch(cl._cl.Kernel(program, "k"), (1,), None, [out])
        results.append(int(out[0]))
    assert results == [10, 200]


LINKED = """
typedef struct { char c; int v[3]; double d; } S;
constant int table[4] = {1, 20, 300, 4000};
global int calls = 7;
int outside(int x, private int *rest);
kernel void k(global int *out, S s, local int *shared) {
    int i = get_local_id(0), rest;
    atomic_int *counter = (atomic_int *)&out[16];
    shared[i] = table[i & 3] + outside(s.v[i % 3], &rest) + rest + (int)s.d;
    s.v[i % 3] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[15 - i] + s.v[i % 3] + calls;
    atomic_fetch_add_explicit(counter, 2, memory_order_relaxed, memory_scope_device);
}
"""


def test_linked_with_a_program_from_source(machine):
    machine.needs_il()
    if not machine.has_generic_pointers:
        pytest.skip("these atomics need pointers to any memory")
    parts = [cl._cl._create_program_with_il(machine.context, spirv_source.compiled(LINKED)),
             cl._cl._Program(machine.context, "int outside(int x, private int *rest) { *rest = x & 1; return x / 2; }")]
    for part, options in zip(parts, (b"", b"-cl-std=CL3.0"), strict=True):
        part.compile(options, None, [])
    program = cl._cl._Program.link(machine.context, parts, b"", None)
    out = np.zeros(17, np.int32)
    given = np.zeros(1, np.dtype([("c", np.int8), ("v", np.int32, 3), ("d", np.float64)], align=True))
    given["v"], given["d"] = (11, 20, 35), 0.5
    machine.launch(cl._cl.Kernel(program, "k"), (16,), (16,), [out, given[0], cl.LocalMemory(64)])
    shared = [(1, 20, 300, 4000)[i & 3] + (6, 10, 18)[i % 3] for i in range(16)]
    assert out.tolist() == [*(shared[15 - i] + i + 7 for i in range(16)), 32]


@pytest.mark.parametrize("broken", ["%value = OpCopyLogical %uint %one", "%value = OpPtrDiff %uint %one %one"])
def test_rules_that_do_not_apply_say_so(broken):
    with pytest.raises(ValueError, match=r"valid|aggregate"):
        spirv_legalize.legalize(spirv.parse(spirv_source.kernel(broken, version="1.4")))
