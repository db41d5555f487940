# SPDX-License-Identifier: Apache-2.0
"""What the code object of a VLIW chip says of itself, its binaries, and that nothing but ValueError comes of bytes at
random. `python -m tests.unit.test_r600_facts 100000` tries more."""
import random
import sys

import pytest

from clpy.compiler import binary
from clpy.compiler.isa.gcn.flow import UnknownInstruction
from clpy.compiler.isa.r600 import mix, text
from clpy.compiler.isa.r600.decode import Reader, Unreadable
from clpy.compiler.isa.r600.flow import VliwCode
from clpy.compiler.options import parse_options
from clpy.compiler.r600 import facts, installed
from clpy.compiler.r600.program import program
from clpy.compiler.r600.target import VliwTarget
from clpy.errors import CLError

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


def changed(blob, rng, spots):
    """A copy with bytes changed in one of the ranges, or anywhere, or cut."""
    data = bytearray(blob)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        spot = rng.choice(rng.choice((*spots, range(len(data)))))
        data[spot] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, data[spot] ^ 1 << rng.randrange(8), rng.randrange(256)))
    return bytes(data[:rng.randrange(len(data))] if rng.random() < 0.1 else data)


def damaged(blob, seed):
    """A code object: in its header, its table of sections, its code, what describes it."""
    start = int.from_bytes(blob[32:36], "little")
    code = blob.index(facts.elf.read(blob).config)
    return changed(blob, random.Random(seed), (range(52), range(start, len(blob)), range(256, code),
                                               range(code, code + 64)))


def read_all(blob, infos, processor):
    """How far a code object can be read: 0 not at all, 1 as a file, 2 as instructions, 3 with its control flow."""
    try:
        read = facts.read_program(blob, infos, processor)
    except ValueError:
        return 0
    try:
        for kernel in read.kernels.values():
            flows = Reader(read.text, kernel.entry, kernel.size, read.has_t).read()
            assert text.listing(flows, lambda _: 0) and mix.count(flows)
    except Unreadable:
        return 1
    try:
        for kernel in read.kernels.values():
            VliwCode(read).flow(kernel)
    except UnknownInstruction:
        return 2
    return 3


def try_damaged(seeds):
    """How many code objects could be read how far."""
    counts = [0] * 4
    made = [(built(target=VliwTarget(name)), name) for name in ("cypress", "cayman")]
    for seed in seeds:
        executable, name = made[seed % 2]
        counts[read_all(damaged(executable.objects[0], seed), executable.kernels, name)] += 1
    return counts


def test_hostile_code():
    assert min(try_damaged(range(3000))) > 30


def sealed(executable, blob):
    """The binary of a program whose code object is another."""
    executable.objects = [blob]
    return program.pack(executable, SOURCE, TARGET)


def try_binaries(seeds):
    """How many were refused."""
    refused, executable = 0, built()
    code = executable.objects[0]
    whole = sealed(executable, code)
    for seed in seeds:
        rng = random.Random(seed)
        try:
            program.unpack(changed(whole, rng, ()) if seed % 2 else sealed(executable, damaged(code, seed)), TARGET)
        except CLError as why:
            assert why.code == binary.CL_INVALID_BINARY
            refused += 1
    return refused


def test_hostile_binaries():
    assert 200 < try_binaries(range(400)) < 400


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    print(f"{try_damaged(range(count))} of {count} were read not at all, as a file, as instructions, with control "
          f"flow; {try_binaries(range(count // 10))} of {count // 10} binaries refused, none did harm")
