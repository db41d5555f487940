# SPDX-License-Identifier: Apache-2.0
"""Every capability and extension of SPIR-V that a device may report is in a module that does what it says."""
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
import spirv_source

from clpy.compiler import spirv, spirv_environment
from clpy.spec.extension_table import SPIRV as OF_VENDORS

TESTS = Path(__file__).resolve().parents[1]
NUMBERS = {name: number for number, name, _ in spirv_environment.CAPABILITIES}
# Modules of Clang: extensions of OpenCL, of SPIR-V, capabilities that it must declare, what is computed from x.
COMPILED = {
    "numbers": ((), (), ("Addresses", "Kernel", "Linkage", "Int8", "Int16", "Vector16"), [
        "(uchar)(x * 3)", "((global const ushort *)a)[i]", "rotate((uint16)(x), (uint16)(i)).sf"]),
    "long": ((), (), ("Int64",), ["as_uint2(x * 12345678901UL).y"]),
    "double": (("cl_khr_fp64",), (), ("Float64",), ["as_uint2((double)x / 3).x"]),
    "half": (("cl_khr_fp16",), (), ("Float16", "Float16Buffer"), [
        "as_ushort((half)(x & 255) * (half)0.3f)", "as_uint(vload_half(i, (global half *)a))"]),
    "64-bit atomics": (("cl_khr_int64_base_atomics",), (), ("Int64Atomics",), [
        "(uint)atom_add((global ulong *)spare + i, (ulong)x)", "((global uint *)spare)[2 * i]"]),
    "hints": (("cl_khr_expect_assume",), ("SPV_KHR_expect_assume",), ("ExpectAssumeKHR",), [
        "(__builtin_assume(x < 0x80000000u), x + 1)"]),
    "no wraps": (("cl_khr_spirv_no_integer_wrap_decoration",), ("SPV_KHR_no_integer_wrap_decoration",), (), [
        "(uint)((int)(x & 1023) * 7 + i)"]),
}
BITS = """%sum = OpBitFieldInsert %uint %x %seven %four %four
%u = OpBitFieldUExtract %uint %x %four %four
%s = OpBitFieldSExtract %uint %x %four %four
%r = OpBitReverse %uint %x
%a = OpBitwiseXor %uint %sum %u
%b = OpBitwiseXor %uint %s %r
%value = OpBitwiseXor %uint %a %b"""
CALLED = """%twice = OpFunction %uint None %of_one
%given = OpFunctionParameter %uint
%start = OpLabel
%double = OpIAdd %uint %given %given
OpReturnValue %double
OpFunctionEnd"""
# Modules in assembly: extensions of OpenCL, of SPIR-V, capabilities, decorations, declarations, the body that makes
# %value of %x = 0x5a, value.
ASSEMBLED = {
    "bits": (("cl_khr_extended_bit_ops",), ("SPV_KHR_bit_instructions",), ("BitInstructions",), "", "", BITS,
             0x7a ^ 5 ^ 5 ^ 0x5a000000),
    "one value for all": ((), (), ("UniformDecoration",), "OpDecorate %value Uniform", "",
                          "%value = OpIAdd %uint %x %four", 0x5e),
    "defined wherever needed": (("cl_khr_spirv_linkonce_odr",), ("SPV_KHR_linkonce_odr",), (),
                                'OpDecorate %twice LinkageAttributes "twice" LinkOnceODR', CALLED,
                                "%value = OpFunctionCall %uint %twice %x", 0xb4),
}
# Capability, or extension -> the tests that have modules with it.
ELSEWHERE = {
    "kernels/test_generic_spaces.py": ("GenericPointer",),
    "kernels/test_spirv_handles.py": ("ImageBasic", "ImageReadWrite", "LiteralSampler", "ImageBuffer", "SampledBuffer"),
    "api/test_mipmap_spirv.py": ("ImageMipmap", "Sampled1D", "Image1D"),
    "kernels/test_pipes.py": ("Pipes",),
    "kernels/test_device_enqueue_spirv.py": ("DeviceEnqueue", "SubgroupDispatch"),
    "kernels/test_named_barriers.py": ("NamedBarrier",),
    "kernels/test_kernel_clock.py": ("ShaderClockKHR", "SPV_KHR_shader_clock"),
    "kernels/test_dot_product.py": ("DotProduct", "DotProductInput4x8Bit", "DotProductInput4x8BitPacked",
                                    "SPV_KHR_integer_dot_product"),
    "kernels/test_float_atomics.py": (
        *(f"AtomicFloat{bits}{what}EXT" for bits in (16, 32, 64) for what in ("Add", "MinMax")),
        "SPV_EXT_shader_atomic_float16_add", "SPV_EXT_shader_atomic_float_add",
        "SPV_EXT_shader_atomic_float_min_max"),
    "kernels/test_work_group_functions.py": ("Groups", "GroupUniformArithmeticKHR",
                                             "SPV_KHR_uniform_group_instructions"),
    "kernels/test_sub_groups_spirv.py": (
        *(f"GroupNonUniform{what}" for what in ("", "Vote", "Arithmetic", "Ballot", "Shuffle", "ShuffleRelative",
                                                "Clustered", "RotateKHR")), "SPV_KHR_subgroup_rotate"),
}


def test_each_has_a_test():
    here = [word for *_, in_spirv, said, _ in COMPILED.values() for word in (*in_spirv, *said)]
    here += [word for _, in_spirv, said, *_ in ASSEMBLED.values() for word in (*in_spirv, *said)]
    there = [word for path, words in ELSEWHERE.items() if (TESTS / path).exists() for word in words]
    of_vendors = {word for name, _, rows, _ in OF_VENDORS for word in (name, *(row[1] for row in rows))}
    assert {*here, *there} == {*NUMBERS, *spirv_environment.EXTENSIONS} - of_vendors


def run(machine, kernel, lines=1):
    values = np.random.default_rng(3).integers(0, 1 << 31, 64, np.uint32)
    values[:8], values[8:12] = 5, 0x3c003c00
    out = np.zeros((lines, 64), np.uint32)
    machine.launch(kernel, (64,), None, [values, np.zeros(128, np.uint32), out])
    return out.tolist()


@pytest.mark.parametrize("name", COMPILED)
def test_modules_of_clang(machine, name):
    of_opencl, of_spirv, said, calls = COMPILED[name]
    machine.needs_il()
    for each in of_opencl:
        machine.needs(each)
    lines = "".join(f"o[{n} * 64 + i] = {call}; " for n, call in enumerate(calls))
    source = "".join(f"#pragma OPENCL EXTENSION {each} : enable\n" for each in of_opencl
                     if each not in ("cl_khr_expect_assume", "cl_khr_spirv_no_integer_wrap_decoration"))
    source += f"""kernel void k(global const uint *a, global uint *spare, global uint *o) {{
        uint i = get_global_id(0), x = a[i]; {lines} }}"""
    allowed = tuple(word for each in of_spirv for word in ("-mllvm", f"-spirv-ext=+{each}"))
    module = spirv_source.compiled(source, ("-cl-std=CL3.0", *allowed))
    words, parsed = np.frombuffer(module, np.uint32), spirv.parse(module)
    assert {NUMBERS[each] for each in said} <= {words[i + 1] for i, opcode, _ in parsed.instructions() if opcode == 17}
    assert all(each.encode() in module for each in of_spirv)
    program = cl._cl._create_program_with_il(machine.context, module)
    program._build(b"", None)
    wanted = run(machine, cl.Kernel(machine.build(source, "-cl-std=CL3.0"), "k"), len(calls))
    assert run(machine, cl._cl.Kernel(program, "k"), len(calls)) == wanted
    assert any(map(any, wanted))


@pytest.mark.parametrize("name", ASSEMBLED)
def test_modules_in_assembly(machine, name):
    of_opencl, of_spirv, said, decorations, types, body, value = ASSEMBLED[name]
    machine.needs_il()
    for each in of_opencl:
        machine.needs(each)
    header = "".join(f"OpCapability !{NUMBERS[each]}\n" for each in said)
    header += "".join(f'OpExtension "{each}"\n' for each in of_spirv)
    types = f"""%x = OpConstant %uint 0x5a
%four = OpConstant %uint 4
%seven = OpConstant %uint 7
%of_one = OpTypeFunction %uint %uint
{types}"""
    text = spirv_source.KERNEL.replace("OpMemoryModel", f"{header}OpMemoryModel")
    module = spirv_source.assemble(text.format(decorations=decorations, types=types, body=body), "1.4")
    program = cl._cl._create_program_with_il(machine.context, module)
    program._build(b"", None)
    out = np.zeros(1, np.uint32)
    machine.launch(cl._cl.Kernel(program, "k"), (1,), None, [out])
    assert out[0] == value
