# SPDX-License-Identifier: Apache-2.0
"""Compile functions of OpenCL C that AMD's library does not have, for AMD's chips: `build.py PACKAGE` makes
PACKAGE/compiler/amdgpu/library/*.bc and index.txt, which has a line for each file: its name, and its functions'.

What is not of this folder is the CPU device's source, compiled for the chips. Code is for no chip in particular; a
program says for which it is. A file is compiled again only when it, a header, the flags or the compiler changed.
"""
import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
INCLUDE = ROOT / "include"
LLVM_BIN = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22")) / "bin"
BUILTINS = ROOT / "clpy" / "compiler" / "builtins"
LANGUAGE = ["-triple", "amdgcn-amd-amdhsa", "-mcode-object-version=none", "-target-feature", "+wavefrontsize64", "-x",
            "cl", "-cl-std=CL3.0", "-cl-ext=+all", "-finclude-default-header", "-fdeclare-opencl-builtins"]
CODE = ["-O2", "-ffp-contract=off", "-fdenormal-fp-math=dynamic,dynamic", "-relaxed-aliasing",
        "-cl-fp32-correctly-rounded-divide-sqrt", "-discard-value-names", "-emit-llvm-bc"]
WARNINGS = ["-Wall", "-Werror", "-Wno-bitwise-conditional-parentheses"]

FLOAT_ATOMICS = re.compile(r"_Z\d+atomic_(fetch_(add|sub|min|max)\w*VU7_Atomic(f|d|Dh)"
                           r"|(init|store|load|exchange)\w*VU7_AtomicDh)")
ALL = re.compile("")
# Name of the file to make -> source, defines, which of its functions are for the chips.
FILES = {
    "async_boxes": (HERE / "async_boxes.cl", [], ALL),
    "bit_ops": (BUILTINS / "bit_ops.cl", [], ALL),
    "collective": (HERE / "collective.cl", [], ALL),
    "dot_product": (BUILTINS / "dot_product.cl", [], ALL),
    "exchange_gfx6": (HERE / "exchange.cl", [], ALL),
    "exchange_gfx8": (HERE / "exchange.cl", ["-DPERMUTES"], ALL),
    "float_atomics": (BUILTINS / "atomic.cl", [], FLOAT_ATOMICS),
    "device_queue": (BUILTINS / "device_queue.cl", [], ALL),
    "gamma": (HERE / "gamma.cl", [], ALL),
    "host_calls": (HERE / "host_calls.cl", [], ALL),
    "named_barrier": (BUILTINS / "named_barrier.cl", [], ALL),
    "pipe": (BUILTINS / "pipe.cl", [], ALL),
    "sub_group": (HERE / "sub_group.cl", [], ALL),
}


def digest(*parts):
    state = hashlib.sha256()
    for part in parts:
        state.update(part if isinstance(part, bytes) else str(part).encode())
        state.update(b"\0")
    return state.hexdigest()[:24]


def compile_file(source, defines, target):
    """Through a file of its own name, so that an interrupted build leaves nothing half done."""
    partial = target.with_suffix(f".{os.getpid()}")
    subprocess.run([LLVM_BIN / "clang", "-cc1", *LANGUAGE, *CODE, *WARNINGS, *defines, "-I", BUILTINS, "-I", INCLUDE,
                    "-o", partial, source], check=True)
    partial.replace(target)


def names(bitcode, wanted):
    """The names of the functions defined in a file that are wanted."""
    lines = subprocess.run([LLVM_BIN / "llvm-nm", "--defined-only", "--extern-only", "--just-symbol-name", bitcode],
                           check=True, capture_output=True, text=True).stdout
    return sorted(name for name in lines.split() if wanted.match(name))


def replace_changed(path, data):
    if not path.exists() or path.read_bytes() != data:
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_bytes(data)
        partial.replace(path)


def build(package):
    version = subprocess.run([LLVM_BIN / "clang", "--version"], check=True, capture_output=True).stdout
    headers = [path.read_bytes() for path in [*sorted(BUILTINS.glob("*.h")), INCLUDE / "clpy_pipe.h",
                                              INCLUDE / "clpy_host_calls.h"]]
    common = digest(version, *headers, *LANGUAGE, *CODE, *WARNINGS)
    work = ROOT / "build" / "amdgpu"
    work.mkdir(parents=True, exist_ok=True)
    made = {name: (source, defines, work / f"{name}-{digest(common, source.read_bytes(), *defines)}.bc")
            for name, (source, defines, _) in FILES.items()}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: compile_file(*job), [job for job in made.values() if not job[2].exists()]))
    for stale in set(work.glob("*.bc")) - {target for _, _, target in made.values()}:
        stale.unlink(missing_ok=True)
    folder = Path(package) / "compiler" / "amdgpu" / "library"
    folder.mkdir(parents=True, exist_ok=True)
    for stale in {path.name for path in folder.glob("*.bc")} - {f"{name}.bc" for name in made}:
        (folder / stale).unlink()
    lines = [" ".join([f"{name}.bc", *names(target, FILES[name][2])]) + "\n" for name, (_, _, target) in made.items()]
    for name, (_, _, target) in made.items():
        replace_changed(folder / f"{name}.bc", target.read_bytes())
    replace_changed(folder / "index.txt", "".join(lines).encode())


if __name__ == "__main__":
    build(sys.argv[1])
