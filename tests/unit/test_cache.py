# SPDX-License-Identifier: Apache-2.0
"""The cache of built programs: hits, misses, damage, many processes, full and read-only disks, its size."""
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clpy import config
from clpy.compiler import cache, program
from clpy.compiler.cpu import CpuTarget
from clpy.compiler.options import parse_options
from clpy.compiler.target import host_target

ROOT = Path(__file__).resolve().parents[2]
SOURCE = b"kernel void k(global int *p) { p[get_global_id(0)] += 1; }"
TARGET = host_target()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, on disk and in memory."""
    monkeypatch.setattr(cache, "_memory", type(cache._memory)())
    with config.override(CACHE=True, CACHE_DIR=str(tmp_path / "cache")):
        yield tmp_path / "cache"


@pytest.fixture
def front_end_runs(monkeypatch):
    """A list that grows with every run of the front end."""
    runs = []
    original = program.run_frontend
    monkeypatch.setattr(program, "run_frontend", lambda *args: (runs.append(args[0]), original(*args))[1])
    return runs


def build(source=SOURCE, options="", headers=None):
    return program.build(source, parse_options(options), TARGET, headers)


def entries(folder):
    return sorted(folder.rglob("*.bin"))


def forget_memory():
    cache._memory.clear()


def test_the_second_build_comes_from_memory_the_third_from_disk(folder, front_end_runs):
    first = build()
    second = build()
    forget_memory()
    third = build()
    assert len(front_end_runs) == 1
    assert first.objects == second.objects == third.objects
    assert first.kernels == third.kernels and first.ir == third.ir
    assert len(entries(folder)) == 1


def test_the_log_of_a_cached_program_is_the_same(folder, front_end_runs):
    source = b"#warning careful\n" + SOURCE
    log = build(source).log
    forget_memory()
    assert "careful" in log and build(source).log == log and len(front_end_runs) == 1


def test_linked_programs_are_cached_too(folder, monkeypatch):
    sources = b"int f(int x) { return x + 1; }", b"int f(int); kernel void k(global int *p) { *p = f(1); }"
    units = [program.compile_source(source, {}, parse_options("", "compile"), TARGET) for source in sources]
    runs, original = [], program.finish
    monkeypatch.setattr(program, "finish", lambda *args, **known: (runs.append(1), original(*args, **known))[1])
    first = program.link(units, parse_options("", "link"), TARGET)
    forget_memory()
    assert program.link(units, parse_options("", "link"), TARGET).objects == first.objects
    assert len(runs) == 1 == len(entries(folder))


@pytest.mark.parametrize(("source", "options", "headers"), [
    (SOURCE + b" ", "", None), (SOURCE, "-DX", None), (SOURCE, "-cl-std=CL3.0", None), (SOURCE, "-w", None),
    (SOURCE, "-cl-opt-disable", None), (SOURCE, "", {"a.h": b""}),
])
def test_whatever_may_change_the_code_is_in_the_key(folder, front_end_runs, source, options, headers):
    build()
    build(source, options, headers)
    assert len(front_end_runs) == 2


def test_texts_that_only_join_to_the_same_are_different():
    options, target = parse_options(""), TARGET
    assert cache.key(b"ab", {}, [b"c"], options, target) != cache.key(b"a", {}, [b"bc"], options, target)
    assert cache.key(b"", {"a": b"b"}, [], options, target) != cache.key(b"", {"ab": b""}, [], options, target)
    assert cache.key(b"", {}, [], options, target) != cache.key(b"", {}, [], options, CpuTarget(isa="sse4.2"))
    with config.override(USE_VECTORIZER=False):
        other = cache.key(b"", {}, [], options, target)
    assert other != cache.key(b"", {}, [], options, target)


@pytest.mark.parametrize("damage", [
    lambda data: b"", lambda data: data[:-1], lambda data: data[:100], lambda data: b"x" * len(data),
    lambda data: data[:300] + bytes([data[300] ^ 1]) + data[301:],
], ids=["empty", "short", "shorter", "foreign", "flipped"])
def test_a_damaged_entry_is_built_anew(folder, front_end_runs, damage):
    good = build().objects
    path = entries(folder)[0]
    original = path.read_bytes()
    path.write_bytes(damage(original))
    forget_memory()
    assert build().objects == good
    forget_memory()
    assert build().objects == good
    assert len(front_end_runs) == 2


def test_an_entry_of_another_program_is_built_anew_only_if_it_does_not_fit(folder, front_end_runs):
    """The file name is the key; code for another CPU under this one's key is noticed by its target."""
    build()
    path = entries(folder)[0]
    older = CpuTarget(isa="sse4.2")
    other = program.pack(program.build(SOURCE, parse_options("-w"), older), b"", older)
    cache.store(path.parent.name + path.stem, other)
    forget_memory()
    build()
    assert len(front_end_runs) == 3


def test_files_that_the_source_includes_cannot_become_stale(folder, tmp_path):
    header = tmp_path / "value.h"
    source = b'#include "value.h"\nkernel void k(global int *p) { *p = VALUE; }'
    header.write_text("#define VALUE 1\n")
    one = build(source, f"-I {tmp_path}").ir
    header.write_text("#define VALUE 2\n")
    two = build(source, f"-I {tmp_path}").ir
    assert one != two and entries(folder) == []


def test_no_cache_when_it_is_off(folder, front_end_runs):
    with config.override(CACHE=False):
        build()
        build()
    assert len(front_end_runs) == 2 and not folder.exists()


def test_a_folder_that_cannot_be_made_is_no_cache(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(cache, "_memory", type(cache._memory)())
    for bad in (tmp_path / "file" / "cache", Path("/proc/nowhere"), Path("/dev/null/x"), "\0"):
        with config.override(CACHE_DIR=str(bad)):
            assert build().kernels
            forget_memory()
            assert build().kernels


def test_a_full_disk_leaves_nothing_half_written(folder, monkeypatch):
    def no_space(fd, mode):
        os.close(fd)
        raise OSError(28, "No space left on device")
    monkeypatch.setattr("builtins.open", no_space)
    cache.store("ab" * 20, b"data")
    monkeypatch.undo()
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_a_read_only_folder_still_serves(folder, front_end_runs, monkeypatch):
    build()

    def read_only(*args, **kwargs):
        raise OSError(30, "Read-only file system")
    monkeypatch.setattr(cache.os, "utime", read_only)
    monkeypatch.setattr(cache.os, "makedirs", read_only)
    forget_memory()
    build()
    assert len(front_end_runs) == 1
    build(SOURCE + b" ")
    assert len(front_end_runs) == 2 and len(entries(folder)) == 1


def test_what_others_may_write_is_not_run(folder, front_end_runs):
    build()
    entries(folder)[0].chmod(0o666)
    forget_memory()
    build()
    assert len(front_end_runs) == 2


def test_where_the_folder_is(monkeypatch):
    with config.override(CACHE_DIR=""):
        monkeypatch.setenv("XDG_CACHE_HOME", "/some/where")
        assert cache.folder() == "/some/where/clpy"
        monkeypatch.setenv("XDG_CACHE_HOME", "relative")    # to be ignored, says the XDG specification
        monkeypatch.setenv("HOME", "/some/body")
        assert cache.folder() == "/some/body/.cache/clpy"
    with config.override(CACHE_DIR="/given"):
        assert cache.folder() == "/given"


def test_the_least_used_go_first(folder):
    for i in range(10):
        cache.store(f"{i:02}" * 20, bytes(1000))
        os.utime(cache.entry(folder, f"{i:02}" * 20), (i, i))
    cache.load("00" * 20)                                    # from memory: not used on disk
    cache._memory.clear()
    cache.load("01" * 20)                                    # from disk: now the newest
    cache.evict(folder, 5 * os.path.getsize(cache.entry(folder, "09" * 20)))
    left = {path.parent.name for path in entries(folder)}
    assert left == {"01", "07", "08", "09"}


def test_a_store_looks_at_one_folder_of_many(folder, monkeypatch):
    """And at all of them where that one says that there is too much."""
    for n in range(64):
        cache.write(cache.entry(folder, f"{n:02x}" * 20), bytes(6000))
    monkeypatch.setattr(cache, "EVICT_EVERY", 2)
    monkeypatch.setattr(cache, "_stores", 0)
    looked, rows_of = [], cache.rows_of
    monkeypatch.setattr(cache, "rows_of", lambda place: (looked.append(len(os.listdir(place))), rows_of(place))[1])
    with config.override(CACHE_MAX_MB=1024):
        cache.store("01" * 20, bytes(1000))
    assert looked == [1] and len(entries(folder)) == 64
    monkeypatch.setattr(cache, "_stores", 0)
    with config.override(CACHE_MAX_MB=1):
        cache.store("02" * 20, bytes(700_000))
    assert looked == [1] * 66 and 700_000 < sum(path.stat().st_size for path in entries(folder)) < 0.8 * (1 << 20)


def test_what_dead_writers_left_goes(folder):
    cache.store("ab" * 20, b"data")
    old, new = folder / "ab" / ".old.tmp", folder / "ab" / ".new.tmp"
    old.write_text("x")
    new.write_text("x")
    long_ago = time.time() - 2 * cache.STALE_SECONDS
    os.utime(old, (long_ago, long_ago))
    cache.evict(folder, 1 << 20)
    assert not old.exists() and new.exists()


def test_memory_is_bounded(folder):
    for i in range(40):
        cache.remember(str(i), bytes(1 << 20))
    assert sum(map(len, cache._memory.values())) <= cache.MEMORY_BYTES
    assert "39" in cache._memory and "0" not in cache._memory


WORKER = """
import sys
from clpy.compiler import program
from clpy.compiler.target import host_target
target, options = host_target(), program.parse_options("")
for i in range(6):
    source = b"kernel void k(global int *p) { p[%d] = %d; }" % (i, i)
    executable = program.build(source, options, target)
    assert program.load(executable, target).address("k")
print("fine")
"""


def test_many_processes_at_once(tmp_path):
    env = {**os.environ, "CLPY_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    workers = [subprocess.Popen([sys.executable, "-c", WORKER], env=env, stdout=subprocess.PIPE, text=True)
               for _ in range(4)]
    assert [worker.communicate()[0].strip() for worker in workers] == ["fine"] * 4
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 6 and all(path.suffix == ".bin" for path in files)
