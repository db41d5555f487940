# SPDX-License-Identifier: Apache-2.0
"""Build script: tables to sources, Cython modules, builtins bitcode, the ICD library. No logic beyond that.

CLPY_BUILD_ONLY=clpy/core/*,clpy/llvm/ir.pyx builds only the modules whose path matches one of the patterns.
"""
import fnmatch
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
LLVM_PREFIX = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22"))
COMPILE_ARGS = ["-O2", "-g1", "-fvisibility=hidden", "-Wno-unused-function", "-Wno-discarded-qualifiers"]

# What a module needs beyond Python: every module of clpy/llvm links the LLVM library, the rest is named here.
EXTRA = {
    "clpy/llvm/frontend.pyx": {"sources": ["clpy/llvm/frontend_shim.cpp", "clpy/llvm/static_cxx_shim.cpp"],
                               "libraries": ["clang-cpp"], "language": "c++"},
    "clpy/llvm/assembler.pyx": {"sources": ["clpy/llvm/assembler_shim.cpp"], "language": "c++"},
    "clpy/llvm/guard.pyx": {"sources": ["clpy/llvm/guard_shim.cpp"], "language": "c++"},
    "clpy/llvm/codegen.pyx": {"sources": ["clpy/llvm/amdgpu_shim.cpp", "clpy/llvm/bit_select_shim.cpp",
                                           "clpy/llvm/cut_shim.cpp", "clpy/llvm/emit_shim.cpp"], "language": "c++"},
    "clpy/llvm/kernels.pyx": {"sources": ["clpy/llvm/kernels_shim.cpp"], "language": "c++"},
    "clpy/llvm/lines.pyx": {"sources": ["clpy/llvm/lines_shim.cpp"], "language": "c++"},
    "clpy/llvm/variables.pyx": {"sources": ["clpy/llvm/variables_shim.cpp"], "language": "c++"},
    "clpy/device/host/topology.pyx": {"libraries": ["hwloc"]},
    "clpy/device/host/units.pyx": {"libraries": ["hwloc"]},
}


def need(path, package):
    if not path.exists():
        sys.exit(f"clpy: {path} is missing: install the Debian package {package} (make deps does it)")


def headers(pyx):
    """Headers that a module may include: all that modules share, and those beside it that it names."""
    named = re.findall(r'extern from "(\w+\.h)"', pyx.read_text())
    found = [*(ROOT / "include").glob("*.h"), *(pyx.parent / name for name in named)]
    return sorted(path.relative_to(ROOT).as_posix() for path in found if path.exists())


def extension(pyx):
    rel = pyx.relative_to(ROOT).as_posix()
    extra = EXTRA.get(rel, {})
    is_llvm = rel.startswith("clpy/llvm/")
    is_cpp = extra.get("language") == "c++"
    args = [a for a in COMPILE_ARGS if not (is_cpp and a == "-Wno-discarded-qualifiers")]
    return Extension(
        rel[:-4].replace("/", "."),
        sources=[rel, *extra.get("sources", [])],
        include_dirs=["include"] + ([str(LLVM_PREFIX / "include")] if is_llvm else []),
        libraries=extra.get("libraries", []) + (["LLVM-22"] if is_llvm else []),
        library_dirs=[str(LLVM_PREFIX / "lib")] if is_llvm else [],
        extra_compile_args=args + (["-std=c++17", "-fno-rtti", "-D__STDC_LIMIT_MACROS"] if is_cpp else []),
        define_macros=[("CLPY_LLVM_PREFIX", f'"{LLVM_PREFIX}"')] if is_llvm else [],
        language="c++" if is_cpp else "c",
        depends=headers(pyx),
    )


def modules():
    only = [p for p in os.environ.get("CLPY_BUILD_ONLY", "").split(",") if p]
    # clpy/vendor_ext is a link to where vendors' folders are: such are not walked into.
    found = sorted(p for folder in ("clpy", "clpy/vendor_ext") for p in (ROOT / folder).rglob("*.pyx"))
    if only:
        found = [p for p in found if any(fnmatch.fnmatch(p.relative_to(ROOT).as_posix(), o) for o in only)]
    return [extension(p) for p in found]


class BuildAll(build_ext):
    """build_ext, then the builtins bitcode and the libraries for host programs beside the package."""

    def objects(self, ext):
        return self.compiler.object_filenames(ext.sources, output_dir=self.build_temp)

    def build_extensions(self):
        """A module whose objects are not all there is out of date, and no other is for that."""
        for ext in self.extensions:
            if not all(os.path.exists(o) for o in self.objects(ext)):
                Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
        super().build_extensions()

    def list_modules(self):
        """A file for icd/build.py: what the compiled modules are made of."""
        listed = ROOT / self.build_temp / "modules.json"
        listed.write_text(json.dumps([
            {"name": ext.name, "sources": ext.sources, "objects": [str(ROOT / o) for o in self.objects(ext)],
             "flags": [*ext.extra_compile_args, *(f"-I{folder}" for folder in ext.include_dirs),
                       *(f"-D{name}={value}" for name, value in ext.define_macros)],
             "libraries": ext.libraries, "library_dirs": ext.library_dirs} for ext in self.extensions]))
        return str(listed)

    def run(self):
        super().run()
        if os.environ.get("CLPY_BUILD_ONLY"):
            return
        package = ROOT / "clpy" if self.inplace else Path(self.build_lib).resolve() / "clpy"
        for script, *more in (["clpy/compiler/builtins/build.py"], ["clpy/compiler/isa/library/build.py"],
                              ["clpy/compiler/amdgpu/library/build.py"], ["clpy/compiler/r600/library/build.py"],
                              ["clpy/compiler/gen/library/build.py"],
                              ["clpy/device/gpu/chips/build.py"], ["icd/build.py", self.list_modules()]):
            subprocess.run([sys.executable, str(ROOT / script), str(package), *more], check=True, cwd=ROOT)


def main():
    os.chdir(ROOT)
    need(Path("/usr/include/CL/cl.h"), "opencl-c-headers")
    need(LLVM_PREFIX / "include/llvm-c/Core.h", "llvm-22-dev")
    need(LLVM_PREFIX / "include/clang/Frontend/CompilerInstance.h", "libclang-22-dev")
    need(LLVM_PREFIX / "lib/libclang-cpp.so", "libclang-cpp22-dev")
    need(LLVM_PREFIX / "bin/clang", "clang-22")
    need(Path("/usr/include/hwloc.h"), "libhwloc-dev")
    from Cython.Build import cythonize
    subprocess.run([sys.executable, "clpy/spec/generate.py"], check=True)
    exts = cythonize(modules(), nthreads=2, include_path=["."], compiler_directives={
        "language_level": 3, "boundscheck": False, "wraparound": False, "cdivision": True,
        "binding": False, "embedsignature": False, "initializedcheck": False})
    setup(ext_modules=exts, cmdclass={"build_ext": BuildAll})


# cythonize starts processes that import this file anew.
if __name__ == "__main__":
    main()
