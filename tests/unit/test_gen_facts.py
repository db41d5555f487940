# SPDX-License-Identifier: Apache-2.0
"""What a program of Intel's compiler says of itself, its binaries, and that nothing but ValueError comes of bytes at
random. `python -m tests.unit.test_gen_facts 100000` tries more."""
import random
import sys

import pytest

from clpy import config
from clpy.abi_layout import ARG_GLOBAL, ARG_IMAGE, ARG_LOCAL, ARG_SAMPLER, ARG_VALUE
from clpy.compiler import binary
from clpy.compiler.gen import facts, installed, target, ze_info
from clpy.compiler.gen.program import program
from clpy.compiler.gen.target import PROCESSORS, GenTarget
from clpy.compiler.isa import native
from clpy.compiler.options import parse_options
from clpy.compiler.target import IMAGE_EXTENSIONS, IMAGE_FEATURES
from clpy.errors import CLError, CompileError

pytestmark = pytest.mark.skipif(bool(installed.missing()), reason="intel-opencl-icd is not installed")

SOURCE = b"""typedef struct { int a[3]; float b; } row;
constant int table[4] = {1, 2, 3, 4};
global int counter = 3, *place = &counter;
kernel void sum(global const float *a, global float *b, short n, local float *t, row r) {
    int i = get_global_id(0);
    t[get_local_id(0)] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        b[i] = t[get_local_size(0) - 1 - get_local_id(0)] + table[i & 3] + r.a[i % 3] + r.b;
}
kernel void count(global int *c, int n) {
    local int found[16];
    int own[64] = {0};
    for (int i = 0; i < 64; i++) own[c[i + get_global_id(0)] & 63] += c[i];
    found[get_local_id(0)] = own[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(place, found[n] * own[n + 1]);
    c[0] = counter + get_num_groups(0);
}
"""
TARGET = GenTarget("gen9")


def built(source=SOURCE, options="-cl-std=CL2.0", of=TARGET):
    return program.build(source, parse_options(options), of)


def read(executable, processor="gen9"):
    return facts.read_program(executable.objects[0], executable.kernels, processor)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_processor_has_code(processor):
    made = read(built(of=GenTarget(processor)), processor)
    assert made.is_gen and sorted(made.kernels) == ["count", "sum"]
    for kernel in made.kernels.values():
        assert kernel.simd in (8, 16, 32) and kernel.entry + kernel.size <= len(made.text) and kernel.barriers == 1
        assert kernel.payload_bytes % 32 == 0 == kernel.per_thread_bytes % 32
        assert kernel.kernarg_bytes == kernel.samplers == kernel.surfaces + 8 * kernel.n_surfaces


def test_where_arguments_are():
    executable = built()
    made = read(executable)
    info, kernel = executable.kernels["sum"], made.kernels["sum"]
    args = [arg.offset for arg in info.args]
    where = {(copy.kind, copy.block, copy.size) for copy in kernel.copies}
    # A short has room for an int, which code finds the rest of to be zero.
    assert {(ARG_GLOBAL, args[0], 8), (ARG_GLOBAL, args[1], 8), (ARG_VALUE, args[2], 2),
            (ARG_LOCAL, args[3], 4)} <= where
    assert sum(copy.size for copy in kernel.copies if copy.block >= args[4]) == 16
    assert kernel.n_surfaces and all(copy.kernarg + copy.size <= kernel.kernarg_bytes for copy in kernel.copies)
    kinds = {row.kind for row in kernel.hidden}
    assert {"local_size_x", "group_size_x", "global_offset_z"} <= kinds
    assert "group_count_x" in {row.kind for row in made.kernels["count"].hidden}


@pytest.mark.parametrize("source", [b"constant int x = 3; int f() { return x; }", b""])
def test_no_kernels(source):
    assert read(built(source)).kernels == {} == native.read_code(built(source)).kernels


def test_memory_of_kernels():
    executable = built()
    kernel = read(executable).kernels["count"]
    assert kernel.lds_bytes == 64 == executable.kernels["count"].local_bytes
    assert kernel.thread_scratch >= 256 * kernel.simd and kernel.scratch_bytes == kernel.thread_scratch // 64
    assert executable.kernels["count"].sub_group_size == kernel.simd


def test_variables_of_the_program():
    made = read(built())
    at, size = made.symbols["table"]
    section = next(s for s in made.sections if s.offset <= at < s.offset + s.size)
    assert size == 16 and section.name == ".data.const" and not section.writable
    assert section.data[at - section.offset:][:16] == b"".join(i.to_bytes(4, "little") for i in (1, 2, 3, 4))
    assert at in made.addresses.values() and all(place + 8 <= len(made.text) for place in made.addresses)
    # `place` has the address of `counter`.
    (place, counter), = made.pointers
    assert {place, counter} <= set(made.addresses.values()) and in_image(made, counter, 4) == b"\3\0\0\0"


def in_image(made, at, size):
    section = next(s for s in made.sections if s.offset <= at < s.offset + s.size)
    return section.data[at - section.offset:][:size].ljust(size, b"\0")


def test_variables_that_begin_with_addresses():
    """Of places in others, of texts that nothing else has, in constant memory and global memory."""
    made = read(built(b"""typedef struct { char c; constant char *text; short s[3]; global int *of[2]; } row;
        global int list[10] = {1, 2, 3, 4};
        constant row rows[2] = {{1, "first", {2, 3}, {list + 3, 0}}, {4, &"second"[2], {5}, {list, list + 9}}};
        kernel void k(global int *a, int n) {
            a[0] = rows[n].text[n] + rows[n].of[n][0] + rows[n].c + rows[n].s[1]; }"""))
    pointers = dict(made.pointers)
    at = min(pointers) - 8
    assert sorted(pointers) == [at + 8, at + 24, at + 48, at + 64, at + 72] and in_image(made, at, 1) == b"\1"
    assert in_image(made, at + 16, 4) == b"\2\0\3\0" and in_image(made, at + 40, 1) == b"\4"
    assert in_image(made, pointers[at + 8], 6) == b"first\0" and in_image(made, pointers[at + 48], 5) == b"cond\0"
    assert in_image(made, pointers[at + 24], 4) == b"\4\0\0\0"
    assert pointers[at + 72] - pointers[at + 64] == 36 and in_image(made, pointers[at + 64], 4) == b"\1\0\0\0"
    assert at in made.addresses.values()


def test_what_prints():
    """Kernels and functions on the way to a printf get the buffer; no other kernel does."""
    made = read(built(b"""void say(int x) { printf("%d %s\\n", x, "text"); }
        kernel void k(global int *a) { a[get_global_id(0)] = 1; }
        kernel void prints(global int *a, int n) { if (a[get_global_id(0)] == n) say(n); }"""))
    kinds = {name: [row.kind for row in kernel.hidden] for name, kernel in made.kernels.items()}
    assert "printf_buffer" in kinds["prints"] and "printf_buffer" not in kinds["k"]
    assert any(b"%d %s\n\0" in section.data for section in made.sections)


def test_images(monkeypatch):
    monkeypatch.setattr(target, "FEATURES", (*target.FEATURES, *IMAGE_FEATURES))
    monkeypatch.setattr(target, "EXTENSIONS", (*target.EXTENSIONS, *IMAGE_EXTENSIONS))
    made = read(built(b"""constant sampler_t own = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
        kernel void k(read_only image2d_t a, write_only image3d_t b, sampler_t s, global int *o) {
            int x = get_global_id(0);
            write_imagef(b, (int4)(x), read_imagef(a, own, (float2)(x)) + read_imagef(a, s, (float2)(x)));
            o[x] = get_image_height(a) + get_image_channel_data_type(a) + read_imagei(a, s, (int2)(x)).x; }""",
                      "-cl-std=CL3.0", target.GenTarget("gen9")))
    kernel = made.kernels["k"]
    assert [bits for _, bits in kernel.own_samplers] == [1 | 6 | 0x20] and kernel.n_samplers >= 1
    rows = [(copy.kind, copy.block, copy.image, copy.size) for copy in kernel.copies if copy.kind != ARG_GLOBAL]
    # What stands for images and samplers, then what is asked of them.
    assert {(ARG_IMAGE, 0, 9, 8), (ARG_IMAGE, 8, 10, 8), (ARG_SAMPLER, 16, 0, 4), (ARG_IMAGE, 0, 0x100 + 28, 4),
            (ARG_IMAGE, 0, 0x100 + 44, 4), (ARG_SAMPLER, 16, 0x10E, 4)} <= set(rows)
    assert kernel.kernarg_bytes == kernel.samplers + 8 * kernel.n_samplers


def test_binaries():
    executable = built()
    packed = program.pack(executable, SOURCE, TARGET)
    again = program.unpack(packed, TARGET)
    assert again.kind == binary.EXECUTABLE and again.objects == executable.objects and again.is_cached
    assert again.kernels == executable.kernels and program.source_of(packed) == SOURCE
    with pytest.raises(CLError, match="another kind of device"):
        program.unpack(packed, GenTarget("gen8"))


def test_compiled_apart_and_linked():
    options = parse_options("", "compile")
    units = [program.compile_source(text, {}, options, TARGET) for text in (
        b"int twice(int x) { return 2 * x; }",
        b"int twice(int x); kernel void k(global int *a) { a[get_global_id(0)] = twice(a[get_global_id(0)]); }")]
    made = program.link(units, parse_options("", "link"), TARGET)
    assert list(made.kernels) == ["k"] and read(made).kernels["k"].size


@pytest.mark.parametrize(("source", "why"), [
    (b"kernel void k(global int *a) { a[0] = b; }", "use of undeclared identifier 'b'"),
    (b"int f(int a) { return a ? f(a - 1) * 3 + 1 : 0; } kernel void k(global int *a) { a[0] = f(a[1]); }", "recursi"),
    (b"kernel void k(global int *a) { __asm__(\"nop\"); }", "inline assembly"),
    (b"kernel void k(global int *a) { local int b[20000]; b[a[0]] = a[1]; barrier(1); a[0] = b[a[1]]; }",
     "kernel k takes 80000 bytes of local memory; there are 65536"),
    (b"kernel void k(global int *a) { int b[999999]; for (int i = 0; i < 999999; i++) b[a[i]] = i; a[0] = b[a[1]]; }",
     "bytes of private memory of a hardware thread; there are 2097152"),
    (b"int f(int a); kernel void k(global int *a) { a[0] = f(a[1]); }", "undefined reference to 'f'"),
])
def test_what_is_refused(source, why):
    with pytest.raises(CompileError) as raised:
        built(source)
    assert why in raised.value.log


def test_without_the_compiler(tmp_path):
    with config.override(INTEL_COMPILER=str(tmp_path), CACHE=False), pytest.raises(CompileError) as raised:
        built()
    assert f"there is no ocloc in {tmp_path} (CLPY_INTEL_COMPILER)" in raised.value.log


@pytest.mark.parametrize(("text", "meaning"), [
    ("a: 1\nb:\n  - c: 'x: y'\n    d: true\n  - e\nf: [ 1, 2 ]\n...\n",
     {"a": 1, "b": [{"c": "x: y", "d": True}, "e"], "f": [1, 2]}),
    ("---\na:\n- b: -3\n- - 1\n  - 2\nc:\n", {"a": [{"b": -3}, [1, 2]], "c": None}),
    ("", {}),
])
def test_what_is_said_of_kernels(text, meaning):
    assert ze_info.read(text.encode()) == meaning


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "a: 1\n   b: 2\n", "- " * 40 + "1", "a\nb\n"])
def test_what_says_nothing(text):
    with pytest.raises(ValueError, match=r"line|fields|lists"):
        ze_info.read(text.encode())


def damaged(blob, seed):
    """A blob that is cut, or of which bytes, numbers or digits of the text are others."""
    rng, made = random.Random(seed), bytearray(blob)
    if seed % 8 == 0:
        return bytes(made[:rng.randrange(len(made))])
    start = blob.index(b"version:") if seed % 2 else 0
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(start, len(made))
        if start and rng.random() < 0.5:
            made[at] = rng.choice(b"0123456789 :-'\n")
        else:
            made[at] ^= 1 << rng.randrange(8)
    return bytes(made)


def try_damaged(seeds):
    """How many programs could not be read, and how many."""
    counts, executable = [0, 0], built()
    for seed in seeds:
        try:
            made = facts.read_program(damaged(executable.objects[0], seed), executable.kernels, "gen9")
        except ValueError:
            counts[0] += 1
            continue
        counts[1] += 1
        for kernel in made.kernels.values():
            assert kernel.entry + kernel.size <= len(made.text) and kernel.kernarg_bytes < 1 << 16
            for row in (*kernel.copies, *kernel.hidden):
                assert getattr(row, "kernarg", 0) + row.size <= kernel.kernarg_bytes
            assert all(copy.block + copy.size <= executable.kernels[kernel.name].args_size for copy in kernel.copies)
    return counts


def test_many_kernels():
    """Each of which has a section of its own, and lines."""
    made = read(built("".join(f"kernel void k{i}(global int *p) {{ p[{i}] = 1; }}\n" for i in range(300)).encode()))
    assert len(made.kernels) == 300 and {line for _, line in made.lines} == {*range(301)}


def test_hostile_programs():
    assert min(try_damaged(range(2000))) > 100


def test_hostile_binaries():
    executable, refused = built(), 0
    for seed in range(100):
        executable.objects = [damaged(built().objects[0], seed)]
        try:
            program.unpack(program.pack(executable, SOURCE, TARGET), TARGET)
        except CLError as why:
            assert why.code == binary.CL_INVALID_BINARY
            refused += 1
    assert 10 < refused < 100


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    print(f"{try_damaged(range(count))} of {count} were read not at all, and as a program")
