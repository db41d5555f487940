# SPDX-License-Identifier: Apache-2.0
"""Makes the wheels: python release/wheels.py [FOLDER], by `make wheel` after a build. docs/wheels.md says what is in
them.

Only what git knows of and what the build made by name goes in, so that no stale file does. The libraries are linked
anew, to nothing but the C library (icd/portable.py). auditwheel finds which C library they need at least.
"""
import email.message
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "icd"))
import archive  # noqa: E402
import portable  # noqa: E402
import private_python  # noqa: E402
import translator  # noqa: E402

PACKAGE = ROOT / "clpy"
STAGE = ROOT / "build" / "wheel"
# Of files that git knows, those that are used at run time: no build scripts, no tests.
USED = re.compile(r".*\.(py|toml)$|(spec|compiler/isa)/.*\.txt$|compiler/builtins/declarations/.*\.h$"
                  r"|vendor_ext/.*\.(h|txt)$|vendor_ext/.*/kernels/.*\.cl$")
UNUSED = re.compile(r"(.*/)?(build|generate|conftest)\.py$|vendor_ext/.*/tests/.*|vendor_ext/[^/]*\.md$")
# Of files that the build makes.
MADE = ("spec/names.py", "spec/query_types.py", "spec/extension_table.py", "device/gpu/made_chips.py",
        "compiler/builtins/index.txt", "compiler/amdgpu/library/index.txt")
MADE_FOLDERS = ("compiler/builtins/*.bc", "compiler/isa/library/*.bc", "compiler/amdgpu/library/*.bc",
                "compiler/r600/library/*.bc", "compiler/gen/library/*.bc")
LIBRARIES = ("libclpy.so", "clpy-python")
BITCODE = ("opencl.bc", "ocml.bc", "ockl.bc", "oclc_*.bc")
# Debian packages whose files are in a wheel, or linked into one.
SOURCES = {"clpy": ("libhwloc-dev", "libpython3-dev", "libc6-dev"),
           "clpy-llvm": ("llvm-22-dev", "libclang-22-dev", "zlib1g-dev", "libzstd-dev", "gcc-12-base",
                         "rocm-device-libs"),
           "clpy-spirv": translator.SOURCES}


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout


def listed(*options):
    """{path below clpy: file} of what git lists and a program uses. clpy/vendor_ext is a link."""
    names = run("git", "ls-files", "-z", *options, "clpy", "vendor_ext").split("\0")
    return {below: ROOT / name for name, below in ((name, name.removeprefix("clpy/")) for name in names)
            if USED.match(below) and not UNUSED.match(below) and (ROOT / name).is_file()}


def sources():
    """What git knows. A file that it does not know would be missing in the wheel, or does not belong there."""
    new = listed("--others", "--exclude-standard")
    if new:
        sys.exit(f"clpy: git does not know {', '.join(map(str, new.values()))}: add it or delete it")
    return listed()


def headers():
    """{path below clpy: file} of the headers for programs in C."""
    return {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / "include/CL").glob("*.h"))}


def made():
    """{path below clpy: file} of what the build made."""
    paths = [PACKAGE / name for name in MADE] + [p for pattern in MADE_FOLDERS for p in sorted(PACKAGE.glob(pattern))]
    return {path.relative_to(PACKAGE).as_posix(): path for path in paths}


def compiled(files, static):
    """{path: file} of the byte code of the Python files, for the interpreter in the library, which never writes any
    then. It is not looked at whether it is as old as its source, whose time pip does not keep. Without the texts that
    describe functions, an eighth of it, where nobody asks for them."""
    script = ("import py_compile, sys\nfrom py_compile import PycInvalidationMode as mode\n"
              "for line in open(sys.argv[1]):\n    source, target, name = line.rstrip().split('\\t')\n"
              "    level = 0 if '__doc__' in open(source, encoding='utf-8').read() else 2\n"
              "    py_compile.compile(source, target, name, True, level, mode.UNCHECKED_HASH)\n")
    tag = f"clpy-{static.version.replace('.', '')}"
    found, lines = {}, []
    for below, path in files.items():
        if below.endswith(".py"):
            folder, _, name = below.rpartition("/")
            place = "/".join(part for part in (folder, "__pycache__", f"{name[:-3]}.{tag}.pyc") if part)
            found[place] = STAGE / "code" / place
            lines.append(f"{path}\t{found[place]}\tclpy/{below}\n")
    listed = STAGE / "code.txt"
    listed.write_text("".join(lines))
    run(static.program, "-I", "-c", script, listed)
    return found


def link(static):
    """libclpy-core.so, libclpy-llvm.so and the library with LLVM, as files."""
    listed = max(ROOT.glob("build/temp.*/modules.json"), key=lambda path: path.stat().st_mtime)
    outside = portable.Portable(STAGE, "../clpy_llvm")
    libraries = private_python.link(static, json.loads(listed.read_text()), outside)
    return *libraries, STAGE / f"libclpy-clang-{outside.digest}.so"


def stripped(path):
    target = STAGE / path.name
    run("strip", "-o", target, path)
    return target


def licences(package):
    """{path: file or text} of the licences: ours, and those of what is linked in or copied."""
    found = {"LICENSE": ROOT / "LICENSE"}
    for name in SOURCES[package]:
        copyright = Path("/usr/share/doc") / name / "copyright"
        if not copyright.exists():
            sys.exit(f"clpy: {copyright} is missing, whose licence belongs into the wheel {package}")
        found[f"LICENSES/{name}.txt"] = copyright
    return found


def metadata(name, version, summary, requires=(), text=""):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    message = email.message.EmailMessage()
    for key, value in (("Metadata-Version", "2.1"), ("Name", name), ("Version", version), ("Summary", summary),
                       ("License", project["license"]), ("Requires-Python", ">=3.8"),
                       *(("Requires-Dist", each) for each in requires)):
        message[key] = value
    if text:
        message["Description-Content-Type"] = "text/markdown"
    return f"{message.as_string().rstrip()}\n\n{text}".encode()


def build(folder):
    shutil.rmtree(STAGE, ignore_errors=True)
    STAGE.mkdir(parents=True)
    static = private_python.Static()
    core, llvm, clang = link(static)
    build_llvm, build_spirv = f"{portable.version()}.post{int(clang.stem[-8:], 16) % 10**8}", translator.version()
    files = sources() | made() | headers()
    files |= compiled(files, static) | {name: stripped(PACKAGE / name) for name in LIBRARIES}
    files |= {core.name: core, llvm.name: llvm}
    version = re.search(r'__version__ = "(.+)"', (PACKAGE / "__init__.py").read_text())[1]
    summary = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["description"]
    requires = (f"clpy-llvm=={build_llvm}", f"clpy-spirv=={build_spirv}")
    tree = {f"clpy/{below}": path for below, path in files.items()} | portable.pyopencl(STAGE)
    archive.write(folder, "clpy", version, tree, licences("clpy"),
                  metadata("clpy", version, summary, requires, (ROOT / "README.md").read_text()),
                  b"[console_scripts]\nclpy = clpy.tools.cli:main\n")

    portable.headers(STAGE / "clang" / "include")
    bitcode = Path(next(Path("/usr/lib").glob("*/amdgcn/bitcode")))
    tree = {f"clpy_llvm/clang/include/{path.name}": path for path in (STAGE / "clang" / "include").iterdir()}
    tree |= {f"clpy_llvm/amdgcn/bitcode/{path.name}": path for name in BITCODE for path in bitcode.glob(name)}
    archive.write(folder, "clpy_llvm", build_llvm, tree | {f"clpy_llvm/{clang.name}": clang}, licences("clpy-llvm"),
                  metadata("clpy-llvm", build_llvm, "LLVM and Clang as clpy uses them, and AMD's device library"))
    archive.write(folder, "clpy_spirv", build_spirv, translator.files(STAGE), licences("clpy-spirv"),
                  metadata("clpy-spirv", build_spirv, "The translator that reads SPIR-V for clpy"))


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").resolve()
    shutil.rmtree(target, ignore_errors=True)
    build(target)
    for wheel in sorted(target.glob("*.whl")):
        print(f"{wheel.stat().st_size / 1e6:6.1f} MB  {wheel.name}")
