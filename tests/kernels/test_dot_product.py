# SPDX-License-Identifier: Apache-2.0
"""Integer dot products: the functions of OpenCL C, SPIR-V's instructions, what the device says of them."""
import struct

import numpy as np
import pyopencl as cl
import pytest
import spirv_source

from .builtins import evaluate, kernel

SIGNS = {"uu": (np.uint8, np.uint8, np.uint32), "ss": (np.int8, np.int8, np.int32), "us": (np.uint8, np.int8, np.int32),
         "su": (np.int8, np.uint8, np.int32)}
TYPES = {np.uint8: "uchar4", np.int8: "char4", np.uint32: "uint", np.int32: "int"}
STANDARDS = ("", "-cl-std=CL3.0")


def words(seed, count=4000):
    """Four bytes each: random ones, and the ends of both ranges."""
    rng = np.random.default_rng(seed)
    bytes_ = rng.integers(0, 256, (count, 4)).astype(np.uint8)
    ends = np.array([0, 1, 127, 128, 255], np.uint8)
    bytes_[:count // 4] = rng.choice(ends, (count // 4, 4))
    return bytes_


def accumulators(type_, count=4000):
    info = np.iinfo(type_)
    near = [info.min, info.min + 5, info.max, info.max - 5, 0, 1000]
    return np.random.default_rng(9).choice(np.array(near, type_), count)


def expected(signs, a, b, acc=None):
    first, second, result = SIGNS[signs]
    exact = (a.view(first).astype(np.int64) * b.view(second).astype(np.int64)).sum(axis=1)
    if acc is not None:
        info = np.iinfo(result)
        exact = np.clip(exact + acc.astype(np.int64), info.min, info.max)
    return exact.astype(result)


@pytest.mark.parametrize("options", STANDARDS)
@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("packed", [False, True], ids=["vectors", "packed"])
def test_functions(machine, signs, packed, options):
    machine.needs("cl_khr_integer_dot_product")
    first, second, result = SIGNS[signs]
    a, b, acc = words(1), words(2), accumulators(result)
    r = TYPES[result]
    suffix = f"_4x8packed_{signs}_{r}" if packed else ""
    left, right = ("uint", "uint") if packed else (TYPES[first], TYPES[second])
    arrays = [a.reshape(-1).view(np.uint32), b.reshape(-1).view(np.uint32)]
    source = kernel("dot", f"dot{suffix}(a, b)", r, left, right)
    assert (evaluate(machine, source, "dot", result, *arrays, options=options) == expected(signs, a, b)).all()
    source = kernel("acc", f"dot_acc_sat{suffix}(a, b, c)", r, left, right, r)
    got = evaluate(machine, source, "acc", result, *arrays, acc, options=options)
    assert (got == expected(signs, a, b, acc)).all()


def test_macros_and_queries(machine):
    machine.needs("cl_khr_integer_dot_product")
    source = """kernel void k(global int *o) {
        #if defined(__opencl_c_integer_dot_product_input_4x8bit) && defined(cl_khr_integer_dot_product) \\
            && defined(__opencl_c_integer_dot_product_input_4x8bit_packed)
        o[0] = 1;
        #endif
    }"""
    for options in STANDARDS:
        out = np.zeros(1, np.int32)
        machine.launch(machine.build(source, options).k, (1,), None, [out])
        assert out[0] == 1
    versions = {row.name: row.version for row in machine.device.extensions_with_version}
    assert versions["cl_khr_integer_dot_product"] == 2 << 22
    assert "__opencl_c_integer_dot_product_input_4x8bit" in {row.name for row in machine.device.opencl_c_features}


# How SPIR-V's instructions are called -> (signs, accumulates).
INSTRUCTIONS = {"OpSDot": ("ss", False), "OpUDot": ("uu", False), "OpSUDot": ("su", False),
                "OpSDotAccSat": ("ss", True), "OpUDotAccSat": ("uu", True), "OpSUDotAccSat": ("su", True)}
HEADER = spirv_source.KERNEL.replace("OpMemoryModel", """OpCapability DotProduct
OpCapability DotProductInput4x8Bit
OpCapability DotProductInput4x8BitPacked
OpMemoryModel""")
BODY = """%p1 = OpInBoundsPtrAccessChain %pointer %out %long_1
%p2 = OpInBoundsPtrAccessChain %pointer %out %long_2
%x = OpLoad %uint %out Aligned 4
%y = OpLoad %uint %p1 Aligned 4
%z = OpLoad %uint %p2 Aligned 4
%v = OpBitcast %v4 %x
%w = OpBitcast %v4 %y
"""
CONSTANTS = """%uchar = OpTypeInt 8 0
%v4 = OpTypeVector %uchar 4
%long_1 = OpConstant %ulong 1
%long_2 = OpConstant %ulong 2"""


@pytest.mark.parametrize("name", INSTRUCTIONS)
@pytest.mark.parametrize("packed", [False, True], ids=["vectors", "packed"])
def test_instructions(machine, name, packed):
    machine.needs("cl_khr_integer_dot_product")
    machine.needs_il()
    signs, accumulates = INSTRUCTIONS[name]
    operands = ("%x %y" if packed else "%v %w") + (" %z" if accumulates else "")
    body = BODY + f"%value = {name} %uint {operands}{' PackedVectorFormat4x8Bit' if packed else ''}"
    module = spirv_source.assemble(HEADER.format(body=body, types=CONSTANTS, decorations=""), "1.6")
    program = cl._cl._create_program_with_il(machine.context, module)
    program._build(b"", None)
    k = cl._cl.Kernel(program, "k")
    for seed in range(4):
        a, b, acc = words(seed, 4)[:1], words(seed + 20, 4)[:1], accumulators(SIGNS[signs][2], 4)[seed:seed + 1]
        data = np.concatenate([a.reshape(-1).view(np.uint32), b.reshape(-1).view(np.uint32), acc.view(np.uint32)])
        machine.launch(k, (1,), None, [data])
        assert data[0] == expected(signs, a, b, acc if accumulates else None).view(np.uint32)[0]


def test_layout_of_the_queries():
    """Six cl_bools: the suite and applications read them as a structure."""
    from clapi import API, E
    api = API()
    device = api.devices()[0]
    assert api.number("clGetDeviceInfo", device, E.DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES) == 3
    for query in (E.DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT,
                  E.DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED):
        assert set(struct.unpack("=6I", api.info("clGetDeviceInfo", device, query))) <= {0, 1}
