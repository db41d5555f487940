# SPDX-License-Identifier: Apache-2.0
"""Vendors' extensions are there by their folders being there: without a folder only what is its own is gone, and with a
new one all of its tables reach what is made from them. A whole build for each of them would take minutes; what a build
makes from tables is made here in a copy, and read by Cython."""
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from clpy import extensions
from clpy.compiler.amdgpu.target import ChipTarget
from clpy.compiler.builtins import build as builtins
from clpy.compiler.options import parse_options
from clpy.compiler.target import host_target
from clpy.errors import CLError
from clpy.spec import extensions as extension_tables
from clpy.spec import formats, properties, queries, tables

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = tables.vendor_folders()
MADE = ("clpy/spec/consts.pxd", "clpy/spec/names.py", "clpy/spec/query_types.py", "clpy/spec/extension_table.py",
        "clpy/api/entries.pyx", "clpy/api/queries/*.pxi", "clpy/api/properties/*.pxi", "clpy/core/of_vendors/*.pxi",
        "clpy/compiler/builtins/vendor_pixels.h", "docs/extensions.md")


def copy_of_tables(to):
    """The generator, the tables and the folders of vendors."""
    shutil.copytree(ROOT / "vendor_ext", to / "vendor_ext", ignore=shutil.ignore_patterns("__pycache__"))
    (to / "clpy/spec").mkdir(parents=True)
    (to / "clpy/vendor_ext").symlink_to("../vendor_ext")
    (to / "clpy/api").mkdir()
    (to / "docs").mkdir()
    for path in [ROOT / "clpy/__init__.py", ROOT / "docs/extensions.md", *(ROOT / "clpy/spec").glob("*.txt"),
                 *(ROOT / "clpy/spec").glob("*.py")]:
        shutil.copy(path, to / path.relative_to(ROOT))
    return to


def made(root):
    """What the generator makes there: path -> lines."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([sys.executable, root / "clpy/spec/generate.py"], check=True, env=environment, cwd=root)
    return {path.relative_to(root).as_posix(): path.read_text().splitlines()
            for pattern in MADE for path in root.glob(pattern)}


def own_names(folder):
    """What may say that it comes from a folder: its extensions, its queries, its enumerants, its functions, itself."""
    names = [row.name for row in tables.read_extensions(folder)] + [row.enum for row in tables.read_queries(folder)]
    names += [each for name, value in tables.read_enums(folder) for each in (name, f"{value:#x}")]
    names += [queries.answer_function(row) for row in tables.read_queries(folder) if row.answer.endswith("()")]
    numbers = dict(tables.everywhere(tables.read_enums))
    rows = [*tables.read_queries(folder), *tables.read_properties(folder), *tables.read_formats(folder)]
    names += [f"{numbers[row.enum]:#x}" for row in rows if row.enum in numbers]
    names += [each for row in tables.read_api(folder) for each in (row.name, row.params[0][0])]
    vendor, name = folder.parts[-2:]
    names += [f"{vendor}_{name}_{reader}".upper() for reader in formats.READERS] + [f"{vendor}/{name}/pixels.h"]
    for row in tables.read_properties(folder):
        here = row.package.removeprefix("clpy.vendor_ext.")
        names += [f"{here}.{function}".replace(".", "_") for function in (row.check, row.more) if function]
    names += [properties.own_name(row, row.function) for row in tables.read_built_in(folder)]
    return re.compile("|".join(rf"\b{re.escape(name)}\b" for name in [*names, tables.package_of(folder)]))


def own_parts(folder):
    """The files that answer queries of its own functions."""
    functions = {row.name for row in tables.read_api(folder)} & {row.function for row in tables.read_queries(folder)}
    return {f"{queries.function_name(name).removeprefix('answer_')}.pxi" for name in functions}


def without_functions(lines, folder):
    """Without the bodies of its functions, which may have any line."""
    names = re.compile("|".join(rf" \*?{row.name}\(| (Call|gil)_{row.name}\b" for row in tables.read_api(folder))
                       or "(?!)")
    blocks = "\n".join(lines).split("\n\n\n")
    return "\n\n\n".join(block for block in blocks if not names.search(block.split("\n")[0])).split("\n")


@pytest.fixture(scope="module")
def made_of_all(tmp_path_factory):
    return made(copy_of_tables(tmp_path_factory.mktemp("all")))


@pytest.mark.parametrize("folder", FOLDERS, ids=tables.package_of)
def test_without_a_folder_only_its_own_is_gone(folder, made_of_all, tmp_path):
    root = copy_of_tables(tmp_path)
    before = {path: without_functions(lines, folder) for path, lines in made_of_all.items()
              if Path(path).name not in own_parts(folder)}
    shutil.rmtree(root / folder.relative_to(ROOT))
    after = made(root)
    gone = {(path, line) for path in before for line in before[path]} - \
        {(path, line) for path in after for line in after[path]}
    assert before.keys() == after.keys() and gone
    assert [line for _, line in gone if not own_names(folder).search(line)] == []
    for path in before:         # what is left stands as it stood
        assert after[path] == [line for line in before[path] if (path, line) not in gone]


def test_without_all_of_them(tmp_path):
    root = copy_of_tables(tmp_path)
    shutil.rmtree(root / "vendor_ext")
    text = "\n".join(line for lines in made(root).values() for line in lines)
    assert "vendor_ext" not in text.replace("vendor_ext/README.md", "")


@pytest.mark.parametrize("folder", FOLDERS, ids=tables.package_of)
def test_nothing_else_names_it(folder):
    """No module, test or page but what is made from the folders and the facts of the registry."""
    generated = [ROOT / "docs/extensions.md", ROOT / "docs/conformance.md", *(ROOT / "clpy/spec").glob("*.*"),
                 *(ROOT / "clpy/api").glob("*.pyx"), *(ROOT / "clpy").glob("*/*/*.pxi"),
                 ROOT / "clpy/compiler/builtins/vendor_pixels.h"]
    words = {row.name for row in tables.read_extensions(folder)}
    places = [f"vendor_ext/{folder.parent.name}/{folder.name}", tables.package_of(folder)]
    texts = {path: text for path, text in words_of_all().items()
             if folder not in path.parents and path not in generated}
    assert len(texts) > 500
    assert [path.name for path, (text, own) in texts.items() if words & own or any(
        place in text and re.search(rf"{re.escape(place)}\b", text) for place in places)] == []


@cache
def words_of_all():
    """path -> (its text, the words in it)"""
    paths = [path for top in ("clpy", "vendor_ext", "tests", "docs", "icd", "bench") for path in (ROOT / top).rglob("*")
             if path.suffix in (".py", ".pyx", ".pxd", ".pxi", ".txt", ".md", ".toml", ".cl", ".h")]
    paths += [ROOT / "setup.py", ROOT / "Makefile", ROOT / "pyproject.toml"]
    texts = {path: path.read_text(errors="replace") for path in paths}
    return {path: (text, set(re.findall(r"\w+", text))) for path, text in texts.items()}


def test_builtins_are_those_of_the_folders():
    expected = {path for folder in FOLDERS for path in folder.glob("*.cl")}
    assert {source for _, source, _ in builtins.families() if tables.VENDORS in source.parents} == expected


def test_the_page_and_the_table_are_made():
    """By the build: what is in the tree is what the tables say."""
    from clpy.spec import generate
    for path, text in generate.texts().items():
        assert path.read_text() == text, path


def test_the_page_says_who_uses_an_extension():
    """What its table of programs says, at each of the extensions named there."""
    page = extension_tables.PROGRAMS + """|---|---|---|
| acmecalc 1.2, on Linux | `cl_acme_example`, sub-devices, `cl_khr_fp64` | `cl_acme_other` is not asked |
| sums | `cl_acme_example` | right |
"""
    assert extension_tables.programs_of("| before | `cl_khr_fp16` | it |\n" + page) == {
        "cl_acme_example": ["acmecalc", "sums"], "cl_khr_fp64": ["acmecalc"]}
    assert extension_tables.programs_of("a page without it") == {}


@pytest.mark.parametrize("target", [host_target(), ChipTarget("gfx600"), ChipTarget("gfx906")], ids=lambda t: t.name)
def test_every_extension_of_a_compiler_has_a_row(target):
    assert set(target.extensions) <= set(extensions.ALL)


def test_what_a_device_lists():
    def listed(*abilities, compiled=()):
        return set(extensions.of_device(abilities, compiled))
    plain = listed()
    assert "cl_khr_semaphore" in plain and "cl_khr_icd" not in plain
    assert listed("spirv") - plain == {row.name for row in extensions.ALL.values() if row.needs == (("spirv",),)}
    assert listed(compiled=("cl_khr_fp64",)) - plain == {"cl_khr_fp64"}
    assert extensions.version_of("cl_khr_integer_dot_product") == (2, 0, 0)


def test_language_of_an_extension(monkeypatch, tmp_path):
    """Its name, its features and its declarations reach the devices that have what it needs."""
    (tmp_path / "acme/example").mkdir(parents=True)
    (tmp_path / "acme/example/opencl.h").write_text("int acme(int);\n")
    row = extensions.Extension("cl_acme_example", (1, 0, 0), ("device",), (("cpu",),), ("__opencl_c_acme",),
                               "clpy.acme.example", ("opencl.h",))
    monkeypatch.setitem(extensions.ALL, row.name, row)
    monkeypatch.setattr(extensions, "HERE", str(tmp_path))
    assert extensions.of_language("cpu")[-1:] == (row.name,) and row.name not in extensions.of_language("amd_gpu")
    assert extensions.features_of_language("cpu")[-1:] == ("__opencl_c_acme",)
    assert extensions.declarations([row.name, "cl_khr_fp64"]) == {"clpy/cl_acme_example.h": b"int acme(int);\n"}


@pytest.fixture
def option(monkeypatch):
    """An option of an extension."""
    from clpy.compiler import options
    row = ("-acme-fast", options.FLAG, options.SOURCE, "of_extensions")
    monkeypatch.setitem(options.OPTIONS, "-acme-fast", (options.SOURCE, ("-DACME=1", "-ffast-math")))
    monkeypatch.setattr(options, "TABLE", (*options.TABLE, row))
    monkeypatch.setitem(options.FLAGS, "-acme-fast", row)


def test_options(option):
    from clpy.compiler import frontend
    given, plain = parse_options("-acme-fast -w"), parse_options("-w")
    assert given.of_extensions == ("-DACME=1", "-ffast-math") and given.key() != plain.key()
    more = set(frontend.arguments(given, host_target())) - set(frontend.arguments(plain, host_target()))
    assert more == {b"-DACME=1", b"-ffast-math"}
    with pytest.raises(CLError):
        parse_options("-acme-fast", "link")


EXAMPLE = {
    "extensions.txt": "cl_acme_example | 1.2.3 | device | cpu or acme_gpu | __opencl_c_acme",
    "enums.txt": "CL_KERNEL_ACME 0x9990\nCL_CONTEXT_ACME 0x9991\nCL_DEVICE_ACME 0x9992\nCL_KERNEL_HINT_ACME 0x9993",
    "queries.txt": "clGetKernelInfo | cl_acme_example | CL_KERNEL_ACME | cl_uint | code.kernel_answer()\n"
                   "clGetContextInfo | cl_acme_example | CL_CONTEXT_ACME | cl_uint | ctx.n_devices\n"
                   "clGetDeviceInfo | cl_acme_example | CL_DEVICE_ACME | cl_uint[] | device",
    "api.txt": "clDoAcme | cl_acme_example | done | nogil | code.do_it | cl_int (cl_context context, cl_uint n)\n"
               "clAskAcme | cl_acme_example | done | python | code.ask_it | cl_int (cl_context context)",
    "properties.txt": "context | cl_acme_example | CL_CONTEXT_ACME | code.context_property\n"
                      "kernel | cl_acme_example | CL_KERNEL_HINT_ACME | code.kernel_property",
    "formats.txt": "format | cl_acme_example | CL_CONTEXT_ACME | CL_UNORM_INT8 | 3 5 | 6 | read | code.fill\n"
                   "flag | cl_acme_example | CL_KERNEL_ACME | no_access",
    "pixels.h": "#define ACME_EXAMPLE_READ_UI(M) M(acme, case FORMAT(0x9991, CLK_UNORM_INT8):)",
    "kernels.txt": "kernel | cl_acme_example | acme_kernel | one.cl two.cl | code.shape\n"
                   "kernel | cl_acme_example | acme_other | two.cl | -\n"
                   "argument | cl_acme_example | acme_kernel | speed | code.take\n"
                   "range | cl_acme_example | acme_other | - | code.most",
    "options.txt": "-acme-fast | cl_acme_example | build compile | -DACME=1 -ffast-math",
    "opencl.h": "int acme(int);",
    "tests/test_acme_example.py": "def test_one():\n    helper()\n\n\nclass TestTwo:\n"
                                  "    def test_two(self):\n        pass",
    "tests/test_acme_other.py": "def test_of_another():\n    pass",
    "code.pxd": """from clpy.cl cimport cl_context, cl_int, cl_uint, cl_ulong, context_notify_fn
from clpy.abi cimport clpy_launch
from clpy.core.context cimport Context
from clpy.core.kernel cimport Kernel
from clpy.device.base cimport Device
cdef cl_int shape(const void *kernel, clpy_launch *shape, const size_t *local_size) noexcept nogil
cdef void most(const Device *dev, size_t *size) noexcept nogil
cdef cl_int take(const Context *context, size_t size, const void *value, void *to) noexcept nogil
cdef cl_int kernel_answer(Kernel *k, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int do_it(cl_context context, cl_uint n) noexcept nogil
cdef cl_int ask_it(cl_context context) except? -9999
cdef cl_int context_property(cl_ulong name, cl_ulong value, context_notify_fn notify) noexcept nogil
cdef cl_int kernel_property(Kernel *kernel, cl_ulong name, size_t size, const void *value) noexcept nogil
"""}


@pytest.fixture
def example(tmp_path):
    """A tree with one more extension that uses every table, and all contracts between modules."""
    root = copy_of_tables(tmp_path)
    folder = root / "vendor_ext/acme/example"
    folder.mkdir(parents=True)
    for name, text in EXAMPLE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text + "\n")
    for path in (ROOT / "clpy").rglob("*.p*"):
        to = root / path.relative_to(ROOT)
        if (path.suffix == ".pxd" or path.name in ("kernel.pyx", "context.pyx", "built_in.pyx")) and not to.exists():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)
    return root


def test_a_new_folder_reaches_everything(example):
    files = made(example)
    text = {path: "\n".join(lines) for path, lines in files.items()}
    assert '"CL_DEVICE_ACME": (0x9992, "cl_uint[]", 4)' in text["clpy/spec/query_types.py"]
    assert "('cl_acme_example', (1, 2, 3), ('device',), (('cpu',), ('acme_gpu',)),\n     ('__opencl_c_acme',)" in \
        text["clpy/spec/extension_table.py"]
    assert "'-acme-fast': (('build', 'compile'), ('-DACME=1', '-ffast-math'))" in text["clpy/spec/extension_table.py"]
    assert "if param_name == 0x9990:\n        return acme_example_code_kernel_answer(k, size, value, size_ret)" in \
        text["clpy/api/queries/kernel_info.pxi"]
    assert "if param_name == 0x9991:\n        return info_u32(ctx.n_devices" in \
        text["clpy/api/queries/context_info.pxi"]
    assert 'function_add(b"clDoAcme", <void *>clDoAcme, FUNCTION_EXTENSION)' in text["clpy/api/entries.pyx"]
    assert "[`cl_acme_example`](../vendor_ext/acme/example/README.md) | 1.2.3 | devices that are processors or " \
        "acme_gpu | 2 | 3 | functions | 2 |  |" in text["docs/extensions.md"]
    assert "row = add_other(0x9991, 0x10d2, 3, 5, FORMAT_READ, FORMATS_CPU, 6, acme_example_code_fill)" in \
        text["clpy/core/of_vendors/image_formats.pxi"]
    assert "| 0x9990" in text["clpy/core/of_vendors/memory_flags.pxi"]
    pixels = text["clpy/compiler/builtins/vendor_pixels.h"]
    assert "vendor_ext/acme/example/pixels.h" in pixels and "    ACME_EXAMPLE_READ_UI(M)" in pixels
    built_in = text["clpy/core/of_vendors/built_in.pxi"]
    assert 'has_shape(kernel, b"acme_kernel", acme_example_code_shape)' in built_in
    assert 'has_most(kernel, b"acme_other", acme_example_code_most)' in built_in
    assert 'has_argument(kernel, b"acme_kernel", b"speed", acme_example_code_take)' in built_in
    assert "('acme_kernel', 'cl_acme_example', 'clpy.vendor_ext.acme.example', ('one.cl', 'two.cl'))" in \
        text["clpy/spec/extension_table.py"]
    assert '"CL_KERNEL_HINT_ACME": 39315' in text["clpy/spec/names.py"]
    # nothing that all modules include is another: they need not be made anew
    assert text["clpy/spec/consts.pxd"] == (ROOT / "clpy/spec/consts.pxd").read_text().rstrip("\n")


@pytest.mark.parametrize("module", ["api/entries", "api/kernel", "api/context", "core/built_in"])
def test_what_is_made_from_it_is_cython(example, module):
    made(example)
    cython = Path(sys.executable).with_name("cython")
    run = subprocess.run([cython, "-3", "-I", ".", "-o", example / "out.c", f"clpy/{module}.pyx"],
                         capture_output=True, text=True, cwd=example)
    assert run.returncode == 0, run.stderr
    text = (example / "out.c").read_text()
    assert {"api/entries": "acme_example_code_do_it", "api/kernel": "acme_example_code_kernel_property",
            "api/context": "acme_example_code_context_property",
            "core/built_in": "acme_example_code_take"}[module] in text
