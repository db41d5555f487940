# SPDX-License-Identifier: Apache-2.0
"""What may lie where an entry of the cache should, and folders that cannot be used: programs are built all the same,
and CLPY_DEBUG=1 says why they are built by each process."""
import errno
import os
import shutil
import signal
import socket

import pytest

from clpy import config
from clpy.compiler import cache, program
from clpy.compiler.options import parse_options
from clpy.compiler.target import host_target

SOURCE = b"kernel void k(global int *p) { p[get_global_id(0)] += 1; }"
OTHER = b"kernel void k(global int *p) { p[get_global_id(0)] -= 1; }"
TARGET = host_target()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, on disk and in memory."""
    monkeypatch.setattr(cache, "_memory", type(cache._memory)())
    monkeypatch.setattr(cache, "_said", set())
    with config.override(CACHE=True, CACHE_DIR=str(tmp_path / "cache")):
        yield tmp_path / "cache"


@pytest.fixture
def said(monkeypatch):
    """The lines that CLPY_DEBUG=1 writes."""
    lines = []
    monkeypatch.setattr(cache, "trace", lambda level, text: lines.append(text) if level == 1 else None)
    return lines


@pytest.fixture(autouse=True)
def in_time():
    """What blocks fails its test and not the whole run."""
    def too_long(*args):
        raise AssertionError("the build is blocked")
    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def build(source=SOURCE):
    cache._memory.clear()
    return program.build(source, parse_options(""), TARGET)


def entry_of(folder, source=SOURCE):
    before = set(folder.rglob("*.bin"))
    build(source)
    path, = set(folder.rglob("*.bin")) - before
    return path


def test_an_entry_under_another_name_is_not_run_in_its_place(folder):
    one, two = entry_of(folder), entry_of(folder, OTHER)
    wanted = build(OTHER).objects
    two.write_bytes(one.read_bytes())
    assert build(OTHER).objects == wanted != build().objects
    assert build(OTHER).objects == wanted, "the entry is mended"


@pytest.mark.parametrize("place", ["fifo", "directory", "socket", "link", "device", "nothing"])
def test_what_is_no_regular_file_is_no_entry(folder, tmp_path, monkeypatch, place):
    path = entry_of(folder)
    wanted, whole = build().objects, path.read_bytes()
    path.unlink()
    if place == "fifo":
        os.mkfifo(path)
    elif place == "directory":
        path.mkdir()
    elif place == "socket":
        monkeypatch.chdir(path.parent)           # the whole path may be too long for an address
        socket.socket(socket.AF_UNIX).bind(path.name)
    elif place == "link":
        (tmp_path / "elsewhere").write_bytes(whole)
        path.symlink_to(tmp_path / "elsewhere")
    elif place == "device":
        path.symlink_to("/dev/zero")
    assert build().objects == wanted
    assert path.is_dir() if place == "directory" else path.is_file() and not path.is_symlink()


def test_a_fifo_in_place_of_the_folder(folder):
    folder.mkdir()
    for i in range(256):
        os.mkfifo(folder / f"{i:02x}")
    assert build().kernels and build().kernels


def test_an_entry_has_a_longest_length(folder, monkeypatch):
    path = entry_of(folder)
    with open(path, "r+b") as file:
        file.truncate(1 << 40)                   # takes no room on the disk
    assert build().kernels
    assert path.stat().st_size < 1 << 20


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EACCES, errno.ENOENT])
def test_what_keeps_it_from_writing_is_said_once(folder, said, monkeypatch, error):
    def refuse(*args, **kwargs):
        raise OSError(error, os.strerror(error))
    monkeypatch.setattr(cache.os, "makedirs", refuse)
    assert build().kernels and build(OTHER).kernels
    assert said == [f"cache: {folder}: {os.strerror(error)}: {cache.KEPT}"]


def test_a_folder_that_goes_away_is_made_again(folder):
    build()
    shutil.rmtree(folder)
    build()
    assert len(list(folder.rglob("*.bin"))) == 1


def test_no_home(said, monkeypatch):
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache.os.path, "expanduser", lambda path: path)
    with config.override(CACHE_DIR=""):
        assert cache.folder() is None
        assert build().kernels and build().kernels
    assert said == [f"cache: there is no home folder for it (CLPY_CACHE_DIR names another place): {cache.KEPT}"]


def test_without_a_place_it_is_in_memory(monkeypatch):
    monkeypatch.setattr(cache, "_memory", type(cache._memory)())
    monkeypatch.setattr(cache, "folder", lambda: None)
    name = "0123456789" * 4
    cache.store(name, b"made")
    assert cache.load(name) == b"made"
    with config.override(CACHE=False):
        assert cache.load(name) is None
        cache.store(name, b"other")
    assert cache.load(name) == b"made"


def test_nothing_is_put_into_the_home_of_another_user(said, tmp_path, monkeypatch):
    """A program that is run with sudo keeps HOME: the folders it made there would shut the user out."""
    monkeypatch.setattr(cache, "_said", set())
    home = tmp_path / "home"
    (home / ".cache").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache.os, "geteuid", lambda: os.getuid() + 4321)
    monkeypatch.setattr(cache, "ROOT_USER", os.getuid() + 1)
    with config.override(CACHE_DIR=""):
        assert build().kernels
    assert list((home / ".cache").iterdir()) == []
    assert said == [f"cache: {home}/.cache/clpy: it would lie in a folder of another user: {cache.KEPT}"]


def test_an_entry_of_another_user_is_not_run(folder, said, monkeypatch):
    path = entry_of(folder)
    cache._memory.clear()
    monkeypatch.setattr(cache.os, "geteuid", lambda: os.getuid() + 4321)
    monkeypatch.setattr(cache, "ROOT_USER", os.getuid() + 1)
    assert cache.load(path.parent.name + path.stem) is None
    assert said == [f"cache: {path}: it belongs to another user or others may write it: not used"]

