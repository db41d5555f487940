# SPDX-License-Identifier: Apache-2.0
"""Code that is so long, or forks so widely, that it is cut for LLVM's code generator (cut_shim.cpp), or not tried as
vectors: it does what it would do whole."""
import ctypes
import time

from clpy import config
from clpy.compiler import program
from clpy.compiler.options import parse_options
from clpy.compiler.passes import optimize
from clpy.compiler.spmd import vector_region, width
from clpy.compiler.target import host_target
from clpy.llvm import codegen, orc
from clpy.llvm.ir import functions
from clpy.llvm.module import Module

TARGET = host_target()
MASK = (1 << 32) - 1


def compiled(text, taken=None):
    """The function f(i32, i32) -> i32 of a module. `taken` gets the seconds that code took."""
    with codegen.machine(TARGET) as machine:
        module = Module.from_text(text)
        module.set_triple(TARGET.triple)
        module.set_datalayout(machine.datalayout)
        start = time.process_time()
        native = machine.object(module, hurried=taken is not None)
        if taken is not None:
            taken.append(time.process_time() - start)
    loaded = orc.Loaded([native], [], ["f"])
    function = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32)(loaded.addresses["f"])
    function.code = loaded
    return function


def test_a_block_of_thousands_of_instructions():
    steps = [(n * 7 % 29 + 3, n % 13 + 1) for n in range(2700)]
    lines, x = ["%s = alloca i32"], "%a"
    for n, (factor, shift) in enumerate(steps):
        lines += [f"%m{n} = mul i32 {x}, {factor}", f"%h{n} = lshr i32 {x}, {shift}", f"%x{n} = xor i32 %m{n}, %h{n}"]
        x = f"%x{n}"
    lines.insert(1500, "%t = alloca i32")       # what is behind it alone can be cut
    f = compiled("define i32 @f(i32 %a, i32 %b) {\n" + "\n".join(lines) +
                 f"\nstore i32 {x}, ptr %t\nstore i32 %b, ptr %s\n%l = load i32, ptr %t\n%k = load i32, ptr %s\n"
                 "%r = add i32 %l, %k\nret i32 %r }")
    for a, b in ((1, 2), (12345, MASK)):
        want = a
        for factor, shift in steps:
            want = (want * factor & MASK) ^ (want >> shift)
        assert f(a, b) == (want + b) & MASK


def test_thousands_of_ways_to_one_block():
    """Some of them from the same block."""
    n = 9000
    cases = " ".join(f"i32 {i}, label %{f'c{i}' if i % 5 else 'join'}" for i in range(n))
    text = [f"define i32 @f(i32 %a, i32 %b) {{ entry: switch i32 %a, label %c1 [ {cases} ]"]
    incoming = ["[ %b, %entry ]"] * len(range(0, n, 5))
    for i in range(n):
        if i % 5:
            text.append(f"c{i}: %v{i} = mul i32 %b, {i * 37 + 11} br label %join")
            incoming.append(f"[ %v{i}, %c{i} ]")
    text.append(f"join: %r = phi i32 {', '.join(incoming)} ret i32 %r }}")
    f = compiled("\n".join(text))
    for a in (0, 1, 5, 127, 128, 4444, 8995, 8999, 9000, MASK):
        for b in (3, MASK):
            factor = (a * 37 + 11 if a % 5 else 1) if a < n else 48
            assert f(a, b) == b * factor & MASK, (a, b)


def test_what_is_too_long_for_vectors_is_not_tried(monkeypatch):
    monkeypatch.setattr(vector_region, "MOST_TRIED", 4)
    for lanes, why in ((0, "would be too long, for"), (8, "8 work-items at a time")):
        with config.override(CACHE=False, DEBUG=3, CPU_VECTORIZER_MODE=lanes):
            source = b"kernel void k(global int *a) { a[get_global_id(0)] *= 3; }"
            assert why in program.build(source, parse_options(""), TARGET).log


def test_what_has_run_for_long_is_made_as_vectors_of_any_length(monkeypatch):
    monkeypatch.setattr(width, "CODE", 4)
    source = b"kernel void k(global int *a, int n) { for (int i = 0; i < n; i++) a[get_global_id(0)] *= a[i] + n; }"
    with config.override(CACHE=False, DEBUG=3):
        first = program.build(source, parse_options(""), TARGET)
        assert "the vector code would be too long" in first.log
        assert "too long" not in program.specialize(first, "k", (64, 1, 1), TARGET, ()).log


def switch(n):
    """f(a, b): b changed in the way of the case a, then once more in all."""
    cases = " ".join(f"i32 {i}, label %c{i}" for i in range(n))
    bodies = "\n".join(f"c{i}: %v{i} = add i32 %b, %a br label %join" if i % 2 else
                       f"c{i}: %v{i} = mul i32 %b, {i * 37 + 11} br label %join" for i in range(n))
    ways = ", ".join(f"[ %v{i}, %c{i} ]" for i in range(n))
    return (f"define i32 @f(i32 %a, i32 %b) {{ entry: switch i32 %a, label %join [ {cases} ]\n{bodies}\n"
            f"join: %r = phi i32 [ %b, %entry ], {ways} %s = xor i32 %r, 5 ret i32 %s }}")


def test_code_for_three_times_as_many_ways_takes_no_nine_times_as_long():
    taken = []
    for n in (9000, 27000):
        f = compiled(switch(n), taken)
        for a in (0, 1, 127, 8998, n - 1, n, MASK):
            changed = 3 if a >= n else 3 + a if a % 2 else 3 * (a * 37 + 11)
            assert f(a, 3) == (changed ^ 5) & MASK
    assert taken[1] < 7 * taken[0]


def test_first_code_of_the_longest_functions_gets_fewer_passes(monkeypatch):
    source = b"kernel void k(global int *a, int n) { for (int i = 0; i < n; i++) a[i] += a[i + n] * n; }"
    ran = []
    run_on = optimize.run_on
    monkeypatch.setattr(optimize, "run_on", lambda module, passes, lowering, mark: (
        ran.append(passes) if any(f.has_attribute(optimize.LONG) for f in functions(module)) else None,
        run_on(module, passes, lowering, mark)))
    for longest, wanted in ((optimize.LONGEST, False), (1, True)):
        monkeypatch.setattr(optimize, "LONGEST", longest)
        monkeypatch.setattr(optimize, "MOST", min(longest, optimize.MOST))
        with config.override(CACHE=False, CPU_VECTORIZER_MODE=1):
            assert program.build(source, parse_options(""), TARGET).kernels
        assert (optimize.FIRST_LONGEST in ran) == wanted
