# SPDX-License-Identifier: Apache-2.0
"""Compile functions of OpenCL C that Intel's compiler has wrong or not at all: `build.py PACKAGE` makes
PACKAGE/compiler/gen/library/*.bc. Code is of the form of the CPU device's library, for no chip in particular."""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILER = HERE.parents[1]
LLVM_BIN = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22")) / "bin"
FLAGS = ["-triple", "spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-cl-ext=+all", "-finclude-default-header",
         "-fdeclare-opencl-builtins", "-O2", "-ffp-contract=off", "-fdenormal-fp-math=dynamic,dynamic",
         "-relaxed-aliasing", "-cl-fp32-correctly-rounded-divide-sqrt", "-discard-value-names", "-emit-llvm-bc",
         "-Wall", "-Werror", "-I", str(COMPILER / "builtins"), "-I", str(COMPILER.parents[1] / "include")]
# What is for any chip.
OTHERS = [COMPILER / "amdgpu" / "library" / "async_boxes.cl", COMPILER / "builtins" / "pipe.cl",
          COMPILER / "builtins" / "device_queue.cl"]


def build(package):
    folder = Path(package) / "compiler" / "gen" / "library"
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted([*HERE.glob("*.cl"), *OTHERS])
    for stale in {path.stem for path in folder.glob("*.bc")} - {path.stem for path in sources}:
        (folder / f"{stale}.bc").unlink()
    for source in sources:
        target = folder / f"{source.stem}.bc"
        partial = target.with_suffix(f".{os.getpid()}")
        subprocess.run([LLVM_BIN / "clang", "-cc1", *FLAGS, "-o", partial, source], check=True)
        if target.exists() and target.read_bytes() == partial.read_bytes():
            partial.unlink()
        else:
            partial.replace(target)


if __name__ == "__main__":
    build(sys.argv[1])
