# SPDX-License-Identifier: Apache-2.0
"""Compile the OpenCL C library: `build.py PACKAGE` writes PACKAGE/compiler/builtins/builtins.bc.

Every .cl file beside this one is compiled for the same target as user programs and the results are linked into one
module. A file is compiled again only when it, the header, the flags or the compiler changed.
"""
import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
LLVM_BIN = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22")) / "bin"
TRIPLE = "spir64-unknown-unknown"

# Types and declarations come from Clang, as for user code, so that names and calling conventions match.
LANGUAGE = ["-triple", TRIPLE, "-x", "cl", "-cl-std=CL3.0", "-cl-ext=+all",
            "-finclude-default-header", "-fdeclare-opencl-builtins"]
# What user options decide must stay open here: no contraction, no fast-math, denormals as the caller has them. Loops and
# vectors are left for the SPMD passes. Pointer casts in user code must not become undefined behaviour by type-based alias rules.
CODE = ["-O2", "-ffp-contract=off", "-fdenormal-fp-math=dynamic,dynamic", "-fno-convergent-functions", "-relaxed-aliasing",
        "-cl-fp32-correctly-rounded-divide-sqrt", "-emit-llvm-bc", "-discard-value-names"]
WARNINGS = ["-Wall", "-Werror", "-Wno-bitwise-conditional-parentheses"]
FLAGS = [*LANGUAGE, *CODE, *WARNINGS]


def compiler_version():
    return subprocess.run([LLVM_BIN / "clang", "--version"], check=True, capture_output=True).stdout


def digest(*parts):
    state = hashlib.sha256()
    for part in parts:
        state.update(part if isinstance(part, bytes) else str(part).encode())
        state.update(b"\0")
    return state.hexdigest()[:24]


def compile_source(source, target):
    """Compile one .cl file; through a file of its own name, so that an interrupted build leaves nothing half done."""
    if target.exists():
        return
    partial = target.with_suffix(f".{os.getpid()}")
    subprocess.run([LLVM_BIN / "clang", "-cc1", *FLAGS, "-I", HERE, "-o", partial, source], check=True)
    partial.replace(target)


def link(objects, result):
    """One module with what the sources define, and no more."""
    partial = result.with_suffix(f".{os.getpid()}")
    subprocess.run([LLVM_BIN / "llvm-link", *objects, "-o", partial], check=True)
    partial.replace(result)


def build(package):
    sources = sorted(HERE.glob("*.cl"))
    header = (HERE / "builtins.h").read_bytes()
    common = digest(compiler_version(), header, *FLAGS)
    work = HERE.parents[2] / "build" / "builtins"
    work.mkdir(parents=True, exist_ok=True)
    objects = [work / f"{s.stem}-{digest(common, s.read_bytes())}.bc" for s in sources]
    library = work / f"library-{digest(Path(__file__).read_bytes(), *objects)}.bc"
    if not library.exists():
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_source, sources, objects))
        link(objects, library)
    for stale in set(work.glob("*.bc")) - {library, *objects}:
        stale.unlink(missing_ok=True)
    result = Path(package) / "compiler" / "builtins" / "builtins.bc"
    data = library.read_bytes()
    if not result.exists() or result.read_bytes() != data:
        result.parent.mkdir(parents=True, exist_ok=True)
        result.write_bytes(data)


if __name__ == "__main__":
    build(sys.argv[1])
