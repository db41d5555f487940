# SPDX-License-Identifier: Apache-2.0
"""Machine code of functions of the library that all programs share: who calls it, and how often it is made."""
import threading

import pytest

from clpy import config
from clpy.compiler import cache, library_code, program
from clpy.compiler.options import parse_options
from clpy.compiler.target import host_target

TARGET = host_target()
SOURCE = b"kernel %s void k(global float *p) { p[get_global_id(0)] = sin(p[get_global_id(0)]); }"


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The forms that were compiled, in a process that knows of none; it has an empty cache."""
    symbols, compiled = [], library_code.compile_form
    monkeypatch.setattr(library_code, "_loaded", {})
    monkeypatch.setattr(cache, "_memory", type(cache._memory)())
    monkeypatch.setattr(library_code, "compile_form", lambda *args: (symbols.append(args[0]), compiled(*args))[1])
    with config.override(CACHE=True, CACHE_DIR=str(tmp_path / "cache"), SPECIALIZE_MS=100):
        yield symbols


def build(options="", attributes=b""):
    return program.build(SOURCE % attributes, parse_options(options), TARGET)


def called(executable):
    return [name for name in executable.undefined if name.startswith(library_code.PREFIX)]


@pytest.mark.parametrize("options, attributes", [("", b""), ("-cl-fast-relaxed-math", b""),
                                                 ("", b"__attribute__((reqd_work_group_size(64, 1, 1)))")])
def test_first_code_calls_what_is_shared(made, options, attributes):
    [name, *_] = called(build(options, attributes))
    assert name.startswith(f"{library_code.PREFIX}_Z3sin")


@pytest.mark.parametrize("options, attributes", [("-cl-opt-disable", b""),
                                                 ("", b"__attribute__((reqd_work_group_size(1, 1, 1)))")])
def test_other_code_does_not(made, options, attributes):
    assert called(build(options, attributes)) == []


def test_a_form_is_made_once_for_all_programs(made):
    first = build()
    loaded = [program.load(first, TARGET), program.load(build("-DANOTHER"), TARGET)]
    assert made == [called(first)[0].removeprefix(library_code.PREFIX)]
    assert all(each.address("k") for each in loaded)


def test_the_next_process_finds_it_in_the_cache(made, monkeypatch):
    first = build()
    program.load(first, TARGET)
    monkeypatch.setattr(library_code, "_loaded", {})
    cache._memory.clear()
    program.load(first, TARGET)
    assert len(made) == 1


def test_an_entry_that_is_damaged_is_made_again(made, monkeypatch, tmp_path):
    first = build()
    program.load(first, TARGET)
    for entry in (tmp_path / "cache").rglob("*.bin"):
        entry.write_bytes(entry.read_bytes()[:-100])
    monkeypatch.setattr(library_code, "_loaded", {})
    cache._memory.clear()
    program.load(first, TARGET)
    assert len(made) == 2


def test_threads_make_it_once(made):
    [name], threads, found = called(build()), [], []
    for _ in range(4):
        threads.append(threading.Thread(target=lambda: found.append(library_code.addresses([name], TARGET))))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and len({each[name] for each in found}) == 1 and len(found) == 4


@pytest.mark.parametrize("symbol, shape", [("_Z3sinf", (1, "f", 1)), ("_Z3powDv16_fS_", (16, "f", 2)),
                                           ("_Z5exp10Dv4_d", (4, "d", 1)), ("_Z3powdd", (1, "d", 2)),
                                           ("__clpy_pow_8", (8, "d", 2)), ("__clpy_log2_8", (8, "d", 1))])
def test_the_name_of_a_form_tells_its_type(symbol, shape):
    assert library_code.shape_of(symbol) == shape
