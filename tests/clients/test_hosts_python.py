# SPDX-License-Identifier: Apache-2.0
"""Python programs as hosts: whichever Python it is, kernels are built and run, and nothing of it is touched."""
import glob
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from host_build import HOSTS, LIBRARY, compile_host, run_ok, vendors

SCRIPT = HOSTS / "through_ctypes.py"
MODES = ["plain", "kernel", "with-gil", "forks", "interrupted", "at-exit", "other-clpy", "several-interpreters"]


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


ALL = [sys.executable, *(path for _, path in pythons())]
ENDS = ALL[:2] + ALL[-1:]         # the one that builds clpy, the oldest, the newest: in all modes
CASES = [(python, mode) for python in ALL for mode in (MODES if python in ENDS else ("plain", "forks"))]


@pytest.mark.parametrize(("python", "mode"), CASES)
def test_every_python_of_this_machine(python, mode, only_clpy):
    """The one that builds clpy, others of its version, other versions; most have no cffi."""
    assert run_ok(python, SCRIPT, mode, vendors=only_clpy) == ("platform\n", "")


def shared_libraries():
    """Of the Pythons that can be embedded: those that are linked statically have none."""
    script = ("import os, sysconfig; v = sysconfig.get_config_var; "
              "print(v('Py_ENABLE_SHARED') and os.path.join(v('LIBDIR'), v('INSTSONAME')) or '')")
    paths = [subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
             for python in ALL]
    return list(dict.fromkeys(path for path in paths if path and Path(path).exists()))


LIBRARIES = shared_libraries()
# So that an embedded Python looks for its modules where it was installed.
NO_PATH = {"PATH": "/nonexistent", "CLPY_CACHE": "0"}


@pytest.fixture(scope="module")
def plug_in(tmp_path_factory):
    return compile_host(tmp_path_factory.mktemp("plug_in"), "plug_in.c", "-lOpenCL", "-ldl")


@pytest.mark.parametrize("how", ["global", "local"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_an_embedded_python(plug_in, library, how, only_clpy):
    """It comes before clpy has an interpreter, or when clpy has built a kernel; both go on."""
    for order in ((library, "clpy"), ("clpy", library)):
        assert run_ok(plug_in, how, *order, vendors=only_clpy, env=NO_PATH) == ("ok\n", "")


def test_all_pythons_of_this_machine_in_one_process(plug_in, only_clpy):
    """They do not see each other: two that are there for all to see break each other, with clpy or without."""
    some = len(LIBRARIES) // 2
    order = [*LIBRARIES[:some], "clpy", *LIBRARIES[some:]]
    assert run_ok(plug_in, "local", *order, vendors=only_clpy, env=NO_PATH) == ("ok\n", "")


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
