# SPDX-License-Identifier: Apache-2.0
"""From source to machine code that runs: code generation, loading, symbols, linking of units, failures."""
import ctypes
import gc
import math
import re
import threading
from types import SimpleNamespace

import pytest
from at_once import at_once
from kernels.kernel_function import kernel_function

from clpy import config
from clpy.abi_layout import GROUP_MEM, LAUNCH
from clpy.compiler import frame, parts, pipeline, program
from clpy.compiler.cpu import CpuTarget
from clpy.compiler.options import COMPILE, LINK, parse_options
from clpy.compiler.passes import optimize
from clpy.compiler.target import host_target
from clpy.llvm import codegen, orc
from clpy.llvm.module import LLVMError, Module

TARGET = host_target()
ISAS = ["native", "avx2", "sse4.2"]


class Launch(ctypes.Structure):
    """clpy_launch of include/clpy_abi.h."""
    _fields_ = [("work_dim", ctypes.c_uint32), ("flags", ctypes.c_uint32)] + [
        (name, ctypes.c_size_t * 3) for name in ("global_offset", "global_size", "local_size", "num_groups")] + [
        ("observer", ctypes.c_void_p)]


@pytest.fixture(autouse=True)
def no_cache():
    """And code for groups of few work-items, whichever are run here."""
    with config.override(CACHE=False, SPECIALIZE_MS=0):
        yield


def build(source, options="", target=TARGET):
    return program.build(source.encode(), parse_options(options), target)


def run(loaded, name, values, n, ctype=ctypes.c_float, unit=0):
    """Run a kernel with one buffer argument over n work-items in one group; the buffer afterwards."""
    launch = Launch(1, 0, (0, 0, 0), (n, 1, 1), (n, 1, 1), (1, 1, 1))
    buffer = (ctype * len(values))(*values)
    block = (ctypes.c_uint64 * 4)(ctypes.addressof(buffer))
    storage = ctypes.create_string_buffer(1 << 16)
    aligned = (ctypes.addressof(storage) + 127) & ~127
    memory = (ctypes.c_uint64 * 2)(aligned, aligned + (1 << 15))
    function = kernel_function(loaded.address(name), unit)
    function(ctypes.addressof(launch), ctypes.addressof(block), ctypes.addressof(memory), 0, 1, 0, 0)
    return list(buffer)


def test_layout_of_the_launch():
    assert {name: getattr(Launch, name).offset for name in LAUNCH} == LAUNCH
    assert GROUP_MEM == {"local": 0, "context": 8}


@pytest.mark.parametrize("isa", ISAS)
def test_a_kernel_runs_on_each_isa(isa):
    target = CpuTarget(isa=isa)
    executable = build("kernel void k(global float *p) { size_t i = get_global_id(0); p[i] = sin(p[i]) + i; }",
                       target=target)
    got = run(program.load(executable, target), "k", [0.25] * 37, 37)
    assert got == pytest.approx([math.sin(0.25) + i for i in range(37)], rel=1e-6)


def test_without_optimization():
    executable = build("kernel void k(global float *p) { p[get_global_id(0)] *= 2; }", "-cl-opt-disable")
    assert run(program.load(executable, TARGET), "k", [1, 2, 3, 4], 3) == [2, 4, 6, 4]


@pytest.mark.parametrize("name", ["memset", "malloc", "sinf", "floorf", "expf", "_start", "dot", "__clpy_kernel"])
def test_kernels_with_awkward_names(name):
    executable = build(f"kernel void {name}(global float *p) {{ size_t i = get_global_id(0); "
                       "p[i] = sin(p[i]) + exp(p[i]) + floor(p[i]); }")
    assert list(executable.kernels) == [name] and executable.kernels[name].name == name
    want = math.sin(1.5) + math.exp(1.5) + 1
    assert run(program.load(executable, TARGET), name, [1.5], 1) == pytest.approx([want], rel=1e-6)


def test_functions_of_the_user_do_not_replace_those_of_the_library():
    executable = build("float sinf(float x) { return 7; } float expf(float x) { return 8; } float mix3(float x) "
                       "{ return sinf(x); } kernel void k(global float *p) { p[0] = sin(1.0f); p[1] = mix3(1); }")
    assert run(program.load(executable, TARGET), "k", [0, 0], 1) == pytest.approx([math.sin(1), 7], rel=1e-6)


@pytest.mark.parametrize(("source", "log"), [
    ("kernel void k(global int *p) { *p = foo; }", "<source>:1:37: error: use of undeclared identifier 'foo'"),
    ("int f(int); kernel void k(global int *p) { *p = f(1); }", "undefined reference to 'f'"),
    ("int system(constant char *); kernel void k(global int *p) { *p = system(\"true\"); }",
     "undefined reference to 'system'"),
    ("int f(int x) { return x ? f(x - 1) : 0; } kernel void k(global int *p) { *p = f(*p); }", "recursion"),
])
def test_a_failed_build_says_why(source, log):
    with pytest.raises(program.CompileError) as caught:
        build(source)
    assert log in caught.value.log


def test_a_program_without_kernels():
    executable = build("")
    assert executable.kernels == {}
    program.load(executable, TARGET)


MANY = """constant int table[4] = {3, 1, 4, 1};
int helper(int x) { return x * table[x & 3]; }
""" + "".join(f"""kernel void k{k}(global int *p) {{
    int i = get_global_id(0), s = {k};
    for (int j = 0; j < p[i] % 5; ++j) {{ s += helper(p[i] + j); if (s & 8) s ^= {k + 9}; }}
    p[i] = s;
}}
""" for k in range(6))


def expected(k, value):
    s, table = k, (3, 1, 4, 1)
    for j in range(value % 5):
        s += (value + j) * table[(value + j) & 3]
        if s & 8:
            s ^= k + 9
    return s


def test_kernels_that_are_compiled_apart_are_one_program(monkeypatch):
    monkeypatch.setattr(parts, "WORTH_A_THREAD", 100)
    monkeypatch.setattr(parts, "threads", lambda: 3)
    made = build(MANY)
    assert len(made.objects) > 2
    for executable in (made, program.unpack(program.pack(made, b"", TARGET), TARGET)):
        loaded = program.load(executable, TARGET)
        for k in range(6):
            assert run(loaded, f"k{k}", range(40), 40, ctypes.c_int) == [expected(k, v) for v in range(40)]


def test_units_are_linked():
    unit = [program.compile_source(source, {}, parse_options("", COMPILE), TARGET) for source in (
        b"float twice(float x) { return 2 * x; }",
        b"float twice(float); kernel void k(global float *p) { *p = twice(*p); }",
        b"float twice(float x) { return 3 * x; }")]
    executable = program.link(unit[:2], parse_options("", LINK), TARGET)
    assert run(program.load(executable, TARGET), "k", [21], 1) == [42]
    library = program.link(unit[:1], parse_options("-create-library", LINK), TARGET)
    executable = program.link([unit[1], library], parse_options("", LINK), TARGET)
    assert run(program.load(executable, TARGET), "k", [21], 1) == [42]
    for wrong in (unit[1:2], [unit[0], unit[1], unit[2]]):
        with pytest.raises(program.CompileError) as caught:
            program.link(wrong, parse_options("", LINK), TARGET)
        assert "twice" in caught.value.log


def test_machine_code_sees_mathematics_and_nothing_else():
    wanted = ["sinf", "sin", "_ZGVeN16v_sinf", "_ZGVdN8v_expf", "memcpy", "memset", "__divti3", "__extendhfsf2"]
    assert orc.missing([*wanted, "__clpy_anything"]) == []
    unwanted = ["system", "printf", "malloc", "open", "dlopen", "PyObject_Call", "LLVMContextCreate", "no_such_thing"]
    assert orc.missing(unwanted) == unwanted


def test_functions_of_the_runtime_are_found_by_name():
    seen = []
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: seen.append(x) or 5)
    with codegen.machine(TARGET) as machine:
        code = machine.object(Module.from_text("""target triple = "x86_64-unknown-linux-gnu"
            declare i32 @__clpy_test_only(i32)
            define i32 @"__clpy_kernel.k"() {
                %x = call i32 @__clpy_test_only(i32 3)
                ret i32 %x
            }"""))
    with pytest.raises(LLVMError, match="undefined: __clpy_test_only"):
        orc.Loaded([code], ["__clpy_test_only"], ["__clpy_kernel.k"])
    orc.define_runtime("__clpy_test_only", ctypes.cast(function, ctypes.c_void_p).value)
    loaded = orc.Loaded([code], ["__clpy_test_only"], ["__clpy_kernel.k"])
    assert ctypes.CFUNCTYPE(ctypes.c_int)(loaded.address("k"))() == 5 and seen == [3]


def test_objects_loaded_later_use_what_is_there():
    first, second = (object_of(text) for text in (
        """@counter = global i32 4
        define i32 @"__clpy_kernel.k"() {
            %x = load i32, ptr @counter
            ret i32 %x
        }""", """@counter = external global i32
        define i32 @"__clpy_kernel.more"() {
            %x = load i32, ptr @counter
            %y = add i32 %x, 1
            store i32 %y, ptr @counter
            ret i32 %y
        }"""))
    loaded = orc.Loaded([first], [], ["__clpy_kernel.k"])
    loaded.load([second], [], ["__clpy_kernel.more"])
    k, more = (ctypes.CFUNCTYPE(ctypes.c_int)(loaded.address(name)) for name in ("k", "more"))
    assert (k(), more(), k(), more()) == (4, 5, 5, 6) and loaded.objects == (first, second)


def object_of(text):
    with codegen.machine(TARGET) as machine:
        return machine.object(Module.from_text('target triple = "x86_64-unknown-linux-gnu"\n' + text))


@pytest.mark.parametrize("code", [b"", b"junk", b"\x7fELF\2\1\1" + bytes(100)])
def test_objects_that_are_none(code):
    with pytest.raises(LLVMError):
        orc.Loaded([code], [], ["__clpy_kernel.k"])


def test_a_fatal_error_of_llvm_ends_the_build_only():
    wrong = 'target triple = "x86_64-unknown-linux-gnu"\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n' \
            "define i32 @f() { %x = call i32 @llvm.amdgcn.workitem.id.x()\n ret i32 %x }"
    for _ in range(3):
        with pytest.raises(LLVMError, match="Cannot select"), codegen.machine(TARGET) as machine:
            machine.object(Module.from_text(wrong))
    assert build("kernel void k(global float *p) {}").kernels


def test_a_build_on_a_thread_with_little_stack():
    executables = []
    before = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=lambda: executables.append(build(
            "kernel void k(global float *p) { for (int i = 0; i < 9; i++) p[get_global_id(0)] += sin(p[i]) / 3; }")))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert executables[0].kernels


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_code_is_freed_with_its_program():
    executable = build("kernel void k(global float *p) { p[get_global_id(0)] = 1; }")
    addresses = set()
    for _ in range(50):
        addresses.add(program.load(executable, TARGET).address("k"))
    gc.collect()
    before = resident()
    for _ in range(300):
        addresses.add(program.load(executable, TARGET).address("k"))
    assert resident() - before < 1 << 20
    kept = [program.load(executable, TARGET) for _ in range(5)]
    assert len({loaded.address("k") for loaded in kept}) == 5
    assert run(kept[0], "k", [0, 0], 2) == [1, 1]


def test_builds_in_many_threads():
    results = {}

    def work(n):
        for i in range(3):
            loaded = program.load(build(f"kernel void k(global float *p) {{ p[get_global_id(0)] = {n * 10 + i}; }}"),
                                  TARGET)
            results[n, i] = run(loaded, "k", [0, 0, 0], 3)

    at_once(work, 4)
    assert results == {(n, i): [n * 10 + i] * 3 for n in range(4) for i in range(3)}


ROWS = """define void @rows(ptr %a, ptr %b, ptr %c, i64 %n, i64 %m) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %row = mul i64 %i, %m
  %p = getelementptr i32, ptr %a, i64 %row
  %q = getelementptr i32, ptr %b, i64 %row
  %r = getelementptr i32, ptr %c, i64 %row
  %x = load i32, ptr %p
  %y = load i32, ptr %q
  %s = add i32 %x, %y
  store i32 %s, ptr %r
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}"""


def test_code_in_a_hurry_is_its_own_affair():
    """What follows is made with all care again: LLVM has one option for all."""
    made = []
    for hurried in (False, True, False, True):
        with codegen.machine(TARGET) as machine:
            made.append(machine.object(Module.from_text(ROWS, "rows"), hurried))
    assert made[0] == made[2] != made[1] == made[3]


@pytest.mark.parametrize(("cpu", "ordered"), [("znver3", True), ("skylake", False)])
def test_long_blocks_are_not_ordered_again(cpu, ordered):
    """Instructions that nobody needs make a block one that LLVM does not order when registers are given out."""
    steps = "".join(f"""
        %p{i} = getelementptr float, ptr %a, i64 {i}
        %x{i} = load float, ptr %p{i}
        %y{i} = fmul float %x{i}, {i}.0
        %z{i} = fdiv float %y{i}, %x{i}
        store float %z{i}, ptr %p{i}""" for i in range(180))
    unused = "".join(f"%u{i} = add i64 %n, {i}\n" for i in range(200))
    made = []
    for more in ("", unused):
        with codegen.machine(SimpleNamespace(triple=TARGET.triple, cpu=cpu, features="")) as machine:
            text = f"define void @f(ptr %a, i64 %n) {{ {steps}\n {more} ret void\n }}"
            made.append(machine.assembly(Module.from_text(text, "blocks")))
    assert (made[0] != made[1]) == ordered


@pytest.fixture
def finished(monkeypatch):
    """Of each module behind the last pass: (its text, the Lowering, number of functions of code, what is wrong)."""
    seen = []

    def spy(module, lowering, machine, usual=pipeline.finish):
        usual(module, lowering, machine)
        seen.append((module.to_text(), lowering, len(frame.code_functions(module)), module.verify()))
    monkeypatch.setattr(pipeline, "finish", spy)
    return seen


def test_only_what_may_be_made_again_is_made_in_a_hurry(finished):
    """The loop over groups has a mark then, and loops that LLVM would unroll in part stay loops."""
    text = "kernel %s void k(global float *a, int n) { float x = a[get_global_id(0)];" \
           " for (int i = 0; i < n; ++i) x = x * a[i] + a[i * 2]; a[get_global_id(0)] = x; }"
    with config.override(SPECIALIZE_MS=100):
        build(text % "")
        build(text % "__attribute__((reqd_work_group_size(64, 1, 1)))")
        build(text % "__attribute__((reqd_work_group_size(1, 1, 1)))")
        with config.override(SPECIALIZE_MS=0):
            build(text % "")
        build("global int kept;" + text % "", "-cl-std=CL3.0")
    assert [lowering.is_made_again for _, lowering, _, _ in finished] == [True, True, False, False, False]
    products = [module.count("fmul") + module.count("fmuladd") for module, _, _, _ in finished]
    assert products[1] <= products[0] < min(products[3:])       # of a single work-item there are no vectors


def test_a_region_that_runs_one_by_one_does_not_keep_the_others_from_the_short_list_of_passes(finished):
    """Until the code is made again."""
    text = "kernel void k(global int *a, global int *n, local int *s) { int i = get_local_id(0); s[i] = a[i]; " \
           "barrier(CLK_LOCAL_MEM_FENCE); while (atomic_add(n + (a[i] & 7), a[i]) < s[i ^ 1]) n += a[i]; }"
    for after in (100, 0):
        with config.override(SPECIALIZE_MS=after):
            build(text)
    assert all({width > 1 for _, width, _, _ in lowering.report} == {True, False} for _, lowering, _, _ in finished)
    assert [frame.VECTORS in module for module, _, _, _ in finished] == [True, False]


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("type_", ["float", "double"])
def test_first_code_calls_what_is_computed_in_many_places(isa, type_):
    """Vectors call the library's vectors, with the same results; work-items one by one call what they inlined."""
    steps = "".join(f"s = 1 + (exp(-x * {n}) + pow(x, s) * cbrt(s)) / (9 + log10(x + {n}));" for n in range(1, 12))
    source = f"kernel void k(global {type_} *p) {{ {type_} x = p[get_global_id(0)], s = 1; {steps}" \
             "if (x > 1.9f) s += exp(p[0]); p[get_global_id(0) + 64] = s; }"
    target, c_type = CpuTarget(isa=isa), getattr(ctypes, f"c_{type_}")
    values, made = [0.5 + i / 40 for i in range(64)] + [0] * 64, []
    for after in (0, 100):
        with config.override(SPECIALIZE_MS=after):
            executable = build(source, target=target)
        made.append((run(program.load(executable, target), "k", values, 64, c_type, executable.kernels["k"].unit),
                     len(executable.objects[0])))
    assert made[1][0] == made[0][0] and made[1][0][70] != 0
    assert made[1][1] < 0.6 * made[0][1]


def test_a_sampler_that_may_be_any_makes_little_more_code_than_one_of_the_source():
    """Where the pixels around a point are is worked out once, not for each format of images."""
    sampler = "sampler_t s = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR | CLK_NORMALIZED_COORDS_FALSE;"
    code = """kernel void k(read_only image2d_t i, global float4 *out%s) {
        %s out[get_global_id(0)] = read_imagef(i, s, (float2)(get_global_id(0), 0)); }"""
    with config.override(SPECIALIZE_MS=100):
        of_source = sum(map(len, build(code % ("", f"const {sampler}")).objects))
        given = sum(map(len, build(code % (", sampler_t s", "")).objects))
    assert given < 1.3 * of_source


def test_a_function_of_the_user_called_like_one_of_the_library_is_itself():
    twice = "return x * 2" + " + x * 0" * 60
    source = f"float __attribute__((overloadable)) exp(float x) {{ {twice}; }}" \
             "kernel void k(global float *p) { float x = p[get_global_id(0)];" + "x = exp(x);" * 20 \
             + " p[get_global_id(0)] = x; }"
    with config.override(SPECIALIZE_MS=100):
        executable = build(source)
    loaded, unit = program.load(executable, TARGET), executable.kernels["k"].unit
    assert run(loaded, "k", [1.0] * 64, 64, unit=unit) == [2.0 ** 20] * 64


def test_first_code_of_long_kernels_is_several_functions(finished):
    """LLVM takes more than twice the time for a function of twice the length. Regions that run one by one are beside
    those that run as vectors, and LLVM gives functions that nobody else calls fewer parameters."""
    step = "x = x * a[7] + sin(x); if (x > a[9]) x -= a[11] * x;" * 60
    alone = "if (x > a[8]) while (atomic_add(n, 1) < 100) n += (int)x;"
    regions = "".join(f"s[i] = x; barrier(CLK_LOCAL_MEM_FENCE); x = s[i ^ {n}]; {step}" for n in range(4))
    text = "kernel void k(global float *a, global int *n, local float *s) { int i = get_local_id(0); float x = a[i];"
    with config.override(SPECIALIZE_MS=100):
        build(text + regions + "a[i] = x; }")
        build(text + regions + alone + "a[i] = x; }")
        build(text + "s[i] = x; barrier(CLK_LOCAL_MEM_FENCE); a[i] = s[i ^ 1]; }")
        with config.override(SPECIALIZE_MS=0):
            build(text + regions + "a[i] = x; }")
    assert not any(wrong for _, _, _, wrong in finished)
    counts = [n for _, _, n, _ in finished]
    assert counts[0] > 1 and counts[1] > 1 and counts[2:] == [1, 1]


def test_llvm_makes_no_vectors_of_the_longest_functions(monkeypatch, finished):
    """It takes minutes for a loop of 20,000 instructions."""
    with config.override(USE_VECTORIZER=False):
        for most in (optimize.MOST, 10):
            monkeypatch.setattr(optimize, "MOST", most)
            build("kernel void k(global int *a) { a[get_global_id(0)] = a[get_global_id(0)] * 7 + 1; }")
    assert ["x i32>" in text for text, _, _, _ in finished] == [True, False]


def test_a_wide_switch_takes_no_time_by_the_square():
    """Blocks stay in the order that they have."""
    cases = "".join(f"case {i}: x += a[{i * 7 % 600}]; break;" for i in range(600))
    source = f"kernel void k(global int *a, int n) {{ int x = 0; switch (n) {{ {cases} }} a[get_global_id(0)] = x; }}"
    assert build(source).objects


def test_a_block_of_thousands_of_instructions_takes_no_time_by_the_square():
    """Instructions stay in the order that they have."""
    source = "".join(f"x = x * {i} + a[x & {i % 1000}];\n" for i in range(1, 1501))
    source = f"kernel void k(global int *a, int n) {{ int x = n; {source} a[get_global_id(0)] = x; }}"
    values, x = list(range(5, 1005)), 0
    for i in range(1, 1501):
        x = x * i + values[x & i % 1000] & 0xFFFFFFFF
    with config.override(USE_VECTORIZER=False):
        found = run(program.load(build(source), TARGET), "k", values, 1, ctypes.c_int)[0]
    assert found & 0xFFFFFFFF == x


def test_code_in_a_hurry_rounds_as_often_as_other_code():
    """What a program lets be one instruction is one in both: results do not change when code is made again."""
    text = "define double @f(double %x, double %y, double %z) {{ %p = fmul {0} double %x, %y " \
           "%s = fadd {0} double %p, %z ret double %s }}"
    fused = re.compile(rb"\xc4\xe2.[\x99\xa9\xb9]", re.DOTALL)       # vfmadd*sd
    found = {}
    with codegen.machine(SimpleNamespace(triple=TARGET.triple, cpu="haswell", features="")) as machine:
        for word in ("contract", ""):
            texts = text.format(word).replace(" %s", "\n%s").replace(" ret", "\nret").replace("{ ", "{\n")
            found[word] = [bool(fused.search(machine.object(Module.from_text(texts, "fused"), hurried)))
                           for hurried in (True, False)]
    assert found == {"contract": [True, True], "": [False, False]}


def test_vectors_that_gain_little_by_much_code_wait_for_the_code_that_is_made_later(finished):
    """Atomics run lane by lane, each with code of its own."""
    text = "kernel void k(global int *a, global int *n) { int i = get_global_id(0); " \
           "int old = atomic_add(n + (a[i] & 7), a[i] * 3 + 1); if (old > 5) atomic_add(n + (old & 7), 3); a[i] = 1; }"
    for after in (100, 0):
        with config.override(SPECIALIZE_MS=after):
            program.build(text.encode(), parse_options(""), CpuTarget(isa="avx2"))
    (first, usual) = (lowering.report[0] for _, lowering, _, _ in finished)
    assert first[1] == 1 and "until it has run for long" in first[3] and usual[1] == 8
