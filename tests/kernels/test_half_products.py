# SPDX-License-Identifier: Apache-2.0
"""Products of halves are rounded before they are added on any CPU: looked for in the code made for it."""
import re
from dataclasses import dataclass

import pytest

from clpy import config
from clpy.compiler import frontend, library, pipeline
from clpy.compiler.cpu import CpuTarget
from clpy.compiler.options import parse_options
from clpy.llvm import codegen

HALVES = """kernel void k(global _Float16 *p, global const _Float16 *q, int n) {
    int i = get_global_id(0); _Float16 z = p[i] * q[i] + q[n]; p[i] = z * q[n] - p[i + n]; }"""
FLOATS = HALVES.replace("_Float16", "float")
WITH_HALVES = "+avx512fp16,+avx512vl,+avx2,-prefer-256-bit"


@dataclass(frozen=True)
class Machine:
    """What clpy.compiler.target.Target says of a CPU."""
    cpu: str
    features: str
    vector_bits: int
    triple: str = "x86_64-unknown-linux-gnu"
    lockstep: int = 0
    observed: bool = False
    initialize: int = 0


def assembly(source, options, machine, width):
    parsed = parse_options(options)
    module = frontend.compile_source(source.encode(), {}, parsed, CpuTarget()).module
    library.keep_kernels(module)
    library.link(module)
    with config.override(CPU_VECTORIZER_MODE=width):
        lowering = pipeline.lower(module, machine, parsed)
    with codegen.machine(machine, lowering.optimize) as compiler:
        pipeline.finish(module, lowering, compiler)
        return compiler.assembly(module)


@pytest.mark.parametrize("options", ["", "-cl-opt-disable", "-cl-mad-enable", "-cl-fast-relaxed-math"])
@pytest.mark.parametrize("width", ["1", "16"])
def test_no_half_is_fused(options, width):
    text = assembly(HALVES, options, Machine("sapphirerapids", WITH_HALVES, 512), width)
    found = set(re.findall(r"\bv\w+[ps]h\b", text))
    assert any(name.startswith("vmul") for name in found), found      # it does compute in halves
    assert any(name.startswith("vadd") for name in found), found
    assert not re.search(r"\bvfn?m(add|sub)\w+", text)


def test_floats_are():
    """Else the test above would see nothing."""
    assert "vfmadd" in assembly(FLOATS, "", Machine("sapphirerapids", WITH_HALVES, 512), "16")


@pytest.mark.parametrize("width", ["1", "16"])
def test_fma_is_one_instruction_where_there_is_one(width):
    fma = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void k(global half *p, global const half4 *q) {
            int i = get_global_id(0); p[i] = fma(p[i], q[i].x, fma(q[i], q[i].y, q[0]).z); }"""
    fused = assembly(fma, "", Machine("sapphirerapids", WITH_HALVES, 512), width)
    assert re.search(r"vfmadd\w+[sp]h", fused)
    assert not re.search(r"vcvt|vmul", fused)      # in double, as where halves are not computed with
    assert re.search(r"vcvt\w+pd", assembly(fma, "", Machine("x86-64-v4", "-prefer-256-bit", 512), "16"))


@pytest.mark.parametrize(("cpu", "features", "bits"), [("x86-64-v3", "", 256), ("x86-64-v2", "", 128)])
def test_each_step_is_rounded_without_them(cpu, features, bits):
    """Two products, a sum and a difference: four roundings, or calls of the function that rounds."""
    text = assembly(HALVES, "-cl-opt-disable", Machine(cpu, features, bits), "1")
    assert len(re.findall(r"vcvtps2ph|__truncsfhf2", text)) == 4
