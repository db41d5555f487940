# SPDX-License-Identifier: Apache-2.0
"""Program binaries: what is written is read again, tools can read it, and nothing damaged or foreign gets through."""
import json
import random
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clpy.compiler import binary, metadata, program
from clpy.compiler.cpu import CpuTarget
from clpy.compiler.options import LINK, parse_options
from clpy.compiler.target import host_target
from clpy.errors import CLError

PARTS = (b"kernel void k() {}", b"BC\xc0\xde....", b"\x7fELF native")
BLOB = binary.pack(binary.EXECUTABLE, PARTS, {"options": "-w", "kernels": []})
SOURCE = b"kernel void k(global int *p) { p[get_global_id(0)] += 1; }"


def refused(blob):
    try:
        binary.unpack(blob)
    except CLError as error:
        assert error.code == binary.CL_INVALID_BINARY
        return True
    return False


def test_round_trip():
    kind, parts, meta = binary.unpack(BLOB)
    assert kind == binary.EXECUTABLE
    assert tuple(parts[name] for name in binary.SECTIONS[:3]) == PARTS
    assert meta["options"] == "-w"


def test_any_elf_tool_reads_it(tmp_path):
    path = tmp_path / "k.bin"
    path.write_bytes(BLOB)
    out = subprocess.run(["/usr/lib/llvm-22/bin/llvm-readelf", "-S", "--wide", path], check=True, capture_output=True,
                         text=True)
    assert not out.stderr
    for name in binary.SECTIONS:
        assert f" {name} " in out.stdout


@pytest.mark.parametrize("blob", [
    b"", b"\x7fELF", bytes(64), b"x" * 1000, BLOB[:-1], BLOB[:len(BLOB) // 2], b"BC\xc0\xde" + bytes(100),
    binary.write_elf({".source": b"x"}), binary.write_elf(dict.fromkeys(binary.SECTIONS, b"")),
    binary.write_elf({**dict.fromkeys(binary.SECTIONS, b"x"), ".comment": b"[" * 100000}),
    binary.write_elf({**dict.fromkeys(binary.SECTIONS, b"x"), ".comment": b'{"format": "clpy-1"}'}),
    binary.write_elf({**dict.fromkeys(binary.SECTIONS, b"x"), ".comment": b"\xff"}),
], ids=range(12))
def test_foreign_and_truncated(blob):
    assert refused(blob)


def test_a_foreign_object_is_refused():
    with open("/proc/self/exe", "rb") as file:
        assert refused(file.read(200000))


def test_every_truncation_is_refused():
    assert all(refused(BLOB[:n]) for n in range(len(BLOB)))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(BLOB) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_damage_is_refused_or_harmless(changes):
    damaged = bytearray(BLOB)
    for place, value in changes:
        damaged[place] = value
    if not refused(bytes(damaged)):
        assert binary.unpack(bytes(damaged)) == binary.unpack(BLOB)


def test_other_formats_are_refused():
    for change in ({"format": "clpy-0"}, {"kind": 7}):
        sections = dict(zip(binary.SECTIONS, PARTS, strict=False))
        meta = {"format": binary.FORMAT, "abi": binary.ABI_VERSION, "kind": 4, **change}
        meta["checksum"] = binary.checksum(sections, meta)
        assert refused(binary.write_elf({**sections, ".comment": json.dumps(meta).encode()}))


@pytest.mark.parametrize("text", [b"", b"no elf", b"\x7fELF\2\1\1" + bytes(57)])
def test_undefined_symbols_of_what_is_no_object(text):
    with pytest.raises(ValueError):
        binary.undefined_symbols(text)


@pytest.fixture(scope="module")
def built():
    return program.build(SOURCE, parse_options("-w"), host_target())


def test_executable_round_trip(built):
    target = host_target()
    blob = program.pack(built, SOURCE, target)
    again = program.unpack(blob, target)
    assert (again.objects, again.ir, again.kernels, again.undefined) == (
        built.objects, built.ir, built.kernels, built.undefined)
    assert again.options == parse_options("-w") and again.kind == binary.EXECUTABLE
    assert program.source_of(blob) == SOURCE
    assert program.load(again, target).address("k")


def test_one_of_an_earlier_format_is_compiled_anew(built):
    """Its machine code does not say what belongs to it."""
    kind, _, meta = binary.unpack(program.pack(built, SOURCE, host_target()))
    del meta["checksum"], meta["objects"]
    old = binary.pack(kind, (SOURCE, built.ir, b"code that must not be used"), {**meta, "format": "clpy-1"})
    assert program.unpack(old, host_target()).objects == built.objects


@pytest.mark.parametrize("change", [
    lambda parts, meta: meta["kernels"][0].update(context_bytes=64), lambda parts, meta: meta.update(options=""),
    lambda parts, meta: meta["kernels"][0]["args"].clear(), lambda parts, meta: meta["objects"].append(0),
    lambda parts, meta: meta.update(target="another"), lambda parts, meta: meta["parts"].update(std="CL2.0"),
    lambda parts, meta: parts.update({".llvmir": parts[".llvmir"] + b"x"}),
    lambda parts, meta: parts.update({".text": parts[".text"][:-1]}),
    lambda parts, meta: parts.update({".text": b"", ".llvmir": b"", ".source": b""}),
])
def test_the_machine_code_says_what_belongs_to_it(built, change):
    kind, parts, meta = binary.unpack(program.pack(built, SOURCE, host_target()))
    change(parts, meta)
    meta["checksum"] = binary.checksum(parts, meta)
    with pytest.raises(CLError) as caught:
        program.unpack(binary.write_elf({**parts, ".comment": json.dumps(meta).encode()}), host_target())
    assert kind == binary.EXECUTABLE and caught.value.code == binary.CL_INVALID_BINARY


@pytest.mark.parametrize(("left", "sections"), [
    (("exe",), {".text", ".comment"}), (("llvmir",), {".llvmir", ".comment"}), (("source",), {".source", ".comment"}),
    (("source", "exe"), {".source", ".text", ".comment"})])
def test_parts_may_be_left_out(built, left, sections):
    target = host_target()
    blob = program.pack(built, SOURCE, target, left)
    assert {section.name for section in binary.read_sections(blob)} - {"", ".shstrtab"} == sections
    again = program.unpack(blob, target)
    assert again.kernels == built.kernels and again.objects == built.objects
    other = CpuTarget(isa="sse4.2")
    if left == ("exe",):
        with pytest.raises(CLError, match="neither machine code for this device nor"):
            program.unpack(blob, other)
    else:
        assert list(program.unpack(blob, other).kernels) == ["k"]


def test_one_for_another_cpu_is_compiled_anew(built):
    other = CpuTarget(isa="sse4.2")
    again = program.unpack(program.pack(built, b"", host_target()), other)
    assert list(again.kernels) == ["k"] and again.objects != built.objects
    assert program.load(again, other).address("k")


def test_one_for_another_device_is_refused(built):
    blob = program.pack(built, b"", host_target())
    with pytest.raises(CLError) as caught:
        program.unpack(blob, CpuTarget(name="another"))
    assert caught.value.code == binary.CL_INVALID_BINARY


def test_units_and_libraries_round_trip():
    target = host_target()
    unit = program.compile_source(b"int f(int x) { return x + 1; }", {}, parse_options("-g"), target)
    again = program.unpack(program.pack(unit, b"", target), target)
    assert (again.ir, again.kind, again.options.debug) == (unit.ir, binary.OBJECT, True)
    library = program.link([unit], parse_options("-create-library -enable-link-options", LINK), target)
    again = program.unpack(program.pack(library, b"", target), target)
    assert again.kind == binary.LIBRARY and again.options.create_library


def repacked(built, **changes):
    """A binary whose checksum is right and whose metadata is not."""
    code = b"".join(built.objects)
    target = host_target()
    meta = {"options": "", "stage": "build", "parts": built.options.of_parts(), "log": "", "target": target.key(),
            "device": target.name, "kernels": [info.to_dict() for info in built.kernels.values()],
            "objects": [len(code)], **changes}
    return binary.pack(binary.EXECUTABLE, (b"", built.ir, code), meta, sealed=True)


def test_the_metadata_of_the_next_tests_is_right_where_it_is_not_changed(built):
    assert program.unpack(repacked(built), host_target()).kernels == built.kernels


@pytest.mark.parametrize("changes", [
    {"options": "-bogus"}, {"options": 3}, {"kernels": 5}, {"device": None}, {"target": "x", "options": 3},
    {"objects": [3]}, {"objects": None}, {"objects": ["3"]}, {"objects": [-1, 1]}, {"log": 3}, {"log": "\ud800"},
    {"options": "-w\0"}, {"stage": "none"}, {"parts": None}, {"parts": {"std": []}},
])
def test_wrong_metadata_behind_a_right_checksum(built, changes):
    with pytest.raises(CLError) as caught:
        program.unpack(repacked(built, **changes), host_target())
    assert caught.value.code == binary.CL_INVALID_BINARY


@pytest.mark.parametrize("kernels", [[{}], [[]], [None], [{"name": 1}]])
def test_kernels_that_another_version_described(built, kernels):
    assert program.unpack(repacked(built, kernels=kernels), host_target()).kernels == built.kernels


def test_a_kernel_that_the_machine_code_has_not(built):
    kernel = {**built.kernels["k"].to_dict(), "name": "another"}
    executable = program.unpack(repacked(built, kernels=[kernel]), host_target())
    with pytest.raises(program.CompileError, match="cannot be loaded"):
        program.load(executable, host_target())


def test_wrong_values_in_kernel_metadata(built):
    rng = random.Random(1)
    good = built.kernels["k"].to_dict()
    for _ in range(200):
        bad = json.loads(json.dumps(good))
        holder = rng.choice([bad, bad["args"][0]])
        holder[rng.choice(sorted(holder))] = rng.choice([None, -1, 2**64, 1.5, [], {}, [1, 2], True])
        try:
            program.unpack(repacked(built, kernels=[bad]), host_target())
        except CLError as error:
            assert error.code == binary.CL_INVALID_BINARY


@pytest.mark.parametrize("change", [
    {"args_size": 0}, {"args_size": 8}, {"args_size": 1 << 40}, {"args_size": 24}, {"local_bytes": 1 << 40},
    {"context_bytes": 1 << 40}, {"reqd_size": [8, 0, 1]}, {"lane_dimension": 3}, {"name": ""}, {"name": "a\0b"},
    {"name": "\ud800"}, {"preferred_multiple": 1 << 30},
    {"arg": {"kind": 8}}, {"arg": {"offset": 16}}, {"arg": {"size": 4}}, {"arg": {"size": 1 << 62}},
    {"arg": {"align": 3}}, {"arg": {"align": 0}}, {"arg": {"type_name": "\0"}}, {"arg": {"address_qualifier": 1}},
    {"arg": {"access_qualifier": 1}}, {"arg": {"type_qualifier": 16}}])
def test_what_the_host_could_not_do_is_refused(built, change):
    good = json.loads(json.dumps(built.kernels["k"].to_dict()))
    arg = {**good["args"][0], **change.get("arg", {})}
    bad = {**good, "args": [arg], **{name: value for name, value in change.items() if name != "arg"}}
    assert metadata.KernelInfo.from_dict(good) == built.kernels["k"]
    with pytest.raises(ValueError):
        metadata.KernelInfo.from_dict(bad)


def test_garbage_in_place_of_bitcode():
    target = host_target()
    for ir in (b"", b"BC\xc0\xde", b"BC\xc0\xde" + bytes(range(256)) * 8, b"; text"):
        blob = binary.pack(binary.EXECUTABLE, (b"", ir, b""), {
            "options": "", "stage": "build", "parts": parse_options("").of_parts(), "log": "", "target": "another",
            "device": target.name, "kernels": [], "format": "clpy-1"})
        with pytest.raises(CLError) as caught:
            program.unpack(blob, target)
        assert caught.value.code == binary.CL_INVALID_BINARY


@pytest.mark.parametrize("change", [
    lambda meta: meta.update(abi=binary.ABI_VERSION + 1),
    lambda meta: [kernel.pop("preferred_multiple") for kernel in meta["kernels"]],
    lambda meta: [kernel.update(of_the_future=1) for kernel in meta["kernels"]],
])
def test_code_of_another_version_is_made_anew(built, change):
    """An application that kept a binary over an update of clpy can still use it."""
    kind, parts, meta = binary.unpack(program.pack(built, SOURCE, host_target()))
    del meta["checksum"]
    change(meta)
    old = binary.pack(kind, (SOURCE, parts[".llvmir"], b"code that must not be used"), meta, sealed=True)
    again = program.unpack(old, host_target())
    assert kind == binary.EXECUTABLE
    assert again.kernels == built.kernels
    assert all(part.startswith(b"\x7fELF") for part in again.objects)
