# SPDX-License-Identifier: Apache-2.0
"""The table of common changes in CONTRIBUTING.md: each of them is made, in a copy of the files that its row names, and
seen to work. What it had to touch is what the row says: no more and no less."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from test_vendor_ext import ROOT, copy_of_tables, made

from clpy.errors import CompileError

PAGE = (ROOT / "CONTRIBUTING.md").read_text()
PLACE = re.compile(r"`((?:clpy|vendor_ext)/[\w/.]+)`")
ROWS = re.findall(r"^\| (?!run|---)([^|`]+) \| (.*`(?:clpy|vendor_ext)/.*) \|$", PAGE, re.MULTILINE)
TABLE = {change: PLACE.findall(touches) for change, touches in ROWS}
CHANGES = {}


def change(name):
    def note(function):
        CHANGES[name] = function
        return function
    return note


class Tree:
    """Where a change is made: what it touches lies here, all else is read where it is."""

    def __init__(self, root, monkeypatch):
        self.root, self.monkeypatch, self.touched = root, monkeypatch, set()

    def write(self, path, text):
        """A new file."""
        assert not (ROOT / path).exists()
        self.touched.add(path)
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def add_line(self, path, line, behind):
        """One line more in a file, behind the one that contains `behind`."""
        assert "\n" not in line
        self.touched.add(path)
        to = self.root / path
        to.parent.mkdir(parents=True, exist_ok=True)
        before, found, after = (to if to.exists() else ROOT / path).read_text().partition(behind)
        assert found
        rest, _, following = after.partition("\n")
        to.write_text(f"{before}{found}{rest}\n{line}\n{following}")

    def module(self, path):
        """A file of the copy, imported beside the one it is a copy of."""
        name = path.removesuffix(".py").replace("/", ".")
        spec = importlib.util.spec_from_file_location(f"{name}_changed", self.root / path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def run(self, script, **environment):
        """What a process prints to which the copy's folders of clpy are before the real ones."""
        begin = ("import importlib, sys\n"
                 f"for name in {self.packages()!r}:\n    importlib.import_module(name).__path__.insert(0, "
                 f"{str(self.root)!r} + '/' + name.replace('.', '/'))\n")
        done = subprocess.run([sys.executable, "-c", begin + script], capture_output=True, text=True, cwd=ROOT,
                              env={**os.environ, **environment}, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    def packages(self):
        """Of clpy, with something in the copy."""
        folders = {path.relative_to(self.root) for path in self.root.glob("clpy/**")}
        return sorted(".".join(folder.parts) for folder in folders if (ROOT / folder / "__init__.py").exists())

    def cython(self, path):
        """The C of a module of the copy."""
        to = (self.root / path).with_suffix(".c")
        name = path.removesuffix(".pyx").replace("/", ".")
        done = subprocess.run([sys.executable, "-m", "cython", "-3", "-I", self.root, "-I", ROOT, "--module-name", name,
                               self.root / path, "-o", to], capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        return to

    def compile(self, path):
        source = self.cython(path)
        subprocess.run([os.environ.get("CC", "gcc"), "-shared", "-fPIC", "-O0", "-w", "-I", ROOT / "include", "-I",
                        sysconfig.get_path("include"), source, "-o",
                        source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))], check=True)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    return Tree(tmp_path, monkeypatch)


def pattern(text):
    """NAME and VENDOR stand for any name, a folder for all below it."""
    return re.sub("NAME|VENDOR", r"\\w+", re.escape(text)) + (".+" if text.endswith("/") else "")


def test_the_table_is_read():
    assert TABLE.keys() == CHANGES.keys() and all(TABLE.values())
    for named in TABLE.values():
        for path in named:
            assert (ROOT / re.sub(r"(NAME|VENDOR).*", "", path)).exists(), path


def test_the_commands_of_the_page():
    from clpy.tools import cli
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = cli.parser().format_help()
    assert set(re.findall(r"(?:`|^ *)make ([a-z-]+)", PAGE, re.MULTILINE)) - targets == set()
    for command in set(re.findall(r"(?:bin/|`)clpy ([a-z]+)", PAGE)):
        assert re.search(rf"\b{command}\b", commands), command
    for place in re.findall(r"`(tests/[\w/.]+)`|pytest (tests/[\w/.]+)", PAGE):
        assert (ROOT / "".join(place)).exists(), place


@pytest.mark.parametrize("name", TABLE)
def test_change(name, tree):
    CHANGES[name](tree)
    named = TABLE[name]
    assert [path for path in tree.touched if not any(re.fullmatch(pattern(text), path) for text in named)] == []
    assert [text for text in named if not any(re.fullmatch(pattern(text), path) for path in tree.touched)] == []


def built_modules(tree):
    """What setup.py would compile, were the copy the tree."""
    spec = importlib.util.spec_from_file_location("clpy_setup", ROOT / "setup.py")
    setup = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(setup)
    setup.ROOT = tree.root
    return {module.name for module in setup.modules()}


ASK = """
sys.path.insert(0, "tests")
from clapi import API
from clpy.api.process import lend
lend()
api = API()
"""


@change("a query")
def a_query(tree):
    copy_of_tables(tree.root)
    tree.add_line("clpy/spec/queries.txt", "clGetDeviceInfo | 3.0 | 0x9990 | cl_uint | shared",
                  behind="| CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS |")
    tree.add_line("clpy/device/answers.pyx", '        "0x9990": 42,',
                  behind='        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES":')
    made(tree.root)
    tree.compile("clpy/device/answers.pyx")
    assert tree.run(ASK + 'print(api.number("clGetDeviceInfo", api.devices()[0], 0x9990))') == ["42"]


HANDLER = """# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_context, cl_int
cdef cl_int do_acme(cl_context context) noexcept nogil"""
CODE = HANDLER + ":\n    return -34 if context == NULL else 0\n"


@change("an extension's function")
def a_function(tree):
    copy_of_tables(tree.root)
    row = "clDoAcme | cl_ext_acme | done | nogil | acme.do_acme | cl_int (cl_context context)"
    tree.add_line("clpy/spec/api.txt", row, behind="clGetPlatformInfo |")
    tree.add_line("clpy/spec/errors.txt", "clDoAcme | CL_INVALID_CONTEXT", behind="clCloneKernel |")
    tree.write("clpy/api/acme.pxd", HANDLER + "\n")
    tree.write("clpy/api/acme.pyx", CODE)
    entries = "\n".join(made(tree.root)["clpy/api/entries.pyx"])
    assert "from clpy.api.acme cimport do_acme" in entries and 'function_add(b"clDoAcme"' in entries
    assert "clpy.api.acme" in built_modules(tree) and "do_acme" in tree.cython("clpy/api/acme.pyx").read_text()


@change("a vendor's extension")
def a_vendors_extension(tree):
    copy_of_tables(tree.root)
    folder = "vendor_ext/acme/example/"
    tree.write(folder + "extensions.txt", "cl_acme_example | 1.2.3 | device | cpu | -\n")
    row = "clDoAcme | cl_acme_example | done | nogil | code.do_acme | cl_int (cl_context context)"
    tree.write(folder + "api.txt", row + "\n")
    tree.write(folder + "errors.txt", "clDoAcme | CL_INVALID_CONTEXT\n")
    tree.write(folder + "code.pxd", HANDLER + "\n")
    tree.write(folder + "code.pyx", CODE)
    tree.write(folder + "README.md", "# cl_acme_example\n")
    files = made(tree.root)
    assert any("cl_acme_example" in line for line in files["docs/extensions.md"])
    assert any("cl_acme_example" in line for line in files["clpy/spec/extension_table.py"])
    assert any('function_add(b"clDoAcme"' in line for line in files["clpy/api/entries.pyx"])
    assert "clpy.vendor_ext.acme.example.code" in built_modules(tree)


PASS = '''# SPDX-License-Identifier: Apache-2.0
"""Marks what a kernel is made of."""
from clpy.llvm.ir import functions


def run(module, lowering):
    for function in functions(module):
        if not function.is_declaration:
            function.add_attribute("acme", lowering.target.name)
'''


@change("a pass")
def a_pass(tree):
    from clpy.compiler import opt, passes, pipeline
    tree.write("clpy/compiler/passes/acme.py", PASS)
    row = '    ("acme", "marks what a kernel is made of"),'
    tree.add_line("clpy/compiler/pipeline.py", row, behind='    ("work_items",')
    tree.monkeypatch.setattr(passes, "__path__", [*passes.__path__, str(tree.root / "clpy/compiler/passes")])
    tree.monkeypatch.setattr(pipeline, "PASSES", tree.module("clpy/compiler/pipeline.py").PASSES)
    tree.monkeypatch.delitem(sys.modules, "clpy.compiler.passes.acme", raising=False)
    seen = []
    source = b"kernel void k(global int *p) { p[get_global_id(0)] = 1; }"
    tree.monkeypatch.setattr(pipeline, "shown", lambda: lambda name, module: seen.append((name, module.to_text())))
    from clpy.compiler import program, target
    program.build(source + b"// a pass", program.parse_options(""), target.host_target())
    names = [name for name, _ in seen]
    at = names.index("acme")
    assert names[at - 1] == "work_items" and names[at + 1] == "local_memory"
    assert '"acme"="cpu"' in seen[at][1] and '"acme"' not in seen[at - 1][1]
    assert "acme" in opt.parser().format_help()


@change("a fact that passes ask for")
def a_fact(tree):
    tree.add_line("clpy/compiler/target.py", '    "acme": 7,', behind='    "initialize": 0,')
    assert tree.run("""
from clpy.compiler.cpu import CpuTarget
from clpy.compiler.target import host_target
print(host_target().acme, CpuTarget(acme=8).acme, CpuTarget().key() != CpuTarget(acme=8).key())
""") == ["7", "8", "True"]


@change("a function of OpenCL C")
def a_builtin(tree):
    from clpy.compiler import library, program, target
    from clpy.compiler.builtins import build
    kernel = b"""int __attribute__((overloadable)) acme(int);
    kernel void k(global int *p) { p[0] = acme(p[0]); }"""
    options, cpu = program.parse_options(""), target.host_target()
    with pytest.raises(CompileError, match="acme"):
        program.build(kernel, options, cpu)
    tree.write("clpy/compiler/builtins/acme.cl", "// SPDX-License-Identifier: Apache-2.0\n"
               "int __attribute__((overloadable)) acme(int x) { return x * 3; }\n")
    made_there = tree.root / "clpy/compiler/builtins"
    tree.monkeypatch.setattr(build, "HERE", made_there)
    tree.monkeypatch.setattr(build, "VENDORS", tree.root / "vendor_ext")
    tree.monkeypatch.setattr(build, "INCLUDE", ROOT / "include")
    shutil.copytree(ROOT / "include", tree.root / "include")
    build.build(tree.root / "clpy")
    assert (made_there / "index.txt").read_text() == "acme.bc acme\n"
    for path in Path(library.FOLDER).glob("*.bc"):        # the others, as they are
        (made_there / path.name).symlink_to(path)
    with (made_there / "index.txt").open("a") as index:
        index.write(library.read("index.txt").decode())
    tree.monkeypatch.setattr(library, "FOLDER", made_there)
    library.index.cache_clear()
    try:
        made = program.build(kernel, options, cpu)
        assert program.load(made, cpu).address("k")
    finally:
        library.index.cache_clear()


INSTRUCTION = """kernel void k(global uint *p, uint x, uint y) {
    uint r;
    __asm volatile("s_absdiff_i32 %0, %1, %2" : "=s"(r) : "s"(x), "s"(y));
    p[0] = r;
}"""


@change("an instruction of a chip")
def an_instruction(tree):
    """One that is there, taken out of the copy before."""
    sys.path.insert(0, str(ROOT))
    from clpy.compiler.isa.gcn import scalar
    from tests.isa.machine import Machine
    path, row = "clpy/compiler/isa/gcn/scalar.py", '"s_absdiff_i32": (32, (32, 32), distance),'
    (tree.root / path).parent.mkdir(parents=True)
    text = (ROOT / path).read_text()
    assert row in text
    (tree.root / path).write_text(text.replace(row, ""))
    tree.monkeypatch.setattr(scalar, "OPERATIONS", tree.module(path).OPERATIONS)
    with pytest.raises(KeyError, match="s_absdiff_i32"):
        Machine(INSTRUCTION, "gfx900")
    tree.add_line(path, f"        {row}", behind='"s_bfm_b32":')
    tree.monkeypatch.setattr(scalar, "OPERATIONS", tree.module(path).OPERATIONS)
    out = np.zeros(1, np.uint32)
    Machine(INSTRUCTION, "gfx900").run("k", (1,), (1,), [out, np.uint32(5), np.uint32(12)])
    assert out[0] == 7


@change("a chip")
def a_chip(tree):
    from clpy.device.gpu import chip, chip_file
    tree.write("clpy/device/gpu/chips/acme.toml", 'like = "hawaii"\n\n[compute]\n'
               'units = { value = 40, basis = "estimated", source = "a test" }\n')
    spec = importlib.util.spec_from_file_location("clpy_chips_build", Path(chip.FOLDER) / "build.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    tree.monkeypatch.setattr(sys, "path", list(sys.path))
    tree.monkeypatch.setattr(chip_file, "FOLDER", tree.root / "clpy/device/gpu/chips")
    build.build(tree.root / "clpy")
    chips = tree.module("clpy/device/gpu/made_chips.py").CHIPS
    tree.monkeypatch.setattr(chip, "made", lambda: chips)
    assert chip.load("acme").compute.units == 40 != chip.load("hawaii").compute.units
    assert chip.load("acme").clock.core_mhz == chip.load("hawaii").clock.core_mhz


@change("a kind of device")
def a_kind_of_device(tree):
    """The least there can be; tests/unit/clocked is a whole one."""
    tree.write("clpy/device/acme/__init__.py", "")
    tree.write("clpy/device/acme/device.py", "from clpy.device.fake.device import add\n")
    ask = ASK + "from clapi import E; print(len(api.devices()), len(api.devices(E.DEVICE_TYPE_CUSTOM)))"
    assert tree.run(ask, CLPY_DEVICES="cpu,acme") == ["1", "1"]
