# SPDX-License-Identifier: Apache-2.0
"""Python programs as hosts: the same version is joined, another version gets one line and no platform."""
import glob
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from host_build import HOSTS, LIBRARY, run, run_ok, vendors

SCRIPT = HOSTS / "through_ctypes.py"
OURS = f"{sys.version_info[0]}.{sys.version_info[1]}"
MODES = ["plain", "with-gil", "capsule", "forks"]


@pytest.fixture(scope="module")
def only_clpy(tmp_path_factory):
    return vendors(tmp_path_factory.mktemp("vendors") / "v", LIBRARY)


def pythons():
    """{version: path} of the other Pythons of this machine, oldest first; at times there is none."""
    found = {}
    names = [f"python3.{minor}" for minor in range(6, 20)]
    candidates = [shutil.which(n) for n in names] + glob.glob("/usr/bin/python3.*[0-9]") + \
        glob.glob("/opt/*/bin/python3") + glob.glob(str(Path.home() / ".pyenv/versions/3.*/bin/python3"))
    for path in candidates:
        if not path:
            continue
        probe = subprocess.run([path, "-c", "import ctypes, sys; print('%d.%d.%d' % sys.version_info[:3])"],
                               capture_output=True, text=True)
        if probe.returncode == 0:
            found.setdefault((probe.stdout.strip(), Path(path).resolve()), path)
    return sorted(found.items())


ALL = pythons()
SAME = [sys.executable] + [path for (version, _), path in ALL if version.rpartition(".")[0] == OURS]
OTHERS = [(version, path) for (version, _), path in ALL if version.rpartition(".")[0] != OURS]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("python", SAME)
def test_the_same_version_is_joined(python, mode, only_clpy):
    """Also a Python that is linked statically, is of another patch level and has no cffi."""
    out, err = run_ok(python, SCRIPT, mode, vendors=only_clpy)
    assert out == "platform\n"
    assert err == ""


@pytest.mark.parametrize("python", SAME)
def test_first_call_at_the_end(python, only_clpy):
    code, out, _ = run(python, SCRIPT, "at-exit", vendors=only_clpy)
    assert code == 0
    assert out in ("platform\n", "no platform\n")


def test_a_module_of_the_same_name(only_clpy):
    """The program's own module `clpy` is neither used nor replaced."""
    out, err = run_ok(sys.executable, SCRIPT, "other-clpy", vendors=only_clpy)
    assert out == "no platform\n"
    assert err.count("\n") == 1 and "another module named clpy" in err, err


# With no other Python on the machine there is no such test; test_hosts.py has a stand-in for one.
if OTHERS:
    @pytest.mark.parametrize(("version", "python"), OTHERS)
    def test_another_version(version, python, only_clpy):
        for mode in ("plain", "with-gil", "forks"):
            out, err = run_ok(python, SCRIPT, mode, vendors=only_clpy)
            assert out == "no platform\n"
            lines = err.splitlines()
            assert len(lines) == 1 and version in lines[0], err


def test_a_new_virtual_environment_without_packages(tmp_path, only_clpy):
    venv.create(tmp_path / "env", with_pip=False)
    out, _ = run_ok(tmp_path / "env/bin/python", SCRIPT, "plain", vendors=only_clpy, cwd=tmp_path)
    assert out == "platform\n"


PYOPENCL = """
import numpy as np, pyopencl as cl, sys
print(cl.get_cl_header_version())
platform = [p for p in cl.get_platforms() if p.name == "clpy"][0]
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }").build()
x = np.arange(1000, dtype=np.float32)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
program.twice(queue, x.shape, None, buffer)
y = np.empty_like(x)
cl.enqueue_copy(queue, y, buffer)
assert (y == 2 * x).all()
assert "twice" in program.kernel_names
print([line.split()[-1] for line in open("/proc/self/maps") if "libOpenCL" in line][0])
"""


def test_pyopencl_from_pip(only_clpy):
    """Its wheel brings a loader of its own."""
    out, _ = run_ok(sys.executable, "-c", PYOPENCL, vendors=only_clpy, timeout=300)
    assert "pyopencl" in out.splitlines()[-1], f"not the loader of the wheel: {out}"
