# SPDX-License-Identifier: Apache-2.0
"""Programs whose kernels wait for their code until somebody needs it: which do, what is made, what comes from where."""
import pytest
from test_jit import run

from clpy import config
from clpy.abi_layout import KERNEL_PREFIX
from clpy.compiler import cache, pieces, pipeline, program
from clpy.compiler.metadata import ROW
from clpy.compiler.options import COMPILE, LINK, parse_options
from clpy.compiler.target import host_target
from clpy.errors import CLError, CompileError
from clpy.llvm import kernels, orc
from clpy.llvm.module import LLVMError, Module

TARGET = host_target()
ONE = "kernel void one(global float *p) { p[get_global_id(0)] += 1; }\n"
TWO = ONE + "constant float t[] = {2, 3}; float f(int n) { return t[n & 1]; }\n" \
            "kernel void two(global float *p) { size_t i = get_global_id(0); p[i] = p[i] * f(i) + sin(p[i]) * 0; }\n"


def build(source, options="", may_wait=True):
    return program.build(source.encode(), parse_options(options), TARGET, may_wait=may_wait)


@pytest.fixture
def lowered(monkeypatch):
    """Names of the kernels that were lowered, a list for each time."""
    times, original = [], pipeline.lower

    def lower(module, *args, **launches):
        times.append(sorted(pipeline.read_kernels(module)))
        return original(module, *args, **launches)
    monkeypatch.setattr(pipeline, "lower", lower)
    return times


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, on disk and in memory."""
    monkeypatch.setattr(cache, "_memory", type(cache._memory)())
    with config.override(CACHE=True, CACHE_DIR=str(tmp_path)):
        yield tmp_path


@pytest.fixture(autouse=True)
def no_cache(request):
    """And code for groups of few work-items, whichever are run here."""
    with config.override(CACHE="folder" in request.fixturenames, SPECIALIZE_MS=0):
        yield


def test_nothing_is_made_before_it_is_needed(lowered):
    executable = build(TWO)
    assert executable.waits and not executable.objects and not lowered
    assert [info.args_size for info in executable.kernels.values()] == [16, 16]
    assert [program.load(executable, TARGET).address(name) for name in ("one", "two")] == [0, 0]
    made = program.make_kernel(executable, "two", TARGET)
    assert lowered == [["two"]] and not made.waits
    assert run(program.load(made, TARGET), "two", [1] * 4, 4) == [2, 3, 2, 3]


def test_a_launch_says_whether_its_groups_are_whole_vectors():
    with config.override(SPECIALIZE_MS=100):
        executable = build(TWO)
        whole, other = (program.make_kernel(executable, "two", TARGET, any_groups) for any_groups in (False, True))
    assert whole.kernels["two"].whole == (TARGET.vector_bits // 32, 1, 1) and other.kernels["two"].whole == (1, 1, 1)
    assert len(whole.objects[0]) < len(other.objects[0])
    assert whole.kernels["two"].unit == other.kernels["two"].unit == ROW
    assert run(program.load(whole, TARGET), "two", [1] * 64, 64, unit=ROW) == [2, 3] * 32
    assert run(program.load(other, TARGET), "two", [1] * 64, 37, unit=ROW) == [2, 3] * 18 + [2] + [1] * 27


@pytest.mark.parametrize(("source", "options"), [
    (ONE, ""), (TWO, "-g"), (TWO, "-cl-opt-disable"), (TWO, "-fno-bin-llvmir"),
    (TWO + "global int n; kernel void c(global int *p) { p[0] = n++; }", "-cl-std=CL3.0"),
    (TWO + "__attribute__((intel_reqd_sub_group_size(8))) kernel void s(global int *p) { p[0] = 1; }", ""),
    (TWO + "kernel void q(global int *p) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ p[0] = 1; }); }",
     "-cl-std=CL3.0"),
    (TWO + "constant int large[1 << 20] = {1}; kernel void l(global int *p) { p[0] = large[p[0]]; }", "")],
    ids=["one kernel", "debugger", "not optimized", "no bitcode", "variable", "sub-group size", "blocks", "constant"])
def test_what_does_not_wait(source, options):
    executable = build(source, options)
    assert not executable.waits and executable.objects


@pytest.mark.parametrize(("source", "message"), [
    ("int r(int n) { return n ? n * r(n - 1) : 1; } kernel void k(global int *p) { p[0] = r(p[1]); }", "recursion"),
    ("int u(int); kernel void k(global int *p) { p[0] = u(1); }", "undefined reference to 'u'"),
    ("float sinf2(float) __asm(\"sinh_of\"); kernel void u(global float *p) { p[0] = sinf2(1); }", "sinh_of"),
    ('kernel void a(global int *p) { __asm__("nop"); p[0] = 1; }', "assembly"),
    (f"kernel void n(global int *p, int m) {{ {'for (int i = 0; i < m; ++i) ' * 300} p[m] += m; }}",
     "loops are nested 300 deep"),
    ('int i(int) __asm("llvm.x86.wrong"); kernel void k(global int *p) { p[0] = i(1); }', "llvm.x86.wrong")])
def test_what_is_wrong_is_found_by_the_build(source, message):
    with pytest.raises(CompileError, match=message):
        build(TWO + source)


def test_linked_from_two_units(lowered):
    sources = ("float f(float); kernel void a(global float *p) { p[0] = f(p[0]); }",
               "float f(float x) { return x + 1; } kernel void b(global float *p) { p[0] = f(f(p[0])); }")
    units = [program.compile_source(s.encode(), {}, parse_options("", COMPILE), TARGET) for s in sources]
    executable = program.link(units, parse_options("", LINK), TARGET, may_wait=True)
    assert executable.waits and not lowered
    assert [run(program.load(program.make_kernel(executable, name, TARGET), TARGET), name, [1], 1)
            for name in ("a", "b")] == [[2], [3]]


def test_a_second_process_makes_nothing_again(folder, lowered):
    first = program.make_kernel(build(TWO), "one", TARGET)
    cache._memory.clear()
    again = build(TWO)
    assert again.waits and program.make_kernel(again, "one", TARGET).objects == first.objects
    assert lowered == [["one"]]
    assert not build(TWO, may_wait=False).waits, "an entry of another kind"


def test_what_was_made_for_a_size_is_found_by_a_second_process(folder, lowered):
    with config.override(SPECIALIZE_MS=100):
        made = program.make_kernel(build(TWO), "two", TARGET)
        assert program.recall(made, "two", (64, 1, 1), TARGET, {}) is None
        special = program.specialize(made, "two", (64, 1, 1), TARGET, {})
        cache._memory.clear()
        again = program.make_kernel(build(TWO), "two", TARGET)
        assert again.is_cached and not made.is_cached and 0 < again.made_ns == made.made_ns
        found = program.recall(again, "two", (64, 1, 1), TARGET, {})
        assert found.objects == special.objects and len(lowered) == 2
        assert program.recall(again, "two", (32, 1, 1), TARGET, {}) is None
        program.forget_special(again, "two", (64, 1, 1), TARGET, {})
        assert program.recall(again, "two", (64, 1, 1), TARGET, {}) is None


def test_a_kernel_with_images_is_made_for_the_formats_of_its_first_launch(lowered):
    with config.override(SPECIALIZE_MS=100):
        executable = build("kernel void k(read_only image2d_t from, global float4 *to) {"
                           " int x = get_global_id(0); to[x] = read_imagef(from, (int2)(x, 0)); }")
        assert executable.waits and not lowered
        rg_float = {0: (0x10B2, 0x10DE, 8)}
        made, other = (program.make_kernel(executable, "k", TARGET, formats=formats) for formats in (rg_float, {}))
        general = program.any_groups(made, "k", TARGET)
        special = program.specialize(made, "k", (64, 1, 1), TARGET, rg_float)
    assert [arg.format for arg in made.kernels["k"].args] == [0x10B210DE, 0]
    assert len(made.objects[0]) < len(other.objects[0])
    for each in (other, general, special):           # the last is chosen by the formats of a launch
        assert [arg.format for arg in each.kernels["k"].args] == [0, 0]


def test_the_end_of_the_process_ends_a_build(monkeypatch):
    executable = build(TWO)
    monkeypatch.setattr(pipeline, "ends", [lambda: True])
    with pytest.raises(CLError, match="the process ends"):
        program.make_kernel(executable, "two", TARGET)


def test_a_way_through_a_binary(folder, lowered):
    executable = build(TWO)
    again = program.unpack(program.pack(executable, b"", TARGET), TARGET)
    assert again.waits and again.kernels == executable.kernels and again.ir == executable.ir
    first = program.make_kernel(executable, "one", TARGET)
    assert program.unpack(program.pack(first, b"", TARGET), TARGET).is_cached and not first.is_cached
    assert program.make_kernel(again, "one", TARGET).objects == first.objects
    assert lowered == [["one"]]


def test_a_kernel_and_what_it_reaches():
    executable = build("int g(int n) { return n + 1; } int h(int n) { return n * 2; }\n" + TWO +
                       "kernel void k(global int *p) { p[0] = g(p[1]); } kernel void l(global int *p) { p[0] = h(0); }")
    text = kernels.extract(executable.ir, "k").to_text()
    assert "@g(" in text and all(f"@{name}(" not in text for name in ("h", "one", "two", "l", "f"))
    assert Module.from_text(text).verify() == ""
    with pytest.raises(LLVMError, match="no such kernel"):
        kernels.extract(executable.ir, "nobody")
    with pytest.raises(LLVMError):
        kernels.extract(b"BC\xc0\xde" + b"x" * 64, "k")


def test_a_kernel_of_many_is_found_in_a_piece_of_the_program(monkeypatch):
    monkeypatch.setattr(pieces, "MANY", 9)
    monkeypatch.setattr(pieces, "SIZES", (6, 2))
    executable = build("int shared(int n) { return n + 1; }\n" + "".join(
        f"kernel void k{i}(global int *p) {{ p[0] = shared({i}); }}\n" for i in range(15)))
    whole = {name: kernels.extract(executable.ir, name).to_text() for name in executable.kernels}
    assert list(whole) == [f"k{i}" for i in range(15)]
    for turn in range(3):
        for name, text in whole.items():
            assert program.alone(executable, name).to_text() == text, (turn, name)
    kept = executable.pieces.kept
    assert sorted(kept) == [*((2, n) for n in range(8)), *((6, n) for n in range(3))]
    small = [ir for (size, _), ir in kept.items() if size == 2]
    assert {len(pipeline.read_kernels(Module.from_bitcode(ir))) for ir in small} == {1, 2}
    assert max(map(len, small)) < len(executable.ir) / 2
    monkeypatch.setattr(pieces, "MOST_BYTES", 2 * len(executable.ir))
    executable.pieces.keep((0, 0), executable.ir)
    assert executable.pieces.bytes == sum(map(len, kept.values())) <= pieces.MOST_BYTES
    assert program.alone(executable, "k0").to_text() == whole["k0"]
    with pytest.raises(LLVMError, match="no such kernel"):
        program.alone(executable, "nobody")


def test_short_kernels_beside_each_other_are_made_together(lowered):
    """Where all are wanted: each is what it is alone. What a kernel calls makes it longer."""
    long = "".join(f"x = x * {n + 2} + (x >> {n % 7});" for n in range(60))
    source = "".join(f"kernel void k{i}(global float *p) {{ p[get_global_id(0)] += {i}; }}\n" for i in range(10)) + \
        f"int f(int x) {{ {long} return x; }} kernel void calls(global int *p) {{ p[0] = f(p[1]); }}\n" + \
        "kernel void last(global float *p) { p[get_global_id(0)] *= 2; }"
    executable = build(source)
    first, second = [f"k{i}" for i in range(8)], ["k8", "k9", "last"]
    assert [executable.pieces.together(name) for name in ("k3", "k9", "calls")] == \
        [tuple(first), tuple(second), ("calls",)]
    assert list(executable.pieces.fresh) == [tuple(first)], "what was read to tell how short they are"
    made = program.make_kernel(executable, "k3", TARGET, False, first)
    assert not executable.pieces.fresh and list(made.kernels) == first and lowered == [first]
    assert run(program.load(made, TARGET), "k5", [1] * 64, 64) == [6] * 64
    assert made.kernels["k5"] == program.make_kernel(executable, "k5", TARGET).kernels["k5"]
    assert list(program.make_kernel(executable, "k9", TARGET, False, ["k8"]).kernels) == ["k9"], "last is not wanted"
    assert list(program.make_kernel(executable, "k8", TARGET, False, ["k9", "calls", "last"]).kernels) == second
    assert list(program.make_kernel(executable, "k1", TARGET, True, first).kernels) == ["k1"], "for groups of any size"


@pytest.mark.parametrize(("body", "why"), [
    ("call void asm \"nop\", \"\"()", "assembly"), ("call void %f()", "by its address"),
    ("call void @k(ptr %f)", "nested too deep"), ("store ptr @k, ptr %f", "address of a function"),
    ("%i = load target(\"spirv.Sampler\"), ptr %f", "handle"), ("call void @d(ptr %f)", "")])
def test_obstacles(body, why):
    module = Module.from_text(f"declare void @d(ptr)\ndefine void @k(ptr %f) {{ {body}\n ret void }}")
    found = kernels.obstacle(module, 10)
    assert why in found and bool(found) == bool(why)


@pytest.mark.parametrize(("depth", "most", "refused"), [(3, 3, False), (3, 2, True)])
def test_loops_count_with_those_of_the_functions_that_are_called(depth, most, refused):
    functions = "".join(f"define void @f{n}(i1 %c) {{ br label %l\nl:\n "
                        + (f"call void @f{n + 1}(i1 %c)\n" if n + 1 < depth else "")
                        + " br i1 %c, label %l, label %e\ne:\n ret void }\n" for n in range(depth))
    assert bool(kernels.obstacle(Module.from_text(functions), most)) == refused


def test_a_system_that_refuses_code_is_told_by_the_build(monkeypatch):
    monkeypatch.setattr(orc, "refusal", lambda: "the system refuses")
    with pytest.raises(CompileError, match="cannot be loaded: the system refuses"):
        program.load(build(TWO), TARGET)


def test_kernels_named_like_functions_of_the_library():
    """They have other names while they are linked with it."""
    executable = build("kernel void sinf(global float *p) { p[0] = sin(p[0]); }\n" + ONE)
    made = program.make_kernel(executable, "sinf", TARGET)
    assert executable.waits and list(made.kernels) == ["sinf"]
    assert KERNEL_PREFIX + "sinf" in program.load(made, TARGET).addresses
