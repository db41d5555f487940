# SPDX-License-Identifier: Apache-2.0
"""What the code object of a VLIW chip says of itself, its binaries, and that nothing but ValueError comes of bytes at
random. `python -m tests.unit.test_r600_facts 100000` tries more."""
import pytest

from clpy.compiler import binary
from clpy.compiler.options import parse_options
from clpy.compiler.r600 import facts, installed, program
from clpy.compiler.r600.target import VliwTarget

pytestmark = pytest.mark.skipif(bool(installed.missing("cypress")), reason="libclc-22 is not installed")

SOURCE = b"""typedef struct { int a[3]; float b; } row;
constant int table[4] = {1, 2, 3, 4};
kernel void sum(global const float *a, global float *b, int n, local float *t, row r) {
    int i = get_global_id(0);
    t[get_local_id(0)] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        b[i] = t[get_local_size(0) - 1 - get_local_id(0)] + table[i & 3] + r.a[i % 3] + r.b;
}
kernel void count(global uint *c, global uchar *d, int n) {
    for (int i = 0; i < n; i++) {
        if (d[i] == 3) continue;
        if (atomic_add(c, d[i]) > 100) break;
        d[i] = i / 7;
    }
}
"""
TARGET = VliwTarget("cypress")


def built(source=SOURCE, target=TARGET):
    return program.build(source, parse_options(""), target)


def test_binaries_are_loaded_with_their_code():
    executable = built()
    again = program.unpack(program.pack(executable, SOURCE, TARGET), TARGET)
    assert again.kind == binary.EXECUTABLE and again.objects == executable.objects and again.is_cached
    assert again.kernels == executable.kernels and again.undefined == []
    assert binary.variable_bytes(*again.objects) == 0


def test_what_was_built_is_in_the_cache():
    built()
    assert built().is_cached


def test_lines():
    executable = built()
    read = facts.read_program(executable.objects[0], executable.kernels, "cypress")
    for name, lines in (("sum", range(3, 10)), ("count", range(10, 17))):
        kernel = read.kernels[name]
        assert kernel.lines[0][0] == kernel.entry and {line for _, line in kernel.lines} <= {0, *lines}
        assert len({line for _, line in kernel.lines}) > 3
        assert [at for at, _ in kernel.lines] == sorted({at for at, _ in kernel.lines})
