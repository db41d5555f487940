# SPDX-License-Identifier: Apache-2.0
"""Imports point one way through the layers, and LLVM's headers are the business of clpy/llvm alone."""
import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# From the top down; a module imports from its own layer and from those to the right of it.
LAYERS = ("tools", "icd", "vendor_ext", "api", "core", "device", "compiler", "llvm", "ground")
GROUND = {"", "__version__", "abi", "abi_layout", "atomics", "background", "cl", "config", "errors", "extensions",
          "forking", "futex", "gil", "host_thread", "limits", "notation", "profile", "records", "secure_mode",
          "signals", "spec", "stack", "threads", "trace"}
IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+c?import\b|c?import[ \t]+([\w., \t]+))", re.MULTILINE)
LLVM_HEADER = re.compile(r"""(?:#[ \t]*include|cdef[ \t]+extern[ \t]+from)[ \t]*["'<](?:llvm|clang)[-/]""")


def layer_of(module):
    """Index in LAYERS of a dotted name below clpy, or of a file of icd/."""
    parts = module.split(".")
    if parts[0] == "icd":
        return LAYERS.index("icd")
    part = parts[1] if len(parts) > 1 else ""
    if part in GROUND:
        return LAYERS.index("ground")
    assert part in LAYERS, f"{module} is in no layer: add it to the design, then here"
    return LAYERS.index(part)


def imported_modules(text, package):
    """Dotted names of the clpy modules that a Python or Cython source imports anywhere in it."""
    for match in IMPORT.finditer(text):
        names = [match[1]] if match[1] else [name.split(" as ")[0].strip() for name in match[2].split(",")]
        for name in names:
            if name.startswith("."):
                dots = len(name) - len(name.lstrip("."))
                name = ".".join([*package.split(".")[: 1 - dots or None], name.lstrip(".")]).rstrip(".")
            if name == "clpy" and match[1]:     # from clpy import abi, trace
                tail = text[match.end():].split("\n", 1)[0].strip().strip("()")
                yield from (f"clpy.{part.split(' as ')[0].strip()}" for part in tail.split(",") if part.strip())
            elif name.split(".")[0] == "clpy":
                yield name


def sources(*folders, suffixes=(".py", ".pyx", ".pxd")):
    generated = {"consts.pxd", "entries.pyx", "names.py", "query_types.py",
                 "extension_table.py", "made_chips.py"}
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*")
                  if path.suffix in suffixes and path.name not in generated)


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def wrong_imports(text, module):
    package = module.rpartition(".")[0]
    return [name for name in imported_modules(text, package) if layer_of(name) < layer_of(module)]


@pytest.mark.parametrize("path", sources("clpy", "clpy/vendor_ext", "icd"), ids=module_name)
def test_imports_point_down(path):
    module = module_name(path)
    assert wrong_imports(path.read_text(), module) == [], f"{module} imports from a layer above its own"


@pytest.mark.parametrize(("module", "text", "wrong"), [
    ("clpy.core.queue", "from clpy.api.check cimport check_list\n", ["clpy.api.check"]),
    ("clpy.compiler.cache", "def f():\n    import clpy.device.cpu as d, os\n", ["clpy.device.cpu"]),
    ("clpy.llvm.module", "from clpy import abi, core\n", ["clpy.core"]),
    ("clpy.llvm.module", "from ..compiler.target import Target\n", ["clpy.compiler.target"]),
    ("clpy.trace", "cimport clpy.llvm.capi\n", ["clpy.llvm.capi"]),
    ("clpy.api.queue", "from clpy.core.queue cimport queue_flush\nimport os\nfrom .check import x\n", []),
    ("clpy.tools.doctor", "import clpy.api.functions\n", []),
])
def test_the_rule_itself(module, text, wrong):
    assert wrong_imports(text, module) == wrong


# Inside the compiler: what a folder's modules may import of the folders here; passes nothing of each other.
COMPILER = {"analysis": {"analysis"}, "spmd": {"spmd", "analysis"}, "passes": {"spmd", "analysis"}}


def wrong_folders(text, module):
    """What a module of a folder of the compiler imports from folders that are not for it, or above it."""
    folder = module.split(".")[2]
    found = [name.split(".") for name in imported_modules(text, module.rpartition(".")[0])]
    below = {"frame", "lowering", "metadata"}       # modules of the compiler itself that all three may use
    return [".".join(parts) for parts in found if parts[:2] == ["clpy", "compiler"] and len(parts) > 2
            and parts[2] not in COMPILER[folder] | below]


@pytest.mark.parametrize("path", sources(*(f"clpy/compiler/{folder}" for folder in COMPILER)), ids=module_name)
def test_folders_of_the_compiler(path):
    """analysis below spmd below passes, and no pass imports another one."""
    module = module_name(path)
    if path.stem != "__init__":
        assert wrong_folders(path.read_text(), module) == []


def test_passes_are_those_of_the_list():
    """Read, not imported: that would need what is compiled."""
    tree = ast.parse((ROOT / "clpy/compiler/pipeline.py").read_text())
    listed = next(ast.literal_eval(node.value) for node in tree.body
                  if isinstance(node, ast.Assign) and node.targets[0].id == "PASSES")
    assert {path.stem for path in sources("clpy/compiler/passes")} - {"__init__"} == {row[0] for row in listed}


@pytest.mark.parametrize(("module", "text", "wrong"), [
    ("clpy.compiler.passes.regions", "from clpy.compiler.passes.observe import PREFIX\n",
     ["clpy.compiler.passes.observe"]),
    ("clpy.compiler.passes.regions", "from .observe import PREFIX\n", ["clpy.compiler.passes.observe"]),
    ("clpy.compiler.spmd.lanes", "from clpy.compiler.passes import work_items\n", ["clpy.compiler.passes"]),
    ("clpy.compiler.analysis.graph", "from clpy.compiler.spmd.layout import Layout\n",
     ["clpy.compiler.spmd.layout"]),
    ("clpy.compiler.spmd.lanes", "from clpy.compiler import frame as fr\nfrom clpy.llvm.ir import Inst\n", []),
    ("clpy.compiler.spmd.lanes", "from clpy.compiler.program import build\n", ["clpy.compiler.program"]),
])
def test_the_rule_of_folders(module, text, wrong):
    assert wrong_folders(text, module) == wrong


def test_what_devices_share_knows_none_of_them():
    shared = [*sources("clpy/device/host"), *(ROOT / "clpy/device").glob("*.p*")]
    guilty = [(module_name(path), name) for path in shared for name in imported_modules(path.read_text(), "")
              if name.startswith("clpy.device.") and name.split(".")[2] not in ("host", "base", "chosen", "toolchain")]
    assert guilty == []


def test_only_clpy_llvm_reads_llvm_headers():
    suffixes = (".pyx", ".pxd", ".py", ".h", ".cpp", ".c")
    generated = {path.with_suffix(suffix) for path in sources("clpy", "vendor_ext", suffixes=(".pyx",))
                 for suffix in (".c", ".cpp")}
    guilty = [str(path.relative_to(ROOT)) for path in sources("clpy", "vendor_ext", "icd", "include", suffixes=suffixes)
              if ROOT / "clpy/llvm" not in path.parents and path not in generated
              and LLVM_HEADER.search(path.read_text())]
    assert guilty == []
    assert LLVM_HEADER.search('cdef extern from "llvm-c/Core.h":')
    assert LLVM_HEADER.search("#include <clang/Frontend/CompilerInstance.h>")


def test_only_clpy_llvm_is_linked_to_llvm():
    """Another layer that needs a symbol of libLLVM would fail to load, in another process than the test's."""
    for path in sources("clpy", suffixes=(".so",)):
        if ROOT / "clpy/llvm" in path.parents or path.name == "libclpy-llvm.so":    # it has those of clpy/llvm
            continue
        needed = re.findall(rb"lib(?:LLVM|clang)[-\w.]*\.so[.\d]*", path.read_bytes())
        assert needed == [], f"{path.name} is linked to {needed}"
