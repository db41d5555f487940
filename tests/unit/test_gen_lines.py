# SPDX-License-Identifier: Apache-2.0
"""Lines of the source in programs of Intel's compiler: which there are, and that code is the same without them."""
import os
import re
import secrets
import subprocess

import pytest

from clpy import config
from clpy.compiler.gen import code, facts, installed, ocloc
from clpy.compiler.gen.program import program
from clpy.compiler.gen.target import GenTarget
from clpy.compiler.isa.gen import decode, disassembly
from clpy.compiler.options import parse_options
from tests import spirv_source

pytestmark = pytest.mark.skipif(bool(installed.missing()), reason="intel-opencl-icd is not installed")

SOURCE = b"""kernel void sum(global const float *a, global float *b, local float *t) {
    int i = get_global_id(0);
    t[get_local_id(0)] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < get_local_size(0); k++)
        sum = sum * 3 + t[k];
    b[i] = sum;
}
kernel void steps(global uint *out) {
    ulong x = get_global_id(0) + 1;
    uint steps = 0;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        steps++;
    }
    out[get_global_id(0)] = steps;
}
"""
TARGET = GenTarget("gen9")


def built(source=SOURCE, options="", headers=None):
    with config.override(CACHE=False):
        return program.build(source, parse_options(options), TARGET, headers=headers)


def read(executable):
    return facts.read_program(executable.objects[0], executable.kernels, "gen9")


def line_of(made, name, pattern):
    """Lines of a kernel's instructions whose text has a pattern."""
    from clpy.compiler.isa.gcn.steps import line_finder
    kernel = made.kernels[name]
    rows = decode.rows_of(disassembly.text_of(bytes(made.text[kernel.entry:kernel.entry + kernel.size]), "gen9"))
    find = line_finder(kernel.lines)
    return {find(kernel.entry + at) for at, text in rows if re.search(pattern, text)}


@pytest.fixture
def without(monkeypatch):
    """Build once more, without lines."""
    def build(*args):
        spirv_of = code.spirv_of
        with monkeypatch.context() as patch:
            patch.setattr(code, "spirv_of", lambda ir, target, has_lines: spirv_of(ir, target, False))
            return read(built(*args))
    return build


def test_instructions_have_lines():
    made = read(built())
    assert line_of(made, "sum", "surface write.* with x|surface read|gathering read") == {3, 7, 8}
    assert line_of(made, "sum", "signal barrier|wait ") == {4} and line_of(made, "sum", "^.W&f.* jmpi") == {6}
    assert line_of(made, "steps", "sel ") == {14} and line_of(made, "steps", "while ") == {13}
    assert line_of(made, "steps", "surface write") == {17}
    for name, lines in (("sum", range(2, 10)), ("steps", range(11, 19))):
        kernel = made.kernels[name]
        assert {line for _, line in kernel.lines} <= {0, *lines}
        assert kernel.lines[0] == (kernel.entry, 0)
        assert [at for at, _ in kernel.lines] == sorted({at for at, _ in kernel.lines})


@pytest.mark.parametrize("options", ["", "-g", "-cl-std=CL3.0 -cl-fast-relaxed-math"])
def test_lines_change_no_code(without, options):
    plain, made = without(SOURCE, options), read(built(SOURCE, options))
    assert made.lines and not plain.lines
    assert made.text == plain.text
    assert {n: (k.simd, k.grfs, k.thread_scratch, k.copies) for n, k in made.kernels.items()} == {
        n: (k.simd, k.grfs, k.thread_scratch, k.copies) for n, k in plain.kernels.items()}


def test_lines_of_headers():
    source = (b'#include "g.h"\n#include "in/f.h"\nkernel void k(global int *p) {\n    int x = f(p[1]);\n'
              b'    p[0] = x + g(p[2]);\n}')
    headers = {"in/f.h": b"\n\n\n\n\n\nint f(int x) {\n    return x * 5 + 7;\n}",
               "g.h": b"int g(int x) { return x * x; }"}
    made = read(built(source, headers=headers))
    assert {line for _, line in made.lines} <= {0, 4, 5, 6}
    places = {(os.path.normpath(file), line) for _, file, line in made.places if file}
    assert places == {("in/f.h", 8), ("g.h", 1)}


def test_every_kernel_has_lines():
    """Those that have nothing to tell as well, and what begins a program."""
    made = read(built(b"struct A { int x; A(int y) : x(y * 3) {} };\nglobal A a(4);\nkernel void none() {}\n"
                      b"kernel void k(global int *p) {\n    p[0] = a.x;\n}", "-cl-std=CLC++"))
    assert {name: {line for _, line in kernel.lines} - {0} for name, kernel in made.kernels.items()} == {
        "none": {3}, "k": {5, 6}, "clpy.initialize": {1}}


def test_units_have_their_own():
    options = parse_options("", "compile")
    units = [program.compile_source(text, {}, options, TARGET) for text in (
        b"\nint twice(int x) {\n    return 2 * x;\n}",
        b"int twice(int);\n\n\n\n\nkernel void k(global int *a) {\n    a[1] = twice(a[0]);\n}")]
    made = read(program.link(units, parse_options("", "link"), TARGET))
    assert {line for _, line in made.lines} == {0, 3, 7, 8}


# Of a kernel that says what Intel's compiler needs to look at its lines.
SPIRV = spirv_source.KERNEL.replace("OpMemoryModel", '''%set = OpExtInstImport "OpenCL.DebugInfo.100"
OpMemoryModel''', 1).format(decorations='''%file = OpString "of.cl"
%name = OpString "k"''', types="""
%source = OpExtInst %void %set DebugSource %file
%unit = OpExtInst %void %set DebugCompilationUnit 65536 4 %source OpenCL_C
%kind = OpExtInst %void %set DebugTypeFunction FlagIsPublic %void
%function = OpExtInst %void %set DebugFunction %name %kind %source 5 0 %unit %name FlagIsDefinition 5 %k""", body="""
%scope = OpExtInst %void %set DebugScope %function
OpLine %file 7 0
%in = OpLoad %uint %out Aligned 4
OpLine %file 9 0
%value = OpIMul %uint %in %in""")


def test_spirv_with_lines():
    made = read(program.build_il(spirv_source.assemble(SPIRV), parse_options(""), TARGET))
    assert line_of(made, "k", "send.*rd:1") == {7} and line_of(made, "k", "mul ") >= {9}
    assert {file for _, file, _ in made.places} == {""}


def test_without_a_folder_for_them(monkeypatch):
    """What cannot be compiled with lines is compiled without."""
    monkeypatch.setattr(ocloc, "BEGIN_THERE", ("/usr/bin/env", "-C", "/nonexistent"))
    made = read(built())
    assert not made.lines and sorted(made.kernels) == ["steps", "sum"]


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"k{secrets.token_hex(8)}" for _ in range(2)]
    made = read(built("".join(f"kernel void {name}(global int *p) {{ p[0] = 1; }}\n" for name in names).encode()))
    assert len({line for _, line in made.lines}) == 3
    assert not os.listdir(tmp_path) and not [n for n in os.listdir(ocloc.FOLDER) if n.startswith(tuple(names))]


def test_names_too_long_for_a_file():
    made = read(built(b"kernel void %s(global int *p) { p[0] = 1; }\nkernel void k(global int *p) { p[0] = 2; }" % (
        b"k" * 300)))
    assert len(made.kernels) == 2 and len(made.kernels["k"].lines) == 1


def test_spirv_is_valid(monkeypatch, tmp_path):
    """With headers, phis, variables in private memory."""
    compile_, seen = ocloc.compile, []

    def note(spirv, *args):
        seen.append(spirv)
        return compile_(spirv, *args)
    monkeypatch.setattr(ocloc, "compile", note)
    built(b'#include "f.h"\n' + SOURCE + b"kernel void last(global int *p) { int t[9]; for (int i = 0; i < 9; i++)\n"
          b"t[p[i] & 7] = f(i);\n p[0] = t[p[1]] && p[2] || p[3]; }", "-cl-std=CL3.0",
          {"f.h": b"int f(int x) {\n return x > 3 ? 5 : x; }"})
    (tmp_path / "module.spv").write_bytes(seen[0])
    done = subprocess.run(["spirv-val", "--target-env", "spv1.3", tmp_path / "module.spv"], capture_output=True,
                          text=True)
    assert not done.returncode and len(seen) == 1, done.stderr
