# SPDX-License-Identifier: Apache-2.0
"""The interpreter of libclpy.so: all that clpy imports is in it, and nothing comes from anywhere else."""
import os
import re
import subprocess
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "clpy"
PYTHON = PACKAGE / "clpy-python"
# For Python programs, and who works on clpy: clpy.profile, the command, build scripts, passes from the command line.
NOT_IN_IT = re.compile(r"clpy\.tools|clpy\.profile$|clpy\.vendor_ext\.(conftest|.*\.tests)|.*\.(build|generate)$|"
                       r"clpy\.compiler\.opt$")


def python(text, *arguments, **more):
    return subprocess.run([PYTHON, text, *arguments], capture_output=True, text=True, timeout=120, check=False, **more)


def module_names():
    for path in sorted([*PACKAGE.rglob("*.py*"), *(PACKAGE / "vendor_ext").rglob("*.py*")]):     # a link
        if path.suffix in (".py", ".pyx"):
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if not NOT_IN_IT.match(name):
                yield name


def test_every_module_is_there():
    """Those of clpy, and those of the standard library that were put in."""
    script = """
import _imp, sys
for name in sys.argv[1].split() + [name for name in _imp._frozen_module_names() if "hello" not in name]:
    try:
        __import__(name)
    except Exception as error:
        print(name, repr(error))
print(len(sys.modules) > 300)
"""
    done = python(script, " ".join(module_names()), env={"CLPY_TIMELINE": os.devnull})
    assert (done.stdout, done.stderr, done.returncode) == ("True\n", "", 0)


def test_nothing_comes_from_elsewhere(tmp_path):
    """Neither from a path nor from the environment, and nothing is imported that would change something of the host."""
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong module was imported')")
    script = """
import sys, json, clpy.api.entries, clpy.compiler.program, clpy.device.gpu.device
assert sys.path == [] and sys.executable == ""
files = {getattr(module, "__file__", None) for module in sys.modules.values()} - {None}
assert all(file.startswith(clpy.__path__[0]) for file in files), files
print({"signal", "_signal", "threading", "subprocess", "site"} & set(sys.modules))
for name in ("signal", "threading", "subprocess", "numpy"):
    try:
        __import__(name)
        print(name)
    except ImportError:
        pass
"""
    environment = {"PYTHONPATH": str(tmp_path), "PYTHONHOME": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "json.py")}
    done = python(script, cwd=tmp_path, env=environment)
    assert (done.stdout, done.stderr, done.returncode) == ("set()\n", "", 0)


def test_the_program_takes_a_text():
    done = python("import sys; print(*sys.argv[1:])", "a", "\u00e4 b")
    assert (done.returncode, done.stdout) == (0, "a \u00e4 b\n")
    failed = python("1 / 0")
    assert failed.returncode == 1 and "ZeroDivisionError" in failed.stderr
    usage = subprocess.run([PYTHON], capture_output=True, text=True, check=False)
    assert usage.returncode == 1 and "TEXT" in usage.stderr


def test_names_of_python_are_nowhere_to_be_seen():
    """What the libraries give away and what they want of others: no name of Python's."""
    for name in ("libclpy.so", "libclpy-core.so", "libclpy-llvm.so"):
        listing = subprocess.run(["nm", "-D", "--format=posix", PACKAGE / name], check=True, capture_output=True,
                                 text=True).stdout
        names = [line.split()[0] for line in listing.splitlines()]
        assert [n for n in names if re.match(r"_?Py(?!Init_)", n)] == []
