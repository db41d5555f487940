# SPDX-License-Identifier: Apache-2.0
"""The wheels in dist/, in a new environment of each Python of this machine, where no LLVM can be found: `make wheel`
runs this after it has made them. All that is asked of a user's machine is an ICD loader, and with pyopencl not that."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/clients")]
from spirv_source import kernel  # noqa: E402
from test_hosts_python import pythons  # noqa: E402

WHEELS = sorted((ROOT / "dist").glob("*.whl"))
BARE = ROOT / "release" / "bare.sh"
MOST_MB = {"clpy": 9, "clpy_llvm": 42, "clpy_spirv": 6}       # whole ones: three kinds of GPUs are some 600 KB


def some_pythons():
    """{version: path}, one of each minor version from 3.8 on."""
    found = {}
    for (version, _), path in pythons():
        if int(version.split(".")[1]) >= 8:
            found.setdefault(version.rpartition(".")[0], path)
    return found


PYTHONS = some_pythons()


def run(*command, bare=True, **variables):
    """What it writes, run with no variable that could lead to this build."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("CLPY_", "OCL_", "PYTHON"))} | variables
    done = subprocess.run([str(c) for c in ([BARE] if bare else []) + list(command)], env=environment,
                          capture_output=True, text=True, timeout=600, cwd="/", check=False)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-4000:])
    return done.stdout


def tree(folder):
    """Files that are no byte code."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def spirv(tmp_path_factory):
    path = tmp_path_factory.mktemp("spirv") / "module.spv"
    path.write_bytes(kernel())
    return path


@pytest.fixture(scope="module", params=sorted(PYTHONS, key=lambda v: int(v.split(".")[1])))
def environment(request, tmp_path_factory):
    """(folder of an environment with the wheels, its files before they came)."""
    folder = tmp_path_factory.mktemp("env") / request.param
    run(PYTHONS[request.param], "-m", "venv", folder, bare=False)
    before = tree(folder)
    run(folder / "bin/pip", "install", "-q", "--no-index", *WHEELS, bare=False)
    return folder, before


def site(folder):
    return next(folder.glob("lib/python3.*/site-packages"))


def test_the_tag_says_which_glibc():
    tags = {re.search(r"-py3-none-(\w+)\.whl$", path.name)[1] for path in WHEELS}
    assert tags == {"manylinux_2_34_x86_64"}


def test_sizes():
    assert {path.name.partition("-")[0]: path.stat().st_size >> 20 for path in WHEELS
            if path.stat().st_size >> 20 > MOST_MB[path.name.partition("-")[0]]} == {}


def test_a_kernel_and_what_is_mapped(environment, tmp_path):
    """Through the system's loader; nothing of LLVM, hwloc or C++ that is not the wheel's is in the process."""
    folder, _ = environment
    (tmp_path / "clpy.icd").write_text(f"{site(folder)}/clpy/libclpy.so\n")
    script = ROOT / "tests/clients/hosts/through_ctypes.py"
    program = ("import runpy, sys; sys.argv[:] = ['x', 'kernel'];"
               f"runpy.run_path({str(script)!r}, run_name='__main__');"
               "print(*sorted({line.split()[-1] for line in open('/proc/self/maps') if '.so' in line}))")
    out = run(folder / "bin/python", "-c", program, OCL_ICD_VENDORS=f"{tmp_path}/", CLPY_CACHE="0").splitlines()
    assert out[0] == "platform"
    others = [path for path in out[1].split() if not path.startswith(str(folder))]
    assert [p for p in others if re.search("LLVM|clang|hwloc|libstdc|udev", p)] == []


def test_pyopencl_finds_it_at_once(environment, spirv, tmp_path):
    """From source, SPIR-V, and an object of another process; then clpy is gone without a trace."""
    folder, _ = environment
    run(folder / "bin/pip", "install", "-q", "pyopencl", "numpy", bare=False)
    for _ in range(2):
        mapped = run(folder / "bin/python", ROOT / "release/client.py", spirv, tmp_path / "object", CLPY_CACHE="0")
        assert not re.search(r"(?<!\w)/usr\S*(LLVM|clang|hwloc)", mapped), mapped
    assert "clpy works" in run(folder / "bin/clpy", "doctor", CLPY_CACHE="0")


def test_the_command(environment, tmp_path):
    folder, _ = environment
    command = folder / "bin/clpy"
    assert "compute units" in run(command, "info")
    source = ROOT / "tests/clients/demo/matmul.cl"
    assert "row_async" in run(command, "analyze", source, "--options=-DN=64", "--device", "tahiti", CLPY_CACHE="0")
    assert "OCL_ICD_VENDORS" in run(command, "env", "--only", HOME=str(tmp_path))


def test_nothing_is_left(environment):
    """Nor is anything written into the folder of the package but the byte code of who reads it."""
    folder, before = environment
    packages = ["clpy", "clpy-llvm", "clpy-spirv"]
    run(folder / "bin/pip", "uninstall", "-q", "-y", *packages, "pyopencl", "numpy", bare=False)
    assert {name for name in tree(folder) - before if "clpy" in name} == set()
    assert not list(site(folder).glob("*clpy*")) + list(site(folder).glob("pyopencl"))
