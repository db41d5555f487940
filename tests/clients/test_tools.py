# SPDX-License-Identifier: Apache-2.0
"""The command `clpy`: loaders find clpy where it puts the .icd file, and doctor says what is the case."""
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from host_build import LIBRARY

from clpy.tools import cli, icd_file, loaders

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("icd", "env", "run", "doctor", "info", "analyze")
PLATFORMS = "import pyopencl as cl; print([p.name for p in cl.get_platforms()])"


@pytest.fixture
def clean(tmp_path):
    """An environment in which nothing says where clpy is."""
    dropped = ("OCL_ICD", "OPENCL_", "PYOPENCL_", "CONDA")
    env = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    return env | {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_CACHE_HOME": str(tmp_path / "cache"),
                  "PYTHONPATH": str(ROOT)}


def clpy(env, *args, code=0):
    done = subprocess.run([sys.executable, "-m", "clpy.tools.cli", *args], env=env, capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + (done.stderr if code else "")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(clean, command):
    text = clpy(clean, command, "--help")
    assert f"clpy {command}" in text.split("example:")[1]
    assert command in clpy(clean, "--help")


def test_wrong_usage(clean):
    clpy(clean, code=2)
    clpy(clean, "icd", "install", code=2)
    clpy(clean, "icd", "install", "--user", "--system", code=2)
    assert "no program given" in clpy(clean, "run", code=1)


def test_run(clean):
    out = clpy(clean, "run", "--only", "--", "clinfo", "-l")
    assert out.splitlines()[0] == "Platform #0: clpy"
    assert clpy(clean, "run", "--", "sh", "-c", "exit 7", code=7) == ""
    assert "no-such-program" in clpy(clean, "run", "no-such-program", code=127)


@pytest.mark.parametrize(("options", "message"), [
    (("--device", "none"), "there is no chip none"),
    (("--device", "tahiti,gpu:hawaii"), "--device: one chip at a time, not tahiti, hawaii"),
    (("--lines", "--source", "/nowhere"), "/nowhere: No such file or directory"),
    (("--json", "--output", "/nowhere/x"), "/nowhere/x: No such file or directory")])
def test_profile_says_what_is_wrong_before_it_runs_anything(clean, tmp_path, options, message):
    said = clpy(clean, "profile", *options, "--", "touch", str(tmp_path / "ran"), code=1)
    assert message in said and said.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def test_env_in_a_shell(clean):
    script = 'eval "$("$PYTHON" -m clpy.tools.cli env --only)" && exec clinfo -l'
    done = subprocess.run(["sh", "-c", script], env=clean | {"PYTHON": sys.executable}, capture_output=True, text=True)
    assert done.returncode == 0 and "Platform #0: clpy" in done.stdout, done


def test_env_keeps_the_systems_platforms(clean):
    folder = Path(json.loads(clpy(clean, "env", "--json"))["OCL_ICD_VENDORS"])
    names = {p.name for p in folder.iterdir()}
    assert names == {"clpy.icd"} | {p.name for p in Path("/etc/OpenCL/vendors").glob("*.icd")}
    assert (folder / "clpy.icd").read_text() == f"{LIBRARY}\n"
    assert set(json.loads(clpy(clean, "env", "--only", "--json"))) == {"OCL_ICD_VENDORS"}
    for shell, start in (("fish", "set -gx OCL_ICD_VENDORS "), ("csh", "setenv OCL_ICD_VENDORS "),
                         ("sh", "export OCL_ICD_VENDORS=")):
        assert clpy(clean, "env", "--shell", shell).startswith(start)


def test_env_without_a_home(clean):
    env = {k: v for k, v in clean.items() if not k.startswith("XDG_")} | {"HOME": "/proc"}
    folder = json.loads(clpy(env, "env", "--json"))["OCL_ICD_VENDORS"]
    assert Path(folder, "clpy.icd").read_text() == f"{LIBRARY}\n"


def test_install_for_the_user(clean, tmp_path):
    data = json.loads(clpy(clean, "icd", "install", "--user", "--json"))
    path = tmp_path / "config/OpenCL/vendors/clpy.icd"
    assert data["path"] == str(path) and path.read_text() == f"{LIBRARY}\n"
    found = subprocess.run(["clinfo", "-l"], env=clean | {"OCL_ICD_VENDORS": str(path.parent)}, capture_output=True,
                           text=True).stdout
    assert "clpy" in found
    clpy(clean, "icd", "install", "--user")
    assert f"removed {path}" in clpy(clean, "icd", "remove", "--user")
    assert list(path.parent.iterdir()) == []
    assert "nothing to remove" in clpy(clean, "icd", "remove", "--user")


def own_environment(folder):
    """A Python with the packages of this one, but a pyopencl of its own: what is installed there no other test sees."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    here, site = Path(sysconfig.get_path("platlib")), next(folder.glob("lib/python*/site-packages"))
    shutil.copytree(here / "pyopencl", site / "pyopencl")
    (site / "others.pth").write_text(f"{here}\n{ROOT}\n")
    return folder / "bin/python"


def test_install_for_pyopencl(clean, tmp_path):
    """The loader in pyopencl's wheel finds clpy with no variable set."""
    def run(*command):
        return subprocess.run([python, *command], env=clean, capture_output=True, text=True)

    python = own_environment(tmp_path / "environment")
    assert run("-m", "clpy.tools.cli", "icd", "install", "--venv").returncode == 0
    done = run("-c", PLATFORMS)
    assert "'clpy'" in done.stdout, done
    assert run("-m", "clpy.tools.cli", "icd", "remove", "--venv").returncode == 0
    assert list(tmp_path.rglob("clpy.icd")) == [] and "'clpy'" not in run("-c", PLATFORMS).stdout


def test_install_for_the_system(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(icd_file, "SYSTEM_FOLDER", tmp_path / "etc/vendors")
    assert cli.main(["icd", "install", "--system"]) == 0
    assert (tmp_path / "etc/vendors/clpy.icd").read_text() == f"{LIBRARY}\n"
    assert cli.main(["icd", "remove", "--system"]) == 0

    def refuse(path, text):
        raise PermissionError(13, "denied", str(path))

    monkeypatch.setattr(icd_file, "write", refuse)
    assert cli.main(["icd", "install", "--system"]) == 1
    assert "sudo" in capsys.readouterr().err


def test_doctor_where_it_works(clean):
    env = clean | json.loads(clpy(clean, "env", "--json"))
    report = json.loads(clpy(env, "doctor", "--json"))
    assert report["ran"] and report["library"] == str(LIBRARY)
    assert len(report["loaders"]) >= 2, "the system's loader and pyopencl's"
    assert all(entry["probe"]["ran"] for entry in report["loaders"]), report
    text = clpy(env, "doctor")
    assert text.endswith("clpy works\n") and str(LIBRARY) in text


def test_doctor_where_nothing_is_installed(clean, tmp_path):
    text = clpy(clean | {"OCL_ICD_VENDORS": str(tmp_path)}, "doctor", code=1)
    assert "NO KERNEL RAN" in text and "clpy icd install" in text and text.endswith("clpy does not work yet\n")


def test_doctor_names_the_error_of_a_driver(clean, tmp_path):
    (tmp_path / "dead.icd").write_text("/nonexistent/libdead.so\n")
    (tmp_path / "empty.icd").write_text("")
    (tmp_path / "text.icd").write_text(f"{__file__}\n")
    report = json.loads(clpy(clean | {"OCL_ICD_VENDORS": str(tmp_path)}, "doctor", "--json", code=1))
    files = {Path(f["file"]).name: f["error"] for f in report["loaders"][0]["places"][0]["files"]}
    assert "No such file" in files["dead.icd"]
    assert "invalid ELF header" in files["text.icd"]
    assert files["empty.icd"] == "the file is empty"


def test_info(clean):
    devices = json.loads(clpy(clean, "info", "--json"))
    assert devices[0]["type"] == ["CPU"] and devices[0]["compute units"] >= 1
    text = clpy(clean, "info")
    assert text.startswith(f"device 0: {devices[0]['name']}\n") and "GiB" in text


def test_a_loader_is_told_from_its_strings(tmp_path):
    library = tmp_path / "libOpenCL.so"
    library.write_bytes(b"\0OCL_ICD_FILENAMES\0OCL_ICD_VENDORS\0/opt/env/etc/OpenCL/vendors\0")
    assert loaders.describe(library) == ("Khronos", "/opt/env/etc/OpenCL/vendors")
    library.write_bytes(b"\0OCL_ICD_VENDORS\0")
    assert loaders.describe(library) == ("ocl-icd", "/etc/OpenCL/vendors")
