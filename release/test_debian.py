# SPDX-License-Identifier: Apache-2.0
"""The package in dist/ in a new Debian 12, with nothing in it but what each has: `make deb` runs this, as root. The
base system is made once, by debootstrap, in build/."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BASE = ROOT / "build" / "bookworm.root"      # with a dot, so that no build looks for packages in it
HOST = ROOT / "tests/clients/hosts/through_ctypes.py"


def mirror():
    """Where this machine's packages are from."""
    files = [*Path("/etc/apt/sources.list.d").glob("*"), Path("/etc/apt/sources.list")]
    texts = [path.read_text() for path in files if path.is_file()]
    for text in texts:
        for line in text.splitlines():
            found = re.match(r"(?:URIs:|deb(?: \[.*\])?)\s+(\S+/debian/?)(\s|$)", line)
            if found:
                return found[1]
    raise AssertionError("no mirror of Debian's in /etc/apt")


def call(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=900, check=False, **more)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-4000:])
    return done.stdout


@pytest.fixture(scope="module")
def inside(tmp_path_factory):
    """A function that runs a command in a new Debian with the package."""
    assert os.geteuid() == 0 and shutil.which("debootstrap"), "this needs root, and apt install debootstrap"
    package, = (ROOT / "dist").glob("clpy-opencl-icd_*.deb")
    if not BASE.exists():
        call("debootstrap", "--variant=minbase", "bookworm", BASE.with_suffix(".new"), mirror())
        BASE.with_suffix(".new").rename(BASE)
    root = tmp_path_factory.mktemp("debian") / "root"
    call("cp", "-a", BASE, root)
    for path in (package, HOST):
        shutil.copy(path, root / "tmp")
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")

    def run(text, **variables):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"} | variables
        script = f"mount -t proc proc {root}/proc && exec chroot {root} /bin/sh -ec '{text}'"
        return call("unshare", "--mount", "--pid", "--fork", "sh", "-c", script, env=environment)

    run("apt-get -q update && apt-get install -q -y --no-install-recommends /tmp/*.deb clinfo")
    yield run
    shutil.rmtree(root)


def test_clinfo_lists_it(inside):
    assert inside("clinfo -l").splitlines()[0] == "Platform #0: clpy"
    page = inside("clinfo")
    assert "Number of platforms                               1" in page and "OpenCL 3.1 clpy" in page


def test_the_header_is_where_compilers_look(inside):
    assert "CL_PROFILING_LAUNCH_COUNTERS_CLPY" in inside("cat /usr/include/CL/cl_clpy.h")


def test_no_python_came_with_it(inside):
    assert inside("ls /usr/bin/python3* 2>/dev/null || echo none").strip() == "none"


def test_a_kernel_runs(inside):
    """Without a home folder, as nobody, with Debian's Python."""
    inside("apt-get install -q -y --no-install-recommends python3")
    assert inside("python3 /tmp/through_ctypes.py kernel") == "platform\n"
    assert "clpy works" in inside("clpy doctor")
    assert "compute units" in inside("clpy info")


def test_it_goes_without_a_trace(inside):
    inside("apt-get purge -q -y clpy-opencl-icd")
    assert inside("find / -xdev -name \"*clpy*\" -not -path \"/tmp/*\" -not -path \"/proc/*\" -not -path "
                  "\"/root/.cache/*\" -not -path \"/var/*\"") == ""
