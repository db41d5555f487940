# SPDX-License-Identifier: Apache-2.0
"""What the code object of a chip says of itself: kernels, arguments, places in memory, lines, instructions as text; and
that nothing but ValueError comes of bytes at random. `python -m tests.unit.test_amdgpu_facts 100000` tries more."""
import random
import re
import subprocess
import sys

import pytest

from clpy.abi_layout import ARG_CONSTANT, ARG_GLOBAL, ARG_IMAGE, ARG_LOCAL, ARG_SAMPLER, ARG_VALUE
from clpy.compiler.amdgpu import facts, messagepack, program
from clpy.compiler.amdgpu.target import ChipTarget
from clpy.compiler.options import parse_options

SOURCE = b"""typedef struct { char c; long l; } pair;
constant int table[4] = {1, 2, 3, 4};
kernel void sum(global const float *a, global float *b, int n, local float *t, float3 v, pair p, char c) {
    int i = get_global_id(0);
    t[get_local_id(0)] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        b[i] = t[get_local_size(0) - 1 - get_local_id(0)] + v.y + table[i & 3] + p.l + c;
}
kernel void image(constant int *k, read_only image2d_t picture, sampler_t s, global float4 *out) {
    local int shared[100];
    shared[get_local_id(0)] = *k;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = read_imagef(picture, s, (float2)(shared[3], 1));
    printf("%d: %f\\n", shared[5], 2.0f);
}
"""
VARIABLES = b"""global int counter = 5;
global int *where = &counter;
__attribute__((noinline)) int twice(int x) { return 2 * x; }
kernel void k(global int *p) { *p = twice(*where + counter); }
kernel void change(global int *p) { counter = *p; where = p; }
"""
CHIPS = ("gfx600", "gfx803", "gfx906")
OBJDUMP = "/usr/lib/llvm-22/bin/llvm-objdump"


def made(source, chip, options=""):
    """(code object, IsaProgram)."""
    executable = program.build(source, parse_options(options), ChipTarget(chip))
    return executable.objects[0], facts.read_program(executable.objects[0], executable.kernels)


@pytest.mark.parametrize("chip", CHIPS)
def test_kernels(chip):
    _, read = made(SOURCE, chip)
    assert read.processor == chip and set(read.kernels) == {"sum", "image"}
    kernel, other = read.kernels["sum"], read.kernels["image"]
    assert kernel.entry % 256 == 0 and kernel.size % 4 == 0 and kernel.entry + kernel.size <= len(read.text)
    assert 4 <= kernel.vgprs <= 40 and 8 <= kernel.sgprs <= 104
    assert kernel.lds_bytes == 0 and other.lds_bytes == 400
    assert kernel.kernarg_bytes % 8 == 0 and kernel.descriptor["enable_sgpr_kernarg_segment_ptr"] == 1
    assert kernel.descriptor["enable_sgpr_workgroup_id_x"] == 1
    assert [(c.kind, c.block, c.size) for c in kernel.copies] == [
        (ARG_GLOBAL, 0, 8), (ARG_GLOBAL, 8, 8), (ARG_VALUE, 16, 4), (ARG_LOCAL, 24, 8), (ARG_VALUE, 32, 16),
        (ARG_VALUE, 48, 16), (ARG_VALUE, 64, 1)]
    assert [c.kernarg for c in kernel.copies] == [0, 8, 16, 20, 32, 48, 64]
    assert [(c.kind, c.size) for c in other.copies] == [(ARG_CONSTANT, 8), (ARG_IMAGE, 8), (ARG_SAMPLER, 4),
                                                        (ARG_GLOBAL, 8)]
    hidden = {h.kind: h for h in other.hidden}
    assert {"group_size_x", "remainder_x", "block_count_x", "global_offset_x", "printf_buffer"} <= set(hidden)
    assert (hidden["group_size_x"].size, hidden["block_count_x"].size) == (2, 4)
    assert len(read.formats) == 1       # that there are any: texts are where the code has them
    assert set(kernel.to_dict()["copies"][0]) == {"kind", "block", "kernarg", "size", "image"}


@pytest.mark.parametrize("chip", CHIPS)
def test_lines(chip):
    _, read = made(SOURCE, chip)
    for name, lines in (("sum", range(3, 10)), ("image", range(10, 17))):
        kernel = read.kernels[name]
        own = [i for i in read.listing if kernel.entry <= i.offset < kernel.entry + kernel.size]
        assert sum(i.size for i in own) == kernel.size
        assert {i.line for i in own} <= {0, *lines}
        barrier = next(i for i in own if i.text == "s_barrier")
        assert barrier.line == {"sum": 6, "image": 13}[name]
        assert kernel.lines[0][0] == kernel.entry
        assert [at for at, _ in kernel.lines] == sorted({at for at, _ in kernel.lines})


def test_lines_of_headers():
    source = b'#include "f.h"\nkernel void k(global int *p) {\n    int x = f(p[1]);\n    p[0] = x + 3;\n}'
    header = b"\n\n\n\n\n\nint f(int x) {\n    return x * 5 + 7;\n}"
    executable = program.build(source, parse_options(""), ChipTarget("gfx803"), headers={"f.h": header})
    read = facts.read_program(executable.objects[0], executable.kernels)
    assert {line for _, line in read.lines} <= {0, 2, 3, 4, 5}
    assert {line for _, file, line in read.places if file.endswith("f.h")} == {8}
    assert {file for _, file, _ in read.places} == {"", "f.h"} or any(f.endswith("/f.h") for _, f, _ in read.places)


def test_line_tables_change_no_code(monkeypatch):
    from clpy.compiler.amdgpu import frontend
    with_lines = made(SOURCE, "gfx803")[1]
    common = frontend.frontend
    monkeypatch.setattr(common, "LINES", "-O2")      # which is among the arguments anyway
    without = made(SOURCE, "gfx803")[1]
    assert not without.lines and with_lines.lines
    assert [i.text for i in without.listing] == [i.text for i in with_lines.listing]


@pytest.mark.parametrize("chip", ("gfx803", "gfx906"))
@pytest.mark.parametrize("options", ("", "-cl-opt-disable"))
def test_listing_is_what_a_disassembler_says(chip, options, tmp_path):
    blob, read = made(SOURCE, chip, options)
    (tmp_path / "code.o").write_bytes(blob)
    out = subprocess.run([OBJDUMP, "-d", tmp_path / "code.o"], capture_output=True, text=True, check=True).stdout
    theirs = {int(m[2], 16): m[1] for m in re.finditer(r"^\t(.*?) +// ([0-9A-F]{12}):", out, re.M)}
    assert len(read.listing) > 50
    for instruction in read.listing:
        text = theirs[instruction.offset]
        if "branch" in text:        # the distance there, the place here
            distance = int(text.split()[1]) & 0xFFFF
            target = instruction.offset + 4 + 4 * ((distance ^ 0x8000) - 0x8000)
            assert instruction.text == f"{text.split()[0]} {target:#x}"
        elif text.startswith("image_"):     # the disassembler does not know how many registers the place takes
            assert instruction.text.split()[:2] == text.split()[:2]
        elif "lit(" not in text:            # relocations, which are resolved here
            assert instruction.text.split() == text.split()


@pytest.mark.parametrize("chip", CHIPS)
def test_an_image_of_the_program(chip):
    """Words of data are where code and other words look for them."""
    _, read = made(VARIABLES, chip, "-cl-std=CL3.0")
    places = {name: offset for name, (offset, _) in read.symbols.items()}
    section = next(s for s in read.sections if s.offset <= places["counter"] < s.offset + s.size)
    assert section.writable and read.sections[0].name == ".text"
    at = places["counter"] - section.offset
    assert int.from_bytes(section.data[at:at + 4], "little") == 5
    assert (places["where"], places["counter"]) in read.pointers
    targets = list(relative_addresses(read.listing))
    assert places["counter"] in targets and places["where"] in targets
    assert any(at != read.kernels["k"].entry for at in targets if at < len(read.text)), "the function that is called"


def relative_addresses(listing):
    """What s_getpc and the addition behind it give."""
    for i, one in enumerate(listing):
        if one.text.startswith("s_getpc_b64"):
            low = next(j for j in listing[i + 1:] if j.text.startswith("s_add_u32") and j.size == 8)
            high = next(j for j in listing[i + 1:] if j.text.startswith("s_addc_u32"))
            word = int(low.text.split(", ")[-1], 0)
            assert high.text.split(", ")[-1] in ("0x0", "0", "0xffffffff", "-1")
            yield one.offset + one.size + (word - (1 << 32) if word >> 31 else word)


def test_messagepack():
    assert messagepack.read(b"\x83\xa1a\x01\xa1b\x92\xff\xc3\xa1c\xcd\x01\x00") == {"a": 1, "b": [-1, True], "c": 256}
    assert messagepack.read(b"\xd9\x03abc") == "abc"
    assert messagepack.read(b"\xcb\x40\x00\x00\x00\x00\x00\x00\x00") == 2.0
    for wrong in (b"", b"\x83", b"\xc1", b"\x81\x01\x01", b"\xdd\xff\xff\xff\xff", b"\x01\x01", b"\x91" * 100,
                  b"\xa5abc", b"\xdf\x00\x00"):
        with pytest.raises(ValueError):
            messagepack.read(wrong)


def test_wrong_arguments():
    executable = program.build(SOURCE, parse_options(""), ChipTarget("gfx803"))
    executable.kernels["sum"].args.pop()
    with pytest.raises(ValueError, match="arguments of kernel sum"):
        facts.read_program(executable.objects[0], executable.kernels)


def test_foreign_files():
    with open("/proc/self/exe", "rb") as file:
        foreign = file.read()
    for wrong in (b"", b"\x7fELF", bytes(64), foreign):
        with pytest.raises(ValueError):
            facts.read_program(wrong)


def damage(blob, seed):
    """A copy with bytes changed, mostly where lengths and offsets are, or cut."""
    rng = random.Random(seed)
    data = bytearray(blob)
    tail = len(data) - int.from_bytes(data[40:48], "little")    # the section table is at the end
    spots = (range(64), range(len(data) - tail, len(data)), range(len(data)))
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        spot = rng.choice(rng.choice(spots))
        data[spot] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    return bytes(data[:rng.randrange(len(data))] if rng.random() < 0.15 else data)


def try_damaged(blobs, seeds):
    """How many of the damaged code objects were refused."""
    refused = 0
    for seed in seeds:
        try:
            facts.read_program(damage(blobs[seed % len(blobs)], seed))
        except ValueError:
            refused += 1
    return refused


def test_hostile_input():
    blobs = [made(SOURCE, "gfx600")[0], made(VARIABLES, "gfx906", "-cl-std=CL3.0")[0]]
    assert 100 < try_damaged(blobs, range(400)) < 400


if __name__ == "__main__":
    samples = [made(SOURCE, "gfx600")[0], made(VARIABLES, "gfx906", "-cl-std=CL3.0")[0]]
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    print(f"{try_damaged(samples, range(count))} of {count} refused, none did harm")
