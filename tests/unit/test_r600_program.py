# SPDX-License-Identifier: Apache-2.0
"""Programs for VLIW chips: what is refused, and how; binaries; where constants and buffers are."""
import pytest

from clpy import config
from clpy.compiler.isa.gcn import steps
from clpy.compiler.isa.r600.flow import VliwCode
from clpy.compiler.options import parse_options
from clpy.compiler.r600 import code, facts
from clpy.compiler.r600.program import program
from clpy.compiler.r600.target import PROCESSORS, VliwTarget
from clpy.errors import CLError, CompileError

TARGET = VliwTarget("cypress")
ADD = b"kernel void add(global int *a, global const int *b, int n) { int i = get_global_id(0); a[i] += b[i] * n; }"


def build(source, options="", target=TARGET):
    return program.build(source, parse_options(options), target)


def log_of(source, options="", target=TARGET):
    with pytest.raises(CompileError) as raised:
        build(source, options, target)
    return raised.value.log


@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_processor_has_code(processor):
    made = build(ADD, target=VliwTarget(processor))
    read = facts.read_program(made.objects[0], made.kernels, processor)
    assert read.has_t == (processor != "cayman")
    assert 2 <= read.kernels["add"].gprs < 10 and not read.kernels["add"].lds_bytes


def test_where_arguments_are():
    source = b"""typedef struct { long a; char b; } S;
        kernel void k(global int *a, char c, float4 v, S s, short d, local int *l) {
            l[0] = c; a[0] = s.a + l[d] + v.x; }"""
    kernel = facts.read_program(*of(build(source)), "cypress").kernels["k"]
    # Each is aligned from the first one's place on; the structure's place has its address, and it lies behind them all.
    assert [copy.kernarg for copy in kernel.copies[:3]] == [36, 40, 36 + 16]
    assert kernel.copies[3].image == 36 + 32 and kernel.copies[3].kernarg % 128 == 0
    assert [copy.kernarg for copy in kernel.copies[4:]] == [36 + 48, 36 + 52]
    assert kernel.windows >= kernel.copies[3].kernarg + 16


def of(made):
    return made.objects[0], made.kernels


def test_as_many_buffers_as_there_are_windows_for():
    names = [f"global int *a{i}" for i in range(130)]
    source = f"kernel void k({', '.join(names)}) {{ a0[0] = a129[0]; }}".encode()
    assert "has 130 buffers; there is room for 100" in log_of(source)


@pytest.mark.parametrize(("source", "why"), [
    ("kernel void k(global double *a) { a[0] = 1; }", "use of type 'double' requires cl_khr_fp64"),
    ("kernel void k(read_only image2d_t a) { }",
     "kernel k takes a image2d_t: this device has no images"),
    ("global int g; kernel void k(global int *a) { a[0] = g; }", "program scope variable must reside in constant"),
    ("kernel void k(global int *a) { int p[4096]; for (int i = 0; i < 4096; i++) p[i] = a[i]; a[0] = p[a[1]]; }",
     "error: k: 16384 bytes of private arrays; the code has them in registers, of which there are enough for 440"),
    ("int f(int x) { return x ? f(x - 1) + x : 0; } kernel void k(global int *a) { a[0] = f(a[1]); }",
     "recursion is not allowed"),
    ("void g(int x); kernel void k(global int *a) { g(a[0]); }", "undefined reference to 'g'"),
    ("kernel void k(global int *a) { __asm(\"nop\"); }", "inline assembly")])
def test_what_is_refused(source, why):
    assert why in log_of(source.encode())


def test_no_newer_language_and_no_other():
    for options in ("-cl-std=CL2.0", "-cl-std=CL3.0", "-x clc++"):
        with pytest.raises(CLError):
            build(ADD, options)
    with pytest.raises(CompileError) as raised:
        program.build_il(b"", parse_options(""), TARGET)
    assert "SPIR-V" in raised.value.log


def test_a_code_generator_that_does_not_come_to_its_end(monkeypatch):
    """Whatever it does, it does in a process of its own."""
    monkeypatch.setattr(code, "MEMORY", 1 << 25)
    with config.override(CACHE=False):
        assert "LLVM's code generator for VLIW chips fails with the program" in log_of(ADD, "-DANOTHER=1")


def test_without_the_library(tmp_path):
    with config.override(CLC_LIBRARY=str(tmp_path), CACHE=False):
        assert f"there is no cypress-r600--.bc in {tmp_path} (CLPY_CLC_LIBRARY)" in log_of(ADD)


def test_binaries():
    made = build(ADD)
    packed = program.pack(made, ADD, TARGET)
    again = program.unpack(packed, TARGET)
    assert again.objects == made.objects and again.kernels.keys() == made.kernels.keys()
    assert program.source_of(packed) == ADD
    with pytest.raises(CLError, match="another kind of device"):
        program.unpack(packed, VliwTarget("cayman"))


def test_compiled_apart_and_linked():
    options = parse_options("", "compile")
    units = [program.compile_source(text, {}, options, TARGET) for text in (
        b"int twice(int x) { return 2 * x; }",
        b"int twice(int x); kernel void k(global int *a) { a[get_global_id(0)] = twice(a[get_global_id(0)]); }")]
    made = program.link(units, parse_options("", "link"), TARGET)
    assert list(made.kernels) == ["k"] and facts.read_program(*of(made), "cypress").kernels["k"].size


@pytest.mark.parametrize(("of_a", "of_b", "cached"), [
    ("const global float *restrict", "constant float *", True), ("const global float *", "constant float *", False),
    ("const global float *restrict", "const global float *restrict", True),
    ("global float *restrict", "constant float *", False)])
def test_what_the_caches_keep(of_a, of_b, cached):
    """Nothing that the kernel may write, and the code does not say which argument a load is of."""
    source = f"""kernel void k({of_a} a, {of_b} b, global float *c) {{
        int i = get_global_id(0); c[i] = a[i] + b[i & 3]; }}"""
    kernel = facts.read_program(*of(build(source.encode())), "cypress").kernels["k"]
    assert kernel.cached == cached


def test_steps_know_their_lines():
    """Also those of a clause, whose bundles may be of several; the wait behind a fetch is the fetch's."""
    source = b"""kernel void k(global const int *a, global int *b, local int *l) {
        int i = get_local_id(0);
        l[i] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        b[i] = l[i + 1] * 3;
    }"""
    read = facts.read_program(*of(build(source)), "cypress")
    program_of_waves = steps.wave_program(VliwCode(read).flow(read.kernels["k"]), None, read.lines)
    found = {}
    for step in (step for block in program_of_waves.blocks for step in block):
        found.setdefault(step.unit, set()).add(step.line)
    assert found["vmem"] == {3, 5} and found["wait"] == {3} and found["barrier"] == {4} and found["lds"] == {3, 5}
    assert {3, 5} <= found["valu"]
