# SPDX-License-Identifier: Apache-2.0
"""Line tables: machine code knows its place in the source, and is the same with and without them."""
import pytest

from clpy import config
from clpy.abi_layout import KERNEL_PREFIX
from clpy.compiler import binary, frontend, program, target
from clpy.llvm.lines import place_of

from . import random_kernels

SOURCE = b"""
int twice(global int *p, int i) {
    return p[i] * 2;
}
kernel void a(global int *p, global int *q) {
    q[get_global_id(0)] = twice(p, get_global_id(0));
}
kernel void b(global int *p, local int *shared) {
    shared[get_local_id(0)] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = shared[0];
}
"""


def build(source, options=""):
    with config.override(CACHE=False):
        return program.build(source, program.parse_options(options), target.host_target())


def code(executable):
    """What is loaded into memory, without the sections that debuggers read."""
    return [(s.name, bytes(s.data)) for obj in executable.objects for s in binary.read_sections(obj)
            if s.kind == binary.PROGBITS and not s.name.startswith(".debug")]


@pytest.mark.parametrize("seed", range(6))
def test_the_code_is_the_same_without_them(seed, monkeypatch):
    source = random_kernels.make(seed).source().encode()
    options = "-cl-std=CL3.0 -w"
    with_lines = code(build(source, options))
    monkeypatch.setattr(frontend, "usual_arguments", frontend.usual_arguments.__wrapped__)
    monkeypatch.setattr(frontend, "LINES", "-w")
    assert code(build(source, options)) == with_lines


def places(executable, name):
    found = {place_of(executable.objects[0], KERNEL_PREFIX + name, offset) for offset in range(4096)}
    return {place for place in found if place}


@pytest.mark.parametrize("options", ["", "-cl-opt-disable"])
def test_every_access_has_its_line(options):
    executable = build(SOURCE, options)
    assert any("<source>:3 in twice, called at <source>:6" in place for place in places(executable, "a"))
    for line in (9, 11):
        assert any(place.startswith(f"<source>:{line} ") for place in places(executable, "b"))
    assert not any("in twice" in place for place in places(executable, "b"))


def test_another_kernel_of_the_object_is_not_this_one():
    """Old words of a stack lead there, before this one and behind it."""
    executable = build(SOURCE)
    for name, lines in (("a", (3, 5, 6)), ("b", (8, 9, 10, 11))):
        found = {place_of(executable.objects[0], KERNEL_PREFIX + name, offset % (1 << 64))
                 for offset in range(-4096, 4096)}
        assert {int(place.split(":")[1].split()[0]) for place in found if place} <= set(lines)


def test_what_is_no_code_has_no_place():
    executable = build(SOURCE)
    assert place_of(executable.objects[0], KERNEL_PREFIX + "a", 1 << 20) is None
    assert place_of(executable.objects[0], "no_such_function", 0) is None
    assert place_of(b"no object file", KERNEL_PREFIX + "a", 0) is None


def test_parts_of_long_kernels_have_their_lines():
    """Long regions are functions of their own in first code, before the kernel's or behind it."""
    steps = "".join(f"    x = x * a[{n}] + a[i + {n}];\n" for n in range(160))
    regions = "".join(f"    shared[l] = x;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    x += shared[l ^ {n}];\n{steps}"
                      for n in (1, 2, 4))
    source = (f"kernel void k(global float *a, local float *shared) {{\n    int i = get_global_id(0), l = "
              f"get_local_id(0);\n    float x = a[i];\n{regions}    a[i] = x;\n}}\n")
    executable = build(source.encode())
    offsets = [offset % (1 << 64) for offset in range(-1 << 16, 8192, 3)]
    found = {place_of(executable.objects[0], KERNEL_PREFIX + "k", offset) for offset in offsets}
    lines = {int(place.split(":")[1].split()[0]) for place in found if place}
    assert all(place.endswith(" in k") and "called at" not in place for place in found if place)
    wanted = {n for n, text in enumerate(source.split("\n"), 1) if "a[" in text or "shared[" in text} - {1}
    assert wanted <= lines
