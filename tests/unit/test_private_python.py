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
    (tmp_path / "dis.py").write_text("raise SystemExit('the wrong module was imported')")
    script = """
import sys, dis, clpy.api.entries, clpy.compiler.program, clpy.device.gpu.device
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
    environment = {"PYTHONPATH": str(tmp_path), "PYTHONHOME": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "dis.py")}
    done = python(script, cwd=tmp_path, env=environment)
    assert (done.stdout, done.stderr, done.returncode) == ("set()\n", "", 0)


def test_the_shortcut_of_a_start_makes_what_importlib_makes():
    """The same modules, as any of them is seen by others, while it is entered and afterwards."""
    script = """
import contextlib, sys, clpy_start
with clpy_start.shortcut if sys.argv[1] == "shortcut" else contextlib.nullcontext():
    import clpy.api.entries
import clpy.compiler.program
for name, module in sorted(sys.modules.items()):
    if name.partition(".")[0] == "clpy":
        spec, parent = module.__spec__, sys.modules.get(name.rpartition(".")[0])
        print(name, module.__name__, module.__package__, module.__file__, getattr(module, "__path__", None),
              getattr(module, "__cached__", None), module.__file__ and module.__loader__.__class__, spec.name,
              spec.origin, spec._initializing, module is getattr(parent, name.rpartition(".")[2], module))
"""
    plain, short = (python(script, way) for way in ("plain", "shortcut"))
    assert (plain.returncode, short.returncode, short.stderr) == (0, 0, "")
    assert plain.stdout.count("\n") > 150
    assert short.stdout == plain.stdout


def test_byte_code_that_is_not_its_source_s_is_not_taken(tmp_path):
    """Older than the source, without all of its head, of another Python: the source is compiled."""
    script = """
import os, sys, clpy_start
from clpy_imports import Finder, Shortcut
finder = Finder(sys.argv[1] + "/clpy", frozenset(), None)
sys.meta_path.insert(0, finder)
with Shortcut(finder, None):
    import clpy.one
print(clpy.one.value, clpy.one.__cached__ == clpy.one.__spec__.cached)
"""
    package = tmp_path / "clpy"
    package.mkdir()
    (package / "__init__.py").write_text("")

    def value():
        done = python(script, str(tmp_path))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    source = package / "one.py"
    source.write_text("value = 1\n")
    os.utime(source, (1000, 1000))
    assert value() == "1 True\n"
    [cached] = (package / "__pycache__").glob("one.*")
    written = cached.read_bytes()
    source.write_text("value = 2\n")
    os.utime(source, (2000, 2000))
    assert value() == "2 True\n", "newer source"
    for wrong in (b"", written[:8], b"ABCD" + cached.read_bytes()[4:]):
        cached.write_bytes(wrong)
        assert value() == "2 True\n"
    # As wheels have it: flags of byte code that is never compared with its source.
    cached.write_bytes(written[:4] + (1).to_bytes(4, "little") + bytes(8) + written[16:])
    assert value() == "1 True\n"


def test_a_start_imports_next_to_nothing_of_the_standard_library():
    """Whoever lists devices waits for it: functools, collections, importlib and what they import took a quarter of the
    time."""
    script = """
import sys, clpy_start
before = set(sys.modules)
with clpy_start.shortcut:
    from clpy.api.process import private_core
    private_core()
print(sorted(name for name in set(sys.modules) - before if name.partition(".")[0] != "clpy"
             and not name.startswith(("cython_runtime", "_cython_"))))
"""
    done = python(script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_a_build_imports_nothing_slow():
    """dataclasses, re, typing and pathlib with what they import took a fifth of the first build of a process."""
    script = """
import sys, clpy_start
with clpy_start.shortcut:
    import clpy.api.entries
from clpy.compiler import cpu, options, program
made = program.build(b"kernel void k(global float *a) { a[get_global_id(0)] = exp(a[get_global_id(0)]); }",
                     options.parse_options("", options.BUILD), cpu.CpuTarget())
program.load(made, cpu.CpuTarget())
print({"dataclasses", "re", "enum", "typing", "pathlib", "inspect", "json"} & set(sys.modules))
"""
    done = python(script, env={**os.environ, "CLPY_CACHE": "0"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "set()\n", "")


def test_a_module_that_another_thread_imports_is_waited_for(tmp_path):
    script = """
import os, sys, _thread, clpy_start
import clpy_imports
with clpy_start.shortcut:
    pass
finder = clpy_imports.Finder(sys.argv[1] + "/clpy", frozenset(), None)
clpy_start.shortcut.finder = finder
sys.meta_path.insert(0, finder)
seen, begun, done = [], _thread.allocate_lock(), _thread.allocate_lock()
begun.acquire(); done.acquire()
sys.begun = begun
def other():
    begun.acquire()
    import clpy.slow
    seen.append(clpy.slow.value)
    done.release()
_thread.start_new_thread(other, ())
import clpy.slow
done.acquire()
print(seen, clpy.slow.__spec__._initializing)
try:
    import clpy.wrong
except ZeroDivisionError:
    print("clpy.wrong" in sys.modules, hasattr(clpy, "wrong"))
"""
    package = tmp_path / "clpy"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "slow.py").write_text("import sys, time\nsys.begun.release()\n"
                                     "for _ in range(50):\n    time.sleep(.001)\nvalue = 3\n")
    (package / "wrong.py").write_text("1 / 0\n")
    for _ in range(2):          # from source, from byte code
        done = python(script, str(tmp_path))
        assert (done.returncode, done.stdout, done.stderr) == (0, "[3] False\nFalse False\n", "")


def test_nothing_is_looked_for_in_the_current_folder(tmp_path):
    """A Python that starts looks there for what could tell it where it lies; a pipe by that name would stop it."""
    for name in ("pyvenv.cfg", "pybuilddir.txt"):
        os.mkfifo(tmp_path / name)
    done = python("import sys; print(repr(sys.executable), sys.path)", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "'' []\n")


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
