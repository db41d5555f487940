# SPDX-License-Identifier: Apache-2.0
"""AMD's device library, function by function: what a program does not use is neither read nor in its code."""
from collections import OrderedDict

import pytest

from clpy import config
from clpy.compiler import cache
from clpy.compiler.amdgpu import device_library, facts, generic, library_parts, program
from clpy.compiler.amdgpu.target import ChipTarget
from clpy.compiler.options import parse_options
from clpy.llvm.ir import functions
from clpy.llvm.module import Module

FIJI = ChipTarget("gfx803")
# convert_float16 is another name of a function, sin needs functions of two other files.
SOURCE = b"""kernel void k(global float16 *f, global uchar16 *c, global float *s) {
    f[0] = convert_float16(c[0]); s[0] = sin(s[1]); %s }"""
NEEDS = """
target triple = "amdgcn-amd-amdhsa"
declare float @_Z3sinf(float)
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p
  %y = call float @_Z3sinf(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}
"""


def listing(source, options=""):
    executable = program.build(source, parse_options(options), FIJI)
    read = facts.read_program(executable.objects[0], executable.kernels)
    return [instruction.text for instruction in read.listing], read


def test_the_code_has_no_more_than_is_used():
    for options in ("", "-cl-opt-disable"):
        text, read = listing(b"kernel void k(global float *p) { p[0] = native_sin(p[1]); }", options)
        assert len(text) < 200 and all("convert" not in name for name in read.symbols)


@pytest.mark.parametrize("cached", [True, False])
def test_parts(monkeypatch, tmp_path, cached):
    """The library is read once for a function; where the cache is kept, other processes do without."""
    looked = []
    read = device_library.read

    def noted(name):
        looked.append(name)
        return read(name)

    monkeypatch.setattr(device_library, "read", noted)
    monkeypatch.setattr(library_parts, "_parts", {})
    monkeypatch.setattr(cache, "_memory", OrderedDict())        # what other tests had is not here
    with config.override(CACHE_DIR=str(tmp_path), CACHE=cached):
        first, _ = listing(SOURCE % b"")
        assert set(device_library.FUNCTIONS) <= set(looked)
        looked.clear()
        other, _ = listing(SOURCE % b"s[2] = 1;")
        assert not set(device_library.FUNCTIONS) & set(looked)
        monkeypatch.setattr(library_parts, "_parts", {})
        listing(SOURCE % b"s[2] = 2;")
        assert bool(set(device_library.FUNCTIONS) & set(looked)) != cached
    assert len(first) > 50 and len(other) > 50


def test_a_damaged_part_is_made_anew(monkeypatch, tmp_path):
    with config.override(CACHE_DIR=str(tmp_path)):
        for damage in (lambda blob: blob[:-1], lambda blob: b"", lambda blob: bytes(len(blob))):
            module = Module.from_text(NEEDS)
            monkeypatch.setattr(library_parts, "_parts", {})
            device_library.link_functions(module)
            key = library_parts.key(repr(device_library.stamp()), "_Z3sinf")
            cache.store(key, damage(cache.load(key)))
            monkeypatch.setattr(library_parts, "_parts", {})
            module = Module.from_text(NEEDS)
            device_library.link_functions(module)
            assert not next(f for f in functions(module) if f.name == "_Z3sinf").is_declaration


def test_names_of_functions_with_generic_pointers():
    known = generic.names(["_Z5fractfPU3AS0f", "_Z5fractfPU3AS1f", "_Z3sinf"])
    assert known == {generic.plain("_Z5fractfPf"): "_Z5fractfPU3AS0f"}
    assert generic.plain("_Z5fractfPU3AS3f") == generic.plain("_Z5fractfPf") == "fract(float, float*)"
    assert generic.plain("not mangled") == ""
    names = device_library.generic_names(device_library.folder(), repr(device_library.stamp()))
    assert len(names) > 400 and names[generic.plain("_Z16atomic_fetch_addPVU7_Atomicii")].startswith("_Z16atomic")


def test_what_nobody_has_stays_undefined():
    module = Module.from_text(NEEDS.replace("_Z3sinf", "_Z7nothingf"))
    device_library.link(module, parse_options(""), FIJI)
    assert [f.name for f in device_library.undefined(module)] == ["_Z7nothingf"]
