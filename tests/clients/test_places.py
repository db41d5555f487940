# SPDX-License-Identifier: Apache-2.0
"""Machines that give a program little: a root that cannot be written to, no home, no compiler, another user."""
import os
import subprocess

import pytest
from host_build import LIBRARY, compile_host, vendors

# The whole tree once more, but its root read-only, for this program alone.
READ_ONLY = """
set -e
mount --rbind / "$0"
mount -o remount,bind,ro "$0"
exec chroot "$0" env PATH=/nonexistent "$@"
"""
NOBODY = 65534


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    return tmp_path_factory.mktemp("places")


@pytest.fixture(scope="module")
def host(build):
    return compile_host(build, "host.c", "-lOpenCL", "-ldl", "-pthread")


@pytest.fixture(scope="module")
def only_clpy(build):
    return vendors(build / "v", LIBRARY)


def run(*command, **environment):
    """Its stderr; what it gets of the environment is only this."""
    done = subprocess.run([str(c) for c in command], env={"PATH": "/nonexistent", **environment}, capture_output=True,
                          text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    return done.stderr


def about_the_cache(stderr):
    return [line for line in stderr.splitlines() if "cache: " in line]


def in_read_only_root(folder):
    """What stands before a command to run it there. A container may refuse both ways to mounts of one's own."""
    for rights in [], ["--map-root-user"]:
        own_mounts = ["/usr/bin/unshare", "--mount", *rights]
        if subprocess.run([*own_mounts, "/bin/true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return [*own_mounts, "/bin/sh", "-c", f"PATH=/usr/sbin:/usr/bin:/sbin:/bin\n{READ_ONLY}", folder]
    pytest.skip("no process may have mounts of its own here")


@pytest.mark.parametrize("home", [None, "/home-that-cannot-be-made"])
def test_read_only_root(host, only_clpy, tmp_path, home):
    """Everything works; why there is no cache on disk is said once, to who asks."""
    where = {"OCL_ICD_VENDORS": only_clpy} | ({"HOME": home} if home else {"HOME": ""})
    (tmp_path / "root").mkdir()
    program = [*in_read_only_root(tmp_path / "root"), host, "kernel"]
    assert run(*program, **where) == ""
    said = about_the_cache(run(*program, CLPY_DEBUG="1", **where))
    assert len(said) == 1 and "kept in memory" in said[0]


def test_another_user_without_a_home(only_clpy, host, build):
    """As containers run programs: a user that nobody knows. Only root can try."""
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    for path in (build, *build.parents):
        if who and path.stat().st_uid == os.geteuid() and path != path.parent:
            path.chmod(path.stat().st_mode | 0o011)
    done = subprocess.run([host, "kernel"], env={"OCL_ICD_VENDORS": only_clpy, "HOME": "/nonexistent"},
                          capture_output=True, text=True, timeout=120, check=False, **who)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")
