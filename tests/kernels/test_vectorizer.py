# SPDX-License-Identifier: Apache-2.0
"""Hand-made kernels at each vector width and instruction set leave the same bits as one work-item after the other."""
import ctypes
import mmap
import re
from functools import cache

import numpy as np
import pytest

from clpy import config
from clpy.compiler.spmd import fresh_slots

from . import differential, vector_cases

WAYS = differential.distinct(("auto", "4", "8", "quick-16", "streams", "O0", "avx2-8", "sse4.2-4"))
SOME = {"quick-lockstep16": 3, "quick-lockstep64": 6}    # take long: every third case is run so, or every sixth
# (global size, group size, offset); groups of 1 to 35 work-items have tails of all lengths
SHAPES = [*[((n,), (n,), (0,)) for n in (*range(1, 20), 31, 32, 33, 35)], ((131,), (50,), (0,)),
          ((64,), (16,), (1000,)), ((48, 3), (17, 2), (0, 0)), ((70,), (35,), (2**31 - 20,)),
          ((70,), (35,), (2**32 - 20,)), ((33,), (11,), (2**32,))]
SCALAR = {"vector_hint", "known_size_of_three"}   # not vectorized where the width is chosen


@cache
def built(way):
    if way == "streams":         # a flag of the launch: the same code
        return built("auto")
    with config.override(DEBUG=3, CACHE=False):
        names = list(vector_cases.CASES)[::SOME.get(way, 1)]
        return differential.Compiler(vector_cases.source(names)).build(way)


def sizes(name):
    """The shapes that a case allows."""
    known = re.search(r"reqd_work_group_size\((\d+)", vector_cases.CASES[name])
    if known is None:
        return SHAPES
    n = int(known.group(1))
    return [((n,), (n,), (0,)), ((4 * n,), (n,), (7,))]


def results(way, name, shape):
    return run(*built(way), way, name, shape)


def run(executable, loaded, way, name, shape):
    r = np.random.default_rng(7)
    a, b = r.integers(0, 100, 1024).astype(np.int32), r.integers(0, 100, 1024).astype(np.float32)
    out = [np.full(1024, -1, np.int32), np.full(1024, -1, np.float32), np.full(1024, 9, np.uint32)]
    _keep, observer = differential.blind_observer()
    differential.launch(executable, loaded, name, [a, b, *out, np.int32(5), 64 * 4], *shape,
                        flags=differential.WAYS[way].flags, observer=observer)
    return out


@cache
def expected(name):
    return [results("scalar", name, shape) for shape in sizes(name)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", vector_cases.CASES)
def test_case(name, way):
    for shape, wanted in zip(sizes(name), expected(name), strict=True):
        for got, each in zip(results(way, name, shape), wanted, strict=True):
            np.testing.assert_array_equal(got, each, err_msg=f"{shape}")


@pytest.mark.parametrize(("name", "way"), [(name, way) for way, n in SOME.items() for name in
                                           list(vector_cases.CASES)[::n]])
def test_some_in_lock_step(name, way):
    test_case(name, way)


def test_slots_may_begin_where_they_are_used(monkeypatch):
    """As they do in functions that have very many."""
    monkeypatch.setattr(fresh_slots, "MANY", 0)
    names = ("switch_falls_through", "switch_in_loop", "nested_if", "short_circuit", "early_return")
    source = "\n".join([*vector_cases.FUNCTIONS, *(vector_cases.CASES[name] for name in names)])
    executable, loaded = differential.Compiler(source).build("8")
    for name in names:
        for shape in sizes(name)[-6:]:
            found = run(executable, loaded, "8", name, shape)
            for got, want in zip(found, results("scalar", name, shape), strict=True):
                np.testing.assert_array_equal(got, want, err_msg=f"{name} {shape}")


@pytest.mark.parametrize("way", ["4", "8", "quick-16"])
def test_all_are_vectors(way):
    """What is forced is done: no region of a case falls back to scalar code."""
    executable, _ = built(way)
    lines = [line for line in executable.log.splitlines() if ".region." in line]
    assert len(lines) >= len(vector_cases.CASES)
    scalar = {line for line in lines if ": scalar" in line and line.split(".")[0] not in SCALAR}
    assert scalar == set()


def test_what_waits_for_its_own_stores_runs_one_by_one():
    """A vector of what some lanes stored is not there until all of it is in the cache: twice the time, around a
    compare-exchange."""
    with config.override(DEBUG=3, CACHE=False):
        executable, _ = differential.Compiler(vector_cases.CASES["exchanged_with_what_was_stored"]).build("avx2")
    assert ".region.0: scalar: 8 work-items at a time cost" in executable.log


def test_stores_to_one_place():
    """Any work-item that stores may be the last one; one that does not store may not."""
    source = """kernel void k(global const int *a, global int *c) {
        int i = get_global_id(0); c[0] = i; if (a[i] & 1) c[1] = i;
        if (a[i] == 1000) c[2] = i; if (i > 3) c[3 + (a[i] & 1)] = a[i]; }"""
    a = np.random.default_rng(3).integers(0, 100, 64).astype(np.int32)
    compiler, (_keep, observer) = differential.Compiler(source), differential.blind_observer()
    for way in ("scalar", *WAYS, *SOME):
        executable, loaded = compiler.build(way)
        for size in (1, 3, 16, 21, 64):
            c = np.full(5, -1, np.int32)
            differential.launch(executable, loaded, "k", [a, c], (size,), (size,), observer=observer)
            stores = [i for i in range(size) if a[i] & 1]
            assert 0 <= c[0] < size
            assert c[1] in (stores or [-1])
            assert c[2] == -1
            for odd in (0, 1):
                assert c[3 + odd] in ([a[i] for i in range(4, size) if a[i] & 1 == odd] or [-1])


def test_width_beyond_the_group():
    """Nothing of the neighbours is touched by vectors that are wider than a group."""
    source = "kernel void k(global int *c) { c[get_global_id(0)] = get_global_id(0) + 1; }"
    compiler, (_keep, observer) = differential.Compiler(source), differential.blind_observer()
    for way in WAYS:
        executable, loaded = compiler.build(way)
        for size in range(1, 18):
            c = np.full(64, -7, np.int32)
            differential.launch(executable, loaded, "k", [c], (size,), (min(size, 5),), observer=observer)
            assert c.tolist() == [*range(1, size + 1), *[-7] * (64 - size)]


def guarded_array(count):
    """(memory to keep, int32 array) that ends where nothing may be read."""
    memory = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CDLL(None, use_errno=True).mprotect(
        ctypes.c_void_p(start + 2 * mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    array = np.frombuffer(memory, np.int32, count, 2 * mmap.PAGESIZE - 4 * count)
    array[:] = np.arange(count) * 7 + 1
    return memory, array


@pytest.mark.parametrize("way", WAYS)
def test_reads_end_with_the_array(way):
    """Neither wide loads of strided elements nor blocks of rows reach beyond the last element that is asked for."""
    source = """
    kernel void twos(global const int *a, global int *c) { int i = get_global_id(0); c[i] = a[2 * i] * 3; }
    kernel void threes(global const int *a, global int *c) {
        int i = get_global_id(0); c[i] = a[3 * i] - a[3 * i + 1]; }
    kernel void falling(global const int *a, global int *c) {
        int i = get_global_id(0), n = get_global_size(0); c[i] = a[2 * (n - 1 - i)]; }
    kernel void rows(global const int *a, global int *c, int n) {
        int i = get_global_id(0), s = 0; for (int j = 0; j < n; ++j) s = s * 5 + a[i * n + j]; c[i] = s; }"""
    compiler = differential.Compiler(source)
    _keep, observer = differential.blind_observer()
    built_ways = [compiler.build(each) for each in ("scalar", way)]
    for name, length, more in (("twos", lambda n: 2 * n - 1, ()), ("threes", lambda n: 3 * n - 1, ()),
                               ("falling", lambda n: 2 * n - 1, ()), ("rows", lambda n: 37 * n, (np.int32(37),))):
        for size in (1, 4, 5, 16, 17, 35, 48):
            out = []
            for executable, loaded in built_ways:
                memory, a = guarded_array(length(size))
                out.append(np.zeros(size, np.int32))
                differential.launch(executable, loaded, name, [a, out[-1], *more], (size,), (size,), observer=observer)
                del a, memory
            np.testing.assert_array_equal(*out, err_msg=f"{name} {size}")


REPORTED = """kernel void wide(global const double *a, global double *c, int n) {
    int i = get_global_id(0);
    for (int j = 0; j < n; ++j)
        c[i] += a[j] * i;
}
kernel void scalar(global const int *a, global int *c) {
    int i = get_global_id(0);
    atomic_add(c + a[i],
               i);
}
kernel void called(global const float *a, global float *c, int n) {
    float s = 0;
    for (int j = 0; j < n; ++j) s +=
        tan(a[j] * get_global_id(0));
    c[get_global_id(0)] = s;
}
"""


def test_report_names_lines():
    """The build log says how wide each region runs, and at which line what keeps it from more stands."""
    with config.override(DEBUG=3, CACHE=False):
        executable, _ = differential.Compiler(REPORTED).build("avx2")
    log = dict(line.split(".region.0: ") for line in executable.log.splitlines() if ".region.0: " in line)
    assert re.match(r"4 work-items at a time.*; not more: 64-bit values at <source>:[34]", log["wide"])
    assert re.match(r"scalar: 8 work-items at a time cost about .* at <source>:8$", log["scalar"])
    assert re.match(r"8 work-items at a time; not more: a call, .* at <source>:14$", log["called"])


INNER = {
    "row of each work-item updated": ("", "c[i * n + j] += x[i] * a[k * n + j]"),
    "rows of one matrix each": ("", "c[i * n + j] += a[i * n * n + k * n + j]"),
    "rows from their ends": ("", "c[i * n + n - j] = c[i * n + n - j] - c[i * n + n - j - 1] * a[i * n + n - j]"),
    "each turn needs the one before": ("16", "c[i * n + n - j - 1] = c[i * n + n - j] * a[i * n + n - j]"),
    "neighbours": ("16", "c[j * n + i] += x[k] * a[k * n + i]"),
    "float sum": ("16", "s += a[i * n + j]"),
    "turns that depend on each other": ("16", "c[i * n + j + 1] = c[i * n + j] * 2"),
}


@pytest.mark.parametrize("name", INNER)
def test_rows_of_work_items_are_left_to_the_inner_loop(name):
    """Where lanes lie far apart and an inner loop's turns side by side, LLVM makes vectors of those."""
    width, text = INNER[name]
    source = f"""kernel void k(global const float *a, global const float *x, global float *restrict c, int n) {{
        int i = get_global_id(0); float s = 0;
        for (int k = 0; k < n; ++k) for (int j = 0; j < n; ++j) {text};
        if (s) c[i] = s; }}"""
    with config.override(DEBUG=3, CACHE=False):
        executable, _ = differential.Compiler(source).build("auto")
    line = next(line for line in executable.log.splitlines() if ".region.0: " in line)
    assert (": scalar: " in line) == (width == ""), line
