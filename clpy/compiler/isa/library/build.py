# SPDX-License-Identifier: Apache-2.0
"""Compile the functions behind translated instructions: `build.py PACKAGE` makes PACKAGE/compiler/isa/library/*.bc.

They are C on vectors of 16 lanes, for a target that passes vectors as they are; translated code inlines them. What
works on images is OpenCL C, as the CPU device's functions for them are, with which it shares headers. A file is
compiled again only when it, a header, the flags or the compiler changed.
"""
import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
INCLUDE = ROOT / "include"
LLVM = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22"))
BUILTINS = ROOT / "clpy" / "compiler" / "builtins"
TRIPLE = ["-triple", "spir64-unknown-unknown"]
LANGUAGES = {".c": [*TRIPLE, "-x", "c", "-std=c23", "-ffreestanding"],
             ".cl": [*TRIPLE, "-x", "cl", "-cl-std=CL3.0", "-cl-ext=+all", "-finclude-default-header",
                     "-fdeclare-opencl-builtins", "-fno-convergent-functions",
                     "-cl-fp32-correctly-rounded-divide-sqrt"]}
# Registers hold whatever the code put there: no type-based aliasing, nothing is undefined that the chip defines.
CODE = ["-O2", "-ffp-contract=off", "-fdenormal-fp-math=dynamic,dynamic", "-relaxed-aliasing", "-fwrapv",
        "-no-enable-noundef-analysis", "-discard-value-names", "-vectorize-loops", "-emit-llvm-bc"]
WARNINGS = ["-Wall", "-Werror", "-Wno-bitwise-conditional-parentheses"]


def resources():
    return next((LLVM / "lib" / "clang").glob("*/include"))


def digest(*parts):
    state = hashlib.sha256()
    for part in parts:
        state.update(part if isinstance(part, bytes) else str(part).encode())
        state.update(b"\0")
    return state.hexdigest()[:24]


def compile_file(source, target):
    partial = target.with_suffix(f".{os.getpid()}")
    subprocess.run([LLVM / "bin" / "clang", "-cc1", *LANGUAGES[source.suffix], *CODE, *WARNINGS,
                    "-internal-isystem", resources(), "-I", HERE, "-I", BUILTINS, "-I", INCLUDE, "-o", partial, source],
                   check=True)
    partial.replace(target)


def build(package):
    version = subprocess.run([LLVM / "bin" / "clang", "--version"], check=True, capture_output=True).stdout
    headers = [path.read_bytes() for path in [*sorted(HERE.glob("*.h")), *sorted(INCLUDE.glob("clpy_*.h")),
                                              *sorted(BUILTINS.glob("*.h")),
                                              *sorted((ROOT / "vendor_ext").glob("*/*/pixels.h"))]]
    common = digest(version, *headers, LANGUAGES, *CODE, *WARNINGS)
    work = ROOT / "build" / "isa"
    work.mkdir(parents=True, exist_ok=True)
    sources = sorted(path for path in HERE.iterdir() if path.suffix in LANGUAGES)
    made = {source.stem: (source, work / f"{source.stem}-{digest(common, source.read_bytes())}.bc")
            for source in sources}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: compile_file(*job), [job for job in made.values() if not job[1].exists()]))
    for stale in set(work.glob("*.bc")) - {target for _, target in made.values()}:
        stale.unlink(missing_ok=True)
    folder = Path(package) / "compiler" / "isa" / "library"
    folder.mkdir(parents=True, exist_ok=True)
    for stale in {path.name for path in folder.glob("*.bc")} - {f"{name}.bc" for name in made}:
        (folder / stale).unlink()
    for name, (_, target) in made.items():
        place = folder / f"{name}.bc"
        if not place.exists() or place.read_bytes() != target.read_bytes():
            partial = place.with_suffix(f".{os.getpid()}")
            partial.write_bytes(target.read_bytes())
            partial.replace(place)


if __name__ == "__main__":
    build(sys.argv[1])
