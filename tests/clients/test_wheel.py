# SPDX-License-Identifier: Apache-2.0
"""What goes into the wheels, as far as it can be told without making them: `make wheel` makes them and tries them."""
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "icd"), str(ROOT / "release")]
import archive  # noqa: E402
import portable  # noqa: E402
import private_python  # noqa: E402
import wheels  # noqa: E402


def test_files_are_those_that_programs_use():
    """Every module in Python, every table; no test, no build script, nothing of Cython's."""
    files = wheels.listed() | wheels.made()
    modules = {path for path in run("git", "ls-files", "clpy").split() if path.endswith(".py")}
    left_out = modules - {f"clpy/{name}" for name in files}
    assert {Path(path).name for path in left_out} <= {"build.py", "generate.py"}
    assert [name for name in files if re.search(r"/tests?[/_]|\.(pyx|pxd|c|cpp|so|o|md)$", name)] == []
    assert {"spec/names.py", "compiler/builtins/index.txt"} <= set(files)
    assert any(name.startswith("vendor_ext/") and name.endswith("/opencl.h") for name in files)
    assert any(name.endswith(".toml") for name in files) and any(name.endswith(".bc") for name in files)
    assert all(path.is_file() for path in files.values())


def test_headers_for_programs():
    """What a program in C includes for clpy's own queries can be compiled, as the wheel has it."""
    assert set(wheels.headers()) == {"include/CL/cl_clpy.h"}
    for path in wheels.headers().values():
        subprocess.run(["gcc", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-DCL_TARGET_OPENCL_VERSION=300", path],
                       check=True)


def test_all_that_the_build_makes_is_there():
    """Of the files that git is told not to look at."""
    names = run("git", "ls-files", "--others", "--ignored", "--exclude-standard", "clpy").split("\n")
    made = {name.removeprefix("clpy/") for name in names if re.search(r"(?<!/)\.(py|txt|toml|bc)$", name)}
    assert made - set(wheels.made()) == set(), "wheels.py has to name it"


def run(*command):
    return subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout


def test_byte_code_is_what_the_interpreter_looks_for(tmp_path, monkeypatch):
    """Its own, that no other Python writes over; and it says where the code is from without this folder."""
    monkeypatch.setattr(wheels, "STAGE", tmp_path)
    found = wheels.compiled({"config.py": ROOT / "clpy/config.py"}, private_python.Static())
    (place, path), = found.items()
    assert re.fullmatch(r"__pycache__/config\.clpy-3\d+\.pyc", place)
    assert str(ROOT).encode() not in path.read_bytes()
    text = "import sys; print(sys.implementation.cache_tag)"
    tag = subprocess.run([ROOT / "clpy/clpy-python", text], check=True, capture_output=True, text=True).stdout.strip()
    assert tag in place


def test_a_wheel_is_one(tmp_path):
    files = {"a/b.txt": b"text", "a/run": ROOT / "clpy/clpy-python"}
    archive.write_as(tmp_path / "a-1-py3-none-any.whl", "a-1.dist-info",
                     files | {"a-1.dist-info/METADATA": b"Metadata-Version: 2.1\nName: a\nVersion: 1\n"}, "any")
    with zipfile.ZipFile(tmp_path / "a-1-py3-none-any.whl") as made:
        assert made.testzip() is None
        assert {info.filename for info in made.infolist() if info.external_attr >> 16 & 0o111} == {"a/run"}
        assert made.read("a-1.dist-info/RECORD").count(b"\n") == len(made.namelist())
    run(sys.executable, "-m", "pip", "install", "-q", "--no-index", "--target", str(tmp_path / "site"),
        str(tmp_path / "a-1-py3-none-any.whl"))
    assert (tmp_path / "site/a/b.txt").read_text() == "text"


def test_llvm_has_what_is_asked_of_it():
    """The library with LLVM is linked for these names: one of a shim of ours among them, and there would be none."""
    shared = [portable.LLVM / "lib/libLLVM.so", portable.LLVM / "lib/libclang-cpp.so"]
    there = {line.split("@")[0].split()[0] for line in
             run("nm", "--dynamic", "--defined-only", "--format=posix", *map(str, shared)).splitlines() if " " in line}
    modules = json.loads(max(ROOT.glob("build/temp.*/modules.json"), key=lambda path: path.stat().st_mtime).read_text())
    names = portable.llvm_names([o for m in modules if m["name"].startswith("clpy.llvm.") for o in m["objects"]])
    assert len(names) > 500 and set(names) - there == set()


def test_pyopencls_loader_is_led_to_the_library(tmp_path):
    """By the path from where its files lie, so that all loaders of a process open one library."""
    files = portable.pyopencl(tmp_path)
    library = tmp_path / files["pyopencl/.libs/clpy.icd"].decode().strip()
    assert library == files[f"pyopencl/.libs/{library.name}"]
    assert "[$ORIGIN/../../clpy/libclpy.so]" in run("readelf", "-d", str(library))


def test_clang_gets_its_own_headers(tmp_path):
    portable.headers(tmp_path / "include")
    names = {path.name for path in (tmp_path / "include").iterdir()}
    assert {"opencl-c.h", "opencl-c-base.h", "stddef.h"} <= names and len(names) < 60


def test_the_command_without_compiled_modules(tmp_path):
    """As any Python runs it out of a wheel: what needs them is done by the library's interpreter."""
    source = ROOT / "tests/clients/demo/matmul.cl"
    script = (f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
              "from clpy.tools import cli, compiled\ncompiled.is_here = lambda: False\n"
              "sys.exit(cli.main(sys.argv[1:]))")
    table = run(sys.executable, "-c", script, "analyze", str(source), "--options=-DN=64", "--device", "tahiti")
    assert "row_async" in table
    assert "gpu:tahiti" in run(sys.executable, "-c", script, "devices")
    wrong = subprocess.run([sys.executable, "-c", script, "profile", "--device", "none", "--", "true"],
                           capture_output=True, text=True, check=False)
    assert wrong.returncode == 1 and "tahiti" in wrong.stderr
    missing = subprocess.run([sys.executable, "-c", script, "analyze", "/nonexistent.cl"], capture_output=True,
                             text=True, check=False)
    assert (missing.returncode, missing.stderr) == (1, "clpy: /nonexistent.cl: No such file or directory\n")
