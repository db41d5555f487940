# SPDX-License-Identifier: Apache-2.0
"""Programs with more rights than who starts them: the environment, which is the caller's, has no effect on clpy."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from host_build import LIBRARY, compile_host

from clpy import config
from clpy.compiler import cache, translator
from clpy.secure_mode import secure_mode

NOBODY = 65534


@pytest.fixture
def place():
    """A folder that every user can enter."""
    with tempfile.TemporaryDirectory(prefix="clpy-rights-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


def environment(place):
    """Each of these has an effect on a program that has no more rights than its caller."""
    return {"CLPY_NUM_THREADS": "7", "CLPY_DEBUG": "4", "CLPY_CACHE_DIR": str(place / "cache"), "CLPY_NONSENSE": "1",
            "XDG_CACHE_HOME": str(place / "xdg"), "HOME": str(place / "home"), "PATH": "/usr/bin:/bin",
            "HWLOC_SYNTHETIC": "l3:1(size=12345600) core:4 pu:1", "HWLOC_COMPONENTS": "synthetic"}


def made(place):
    return sorted(path.name for path in place.iterdir() if path.is_dir())


def test_the_caller_of_a_program_of_its_own_rights_decides(place):
    host = compile_host(place, "rights.c", "-ldl")
    done = subprocess.run([host, LIBRARY], env=environment(place), capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "7 units, cache 12345600\n"), done.stderr
    assert "clpy: kernel void k" in done.stderr and "CLPY_NONSENSE" in done.stderr
    assert made(place) == ["cache"]


def run_with_more_rights(host, place):
    """As another user, the file being root's and setuid. Only root can make such a file: for others the next test
    stands."""
    host.chmod(0o4755)
    return subprocess.run([host, LIBRARY], env=environment(place), capture_output=True, text=True, timeout=120,
                          user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")


def test_the_caller_of_a_setuid_program_decides_nothing(place):
    if os.geteuid() != 0 or os.statvfs(place).f_flag & os.ST_NOSUID:
        assert not secure_mode()
        return
    plain = compile_host(place, "rights.c", "-ldl")
    for name in ("cache", "xdg", "home"):
        (place / name).mkdir(mode=0o777)
        (place / name).chmod(0o777)
    expected = subprocess.run([plain, LIBRARY], env={"CLPY_CACHE": "0"}, capture_output=True, text=True, timeout=120)
    done = run_with_more_rights(Path(shutil.copy(plain, place / "setuid")), place)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.split(",")[0] == expected.stdout.split(",")[0]
    assert "12345600" not in done.stdout
    assert [list((place / name).iterdir()) for name in ("cache", "xdg", "home")] == [[], [], []]


def test_what_is_read_without_an_environment(monkeypatch, tmp_path):
    assert not secure_mode()
    monkeypatch.setattr(config, "_environ", {})
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "llvm-spirv").write_text("#!/bin/sh\n")
    (tmp_path / "llvm-spirv").chmod(0o755)
    assert translator.path() != str(tmp_path / "llvm-spirv")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with config.override(CACHE_DIR="", CACHE=True):
        assert cache.folder() != str(tmp_path / "clpy")
        monkeypatch.setattr(cache, "secure_mode", lambda: True)
        assert cache.folder() is None
