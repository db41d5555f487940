# SPDX-License-Identifier: Apache-2.0
"""Bitcode from binaries without machine code: read in a process of its own, whose end is a message in the build log."""
import pytest

from clpy import config
from clpy.compiler import cache, foreign, program
from clpy.compiler.options import COMPILE, LINK, parse_options
from clpy.compiler.target import host_target

TARGET = host_target()
SOURCE = b"kernel void k(global int *p) { p[get_global_id(0)] += 1; }"


@pytest.fixture
def unit(monkeypatch):
    """From a binary of another process."""
    made = program.compile_source(SOURCE, {}, parse_options("", COMPILE), TARGET)
    blob = program.pack(made, b"", TARGET)
    assert not program.unpack(blob, TARGET).foreign, "of this process"
    monkeypatch.setattr(foreign, "_known", type(foreign._known)())
    monkeypatch.setattr(cache, "_memory", type(cache._memory)())
    read = program.unpack(blob, TARGET)
    assert read.foreign
    return read


def link(unit, options=""):
    return program.link([unit], parse_options(options, LINK), TARGET)


def test_it_becomes_what_it_would_here(unit):
    executable = link(unit)
    unit.foreign = False
    assert executable.objects == link(unit).objects and list(executable.kernels) == ["k"]
    assert program.load(executable, TARGET).address("k")


def test_it_is_made_once(unit, monkeypatch, tmp_path):
    with config.override(CACHE=True, CACHE_DIR=str(tmp_path)):
        first = link(unit)
        monkeypatch.setattr(foreign.served, "ask", None)
        assert link(unit).objects == first.objects


def test_libraries(unit):
    library = link(unit, "-create-library")
    assert not library.foreign
    assert list(link(library).kernels) == ["k"]


def test_what_is_wrong_with_it_is_in_the_log(unit):
    unit.ir = unit.ir[:400] + b"x" * 20 + unit.ir[420:]
    with pytest.raises(program.CompileError, match="error: "):
        link(unit)


@pytest.mark.parametrize(("start", "message"), [
    ("import os; os.kill(os.getpid(), 11)", "ended with -11"), ("import os; os._exit(3)", "ended with 3"),
    ("while True: pass", "took longer than 2 s")])
def test_the_end_of_its_process_is_not_ours(unit, monkeypatch, start, message):
    monkeypatch.setattr(foreign.served, "START", start)
    monkeypatch.setattr(foreign, "SECONDS", 2)
    with config.override(CACHE=False), pytest.raises(program.CompileError, match=message):
        link(unit)


def test_without_the_program_that_reads_it(unit, monkeypatch, tmp_path):
    monkeypatch.setattr(foreign.cache, "PACKAGE", tmp_path)
    with config.override(CACHE=False), pytest.raises(program.CompileError, match="clpy-python: No such file"):
        link(unit)
