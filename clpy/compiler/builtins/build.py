# SPDX-License-Identifier: Apache-2.0
"""Compile the OpenCL C library, with the functions of vendors' extensions: `build.py PACKAGE` fills
PACKAGE/compiler/builtins with a .bc file per family, or several of a large one.

Reading a function's declaration takes LLVM about a microsecond and the library has fifteen thousand, so a program links
only the files that it needs. index.txt has a line for each: its name, then the names of the functions it defines.
Beside them is machine code of what first code shares and no source has, SYMBOL.o (pixel_code.py).
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
from clpy.compiler.builtins import pixel_code  # noqa: E402

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

MACHINE_CODE = ["-triple", "x86_64-unknown-linux-gnu", "-mrelocation-model", "pic", "-pic-level", "2", "-O2",
                "-emit-obj"]
KERNEL_PREFIX = "__clpy_kernel."     # of what is loaded (clpy_abi.h)

MOST_FUNCTIONS = 64     # in a file, where several have other names

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


def symbols_of(bitcode, *which):
    return subprocess.run([LLVM_BIN / "llvm-nm", "--defined-only", *which, "--just-symbol-name", bitcode],
                          check=True, capture_output=True, text=True).stdout.split()


def divided(symbols):
    """The functions in lists for a file each: those of one name stay together, for programs call some of them."""
    by_name = {}
    for symbol in sorted(symbols, key=index_name):
        by_name.setdefault(index_name(symbol), []).append(symbol)
    lists = [[]]
    for found in by_name.values():
        if lists[-1] and len(lists[-1]) + len(found) > MOST_FUNCTIONS:
            lists.append([])
        lists[-1] += found
    return lists


def divide(family):
    """The files that a family becomes, each with the functions that it is for; what these call is in it, too. They lie
    beside the family's own, with its name and digest."""
    public = symbols_of(family, "--extern-only")
    parts = divided(public)
    if len(parts) == 1:
        return [(family, public)]
    files = [(family.with_name(f"{family.stem}.{n}.bc"), part) for n, part in enumerate(parts)]
    has_own = len(symbols_of(family)) > len(public)
    for path, part in files:
        if not path.exists():
            extract(family, part, public if has_own else [], path)
    return files


def extract(family, part, public, target):
    """A file with some of a family's functions. Functions that only the family knows would be everybody's then: of
    those that are not `public`, where there are any, they are made its own again."""
    partial = target.with_suffix(f".{os.getpid()}")
    subprocess.run([LLVM_BIN / "llvm-extract", "--recursive", *(f"--func={symbol}" for symbol in part), family,
                    "-o", partial], check=True)
    if public:
        subprocess.run([LLVM_BIN / "opt", "-passes=internalize", f"-internalize-public-api-list={','.join(public)}",
                        partial, "-o", partial], check=True)
    partial.replace(target)


def compile_code(features, text):
    """The object of LLVM's assembly for processors with these."""
    said = [word for feature in features for word in ("-target-feature", feature)]
    return subprocess.run([LLVM_BIN / "clang", "-cc1", *MACHINE_CODE, *said, "-x", "ir", "-", "-o", "-"],
                          input=text.encode(), check=True, capture_output=True).stdout


def build_code(folder):
    """Machine code that programs share."""
    forms = list(pixel_code.forms(KERNEL_PREFIX))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda form: compile_code(*form[1:]), forms))
    for (symbol, *_), code in zip(forms, objects, strict=True):
        replace_changed(folder / f"{symbol}.o", code)


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
    common = digest(version, *headers, *LANGUAGE, *CODE, *WARNINGS, MOST_FUNCTIONS)
    work = HERE.parents[2] / "build" / "builtins"
    work.mkdir(parents=True, exist_ok=True)
    made = {name: (source, defines, work / f"{name}-{digest(common, source.read_bytes(), *defines)}.bc")
            for name, source, defines in families()}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: compile_family(*job), [job for job in made.values() if not job[2].exists()]))
        divisions = list(pool.map(divide, [target for _, _, target in made.values()]))
    files = {}      # name in the folder -> (path, functions)
    for name, division in zip(made, divisions, strict=True):
        files |= {f"{name}{path.name[len(division[0][0].name.partition('.')[0]):]}": (path, symbols)
                  for path, symbols in division}
    kept = {target for _, _, target in made.values()} | {path for path, _ in files.values()}
    for stale in set(work.glob("*.bc")) - kept:
        stale.unlink(missing_ok=True)

    folder = Path(package) / "compiler" / "builtins"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [" ".join([name, *sorted(set(map(index_name, symbols)))]) + "\n" for name, (_, symbols) in files.items()]
    for stale in {path.name for path in folder.glob("*.bc")} - set(files):
        (folder / stale).unlink()
    for name, (path, _) in files.items():
        replace_changed(folder / name, path.read_bytes())
    replace_changed(folder / "index.txt", "".join(lines).encode())
    build_code(folder)


if __name__ == "__main__":
    build(sys.argv[1])
