# SPDX-License-Identifier: Apache-2.0
"""Compile the OpenCL C library, with the functions of vendors' extensions: `build.py PACKAGE` fills
PACKAGE/compiler/builtins with one .bc file per family.

Reading a function's declaration takes LLVM about a microsecond and the library has ten thousand, so a program links
only the families it calls. index.txt has a line for each: its file, then the names of the functions it defines.
A family is compiled again only when its source, a header, the flags or the compiler changed.
"""
import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))
from clpy.compiler.analysis.builtin_table import index_name  # noqa: E402

INCLUDE = HERE.parents[2] / "include"     # structs that kernels share with the core
VENDORS = HERE.parents[2] / "vendor_ext"
LLVM_BIN = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22")) / "bin"

# Types and declarations come from Clang, as for user code, so that names and calling conventions match.
LANGUAGE = ["-triple", "spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-cl-ext=+all",
            "-finclude-default-header", "-fdeclare-opencl-builtins"]
# What user options decide stays open here: no contraction, no fast-math, denormals as the caller has them. There is no
# type-based aliasing, for a vload may read what was written as another type.
CODE = ["-O2", "-ffp-contract=off", "-fdenormal-fp-math=dynamic,dynamic", "-fno-convergent-functions",
        "-relaxed-aliasing", "-cl-fp32-correctly-rounded-divide-sqrt", "-discard-value-names", "-emit-llvm-bc"]
WARNINGS = ["-Wall", "-Werror", "-Wno-bitwise-conditional-parentheses"]

# Sources that are compiled several times: family -> defines.
VARIANTS = {"convert": {
    **{t: [f"-DTO={t}", "-DTO_INTEGER"]
       for t in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")},
    **{t: [f"-DTO={t}", f"-DTO_{t.upper()}"] for t in ("half", "float", "double")}}}


def digest(*parts):
    state = hashlib.sha256()
    for part in parts:
        state.update(part if isinstance(part, bytes) else str(part).encode())
        state.update(b"\0")
    return state.hexdigest()[:24]


def families():
    """(name, source, defines) for each file to make."""
    for source in sorted(VENDORS.glob("*/*/*.cl")):
        vendor, extension = source.parts[-3:-1]
        yield "_".join(dict.fromkeys((vendor, extension, source.stem))), source, []
    for source in sorted(HERE.glob("*.cl")):
        variants = VARIANTS.get(source.stem)
        if variants is None:
            yield source.stem, source, []
        else:
            yield from ((f"{source.stem}_{name}", source, defines) for name, defines in variants.items())


def compile_family(source, defines, target):
    """Through a file of its own name, so that an interrupted build leaves nothing half done."""
    partial = target.with_suffix(f".{os.getpid()}")
    subprocess.run([LLVM_BIN / "clang", "-cc1", *LANGUAGE, *CODE, *WARNINGS, *defines, "-I", HERE,
                    "-I", INCLUDE, "-o", partial, source], check=True)
    partial.replace(target)


def defined_names(bitcode):
    """What index.txt calls the functions defined in a file."""
    lines = subprocess.run([LLVM_BIN / "llvm-nm", "--defined-only", "--extern-only", "--just-symbol-name", bitcode],
                           check=True, capture_output=True, text=True).stdout
    return sorted({index_name(symbol) for symbol in lines.split()})


def replace_changed(path, data):
    if not path.exists() or path.read_bytes() != data:
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_bytes(data)
        partial.replace(path)


def build(package):
    version = subprocess.run([LLVM_BIN / "clang", "--version"], check=True, capture_output=True).stdout
    headers = [path.read_bytes() for path in [*sorted(HERE.glob("*.h")), *sorted(VENDORS.glob("*/*.h")),
                                               *sorted(VENDORS.glob("*/*/*.h")),
                                               INCLUDE / "clpy_image.h",
                                               INCLUDE / "clpy_pipe.h"]]
    common = digest(version, *headers, *LANGUAGE, *CODE, *WARNINGS)
    work = HERE.parents[2] / "build" / "builtins"
    work.mkdir(parents=True, exist_ok=True)
    made = {name: (source, defines, work / f"{name}-{digest(common, source.read_bytes(), *defines)}.bc")
            for name, source, defines in families()}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: compile_family(*job), [job for job in made.values() if not job[2].exists()]))
    for stale in set(work.glob("*.bc")) - {target for _, _, target in made.values()}:
        stale.unlink(missing_ok=True)

    folder = Path(package) / "compiler" / "builtins"
    folder.mkdir(parents=True, exist_ok=True)
    index = work / f"index-{digest(*(target for _, _, target in made.values()))}.txt"
    if not index.exists():
        for old in work.glob("index-*.txt"):
            old.unlink(missing_ok=True)
        lines = [" ".join([f"{name}.bc", *defined_names(target)]) + "\n" for name, (_, _, target) in made.items()]
        index.write_text("".join(lines))
    for stale in {path.name for path in folder.glob("*.bc")} - {f"{name}.bc" for name in made}:
        (folder / stale).unlink()
    for name, (_, _, target) in made.items():
        replace_changed(folder / f"{name}.bc", target.read_bytes())
    replace_changed(folder / "index.txt", index.read_bytes())


if __name__ == "__main__":
    build(sys.argv[1])
